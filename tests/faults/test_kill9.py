"""kill -9 of workers, the master, and all of them, while clients write: nothing acknowledged is lost."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.faults import figures
from tests.faults.load import Found, Load, found
from tests.system import servers
from tests.system.servers import Server

pytestmark = pytest.mark.system

ROUNDS = 200 if figures.LONG else 14


class Killed:
    """A server that is killed and started again on the same port."""

    def __init__(self, folder: Path, broken: str = "") -> None:
        self.database = folder / "calendar.sqlite3"
        self.env = servers.environment(self.database, CALENDAR_TEST_BREAK=broken)
        self.secret, self.port = servers.administrator(self.env), servers.free_port()
        self.log = (folder / "log").open("ab")
        application = "tests.faults.broken_wsgi:application" if broken else "wsgi:application"
        self.command = [
            application if part == "wsgi:application" else part for part in servers.gunicorn(self.port)
        ]
        self.recoveries: list[float] = []
        self.server: Server
        self.start()

    def start(self) -> None:
        process = subprocess.Popen(
            self.command, env=self.env, cwd=servers.CHECKOUT, stdout=self.log, stderr=self.log,
            start_new_session=True,
        )  # fmt: skip
        self.server = Server(process, self.port, Path(self.log.name), secret=self.secret)
        began = time.monotonic()
        servers.until(self.server.listens, process, lambda: self.server.output[-2000:])
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


def killing(folder: Path, rounds: int, broken: str = "") -> tuple[Found, dict[str, Any]]:
    chance, seed = figures.chance()
    killed, began = Killed(folder, broken), time.monotonic()
    load = Load(killed.port, killed.secret, folder / "acknowledged")
    kinds: Counter[str] = Counter()
    try:
        for _ in range(rounds):
            load.more(1)  # each kill meets a server at work
            time.sleep(chance.uniform(0.0, 0.25))
            kind = chance.choice(["worker", "worker", "master", "group"])
            kinds[kind] += 1
            killed.kill(kind, chance)
        load.more(1)
        load.end()
    finally:
        load._over.set()
        killed.end()
        killed.log.close()
    result = found(killed.database, load.acknowledged, load.tried)
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
    result, said = killing(tmp_path, ROUNDS)

    figures.keep("kill9", **said)
    assert result.faults == []
    assert said["acknowledged"] > ROUNDS
    assert set(said["clients_saw"]) <= {
        "201", "ConnectionResetError", "ConnectionRefusedError", "RemoteDisconnected", "BrokenPipeError",
        "IncompleteRead", "BadStatusLine", "ConnectionAbortedError",
    }  # fmt: skip


@pytest.mark.parametrize(("broken", "kind"), [("early", "lost"), ("split", "halves")])
def test_harness_finds(broken: str, kind: str, tmp_path: Path) -> None:
    """An answer before the commit is lost sooner or later, and statements of their own leave halves."""
    for turn in range(5):
        (tmp_path / str(turn)).mkdir()
        result, said = killing(tmp_path / str(turn), 6, broken)
        print(said)
        if getattr(result, kind):
            return
    pytest.fail(f"nothing {kind} in five runs of a service that is {broken}")


if __name__ == "__main__":  # python -m tests.faults.test_kill9 FOLDER ROUNDS
    print(killing(Path(sys.argv[1]), int(sys.argv[2]))[1])
