"""What commands print on a terminal: progress that leaves nothing, colours, and no lines for programs."""

import os
import pty
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from calendar_api import database
from calendar_api.commands import terminal
from calendar_api.commands.terminal import Progress
from tests.command_line import Run
from tests.system import servers

CLEAR = "\r\x1b[K"


def on_terminal(command: str, **settings: str) -> tuple[int, str]:
    """Exit status and output of a command whose streams are all a terminal."""
    database.close_connection()
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*servers.CALENDAR, *command.split()], env=servers.environment(Path(), TERM="xterm", **settings),
        cwd=servers.CHECKOUT, stdin=theirs, stdout=theirs, stderr=theirs,
    ) as process:  # fmt: skip
        os.close(theirs)
        printed = b""
        try:
            while piece := os.read(ours, 65_536):
                printed += piece
        except OSError:  # the command has ended
            pass
    os.close(ours)
    return process.returncode, printed.decode().replace("\r\n", "\n")


@contextmanager
def stderr_on_terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], str]]:
    """Yield a function that returns what was written on the terminal since its last call."""
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as stream, os.fdopen(ours, "rb", buffering=0) as reader:

        def read() -> str:
            print("\0", file=stream, flush=True)
            printed = b""
            while b"\0" not in printed:
                printed += reader.read(65_536) or b""
            return printed.partition(b"\0")[0].decode()

        with monkeypatch.context() as patch:
            patch.setattr(sys, "stderr", stream)
            yield read


@pytest.mark.sqlite
def test_long_commands_show_progress_that_they_delete(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    labels = {
        "reindex": "rebuilding the search index",
        f"backup {tmp_path}/b": "copying",
        f"restore {tmp_path}/b --yes": "reading the backup",
        f"copy --to sqlite:///{tmp_path}/c": "copying",
        f"export --to {tmp_path}/e.jsonl": f"writing {tmp_path}/e.jsonl"[:79],
        "purge": "purging",
        "migrate": "applying migrations",
        "check": "checking",
    }
    with stderr_on_terminal(monkeypatch) as written:
        for command, label in labels.items():
            assert run(*command.split())[0] == 0
            printed = written()
            assert (printed[: len(CLEAR + label)], printed[-len(CLEAR) :]) == (CLEAR + label, CLEAR)
        run("check", "--quiet")
        assert written() == ""


def test_progress_in_a_pipe_is_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(terminal, "_SECONDS_PIPE", 0.01)
    printed, deadline = "", time.monotonic() + servers.PATIENCE
    with Progress("reading"):
        with Progress("reading", quiet=True, in_pipes=True):
            pass
        with Progress("reading", in_pipes=True) as progress:
            progress("importing", 1000, 4000)
            while "remaining\n" not in printed and time.monotonic() < deadline:
                printed += capsys.readouterr().err

    line = r"(reading\n)*(importing, 25%, 1,000 done, [\d,]+/s, \d+:\d\d remaining\n)+"
    assert re.fullmatch(line, printed + capsys.readouterr().err)


def test_line_is_not_longer_than_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    with stderr_on_terminal(monkeypatch) as written:
        with Progress("x" * 30):
            pass
        assert written() == f"{CLEAR}{'x' * 19}{CLEAR}"


@pytest.mark.sqlite
def test_import_shows_how_far_it_is(tmp_path: Path, database_url: str) -> None:
    event = '{{"title": "{}", "start_date": "2031-05-01", "end_date": "2031-05-02"}}\n'
    (tmp_path / "many.jsonl").write_text("".join(map(event.format, range(1, 1201))))
    status, printed = on_terminal(f"import {tmp_path}/many.jsonl", CALENDAR_DATABASE_URL=database_url)

    progress = r"\r\x1b\[Kimporting, \[#* *\] \d+%, [\d,]+ done, [\d,]+/s, \d+:\d\d remaining"
    assert re.match(rf"(\r\x1b\[Kreading)+({progress})+\r\x1b\[K +created", printed)
    assert status == 0
    assert re.search("\nevent +1,200 +0 ", printed)


@pytest.mark.sqlite
@pytest.mark.parametrize(
    ("settings", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True)]
)
def test_no_color(settings: dict[str, str], coloured: bool, database_url: str) -> None:
    status, printed = on_terminal("user remove nobody", CALENDAR_DATABASE_URL=database_url, **settings)

    name = "\x1b[31mcalendar-api:\x1b[0m" if coloured else "calendar-api:"
    assert (status, printed.partition(" There is no user 'nobody'")[0]) == (1, name)
