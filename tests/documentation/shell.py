"""A shell with namespaces of its own for mounts, network and processes, an empty home and no settings."""

import contextlib
import fcntl
import os
import re
import selectors
import shlex
import shutil
import struct
import subprocess
import sys
import termios
import time
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system.servers import PATIENCE

HERE = Path(__file__).parent
#: Programs that stand in for those that would change or need the machine.
PROGRAMS = HERE / "programs"
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
#: Starts the loopback interface, and gives it more addresses (SIOCSIFADDR, SIOCSIFFLAGS with IFF_UP).
_LOOPBACK = """
import fcntl, socket, struct, sys
control = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for number, address in enumerate(["127.0.0.1", *sys.argv[1:]]):
    name = b"lo:%d" % number if number else b"lo"
    fcntl.ioctl(control, 0x8916, struct.pack("16sH2x4s8x", name, socket.AF_INET, socket.inet_aton(address)))
    fcntl.ioctl(control, 0x8914, struct.pack("16sh14x", name, 1))
"""
_OVERLAY = (
    "mkdir {0}/{1} {0}/{1}/up {0}/{1}/work && "
    "mount -t overlay -o lowerdir=/{1},upperdir={0}/{1}/up,workdir={0}/{1}/work overlay /{1}"
)


class CommandFailed(AssertionError):
    """A command of a document ended with another status than the document says."""


class Terminal:
    """A terminal that keeps what is written to it."""

    def __init__(self) -> None:
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("4H", 50, 120, 0, 0))
        os.set_blocking(self.master, False)
        self._written = b""

    def close(self) -> None:
        os.close(self.master)
        os.close(self.slave)

    def clear(self) -> None:
        self._written = b""

    def read(self) -> str:
        """All that was written until now, without colours and lines that were written over."""
        with contextlib.suppress(BlockingIOError):
            while more := os.read(self.master, 65536):
                self._written += more
        text = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", self._written.decode("utf-8", "replace"))
        return "\n".join(line.removesuffix("\r").rsplit("\r", 1)[-1] for line in text.split("\n"))


class Shell:
    """One bash, whose commands write to a terminal; a server writes to another."""

    def __init__(
        self, process: "subprocess.Popen[str]", folder: Path, own: Terminal, servers: Terminal
    ) -> None:
        self.process, self.folder, self.terminal, self.server_terminal = process, folder, own, servers
        self.serving = False

    def run(self, command: str, status: int = 0) -> str:
        """Run commands; return what they print. Raises CommandFailed."""
        printed, failed = self._ask("run", command)
        if int(failed.partition(" ")[0] or 0) != status:
            raise CommandFailed(f"exit status {failed or 0}\n{command}\n{printed}")
        return printed

    def serve(self, command: str, address: str) -> None:
        """Start a command that goes on running, and wait until the address answers."""
        if self.serving:
            self.stop()
        self.server_terminal.clear()
        self._ask("serve", command)
        self.serving = True
        _, failed = self._ask("wait", address)
        if failed:
            raise CommandFailed(f"{failed}\n{command}\n{self.served()}")

    def served(self) -> str:
        """What the command that goes on running has printed until now."""
        return self.server_terminal.read().rstrip("\n")

    def stop(self) -> None:
        """Press Ctrl-C in the terminal of the server."""
        self._ask("stop", "")
        self.serving = False

    def _ask(self, verb: str, text: str) -> tuple[str, str]:
        """Have the shell do this; return what it prints, and which command failed, after its status."""
        assert self.process.stdin is not None
        (self.folder / "command").write_text(text + "\n", "utf-8")
        self.terminal.clear()
        self.process.stdin.write(f"{verb}\n")
        self.process.stdin.flush()
        deadline = time.monotonic() + PATIENCE
        with selectors.DefaultSelector() as ready:
            for file in (self.process.stdout, self.terminal.master, self.server_terminal.master):
                ready.register(file, selectors.EVENT_READ)  # type: ignore[arg-type]
            while not self.terminal.read().endswith("\0"):
                changed = [key.fileobj for key, _ in ready.select(deadline - time.monotonic())]
                self.server_terminal.read()  # or the server would wait until somebody reads
                if self.process.stdout in changed or not changed:
                    end = "the shell has ended" if changed else f"no end after {PATIENCE} seconds"
                    notices = (self.folder / "notices").read_text("utf-8")
                    raise CommandFailed(f"{end}\n{verb} {text}\n{self.terminal.read()}\n{notices}")
        printed, failed, _ = self.terminal.read().rsplit("\0", 2)
        return printed.rstrip("\n"), failed


@contextlib.contextmanager
def started(
    folder: Path, *, private: tuple[str, ...] = (), hosts: dict[str, str] | None = None, **environment: str
) -> Iterator[Shell]:
    """Start a shell in `folder/home`, with a network of its own that ends at loopback.

    Changes below the folders in `private`, such as "etc", are seen by this shell alone and lost with it.
    `hosts` maps names to addresses, which the loopback interface gets. Where the kernel refuses, the test
    fails in CI and is skipped elsewhere.
    """
    home = folder / "home"
    home.mkdir(parents=True)
    control = folder / "control"
    control.mkdir()
    own, servers = Terminal(), Terminal()
    env = {
        "HOME": str(home), "LANG": "C.UTF-8", "TERM": "dumb",
        "USER": "root", "LOGNAME": "root", "PAGER": "cat", "NO_COLOR": "1", **environment,
        "PATH": f"{PROGRAMS}:{environment.get('PATH', SYSTEM_PATH)}",
    }  # fmt: skip
    names = hosts or {}
    folders = {*private, *(["etc"] if names else [])}
    addresses = " ".join(set(names.values()) - {"127.0.0.1"})
    lines = ["set -e", f"{shlex.quote(sys.executable)} -c {shlex.quote(_LOOPBACK)} {addresses}"]
    layers = folder / "layers"
    layers.mkdir()
    lines += [f"mount -t tmpfs -o mode=0755 layers {layers}"]
    lines += [_OVERLAY.format(layers, name) for name in sorted(folders)]
    lines += [f"echo {address} {name} >> /etc/hosts" for name, address in names.items()]
    lines += [
        f"__command={shlex.quote(str(control / 'command'))} __own={own.slave} __servers={servers.slave}",
        "set +e",
        "umask 022",
        f"cd {shlex.quote(str(home))}",
        f". {shlex.quote(str(HERE / 'shell.sh'))}",
    ]
    with (control / "notices").open("w") as notices:
        process = subprocess.Popen(
            [*_unshare(), "bash", "--noprofile", "--norc", "-c", "\n".join(lines)],
            env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=notices, text=True,
            pass_fds=(own.slave, servers.slave), start_new_session=True,
        )  # fmt: skip
    with process, contextlib.closing(own), contextlib.closing(servers):
        try:
            yield Shell(process, control, own, servers)
        finally:
            process.kill()  # with `unshare` ends the first process of the namespace, and with that all others


def _unshare() -> list[str]:
    program = shutil.which("unshare")
    command = [str(program), "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
    command += [] if os.geteuid() == 0 else ["--map-root-user"]
    tried = program and subprocess.run([*command, "true"], capture_output=True, text=True, check=False)
    if not tried or tried.returncode:
        reason = f"documents are run in namespaces, which need `unshare` and the right to use it: {tried}"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return command
