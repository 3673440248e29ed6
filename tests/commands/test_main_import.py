"""`calendar-api import`: options, output and exit status."""

import json
import os
import pty
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from calendar_api import database
from calendar_api.database.models import Event, User
from calendar_api.store import users
from tests.command_line import Run
from tests.system import servers


def events() -> list[tuple[str, int]]:
    with database.read():
        return [(event.title, event.author_id) for event in Event.select().order_by(Event.id)]


def line(title: str, **fields: object) -> str:
    return json.dumps({"title": title, "start_date": "2031-05-01", "end_date": "2031-05-02", **fields})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two valid lines and, between them, an invalid one."""
    path = tmp_path / "events.jsonl"
    path.write_text(f"{line('First')}\n{line('Bad', end_date='never')}\n{line('Second')}\n", "utf-8")
    return path


BAD_LINE = re.compile(r"line 2: end_date must be .+\.\n")


@pytest.mark.parametrize(
    ("options", "created", "titles"),
    [
        ((), "2 created", ["First", "Second"]),
        (("--dry-run",), "2 would be created", []),
        (("--all-or-nothing",), "0 created", []),
    ],
)
def test_import_reports_invalid_lines(
    options: tuple[str, ...], created: str, titles: list[str], run: Run, file: Path
) -> None:
    status, out, err = run("import", str(file), *options)

    assert (status, out) == (1, f"{created}, 0 skipped (already there), 1 refused\n")
    assert BAD_LINE.fullmatch(err)
    assert events() == [(title, 1) for title in titles]


def test_import_of_valid_lines_exits_with_0(run: Run, file: Path) -> None:
    file.write_text(f"\ufeff{line('First')}\n\n{line('Second')}", "utf-8")

    assert run("import", str(file)) == (0, "2 created, 0 skipped (already there), 0 refused\n", "")
    assert run("import", str(file)) == (0, "0 created, 2 skipped (already there), 0 refused\n", "")


def test_import_for_another_author(run: Run, file: Path) -> None:
    run("import", str(file), "--user", "author")

    with database.read():
        author = users.by_login("author").id
    assert events() == [("First", author), ("Second", author)]


def test_import_without_an_administrator(run: Run, file: Path) -> None:
    with database.write():
        User.update(role="editor").execute()

    status, out, err = run("import", str(file))

    assert (status, out) == (1, "")
    assert err == (
        "calendar-api: There is no administrator: run `calendar-api user add NAME --role administrator`.\n"
    )


def test_import_of_invalid_utf8_rejects_the_line(run: Run, file: Path) -> None:
    file.write_bytes(line("First").encode() + b"\n" + line("Caf?").encode().replace(b"?", b"\xe9") + b"\n")

    status, out, err = run("import", str(file))

    assert (status, out) == (1, "1 created, 0 skipped (already there), 1 refused\n")
    assert err == "line 2: title must be valid Unicode text, without half a surrogate pair.\n"


@pytest.mark.parametrize(("name", "why"), [("absent", "No such file or directory"), ("", "Is a directory")])
def test_import_of_a_file_that_cannot_be_read(name: str, why: str, run: Run, tmp_path: Path) -> None:
    path = tmp_path / name

    assert run("import", str(path)) == (1, "", f"calendar-api: {path} cannot be read: {why}.\n")


def process(*arguments: str, database_url: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
    """Run the command in another process."""
    database.close_connection()
    env = servers.environment(Path()) | {"CALENDAR_DATABASE_URL": database_url}
    return subprocess.run(
        [*servers.CALENDAR, *arguments], env=env, cwd=servers.CHECKOUT, timeout=servers.PATIENCE,
        check=False, stdout=subprocess.PIPE, **more,
    )  # fmt: skip


def test_import_from_standard_input(run: Run, file: Path, database_url: str) -> None:
    content = file.read_bytes()

    result = process("import", "-", database_url=database_url, input=content, stderr=subprocess.PIPE)

    assert result.returncode == 1
    assert result.stdout == b"2 created, 0 skipped (already there), 1 refused\n"
    assert BAD_LINE.fullmatch(result.stderr.decode())
    assert events() == [("First", 1), ("Second", 1)]


@pytest.mark.sqlite
def test_import_shows_a_progress_bar_on_a_terminal(file: Path, database_url: str) -> None:
    ours, theirs = pty.openpty()

    result = process("import", str(file), database_url=database_url, stderr=theirs)
    os.close(theirs)
    shown = os.read(ours, 4096).decode()
    os.close(ours)

    bar, bad = shown.replace("\r\n", "\n").removeprefix("\r").split("\n", 1)
    assert bar == f"[{'#' * 40}] 3/3"
    assert BAD_LINE.fullmatch(bad)
    assert result.stdout == b"2 created, 0 skipped (already there), 1 refused\n"
