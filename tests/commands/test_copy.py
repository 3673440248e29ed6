"""`calendar-api copy`: everything arrives, whole or not at all, and only where there is nothing."""

import secrets
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from calendar_api import database
from calendar_api.app import create_app
from calendar_api.commands import CommandError, copy
from calendar_api.commands.import_engine import Import
from calendar_api.commands.import_work import Policy
from calendar_api.commands.sources.items import Item
from calendar_api.config import Config
from calendar_api.database import migrate
from calendar_api.database.models import Event, IdempotentResponse, Term, User, Venue
from calendar_api.database.tables import EditingState, Review, Submission
from calendar_api.domain.errors import DatabaseUnavailable
from tests import factories
from tests.backups import everything
from tests.client import Client
from tests.command_line import Run
from tests.conftest import CallerFactory
from tests.mariadb import MariaDb


@pytest.fixture(params=["sqlite", "mariadb"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database that is not there yet."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/copy/calendar.sqlite3"
        return
    server: MariaDb = request.getfixturevalue("mariadb_server")
    name = f"copy {secrets.token_hex(8)}"
    yield server.url(quote(name))
    server.root(f"DROP DATABASE IF EXISTS `{name}`")


@pytest.fixture
def filled(client: Client, caller: CallerFactory, config: Config) -> Client:
    """One of everything, in every state, with letters of many kinds."""
    imported = Item("venue", "1", {"venue": "Imported"}, "line 1")
    Import("jsonl", "a file", caller("admin"), config.site, Policy(), lambda decision: None).run([imported])
    parent = factories.category(client, name="Musik – ünïcödé")
    child = factories.category(client, name="Jazz", parent=parent["id"])
    venue = factories.venue(client, venue="Ратуша 🎺", geo_lat=53.123456789012345, geo_lng=-179.99)
    for number in range(3):
        factories.event(
            client, title=f"Event {number} 𝄞", description="<p>" + "å" * 60_000 + "</p>", venue=venue["id"],
            organizer=[{"organizer": f"Ann {number}"}], categories=[child["id"]], tags=["a", f"b{number}"],
            image=f"https://images.example/{number}.png", cost="$10 – $20.50", password="sesame",
        )  # fmt: skip
    first = factories.event(client, title="Later in the table, earlier in the family")
    second = factories.event(client, title="Parent")
    client.put(f"/events/{first['id']}", {"post_parent": second["id"]}, as_="admin", status=200)
    client.put(f"/categories/{parent['id']}", {"name": "Musik"}, as_="admin", status=200)
    client.delete(f"/events/{second['id']}", as_="admin", status=200)
    key = {"Idempotency-Key": "k1"}
    client.post("/tags", {"name": "Once"}, as_="admin", headers=key, status=201)
    client.put(f"/events/{first['id']}", {"slug": "moved"}, as_="admin", status=200)
    then = "2026-01-01 00:00:00"
    with database.write():
        Submission.create(
            event=first["id"], digest="0" * 64, name="Ann", email="a@b.example", created_utc=then
        )
        Review.create(event=first["id"], user=client.ids["editor"], text="When?", created_utc=then)
        EditingState.create(id=1, key="1" * 64, submitter=client.ids["contributor"])
    return client


def rows(model: Any) -> list[tuple[Any, ...]]:
    with database.read():
        return sorted(model.select().tuples(), key=repr)


def test_copy_and_the_copy_of_it_hold_every_row(
    filled: Client, target: str, database_url: str, tmp_path: Path, run: Run
) -> None:
    database.close_connection()
    status, out, err = run("copy", "--to", target)

    *tables, last = out.splitlines()
    there = everything(target)
    assert (status, err) == (0, "")
    assert [line.split()[0] for line in tables] == [model._meta.table_name for model in copy.COPIED]
    assert last.startswith("copied ")
    assert last.endswith(f"rows of {len(tables)} tables; every table was read back and is equal")
    assert there == everything(database_url)
    database.close_connection()
    database.bind(target)
    back = copy.run(f"sqlite:///{tmp_path}/back/calendar.sqlite3")
    assert {one.table: one.rows for one in back} == {name: len(found) for name, found in there.items()}
    assert [name for name, found in there.items() if not found] == []
    assert len({one.digest for one in back}) == len(back)
    assert everything(f"sqlite:///{tmp_path}/back/calendar.sqlite3") == there


def test_copy_goes_on_where_the_original_was(filled: Client, target: str, client: Client) -> None:
    """With its remembered answers and its ids."""
    ids = [row[0] for row in rows(Event)]
    event = client.get(f"/events/{ids[-1]}", as_="admin").text
    copy.run(target)
    database.close_connection()
    client.app = Client(create_app(Config(database_url=target)), client.secrets, client.ids).app

    assert client.get(f"/events/{ids[-1]}", as_="admin").text == event
    again = {"Idempotency-Key": "k1"}
    assert (
        client.post("/tags", {"name": "Once"}, as_="admin", headers=again, status=201).json["name"] == "Once"
    )
    assert factories.event(client)["id"] > max(ids)


@pytest.mark.sqlite
def test_target_that_is_not_empty_is_refused(filled: Client, target: str, run: Run) -> None:
    with database.using(database.engine(target)):
        migrate.migrate()
        add = partial(User.create, login="somebody", role="editor", created_utc="2026-01-01 00:00:00")
        database.run_write(add)
        database.close_connection()
    before = everything(target)

    status, out, err = run("copy", "--to", target)

    assert (status, out) == (1, "")
    assert err.startswith("calendar-api: The target is not empty: there are rows in user")
    assert everything(target) == before


@pytest.mark.sqlite
@pytest.mark.parametrize("table", ["user", "event", "event_term"])
def test_interrupted_copy_leaves_nothing_and_can_be_repeated(
    filled: Client, target: str, table: str, database_url: str
) -> None:
    def interrupt(name: str, done: int, total: int) -> None:
        if name == f"copying {table}":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy.run(target, interrupt)

    assert all(found == [] for found in everything(target).values())
    copy.run(target)
    assert everything(target) == everything(database_url)


def test_writes_meanwhile_are_not_copied(filled: Client, target: str, database_url: str) -> None:
    """A snapshot: never a part of a transaction that is being stored."""
    before = everything(database_url)
    late: list[int] = []

    def write(name: str, done: int, total: int) -> None:
        if not late:
            with database.using(database.engine(database_url)):
                late.append(database.run_write(Term.update(description="late").execute))
                database.close_connection()

    copy.run(target, write)

    assert late == [Term.select().count()]
    assert everything(target) == before


@pytest.mark.sqlite
def test_difference_is_noticed_and_nothing_stays(filled: Client, target: str) -> None:
    def change(name: str, done: int, total: int) -> None:
        if name == "copying venue":  # the target is bound while rows arrive
            Venue.update(city="Elsewhere").execute()

    with pytest.raises(CommandError, match="The rows of venue did not arrive as they were sent"):
        copy.run(target, change)

    assert all(found == [] for found in everything(target).values())


@pytest.mark.sqlite
def test_many_rows_come_in_pieces(
    filled: Client, target: str, monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    monkeypatch.setattr(copy, "_ROWS", 2)
    monkeypatch.setattr(copy, "_BYTES", 100)
    progress: list[tuple[str, int, int]] = []

    copy.run(target, lambda *done: progress.append(done))

    ends = {name: (done, total) for name, done, total in progress}
    assert ends["copying event"] == (5, 5)
    assert all(done == total for done, total in ends.values())
    assert everything(target) == everything(database_url)


@pytest.mark.sqlite
def test_target_that_cannot_be_reached_is_refused(filled: Client) -> None:
    with pytest.raises(DatabaseUnavailable):
        copy.run("mysql://nobody@127.0.0.1:1/nothing")

    assert rows(IdempotentResponse)
