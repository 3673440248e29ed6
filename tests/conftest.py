"""A real database for each test, with a user of every role, and the application on top of it.

A test runs on a SQLite file. Where its result can differ on MariaDB (filters, order, collation, uniqueness,
transactions, retries) it carries the marker `both_databases` and runs on a private server, too.
"""

import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import hypothesis
import pytest
import time_machine

from calendar_api import database
from calendar_api.app import create_app
from calendar_api.commands import main
from calendar_api.config import Config
from calendar_api.database import migrate
from calendar_api.domain.auth import ROLES, Caller
from calendar_api.store import password_hashes, users
from tests import mariadb, memory
from tests.client import Client
from tests.command_line import Run
from tests.mariadb import MariaDb
from tests.templates import MariaDbTemplate, SqliteTemplate, Template

BACKENDS = ("sqlite", "mariadb")

#: A busy machine makes examples slow, which is no fault of what they test.
hypothesis.settings.register_profile(
    "calendar", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.register_profile(
    "quick", parent=hypothesis.settings.get_profile("calendar"), max_examples=10
)
hypothesis.settings.load_profile("calendar")

BORN = "2026-01-01 00:00:00"
LOGINS = (
    {"admin": "administrator"}
    | {role: role for role in ROLES[1:]}
    | {"author2": "author", "contributor2": "contributor"}
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files")


#: Packages about SQL: their tests run on both databases unless they are marked `sqlite` or `mariadb`.
ABOUT_SQL = ("tests.commands", "tests.conformance", "tests.database")
#: What deletes, replaces and copies files of SQLite, which then are on a disk.
ABOUT_FILES = ("tests.commands", "tests.database", "tests.test_sqlite_wal")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "backend" in metafunc.fixturenames:
        metafunc.parametrize("backend", backends_of(metafunc), indirect=True, scope="session")


def backends_of(metafunc: pytest.Metafunc) -> tuple[str, ...]:
    """SQLite alone, unless the nearest marker or the package says that the result can differ on MariaDB."""
    names = ("both_databases", *BACKENDS)
    marker = next((mark.name for mark in metafunc.definition.iter_markers() if mark.name in names), "")
    if marker in BACKENDS:
        return (marker,)
    about_sql = metafunc.module.__name__.startswith(ABOUT_SQL)
    return BACKENDS if marker or about_sql else BACKENDS[:1]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Begin no test at the end of an hour, when a day may end: "tomorrow" means one day in a test."""
    left = 3600 - time.time() % 3600
    if left < 20:
        time.sleep(left)


@pytest.fixture(autouse=True)
def _clock() -> Iterator[None]:
    """CALENDAR_TEST_NOW lets all tests run as if it were then."""
    now = os.environ.get("CALENDAR_TEST_NOW")
    with time_machine.travel(now, tick=True) if now else nullcontext():
        yield


@pytest.fixture
def cheap_digests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords of events without the cost of a guess, which tests/store/test_password_hashes.py tests."""
    monkeypatch.setattr(password_hashes, "_SCRYPT_N", 2)


@pytest.fixture(scope="session")
def backend(request: pytest.FixtureRequest) -> str:
    """Which of the two databases this test runs on."""
    return str(request.param)


@pytest.fixture(scope="session")
def mariadb_server() -> Iterator[MariaDb]:
    mariadb.require()
    with mariadb.started() as server:
        yield server


@pytest.fixture(scope="session")
def templates() -> dict[str, Template]:
    """Those that were made, by backend: a worker may come back to one when it takes tests over."""
    return {}


@pytest.fixture(scope="session")
def memory_folder() -> Iterator[Path]:
    with memory.folder("sqlite") as folder:
        yield folder


@pytest.fixture(scope="session")
def template(
    backend: str,
    templates: dict[str, Template],
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> Template:
    """A migrated database with the users in LOGINS, copied for each test."""
    if backend in templates:
        return templates[backend]
    if backend == "mariadb":
        made: Template = MariaDbTemplate(request.getfixturevalue("mariadb_server"))
    else:
        in_memory: Path = request.getfixturevalue("memory_folder")
        made = SqliteTemplate(tmp_path_factory.mktemp("template"), in_memory)
    database.bind(made.url)
    migrate.migrate()
    with database.write():
        for login, role in LOGINS.items():
            user = users.add(login, role, BORN)
            made.secrets[login] = users.add_password(user, "tests", BORN)
            made.ids[login] = int(user.id)
    database.close_connection()
    made.keep()
    templates[backend] = made
    return made


@pytest.fixture
def database_url(template: Template, request: pytest.FixtureRequest) -> Iterator[str]:
    """A database of this test's own, bound to the models."""
    url = template.renew(on_disk=request.module.__name__.startswith(ABOUT_FILES))
    database.bind(url)
    yield url
    database.close_connection()


@pytest.fixture
def new_database_url(tmp_path: Path, backend: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a database that is not there yet, bound to the models."""
    if backend == "mariadb":
        server: MariaDb = request.getfixturevalue("mariadb_server")
        name = f"new {secrets.token_hex(8)}"
        url = server.url(quote(name))
    else:
        url = f"sqlite:///{tmp_path}/new/calendar.sqlite3"
    database.bind(url)
    yield url
    database.close_connection()
    if backend == "mariadb":
        server.root(f"DROP DATABASE IF EXISTS `{name}`")


@pytest.fixture
def config(database_url: str, request: pytest.FixtureRequest) -> Config:
    """Settings as they come and those of the nearest marker `settings`, on the database of this test."""
    marker = request.node.get_closest_marker("settings")
    return Config(database_url=database_url, **(marker.kwargs if marker else {}))


@pytest.fixture
def client(config: Config, client_with: Callable[..., Client]) -> Client:
    """Speaks HTTP to the application; `client.ids` has the ids of the users."""
    return client_with()


@pytest.fixture
def client_with(config: Config, template: Template) -> Callable[..., Client]:
    """`client_with(per_page=2)` is a client of a service with other settings on the same database."""

    def made(**settings: Any) -> Client:
        app = application(replace(config, **settings))
        app.clear()  # of a database that was in the same place, and had as many writes
        return Client(app, dict(template.secrets), dict(template.ids))

    return made


@cache
def application(config: Config) -> Any:
    """One for all tests with the same settings: it keeps nothing of what happens in one of them."""
    return create_app(config)


@pytest.fixture
def caller(client: Client) -> "CallerFactory":
    return CallerFactory(client.ids)


class CallerFactory:
    """`caller("editor")` is that user now; `caller(None)` is nobody; `at` sets the clock (UTC text)."""

    def __init__(self, ids: dict[str, int]) -> None:
        self.ids = ids

    def __call__(self, login: str | None, at: str = "2026-06-15 12:00:00") -> Caller:
        if login is None:
            return Caller(at)
        return Caller(at, self.ids[login], login, LOGINS[login])


@pytest.fixture
def run(database_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`run("user", "list")` gives exit status, output and errors, on the database of this test."""
    for name in [name for name in os.environ if name.startswith("CALENDAR_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("CALENDAR_DATABASE_URL", database_url)

    def command(*arguments: str) -> tuple[int, str, str]:
        status = main.main(arguments)
        return status, *capsys.readouterr()

    return command
