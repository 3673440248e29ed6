"""The command line: every command, what it prints, and how it refuses."""

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from calendar_api import __version__, cli, database, schema_state
from calendar_api.config import Config
from calendar_api.models import Event, User
from calendar_api.store import users

ROOT = Path(__file__).parents[1]
SECRET = re.compile(r"Application password of (\w+), shown only once:\n    ((?:\w{4} ){5}\w{4})\n")
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`run("user", "list")` gives exit status, output and errors, on the database of this test."""
    for name in [name for name in os.environ if name.startswith("CALENDAR_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("CALENDAR_DATABASE_URL", database_url)

    def command(*arguments: str) -> tuple[int, str, str]:
        status = cli.main(arguments)
        return status, *capsys.readouterr()

    return command


def events() -> list[tuple[str, int]]:
    with database.read():
        return [(event.title, event.author_id) for event in Event.select().order_by(Event.id)]


def line(title: str, **fields: object) -> str:
    return json.dumps({"title": title, "start_date": "2031-05-01", "end_date": "2031-05-02", **fields})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two good lines and, in between, one that is refused."""
    path = tmp_path / "events.jsonl"
    path.write_text(f"{line('First')}\n{line('Bad', end_date='never')}\n{line('Second')}\n", "utf-8")
    return path


BAD_LINE = re.compile(r"line 2: end_date must be .+\.\n")

# -- running


def test_version(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run("--version")

    assert ended.value.code == 0
    assert capsys.readouterr().out == f"calendar-api {__version__}\n"


@pytest.mark.parametrize("arguments", [(), ("nothing",), ("user",), ("user", "add", "x"), ("import",)])
def test_wrong_command_line_ends_with_2(
    arguments: tuple[str, ...], run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(*arguments)

    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("usage: calendar-api")


def test_config_prints_what_can_be_read_back(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    monkeypatch.setenv("CALENDAR_TIMEZONE", "Europe/Berlin")
    status, out, err = run("config")
    (tmp_path / "calendar.conf").write_text(out, "utf-8")

    again = Config.load({"CALENDAR_CONFIG": str(tmp_path / "calendar.conf")})

    assert (status, err) == (0, "")
    assert again == Config(database_url=database_url, timezone="Europe/Berlin")


def test_bad_setting_is_one_sentence_and_no_traceback(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALENDAR_PER_PAGE", "many")

    assert run("config") == (
        1,
        "",
        "calendar-api: CALENDAR_PER_PAGE cannot be 'many': give a whole number from 1 to 1000.\n",
    )


def test_module_is_the_command(tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "CALENDAR_TYPO": "1"}

    result = subprocess.run(
        [sys.executable, "-m", "calendar_api", "config"],
        env=env, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip

    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == (
        "calendar-api: CALENDAR_TYPO is not a setting; `calendar-api config` prints those that are.\n"
    )


def migrations() -> list[str]:
    return sorted(path.stem for path in schema_state.MIGRATIONS.glob("[0-9]*.py"))


def test_migrate_makes_a_database_once(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALENDAR_DATABASE_URL", f"sqlite:///{tmp_path}/new/calendar.sqlite3")

    assert run("migrate", "--status") == (
        1, "", "calendar-api: There is no database yet; `calendar-api migrate` makes one.\n"
    )  # fmt: skip
    assert run("migrate") == (0, "".join(f"applied {name}\n" for name in migrations()), "")
    assert run("migrate") == (0, "nothing to do: the database is up to date\n", "")
    assert run("migrate", "--status") == (
        0, "".join(f"applied  {name}\n" for name in migrations()), ""
    )  # fmt: skip


def test_migrate_status_shows_what_is_to_come_and_what_is_unknown(run: Run) -> None:
    with database.write():
        database.db.execute_sql(
            "UPDATE schema_migration SET name = '9999_later' WHERE name = ?", (migrations()[-1],)
        )

    *applied, to_come = migrations()
    shown = [*(f"applied  {name}" for name in applied), f"to come  {to_come}", "unknown  9999_later"]
    assert run("migrate", "--status") == (0, "\n".join(shown) + "\n", "")


def test_migrate_where_nothing_can_be_made(run: Run, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALENDAR_DATABASE_URL", f"sqlite:///{file}/calendar.sqlite3")

    status, out, err = run("migrate")

    assert (status, out) == (1, "")
    assert re.fullmatch(r"calendar-api: The database .+ cannot be made: .+\.\n", err)


@pytest.mark.parametrize(
    "arguments", ["user list", "user add ann --role author", "password list admin", "import -"]
)
def test_command_without_a_database_says_what_to_run(
    arguments: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALENDAR_DATABASE_URL", f"sqlite:///{tmp_path}/none/calendar.sqlite3")

    status, out, err = run(*arguments.split())

    assert (status, out) == (1, "")
    assert err.startswith("calendar-api: There is no database yet. Run `calendar-api migrate`")
    assert not (tmp_path / "none").exists()


# -- users and passwords


def test_user_add_prints_a_password_that_works(run: Run) -> None:
    status, out, err = run("user", "add", "ann", "--role", "editor")

    printed = SECRET.fullmatch(out)
    assert (status, err) == (0, "")
    assert printed is not None
    assert printed[1] == "ann"
    with database.read():
        assert users.authenticated("ann", printed[2]) == users.by_login("ann")


def test_user_list_shows_ids_roles_and_logins(run: Run) -> None:
    status, out, err = run("user", "list")

    assert (status, err) == (0, "")
    assert out.splitlines()[:2] == ["    1  administrator  admin", "    3  author         author"]


def test_user_role_and_remove(run: Run) -> None:
    assert run("user", "role", "author", "editor") == (0, "", "")
    assert run("user", "remove", "subscriber") == (0, "", "")
    assert run("user", "remove", "author", "--give-to", "editor") == (0, "", "")

    logins = [entry.split()[-1] for entry in run("user", "list")[1].splitlines()]
    assert logins == ["admin", "author2", "contributor", "contributor2", "editor"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("user", "add", "admin", "--role", "author"), "There is a user 'admin' already."),
        (
            ("user", "add", "a:b", "--role", "author"),
            "A login has 1 to 60 printable characters and no colon.",
        ),
        (
            ("user", "role", "admin", "editor"),
            "'admin' is the only administrator; make another one first.",
        ),
        (("user", "remove", "admin"), "'admin' is the only administrator; make another one first."),
        (
            ("user", "remove", "nobody"),
            "There is no user 'nobody'; `calendar-api user list` shows those there are.",
        ),
        (
            ("user", "remove", "author", "--give-to", "author"),
            "A user cannot inherit from themselves; name another one.",
        ),
        (
            ("password", "revoke", "admin", "999"),
            "'admin' has no password number 999; `calendar-api password list` shows them.",
        ),
        (
            ("password", "add", "admin", "--name", ""),
            "The name of a password has 1 to 100 printable characters.",
        ),
        (
            ("import", "-", "--user", "nobody"),
            "There is no user 'nobody'; `calendar-api user list` shows those there are.",
        ),
    ],
)
def test_refusal_is_a_sentence(arguments: tuple[str, ...], sentence: str, run: Run) -> None:
    assert run(*arguments) == (1, "", f"calendar-api: {sentence}\n")


def test_passwords_are_added_listed_and_revoked(run: Run) -> None:
    added = SECRET.fullmatch(run("password", "add", "author", "--name", "phone")[1])
    listed = run("password", "list", "author")[1]
    number = listed.splitlines()[-1].split()[0]
    revoked = run("password", "revoke", "author", number)

    assert added is not None
    assert [entry.split("  ")[-1] for entry in listed.splitlines()] == ["tests", "phone"]
    assert added[2] not in listed
    assert revoked == (0, "", "")
    assert run("password", "list", "author")[1] == listed.splitlines(keepends=True)[0]
    with database.read():
        assert users.authenticated("author", added[2]) is None


# -- import


def test_import_stores_the_good_lines_and_names_the_bad_one(run: Run, file: Path) -> None:
    status, out, err = run("import", str(file))

    assert (status, out) == (1, "2 created, 0 skipped (already there), 1 refused\n")
    assert BAD_LINE.fullmatch(err)
    assert events() == [("First", 1), ("Second", 1)]


def test_import_of_good_lines_ends_with_0(run: Run, file: Path) -> None:
    file.write_text(f"\ufeff{line('First')}\n\n{line('Second')}", "utf-8")

    assert run("import", str(file)) == (0, "2 created, 0 skipped (already there), 0 refused\n", "")
    assert run("import", str(file)) == (0, "0 created, 2 skipped (already there), 0 refused\n", "")


def test_import_dry_run_stores_nothing(run: Run, file: Path) -> None:
    status, out, err = run("import", str(file), "--dry-run")

    assert (status, out) == (1, "2 would be created, 0 skipped (already there), 1 refused\n")
    assert BAD_LINE.fullmatch(err)
    assert events() == []


def test_import_all_or_nothing_stores_nothing(run: Run, file: Path) -> None:
    status, out, err = run("import", str(file), "--all-or-nothing")

    assert (status, out) == (1, "0 created, 0 skipped (already there), 1 refused\n")
    assert BAD_LINE.fullmatch(err)
    assert events() == []


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
        "calendar-api: There is no administrator to import for; "
        "run `calendar-api user add NAME --role administrator`.\n"
    )


def test_import_of_bytes_that_are_no_text_refuses_their_line(run: Run, file: Path) -> None:
    file.write_bytes(line("First").encode() + b"\n" + line("Caf?").encode().replace(b"?", b"\xe9") + b"\n")

    status, out, err = run("import", str(file))

    assert (status, out) == (1, "1 created, 0 skipped (already there), 1 refused\n")
    assert err == "line 2: title must be valid Unicode text, without half a surrogate pair.\n"


@pytest.mark.parametrize(("name", "why"), [("absent", "No such file or directory"), ("", "Is a directory")])
def test_import_of_a_file_that_cannot_be_read(name: str, why: str, run: Run, tmp_path: Path) -> None:
    path = tmp_path / name

    assert run("import", str(path)) == (1, "", f"calendar-api: {path} cannot be read: {why}.\n")


def test_import_from_standard_input(run: Run, file: Path, database_url: str) -> None:
    database.close_here()

    result = _apart("import", "-", database_url=database_url, stdin=file.read_bytes())

    assert result.returncode == 1
    assert result.stdout == b"2 created, 0 skipped (already there), 1 refused\n"
    assert BAD_LINE.fullmatch(result.stderr.decode())
    assert events() == [("First", 1), ("Second", 1)]


def test_import_shows_a_bar_on_a_terminal(file: Path, database_url: str) -> None:
    database.close_here()
    ours, theirs = pty.openpty()

    result = _apart("import", str(file), database_url=database_url, stderr=theirs)
    os.close(theirs)
    shown = os.read(ours, 4096).decode()
    os.close(ours)

    bar, bad = shown.replace("\r\n", "\n").removeprefix("\r").split("\n", 1)
    assert bar == f"[{'#' * 40}] 3/3"
    assert BAD_LINE.fullmatch(bad)
    assert result.stdout == b"2 created, 0 skipped (already there), 1 refused\n"


def _apart(
    *arguments: str, database_url: str, stdin: bytes = b"", stderr: int = subprocess.PIPE
) -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CALENDAR_")}
    return subprocess.run(
        [sys.executable, "-m", "calendar_api", *arguments],
        env={**kept, "CALENDAR_DATABASE_URL": database_url}, cwd=ROOT, timeout=60, check=False,
        input=stdin, stdout=subprocess.PIPE, stderr=stderr,
    )  # fmt: skip
