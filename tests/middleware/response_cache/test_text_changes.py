"""A write that changes the texts of one event alone leaves what is remembered of everything else."""

import json
from pathlib import Path
from typing import Any

import pytest
from playhouse.test_utils import count_queries
from webtest import TestApp

from calendar_api import database
from calendar_api.app import create_app
from calendar_api.config import Config
from calendar_api.database import text_changes
from tests import factories
from tests.client import ROOT, Client

SCHEMA = Path(__file__).parents[3] / "schemas" / "event.json"

#: A new value for each field that an update may send, and none that the event has already.
CHANGES: dict[str, Any] = {
    "author": "{author}", "date": "2020-02-02 02:02:02", "date_utc": "2020-03-03 03:03:03", "title": "Zebra",
    "description": "zebra crossing", "slug": "zebra", "excerpt": "a zebra", "status": "draft",
    "timezone": "Asia/Tokyo", "all_day": True, "start_date": "2030-01-01 08:00:00",
    "end_date": "2034-01-01 08:00:00", "image": "https://zebra.example/z.png",
    "cost": "17", "website": "https://zebra.example",
    "show_map": True, "show_map_link": True, "hide_from_listings": True, "sticky": True, "featured": True,
    "categories": ["zebra"], "tags": ["zebra"], "venue": {"venue": "Zebra Hall"},
    "organizer": [{"organizer": "Zebra"}], "password": "zebra", "post_parent": "{other}", "ticketed": True,
}  # fmt: skip
TEXTS = {"title", "description", "excerpt", "cost", "website", "show_map", "show_map_link"}
READS = (
    "/events?starts_after=2025-01-01", "/events?starts_after=2025-01-01&per_page=1&page=2", "/events/{event}",
    "/events/{other}", "/events?search=zebra&starts_after=2025-01-01", "/venues",
    "/events?featured=true&starts_after=2025-01-01",
    "/events?categories=c&starts_after=2025-01-01", "/events?venue={venue}&starts_after=2025-01-01",
    "/events?include={other}", "/events?include={other},{event}", "/events?post_parent={other}",
    "/events?ends_after=2033-01-01", "/events?starts_after=2031-01-01", "/venues/{venue}", "/organizers",
    "/categories", "/categories?hide_empty=0", "/tags", "/tags/{tag}", "/venues?has_events=1",
)  # fmt: skip


@pytest.fixture
def known(client: Client) -> dict[str, Any]:
    event = factories.event(
        client, start_date="2031-01-01 10:00:00", end_date="2031-01-01 12:00:00", tags=["a"],
        categories=["c"], venue={"venue": "Hall"}, organizer=[{"organizer": "Ann"}],
    )  # fmt: skip
    other = factories.event(
        client, start_date="2032-01-01", end_date="2032-01-01", venue=event["venue"]["id"]
    )
    return {
        "event": event["id"], "other": other["id"], "venue": event["venue"]["id"],
        "tag": event["tags"][0]["id"], "author": client.ids["editor"],
    }  # fmt: skip


def change(client: Client, known: dict[str, Any], field: str) -> None:
    value = CHANGES[field]
    if isinstance(value, str) and value.startswith("{"):
        value = known[value.strip("{}")]
    client.patch(f"/events/{known['event']}", {field: value}, as_="admin", status=200)


def answers(app: TestApp, known: dict[str, Any]) -> list[tuple[int, Any]]:
    found = []
    for path in READS:
        answer = app.get(ROOT + path.format(**known), expect_errors=True)
        found.append((answer.status_int, answer.body if answer.status_int < 400 else answer.json["code"]))
    return found


def statements(client: Client, path: str) -> list[str]:
    with count_queries() as counter:
        client.get(path, status=200)
    return [query.msg[0] for query in counter.get_queries() if " revision" not in query.msg[0]]


def test_every_field_is_here() -> None:
    assert CHANGES.keys() == json.loads(SCHEMA.read_text("utf-8"))["$defs"]["fields"]["properties"].keys()


@pytest.mark.parametrize("field", CHANGES)
def test_an_update_is_seen_in_every_read(
    client: Client, known: dict[str, Any], database_url: str, field: str
) -> None:
    forgetful = TestApp(
        create_app(Config(database_url=database_url, cache=0)), extra_environ={"HTTP_HOST": "localhost"}
    )
    before = answers(client.app, known)

    change(client, known, field)
    after = answers(client.app, known)

    assert after == answers(forgetful, known)
    assert after != before


@pytest.mark.parametrize("field", CHANGES)
def test_only_texts_leave_the_rest(client: Client, known: dict[str, Any], field: str) -> None:
    kept = ["/events/{other}", "/events?include={other}", "/venues", "/categories", "/venues/{venue}"]
    for path in kept:
        client.get(path.format(**known), status=200)

    change(client, known, field)

    for path in kept:
        assert (statements(client, path.format(**known)) == []) is (field in TEXTS), path


def test_an_empty_update_leaves_everything(client: Client, known: dict[str, Any]) -> None:
    path = f"/events/{known['event']}"
    client.get("/venues")

    assert client.patch(path, {}, as_="admin", status=200).json == client.put(path, as_="admin").json
    assert client.patch(path, {"unknown": 1}, as_="admin").status_int == 200
    assert statements(client, "/venues") == []


def test_a_total_outlives_a_change_of_texts(client: Client, known: dict[str, Any]) -> None:
    path = "/events?starts_after=2025-01-01"
    client.get(path)
    change(client, known, "title")

    assert not [sql for sql in statements(client, path) if sql.startswith("SELECT COUNT(*)")]
    assert client.get(path).json["events"][0]["title"] == "Zebra"


@pytest.mark.parametrize("also", [{"featured": True}, {"tags": ["b"]}, {"slug": "new"}])
def test_with_a_text_something_else_may_change(
    client: Client, known: dict[str, Any], also: dict[str, Any]
) -> None:
    client.get("/venues")
    client.patch(f"/events/{known['event']}", {"title": "New", **also}, as_="admin", status=200)

    assert statements(client, "/venues")


def test_a_draft_that_gets_its_title_and_slug_is_more_than_a_text(client: Client) -> None:
    event = factories.event(client, status="draft")
    client.get("/venues")
    client.patch(f"/events/{event['id']}", {"title": "New"}, as_="admin", status=200)
    assert statements(client, "/venues") == []

    client.patch(f"/events/{event['id']}", {"status": "publish"}, as_="admin", status=200)
    assert statements(client, "/venues")


def fail(_: None) -> None:
    raise ZeroDivisionError


def number() -> int:
    found = database.revision()
    assert found is not None
    return found[1]


def test_each_write_has_to_say_it(database_url: str) -> None:
    def write(id: int) -> None:
        with database.write():
            if id:
                database.only_texts_of(id)

    with database.connected():
        start = number()
        for id in (7, 8, 7, 0, 9):
            write(id)

        assert database.texts_changed(start, start + 3) == {7, 8}
        assert database.texts_changed(start + 1, start + 2) == {8}
        assert database.texts_changed(start + 4, start + 5) == {9}
        for before, now in ((0, 4), (3, 4), (3, 5), (5, 5), (5, 4), (5, 6)):
            assert database.texts_changed(start + before, start + now) is None


def test_as_many_as_there_is_room_for_are_told(database_url: str) -> None:
    with database.connected():
        start = number()
        for id in range(10**9, 10**9 + text_changes.MOST + 5):
            with database.write():
                database.only_texts_of(id)
        end = number()

        found = database.texts_changed(end - text_changes.MOST, end)
        assert found is not None
        assert len(found) == text_changes.MOST
        assert database.texts_changed(start, end) is None
        with database.write():  # as far as numbers of eight bytes go
            database.db.execute_sql("UPDATE revision SET number = 9000000000000000000, text_changes = ''")
        for _ in range(text_changes.MOST):
            with database.write():
                database.only_texts_of(2**31 - 1)
        assert database.texts_changed(number() - text_changes.MOST, number()) == {2**31 - 1}


def test_a_part_of_a_write_says_nothing_for_the_whole(database_url: str) -> None:
    with database.connected():
        start = number()
        with database.write(), database.write():
            database.only_texts_of(7)

        assert database.texts_changed(start, start + 1) is None


def test_a_write_that_fails_has_said_nothing(database_url: str) -> None:
    with database.connected():
        start = number()
        with pytest.raises(ZeroDivisionError), database.write():
            fail(database.only_texts_of(7))

        assert number() == start
        assert database.texts_changed(start, start + 1) is None


@pytest.mark.sqlite
def test_without_the_row_a_write_has_nothing_to_say(client: Client, known: dict[str, Any]) -> None:
    """On a server nobody can write then, because the row is whose turn it is."""
    with database.connected():
        database.db.execute_sql("DELETE FROM revision")
    path = f"/events/{known['event']}"

    client.patch(path, {"title": "New"}, as_="admin", status=200)

    assert client.get(path).json["title"] == "New"


@pytest.mark.parametrize(
    "damage",
    ["nonsense", "{number}:x", "{number}:", ":", "{number}", "{number}:1:2", "{number}:" + "1" * 900],
)
def test_what_was_written_there_by_hand_is_not_believed(database_url: str, damage: str) -> None:
    with database.connected():
        with database.write():
            database.only_texts_of(7)
        end = number()
        text = damage.format(number=end)
        database.db.execute_sql(f"UPDATE revision SET text_changes = '{text}'")

        assert database.texts_changed(end - 1, end) is None
