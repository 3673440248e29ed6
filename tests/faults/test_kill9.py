"""kill -9 of workers, the master, and all of them, while clients write: nothing acknowledged is lost."""

import contextlib
import os
import random
import signal
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests import figures
from tests.system import servers
from tests.system.load import Found, Load, found

pytestmark = pytest.mark.system

ROUNDS = 200 if figures.LONG else 14
#: How a connection ends that a killed process had.
INTERRUPTED = {
    "ConnectionResetError", "ConnectionRefusedError", "RemoteDisconnected", "BrokenPipeError",
    "IncompleteRead", "BadStatusLine", "ConnectionAbortedError",
}  # fmt: skip


class Killed:
    """A server that is killed and started again on the same port."""

    def __init__(self, folder: Path, stack: ExitStack, fault: str = "") -> None:
        self.folder, self.stack = folder, stack
        self.env = servers.environment(folder / "calendar.sqlite3", CALENDAR_TEST_BREAK=fault)
        self.secret, self.port = servers.prepared(self.env), servers.free_port()
        self.command = (servers.broken if fault else servers.gunicorn)(self.port)
        self.recoveries: list[float] = []
        self.start()

    def start(self) -> None:
        began, log = time.monotonic(), self.folder / f"log{len(self.recoveries)}"
        started = servers.started(self.command, self.port, self.env, log, secret=self.secret)
        self.server = self.stack.enter_context(started)
        self.recoveries.append(time.monotonic() - began)

    def kill(self, kind: str, chance: random.Random) -> None:
        process = self.server.process
        if kind == "worker":
            with contextlib.suppress(ProcessLookupError, IndexError):
                os.kill(chance.choice(self.server.workers()), signal.SIGKILL)
            servers.until(self.server.listens, process)
            return
        if kind == "master":  # its workers notice, and go on for a moment
            process.kill()
            time.sleep(chance.uniform(0, 0.1))
        self.end()
        self.start()

    def end(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.server.process.pid, signal.SIGKILL)
        self.server.process.wait(60)


def killing(folder: Path, rounds: int, fault: str = "") -> tuple[Found, dict[str, Any]]:
    chance, seed = figures.chance()
    kinds: Counter[str] = Counter()
    with ExitStack() as stack:
        killed, began = Killed(folder, stack, fault), time.monotonic()
        with Load(killed.server) as load:
            for _ in range(rounds):
                load.more(1)  # each kill meets a server at work
                time.sleep(chance.uniform(0.0, 0.25))
                kind = chance.choice(["worker", "worker", "master", "group"])
                kinds[kind] += 1
                killed.kill(kind, chance)
            load.more(1)
        killed.end()
    result = found(folder / "calendar.sqlite3", load.acknowledged, load.tried)
    return result, {
        "seed": seed,
        "kills": dict(kinds),
        "seconds": round(time.monotonic() - began, 1),
        "acknowledged": len(load.acknowledged),
        "clients_saw": dict(load.seen),
        "start_to_first_answer_max": round(max(killed.recoveries), 2),
        **result.figures,
    }


def test_kill_loses_nothing_acknowledged(tmp_path: Path) -> None:
    result, measured = killing(tmp_path, ROUNDS)

    figures.keep("kill9", **measured)
    assert result.faults == []
    assert measured["acknowledged"] > ROUNDS
    assert set(measured["clients_saw"]) <= {"201"} | INTERRUPTED


@pytest.mark.parametrize(("fault", "kind"), [("early", "lost"), ("split", "halves")])
def test_harness_finds(fault: str, kind: str, tmp_path: Path) -> None:
    """A response before the commit is lost sooner or later; a commit after each statement leaves halves."""
    for turn in range(5):
        (tmp_path / str(turn)).mkdir()
        result, measured = killing(tmp_path / str(turn), 6, fault)
        print(measured)
        if getattr(result, kind):
            return
    pytest.fail(f"nothing {kind} in five runs of a service with the fault {fault}")
