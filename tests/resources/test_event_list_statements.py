"""What an event list costs: as many statements for three events as for one, and an index under each."""

import re
from typing import Any

import pytest
from playhouse.test_utils import count_queries

from calendar_api import database
from calendar_api.models import Event
from tests import factories
from tests.client import Client

CALLERS = (None, "contributor", "editor")
Statement = tuple[str, Any]


def statements(client: Client, query: dict[str, Any], as_: str | None) -> list[Statement]:
    """The statements of a list, after one request that warms everything up."""
    client.get("/events", query, as_=as_, status=200)
    with count_queries() as counter:
        client.get("/events", query, as_=as_, status=200)
    return [record.msg for record in counter.get_queries()]


def scans(statement: Statement) -> list[str]:
    """The steps of a plan that read a whole table, without an index."""
    sql, values = statement
    if "(0 = 1)" in sql:  # asks for none of nothing; SQLite plans a scan and never starts it
        return []
    with database.connected():
        plan = [row[3] for row in database.db.execute_sql(f"EXPLAIN QUERY PLAN {sql}", values)]
    return [step for step in plan if re.match(r"SCAN (?!CONSTANT ROW|\()", step) and " INDEX " not in step]


def event_with_everything(client: Client, parent: int, number: int) -> None:
    factories.event(
        client, venue={"venue": f"Hall {number}", "geo_lat": 1, "geo_lng": 1, "image": picture(number, "v")},
        organizer=[{"organizer": f"Ann {number}"}, {"organizer": f"Bob {number}"}], cost="$10",
        categories=[f"Category {number}"], tags=[f"Tag {number}"], image=picture(number, "e"),
        post_parent=parent, password="sesame",
    )  # fmt: skip


def picture(number: int, kind: str) -> str:
    return f"https://images.example/{kind}{number}.png"


@pytest.mark.parametrize("as_", CALLERS)
@pytest.mark.parametrize("query", [{}, {"per_page": 3}, {"search": "event"}, {"password": "sesame"}])
def test_three_events_take_as_many_statements_as_one(
    client: Client, as_: str | None, query: dict[str, Any]
) -> None:
    parent = factories.event(client, start_date="2001-01-01 10:00:00")["id"]
    event_with_everything(client, parent, 1)
    one = statements(client, query, as_)

    for number in (2, 3):
        event_with_everything(client, parent, number)
    three = statements(client, query, as_)

    assert client.get("/events", query, as_="editor").json["total"] == 3
    assert len(three) == len(one)
    assert len(one) <= 12


def queries(client: Client) -> list[dict[str, Any]]:
    """The default list and one list for each filter, with values that exist."""
    venue = factories.venue(client, geo_lat=1, geo_lng=1)["id"]
    organizer = factories.organizer(client)["id"]
    category, tag = factories.category(client)["id"], factories.tag(client)["id"]
    id = factories.event(client, venue=venue, organizer=organizer, categories=[category], tags=[tag])["id"]
    single = {
        "search": "event -other", "categories": category, "tags": tag, "venue": venue, "organizer": organizer,
        "featured": "true", "ticketed": "false", "include": id, "post_parent": id, "geoloc": "true",
        "status": "publish", "start_date": "2026-01-01", "end_date": "2030-01-01", "password": "sesame",
        "starts_before": "2030-01-01", "starts_after": "2026-01-01",
        "ends_before": "2030-01-01", "ends_after": "2026-01-01",
    }  # fmt: skip
    return [
        {}, *({name: value} for name, value in single.items()), {"geoloc": "false"},
        {"featured": "false"}, {"ticketed": "true"}, {"geoloc_lat": 1, "geoloc_lng": 1},
    ]  # fmt: skip


@pytest.mark.sqlite
@pytest.mark.parametrize("as_", CALLERS)
def test_every_statement_of_every_filter_uses_an_index(client: Client, as_: str | None) -> None:
    for query in queries(client):
        run = statements(client, query, as_)

        read = [sql for sql, _ in run if 'FROM "event" AS' in sql]
        assert sum("COUNT(" in sql for sql in read) >= 1
        assert sum('ORDER BY "t1"."utc_start_date"' in sql for sql in read) == 1
        assert [(query, statement) for statement in run if scans(statement)] == []


@pytest.mark.sqlite
def test_scan_is_seen_where_there_is_one(database_url: str) -> None:
    unindexed = Event.select().where(Event.description == "text")
    indexed = Event.select().where(Event.slug == "text")

    assert scans(unindexed.sql()) == ["SCAN t1"]
    assert scans(indexed.sql()) == []
