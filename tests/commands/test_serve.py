"""`calendar-api serve`: preparation of the database, and settings of gunicorn."""

import runpy
from pathlib import Path

import pytest

from calendar_api import database
from calendar_api.commands import serve
from calendar_api.config import Config
from calendar_api.database import migrate
from calendar_api.database.models import Event, Record
from calendar_api.database.sqlite import driver
from calendar_api.domain.auth import ROLES, Caller
from calendar_api.domain.errors import DatabaseUnavailable
from calendar_api.store import users

NO_USER = "There is no user yet: run `calendar-api user add NAME --role administrator`."


@pytest.fixture(autouse=True)
def _any_sqlite_is_sound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "FIXED", (3, 0, 0))


@pytest.mark.sqlite
def test_serve_reports_a_sqlite_with_a_known_bug(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "FIXED", (99, 0, 0))

    lines = serve.prepare(config, with_demo=False)

    assert len(lines) == 1
    assert lines[0].startswith(f"SQLite {driver.TEXT} has a rare bug")
    assert "3.51.3" in lines[0]
    assert "pip install '.[sqlite]'" in lines[0]


@pytest.fixture
def new(tmp_path: Path) -> Config:
    """Settings with a missing database."""
    config = Config(database_url=f"sqlite:///{tmp_path}/new/calendar.sqlite3")
    database.bind(config.database_url)
    return config


def test_first_start_creates_the_database_and_asks_for_a_user(new: Config) -> None:
    lines = serve.prepare(new, with_demo=False)

    assert lines == [NO_USER]
    assert database.db.is_closed()
    assert migrate.unavailable_reason() is None
    database.close_connection()


def test_later_start_prints_nothing(config: Config) -> None:
    assert serve.prepare(config, with_demo=False) == []
    assert serve.prepare(config, with_demo=True) == []
    with database.read():
        assert Event.select().count() == 0


def test_demo_adds_records_and_one_administrator_once(new: Config) -> None:
    lines = serve.prepare(new, with_demo=True)

    with database.read():
        user = users.first_administrator()
        events, records = Event.select().count(), Record.select().count()
        signed_in = users.authenticated("admin", lines[1].strip())
    again = serve.prepare(new, with_demo=True)
    with database.read():
        assert Record.select().count() == records
    database.close_connection()
    assert (len(lines), again) == (2, [])
    assert lines[0].endswith("this application password is shown only once:")
    assert user is not None
    assert (user.login, user) == ("admin", signed_in)
    assert events > 20


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


@pytest.mark.parametrize("base", ["http://127.0.0.1:8000", "https://example.org/x"])
def test_printed_addresses(base: str) -> None:
    config = Config(base_url=base if base.startswith("https") else "")

    assert serve.addresses(config, "127.0.0.1:8000") == [
        f"Calendar:  {base}/events/",
        f"Events:    {base}/calendar/events/v1/events",
        f"Interface: {base}/calendar/events/v1",
        f"Docs:      {base}/calendar/events/v1/docs",
    ]


def test_gunicorn_sample_has_the_settings_of_serve(config: Config) -> None:
    sample = runpy.run_path(str(Path(__file__).parents[2] / "deploy" / "gunicorn.conf.py"))
    values = {name: sample[name] for name in sample if name.islower() and not name.startswith("_")}
    values = {name: value for name, value in values.items() if not callable(value) and name != "os"}

    own = serve.Server(config, "127.0.0.1:8000", workers=2, threads=8).options
    assert own.keys() - values.keys() == {"when_ready"}  # the sample has a function of its own
    assert {name: own[name] for name in values} == {**values, "preload_app": True}


def test_gunicorn_settings(config: Config) -> None:
    server = serve.Server(config, "127.0.0.1:8123", workers=3, threads=5)

    wanted = {
        "bind": ["127.0.0.1:8123"], "workers": 3, "threads": 5,
        "umask": 0o077, "preload_app": True, "reload": False,
    }  # fmt: skip
    assert {name: getattr(server.cfg, name) for name in wanted} == wanted
    assert callable(server.load())
