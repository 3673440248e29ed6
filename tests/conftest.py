"""A real database file for each test, with a user of every role, and the application on top of it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from calendar_api import cli, database, schema_state
from calendar_api.app import create_app
from calendar_api.auth import ROLES, Caller
from calendar_api.config import Config
from calendar_api.store import users
from tests.client import Client
from tests.commands import Run

BORN = "2026-01-01 00:00:00"
LOGINS = (
    {"admin": "administrator"}
    | {role: role for role in ROLES[1:]}
    | {"author2": "author", "contributor2": "contributor"}
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files anew")


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str], dict[str, int]]:
    """A migrated database with the users in LOGINS; its file, their secrets and their ids."""
    path = tmp_path_factory.mktemp("template") / "calendar.sqlite3"
    url = f"sqlite:///{path}"
    database.bind(url)
    schema_state.migrate(url)
    secrets, ids = {}, {}
    with database.write():
        for login, role in LOGINS.items():
            user = users.add(login, role, BORN)
            secrets[login] = users.add_password(user, "tests", BORN)
            ids[login] = int(user.id)
    database.close_here()
    return path, secrets, ids


@pytest.fixture
def database_url(tmp_path: Path, template: tuple[Path, dict[str, str], dict[str, int]]) -> Iterator[str]:
    """A database of this test's own, bound to the models."""
    path = tmp_path / "calendar.sqlite3"
    shutil.copy(template[0], path)
    url = f"sqlite:///{path}"
    database.bind(url)
    yield url
    database.close_here()


@pytest.fixture
def config(database_url: str) -> Config:
    """Settings as they come, on the database of this test; override this fixture to change one."""
    return Config(database_url=database_url)


@pytest.fixture
def client(config: Config, template: tuple[Path, dict[str, str], dict[str, int]]) -> Client:
    """Speaks HTTP to the application; `client.ids` has the ids of the users."""
    return Client(create_app(config), template[1], template[2])


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
        status = cli.main(arguments)
        return status, *capsys.readouterr()

    return command
