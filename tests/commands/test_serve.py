"""`calendar-api serve`: preparation of the database, addresses, and settings of gunicorn."""

from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import pytest

from calendar_api import database
from calendar_api.commands import gunicorn_conf, serve
from calendar_api.config import Config
from calendar_api.database.models import Event, Record
from calendar_api.domain.auth import ROLES, Caller
from calendar_api.domain.errors import DatabaseUnavailable
from calendar_api.store import login_attempts, users
from tests.system import servers

pytestmark = pytest.mark.sqlite


@pytest.fixture
def new(tmp_path: Path) -> Config:
    """Settings with a missing database."""
    config = Config(database_url=f"sqlite:///{tmp_path}/new/calendar.sqlite3")
    database.bind(config.database_url)
    return config


def test_later_start_changes_nothing(config: Config) -> None:
    with database.read():
        administrator = users.first_administrator()
    login = administrator.login if administrator else ""

    assert serve.prepare(config, with_demo=False) == (login, "", "")
    assert serve.prepare(config, with_demo=True) == (login, "", "")
    with database.read():
        assert Event.select().count() == 0


def test_password_is_printed_before_anything_else_can_fail(
    new: Config, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delattr(serve, "Server")
    arguments = Namespace(bind=f"127.0.0.1:{servers.free_port()}", demo=True, from_make=False)

    with pytest.raises(NameError):
        serve.serve(arguments, new)

    (secret,) = servers.SECRET.findall(capsys.readouterr().out)
    with database.read():
        assert login_attempts.authenticated("admin", secret)
    database.close_connection()


def test_outdated_database_is_not_served(config: Config) -> None:
    with database.write():
        database.db.execute_sql("DELETE FROM schema_migration")

    with pytest.raises(DatabaseUnavailable, match="older than this release"):
        serve.prepare(config, with_demo=False)

    assert database.db.is_closed()


def test_failed_demo_stores_nothing(config: Config) -> None:
    caller = Caller("2026-06-15 12:00:00", 999, "missing", ROLES[0])

    with pytest.raises(Exception, match="FOREIGN KEY"), database.write():
        serve.load_demo(caller.at.date(), caller, config)

    with database.read():
        assert Record.select().count() == 0


def test_all_interfaces_are_addresses_unless_settings_name_some() -> None:
    found = serve.interface_addresses()
    named = Config(allowed_hosts=("calendar.test",))
    public = Config(base_url="https://calendar.test")

    config, sites, refused = serve.reachable(Config(), "0.0.0.0:8000")

    assert sites == [f"http://{address}:8000" for address in ["127.0.0.1", *found]]
    assert set(config.allowed_hosts) == {*Config().allowed_hosts, *found}
    assert refused == []
    hidden = ["127.0.0.1", *found]
    assert serve.reachable(named, "[::]:80") == (named, ["http://calendar.test:80"], hidden)
    assert serve.reachable(public, "0.0.0.0:8000") == (public, ["https://calendar.test"], [])
    other, sites, refused = serve.reachable(Config(), "127.0.0.9:8000")
    assert (sites, refused, "127.0.0.9" in other.allowed_hosts) == (["http://127.0.0.9:8000"], [], True)


@pytest.mark.parametrize(
    ("settings", "label", "text"),
    [
        ({}, "Page", "http://a:8000/events/"),
        ({"pages": "off"}, "Interface", "http://a:8000/calendar/events/v1"),
        ({"database_url": "mysql://me:secret@db/name"}, "Data", "mysql://me:***@db/name"),
    ],
)
def test_lines_of_a_start(settings: dict[str, str], label: str, text: str) -> None:
    lines = serve.start_lines(Config(**settings), ["http://a:8000"], [], "", "", "")  # type: ignore[arg-type]

    assert len(lines) == 4
    assert dict(lines)[label] == text


def test_start_without_editing_asks_for_a_user(new: Config) -> None:
    config = replace(new, editing="off")
    login, secret, token = serve.prepare(config, with_demo=False)
    lines = dict(serve.start_lines(config, ["http://a:8000"], [], login, secret, token))

    assert (login, secret, token) == ("", "", "")
    assert lines["Sign in"].startswith("no administrator yet: `")


def test_lines_name_hosts_that_are_refused() -> None:
    lines = serve.start_lines(Config(), ["http://a:8000"], ["10.0.0.1"], "", "", "")

    assert ("", "To use 10.0.0.1, add it to CALENDAR_ALLOWED_HOSTS.") in lines


def test_gunicorn_settings(config: Config) -> None:
    server = serve.Server(config, "127.0.0.1:8123", workers=3, threads=5)

    wanted = {
        "bind": ["127.0.0.1:8123"], "workers": 3, "threads": 5,
        "umask": 0o077, "preload_app": True, "reload": False, "when_ready": gunicorn_conf.when_ready,
    }  # fmt: skip
    assert {name: getattr(server.cfg, name) for name in wanted} == wanted
    assert callable(server.load())
