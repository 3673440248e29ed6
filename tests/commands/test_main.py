"""The command line: options, exit status, `config`, `migrate`, `user` and `password`."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from calendar_api import __version__, database
from calendar_api.commands import main
from calendar_api.config import Config
from calendar_api.database import migrate
from calendar_api.database.models import Venue
from calendar_api.store import login_attempts, users
from tests.command_line import Run

pytestmark = pytest.mark.sqlite

ROOT = Path(__file__).parents[2]
SECRET = re.compile(r"Application password of (\w+), shown only once:\n    ((?:\w{4} ){5}\w{4})\n")


# -- running


def test_version(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run("--version")

    assert ended.value.code == 0
    assert capsys.readouterr().out == f"calendar-api {__version__}\n"


ROLES = "administrator, editor, author, contributor, subscriber"
BIND = "argument --bind: must be HOST:PORT with a port from 1 to 65535"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("", "COMMAND: serve, migrate, config"),
        ("user add ann", f"--role: {ROLES}"),
        ("user role ann", f"role: {ROLES}"),
        ("password", "ACTION: add, list, revoke"),
        ("improt", "Did you mean import?"),
        ("user lst", "Did you mean list?"),
        ("import x --dryrun", "Did you mean --dry-run?"),
        ("user add ann --role=autor", "Did you mean author?"),
        ("frobnicate", "invalid choice: 'frobnicate'"),
        ("purge --days=-1", "argument --days: must be a number from 0 to 99999, not '-1'"),
        ("serve --workers=0", "argument --workers: must be a number from 1 to 1000, not '0'"),
        ("serve --threads=1001", "argument --threads: must be a number from 1 to 1000, not '1001'"),
        ("serve --threads=many", "argument --threads: must be a number from 1 to 1000, not 'many'"),
        ("import x --timezone=Mars", "must be a time zone such as Europe/Berlin, not 'Mars'"),
        ("import x --delay=-1", "must be a number of seconds from 0 to 3600, not '-1'"),
        ("import x --delay=nan", "must be a number of seconds from 0 to 3600, not 'nan'"),
        ("import x --from=tomorrow", "must be a date such as 2031-05-01, not 'tomorrow'"),
        ("copy --to calendar.sqlite3", " or mysql://user:password@host/name (several hosts"),
        *((f"{command} ann\udcff", r"must be text in UTF-8, not 'ann\udcff'")
          for command in ("user invite", "user remove", "password list", "import x --user", "import")),
        *((f"serve --bind={bind}", f"{BIND}, not {bind!r}")
          for bind in ("8000", ":8000", "localhost", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:http")),
    ],
)  # fmt: skip
def test_wrong_command_line_is_explained(
    arguments: str, said: str, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(*arguments.split())

    printed = capsys.readouterr().err
    assert (ended.value.code, printed.startswith("usage: calendar-api")) == (2, True)
    assert said in printed.splitlines()[-1]


def test_config_prints_a_valid_settings_file(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    monkeypatch.setenv("CALENDAR_TIMEZONE", "Europe/Berlin")
    status, out, err = run("config")
    (tmp_path / "calendar.conf").write_text(out, "utf-8")

    again = Config.load({"CALENDAR_CONFIG": str(tmp_path / "calendar.conf")})

    assert (status, err) == (0, "")
    assert again == Config(database_url=database_url, timezone="Europe/Berlin")
    assert Config.load(json.loads(run("config", "--json")[1])) == again


def test_package_runs_as_a_module(tmp_path: Path) -> None:
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
    return sorted(path.stem for path in migrate.MIGRATIONS.glob("[0-9]*.py"))


def lines(label: str) -> str:
    return "".join(f"{label}{name}\n" for name in migrations())


def test_migrate_creates_a_database_once(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALENDAR_DATABASE_URL", f"sqlite:///{tmp_path}/new/calendar.sqlite3")
    none = "calendar-api: There is no database yet. Run `calendar-api migrate`.\n"

    assert run("migrate", "--status") == (1, "", none)
    assert run("migrate") == (0, lines("applied "), "")
    assert run("migrate") == (0, "nothing to do: the database is up to date\n", "")
    assert run("migrate", "--status") == (0, lines("applied  "), "")


def test_migrate_status_lists_pending_and_unknown_migrations(run: Run) -> None:
    with database.write():
        database.db.execute_sql(
            f"UPDATE schema_migration SET name = '9999_later' WHERE name = '{migrations()[-1]}'"
        )

    *applied, pending = migrations()
    shown = [*(f"applied  {name}" for name in applied), f"pending  {pending}", "unknown  9999_later"]
    assert run("migrate", "--status") == (0, "\n".join(shown) + "\n", "")
    *_, later, unknown = json.loads(run("migrate", "--status", "--json")[1])
    assert (later, unknown["state"]) == ({"state": "pending", "name": pending}, "unknown")


def test_migrate_in_an_unwritable_place(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("CALENDAR_DATABASE_URL", f"sqlite:///{tmp_path}/file/calendar.sqlite3")

    status, out, err = run("migrate")

    assert (status, out) == (1, "")
    assert re.fullmatch(r"calendar-api: The database .+ cannot be made: .+\. \(.+\)\n", err)


@pytest.mark.parametrize(
    "arguments", ["user list", "user add ann --role author", "password list admin", "import -"]
)
def test_command_without_a_database_names_migrate(
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
        found, stored = login_attempts.authenticated("ann", printed[2]), users.by_login("ann")
        assert found is not None
        assert (found.id, found.login, found.role) == (stored.id, stored.login, stored.role)


@pytest.mark.both_databases
def test_users_are_listed_changed_and_removed(run: Run) -> None:
    assert run("user", "list")[1].splitlines()[:2] == [
        "    1  administrator  admin", "    3  author         author",
    ]  # fmt: skip
    assert json.loads(run("user", "list", "--json")[1])[1] == {"id": 3, "role": "author", "login": "author"}

    assert run("user", "role", "author", "editor") == (0, "", "")
    assert run("user", "remove", "subscriber") == (0, "", "")
    assert run("user", "remove", "author", "--give-to", "editor") == (0, "", "")
    logins = [entry.split()[-1] for entry in run("user", "list")[1].splitlines()]
    assert logins == ["admin", "author2", "contributor", "contributor2", "editor"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("user add admin --role author", "There is a user 'admin' already."),
        ("user role admin editor", "'admin' is the only administrator; make another one first."),
        ("user remove author --give-to author", "A user cannot inherit from themselves; name another one."),
        ("password add admin --name=", "The name of a password has 1 to 100 printable characters."),
        (
            "password revoke admin 999",
            "'admin' has no password '999'; `calendar-api password list` shows them.",
        ),
        (
            "import - --user missing",
            "There is no user 'missing'; `calendar-api user list` shows those there are.",
        ),
        ("import - --from 2031-05-02 --until 2031-05-01", "--from is later than --until."),
    ],
)
def test_refused_command_prints_one_message(arguments: str, sentence: str, run: Run) -> None:
    assert run(*arguments.split()) == (1, "", f"calendar-api: {sentence}\n")


def test_passwords_are_added_listed_and_revoked(run: Run) -> None:
    added = SECRET.fullmatch(run("password", "add", "author", "--name", "phone")[1])
    listed = run("password", "list", "author")[1]
    number = listed.splitlines()[-1].split()[0]
    as_json = json.loads(run("password", "list", "author", "--json")[1])
    revoked = run("password", "revoke", "author", number)

    assert added is not None
    assert [entry.split("  ")[-1] for entry in listed.splitlines()] == ["tests", "phone"]
    assert added[2] not in listed
    assert (as_json[1]["number"], as_json[1]["name"]) == (int(number), "phone")
    assert revoked == (0, "", "")
    assert run("password", "list", "author")[1] == listed.splitlines(keepends=True)[0]
    with database.read():
        assert login_attempts.authenticated("author", added[2]) is None


def test_password_is_revoked_by_its_name(run: Run) -> None:
    for _ in "12":
        run("password", "add", "author", "--name", "the phone")
    numbers = [line.split()[0] for line in run("password", "list", "author")[1].splitlines()[1:]]

    sentence = f"'author' has 2 passwords 'the phone': give a number ({', '.join(numbers)})."
    assert run("password", "revoke", "author", "the phone") == (1, "", f"calendar-api: {sentence}\n")
    assert run("password", "revoke", "author", f" {numbers[0]}")[0] == 0
    assert run("password", "revoke", "author", "the phone")[0] == 0
    assert len(run("password", "list", "author")[1].splitlines()) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        "mysql://cal:Hunter2@db/cal",
        "migrate mysql://cal:Hunter2@db/cal",
        "copy --to mysql:/cal:Hunter2@db/cal",
        "copy mysql://cal:Hunter2@db/cal --to mysql://cal:Hunter2@db/cal",
        "serve --bind mysql://cal:Hunter2@db/cal",
        "serve --workers cal:Hunter2@db",
    ],
)
def test_error_of_a_wrong_command_line_quotes_no_secret(
    arguments: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main.main(arguments.split())

    assert "Hunter2" not in "".join(capsys.readouterr())


@pytest.mark.parametrize(
    ("option", "phone"), [((), "ours"), (("--ours",), "ours"), (("--theirs",), "theirs")]
)
def test_import_keeps_what_was_changed_here_unless_told_otherwise(
    option: tuple[str, ...], phone: str, run: Run, tmp_path: Path
) -> None:
    file = tmp_path / "venues.jsonl"
    for value in ("first", "theirs"):
        file.write_text(json.dumps({"noun": "venue", "id": 1, "venue": "Hall", "phone": value}), "utf-8")
        assert run("import", str(file), *option)[0] == 0
        if value == "first":
            database.run_write(Venue.update(phone="ours", version=Venue.version + 1).execute)

    assert database.run_read(lambda: Venue.get().phone) == phone
