"""CPU time and memory of a process and its descendants, as the kernel reports them."""

import contextlib
import os
from pathlib import Path

_PROC = Path("/proc")


def tree(pid: int) -> list[int]:
    """The process and all its descendants."""
    parents: dict[int, list[int]] = {}
    for stat in _PROC.glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            number, rest = stat.read_text().split(" (", 1)
            parents.setdefault(int(rest.rpartition(") ")[2].split()[1]), []).append(int(number))
    found = [pid]
    for one in found:
        found.extend(parents.get(one, ()))
    return found


def cpu_ns(root: int) -> int:
    """CPU time of a process and its descendants by schedstat; of ended children in hundredths of a second."""
    total = _ended_ns(root)
    for pid in tree(root):
        for path in (_PROC / str(pid) / "task").glob("*/schedstat"):
            with contextlib.suppress(OSError):
                total += int(path.read_text().split()[0])
    return total


def _ended_ns(pid: int) -> int:
    """User and system time of ended children."""
    ticks = (_PROC / str(pid) / "stat").read_text().rpartition(") ")[2].split()
    return (int(ticks[13]) + int(ticks[14])) * 10**9 // os.sysconf("SC_CLK_TCK")


def pss_mib(pids: list[int]) -> float:
    """Memory of these processes; shared pages count once."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            lines = (_PROC / str(pid) / "smaps_rollup").read_text().splitlines()
            total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def cores() -> tuple[str, str]:
    """The cores for servers and for clients; the same if there is only one."""
    mine = sorted(os.sched_getaffinity(0))
    return str(mine[0]), str(mine[-1])
