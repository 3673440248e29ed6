"""Cached responses equal those of a service without a cache."""

import gzip
import random
from typing import Any

import pytest
import time_machine
from playhouse.test_utils import count_queries
from webtest import TestApp

from calendar_api import database
from calendar_api.app import create_app
from calendar_api.config import Config
from tests import factories
from tests.client import ROOT, Client, ClientWith

Head = dict[str, str]

READS = (
    "/events", "/events?page=2&per_page=2", "/events?page=99", "/events?search=fair", "/events?tags=a",
    "/events?start_date=2001-01-01&end_date=2039-01-01", "/events?start_date=yesterday",
    "/events?strict_dates=1", "/events?starts_after=2001-01-01&_fields=id,title",
    "/events?categories=c&per_page=1", "/events?venue={venue}", "/events?status=draft", "/events?page=x",
    "/events?organizer={organizer}&page=2&per_page=1", "/events?utm_source=x&page=1", "/events/{event}",
    "/events/by-slug/{slug}", "/events/{event}?password=x", "/events/999999", "/venues", "/venues/{venue}",
    "/venues?only_with_upcoming=1", "/organizers", "/categories", "/tags?orderby=count", "/tags/{tag}",
    "/events.ics", "/events.csv?tags=a", "/events.rss?per_page=2", "/events.atom?page=2&per_page=1",
    "/events.jsonld?search=fair", "/events?format=ics&venue={venue}", "/events/{event}.ics",
    "/events/by-slug/{slug}.jsonld?password=x", "/venues.csv", "/organizers.csv",
    "/", "/?namespace=calendar/events/v1", "/?namespace=x", "/doc", "/docs",
)  # fmt: skip
HEADERS: tuple[Head, ...] = (
    {}, {"Accept-Encoding": "gzip"}, {"Accept-Encoding": "br, gzip;q=0"}, {"Origin": "https://site.example"},
)  # fmt: skip


@pytest.fixture
def uncached(client_with: ClientWith) -> TestApp:
    return client_with(cache=0).app


def get(app: TestApp, path: str, headers: Head) -> tuple[Any, ...]:
    answer = app.get(ROOT + path, headers=headers, expect_errors=True)
    head = {name.lower(): value for name, value in answer.headers.items()}
    assert head.pop("x-request-id")
    body = answer.body
    if head.get("content-encoding") == "gzip":
        body, head["content-length"] = gzip.decompress(body), "of gzip"
    head["vary"] = ", ".join(sorted(head["vary"].split(", ")))
    return answer.status_int, head, body if answer.status_int < 400 else b""


def a_write(client: Client, chance: random.Random, known: dict[str, Any]) -> None:
    number = chance.randrange(1000)
    event = [
        {"title": f"Fair {number}"}, {"tags": ["a", f"t{number}"]}, {"hide_from_listings": bool(number % 2)},
        {"password": "x" * (number % 2)}, {"status": chance.choice(["draft", "publish", "trash"])},
    ]  # fmt: skip
    others = [("/venues/{venue}", {"city": f"City {number}"}), ("/tags/{tag}", {"name": f"Tag {number}"})]
    path, fields = chance.choice([*(("/events/{event}", fields) for fields in event), *others])
    client.put(path.format(**known), fields, as_="admin", status=200)
    factories.event(client, tags=["a"], categories=["c"], venue=known["venue"])


@time_machine.travel("2031-05-01T10:00:00Z", tick=False)
def test_cached_responses_equal_uncached_ones(client: Client, uncached: TestApp) -> None:
    chance = random.Random(6)  # noqa: S311 - not for secrets
    event = factories.event(
        client, title="Fair", slug="fair", tags=["a", "b"], categories=["c"], venue={"venue": "Hall"},
        organizer=[{"organizer": "Ann"}],
    )  # fmt: skip
    for number in range(3):
        factories.event(client, tags=["a"], venue=event["venue"]["id"], start_date=factories.day(number))
    known = {
        "event": event["id"], "slug": "fair", "venue": event["venue"]["id"], "tag": event["tags"][0]["id"],
        "organizer": event["organizer"][0]["id"],
    }  # fmt: skip

    for _ in range(6):
        for path in READS:
            for headers in chance.sample(HEADERS, 2):
                place = path.format(**known)
                plain = get(uncached, place, headers)
                for _ in range(3):
                    assert get(client.app, place, headers) == plain, (place, headers)
                tag = plain[1].get("etag")
                if tag and plain[0] == 200:
                    again = {**headers, "If-None-Match": tag}
                    not_sent = get(uncached, place, again)
                    assert not_sent[0] == 304
                    assert get(client.app, place, again) == not_sent, (place, headers)
        a_write(client, chance, known)


@pytest.mark.both_databases
def test_cached_list_reads_only_the_revision(client: Client) -> None:
    factories.event(client)
    for _ in range(2):
        client.get("/events")
    with count_queries() as counter:
        client.get("/events")
    assert [query.msg[0] for query in counter.get_queries()] in ([], ["SELECT number FROM revision"])


@pytest.mark.both_databases
def test_scheduled_event_appears_in_time(client: Client) -> None:
    with time_machine.travel("2031-05-01T10:00:00Z", tick=False) as clock:
        factories.event(client, date_utc="2031-05-01 11:00:00")
        before = [client.get("/events").json["total"] for _ in range(3)][-1]
        clock.move_to("2031-05-01T11:00:00Z")
        after = client.get("/events").json["total"]
    assert (before, after) == (0, 1)


def test_update_takes_the_tag_of_a_compressed_response(client: Client) -> None:
    event = factories.event(client, description="long " * 1000)
    path = f"/events/{event['id']}"
    tag = client.get(path, headers={"Accept-Encoding": "gzip"}).headers["ETag"]
    assert tag.endswith('-gzip"')
    client.put(path, {"title": "Changed"}, as_="admin", headers={"If-Match": tag}, status=200)
    client.put(path, {"title": "Again"}, as_="admin", headers={"If-Match": tag}, status=412)


def test_responses_to_users_are_neither_compressed_nor_cached(client: Client) -> None:
    event = factories.event(client, description="long " * 1000)
    answer = client.get(f"/events/{event['id']}", as_="admin", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in answer.headers
    assert answer.headers["Cache-Control"] == "private, no-store"


def test_damage_that_the_cache_meets_first_is_an_error_like_any_other(client: Client) -> None:
    """Looking for scheduled records reads tables before the application does, and fails before it."""
    client.get("/events", status=200)  # the first request checks the schema
    with database.write():
        database.db.execute_sql("ALTER TABLE organizer RENAME COLUMN published_utc TO gone")
    answer = client.app.get(f"{ROOT}/tags", expect_errors=True)
    venues = client.app.get(f"{ROOT}/organizers", expect_errors=True)
    assert answer.status_int == 200
    assert (venues.status_int, venues.json["data"]["status"]) == (503, 503)


@pytest.mark.both_databases
def test_reads_are_answered_without_a_revision(client: Client) -> None:
    before = client.get("/events", status=200).body
    with database.db.connection_context():
        database.db.execute_sql("DELETE FROM revision")
        assert database.revision() is None
    assert client.get("/events", status=200).body == before


@time_machine.travel("2031-05-01T10:00:00Z", tick=False)  # The index shows the default window.
@pytest.mark.sqlite
@pytest.mark.parametrize("path", ["/", "/doc", "/docs", "/categories"])
def test_pages_about_the_service_are_cached_by_language_and_host(database_url: str, path: str) -> None:
    app = create_app(Config(database_url=database_url))
    calls: list[str] = []
    application = app.application

    def counted(environ: dict[str, Any], start_response: Any) -> Any:
        calls.append(environ["PATH_INFO"])
        return application(environ, start_response)

    app.application = counted
    browser = TestApp(app)
    for prefix, host in (("", "localhost"), ("/de", "localhost"), ("", "127.0.0.1")):
        address = f"{prefix}{ROOT}{path}"
        bodies = [browser.get(address, extra_environ={"HTTP_HOST": host}).body for _ in range(4)]
        assert len(set(bodies)) == 1

    assert len(calls) == 6
