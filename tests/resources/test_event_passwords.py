"""Events under a password: who reads them, what lists show of them, and what opens them.

See docs/interface.md#passwords, #visibility.
"""

import hashlib
import re
from typing import Any

import pytest

from calendar_api import database
from calendar_api.database.models import Event
from tests import factories
from tests.client import Client
from tests.resources.records import Json, change, path_of, read, without

MASKED = {
    "description": "", "excerpt": "", "image": False, "all_day": None, "cost": "",
    "cost_details": {"currency_symbol": "", "currency_code": "", "currency_position": "", "values": []},
    "website": "", "show_map": None, "show_map_link": None, "hide_from_listings": None, "sticky": None,
    "featured": None, "categories": [], "tags": [], "venue": [], "organizer": [], "custom_fields": [],
    "post_parent": None, "ticketed": None,
}  # fmt: skip
#: On what `protected` has, and on what a password hides.
FILTERS = (
    "categories={category}", "tags={tag}", "venue={venue}", "organizer={organizer}",
    "featured=true", "ticketed=true", "featured=false",
    "geoloc=true", "geoloc=false", "geoloc_lat=10&geoloc_lng=10", "post_parent={parent}",
    "search=deep", "search=-other",
)  # fmt: skip


cheap = pytest.mark.usefixtures("cheap_digests")


@pytest.fixture
def protected(client: Client) -> dict[str, Any]:
    """An event of `author` with something in every field that a password hides."""
    parent = factories.event(client, title="Parent")["id"]
    return factories.event(
        client, title="Protected", author=client.ids["author"], password="sesame", description="Deep secret",
        excerpt="Short secret", image="https://images.example/secret.png", cost="$10 - $20",
        website="https://secret.example", show_map=True, show_map_link=True, sticky=True, featured=True,
        ticketed=True, categories=["Secret"], tags=["secret"], post_parent=parent,
        venue={"venue": "Secret hall", "geo_lat": 10, "geo_lng": 10}, organizer={"organizer": "Secret agent"},
    )  # fmt: skip


def listed(client: Client, as_: str | None = None, **query: str) -> dict[str, Any]:
    """The protected event as the list shows it."""
    page = client.get("/events", query, as_=as_, status=200).json
    (event,) = [event for event in page["events"] if event["title"] == "Protected"]
    return dict(event)


@pytest.mark.parametrize("as_", [None, "subscriber", "author2"])
def test_others_get_it_masked(client: Client, protected: Json, as_: str | None) -> None:
    shown = listed(client, as_)
    assert shown == {**protected, **MASKED}
    assert list(shown) == list(protected)
    assert not re.search("secret|sesame", client.get("/events", as_=as_).text.lower())


@cheap
def test_password_opens_the_events_that_it_fits_and_no_others(client: Client, protected: Json) -> None:
    for title, password in (("one", "sesame"), ("two", "other"), ("open", "")):
        factories.event(client, title=title, password=password, description=title)

    def shown(query: dict[str, str]) -> list[str]:
        events = client.get("/events", query).json["events"]
        return [re.sub("</?p>", "", event["description"]) for event in events]

    assert shown({}) == ["", "", "", "", "open"]
    assert shown({"password": "sesame"}) == ["", "Deep secret", "one", "", "open"]
    assert listed(client, password="sesame") == listed(client, "subscriber", password="sesame") == protected
    opened = without(read(client, protected, "author"), "json_ld")
    assert client.get(path_of(protected), {"password": "sesame"}, status=200).json == opened


def filled(query: str, event: dict[str, Any]) -> str:
    linked = {"category": event["categories"][0], "tag": event["tags"][0], "venue": event["venue"]}
    linked |= {"organizer": event["organizer"][0], "parent": {"id": event["post_parent"]}}
    return query.format(**{name: record["id"] for name, record in linked.items()})


@cheap
@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("who", "password"),
    [
        (None, "wrong"), ("author2", ""), ("author", ""), ("editor", "wrong"), (None, "sesame"),
        ("author2", "sesame"),
    ],
)  # fmt: skip
def test_filter_on_masked_content_is_for_those_who_read_it(
    client: Client, protected: Json, who: str | None, password: str
) -> None:
    factories.event(client, title="other", password="other")
    for query in FILTERS:
        sent = f"{filled(query, protected)}{password and f'&password={password}'}"
        answer = client.get(f"/events?{sent}", as_=who, status=200).json
        feed = client.get(f"/events.csv?{sent}", as_=who, status=200)
        reads = (who in ("author", "editor") or password == "sesame") and "=false" not in query
        found = {event["id"]: event["description"] for event in answer["events"]}
        assert found.get(protected["id"]) == (protected["description"] if reads else None), query
        assert ("Deep secret" in feed.text) == reads, query
        assert answer["total"] == len(answer["events"]) == int(feed.headers["X-TEC-Total"])


@cheap
@pytest.mark.both_databases
@pytest.mark.parametrize("kind", ["venues", "organizers", "categories", "tags"])
def test_records_of_a_protected_event_are_shown_to_those_who_read_it_only(
    client: Client, protected: Json, kind: str
) -> None:
    queries = [f"event={protected['id']}"]
    queries += ["has_events=true", "only_with_upcoming=true"] if kind in ("venues", "organizers") else []
    for query in queries:
        totals = [
            client.get(f"/{kind}?{query}", as_=as_, status=200).json["total"]
            for as_ in (None, "author2", "author", "editor")
        ]
        assert totals == [0, 0, 1, 1], query


@pytest.mark.both_databases
def test_term_counts_leave_protected_events_out(client: Client, protected: Json) -> None:
    term = client.get(f"/categories/{protected['categories'][0]['id']}", status=200).json
    assert term["count"] == 0
    assert client.get("/categories", status=200).json["total"] == 0
    assert client.get("/tags?orderby=count", status=200).json["total"] == 0
    assert client.get("/events?per_page=1", status=200).json["total"] == 2


def test_password_is_never_answered_and_never_stored_plain(client: Client) -> None:
    event = factories.event(client, password="key")
    path = f"/events/{event['id']}"
    changed = client.put(path, {"password": "new key"}, as_="admin", status=200)
    answers = changed.text + client.get(path, as_="admin").text
    assert "password" not in event
    assert not re.search(r"new key|scrypt\$", answers)
    stored = Event.get_by_id(event["id"]).password
    assert (stored.startswith("scrypt$"), "new key" in stored) == (True, False)


@pytest.mark.parametrize("path", ["/events/{id}", "/events"])
def test_older_digest_opens_and_is_replaced_when_it_is_used(
    client: Client, protected: Json, path: str
) -> None:
    old = "scrypt$" + "07" * 16 + "$" + hashlib.scrypt(b"sesame", salt=b"\7" * 16, n=1024, r=8, p=1).hex()
    id, address = protected["id"], path.format(**protected)
    with database.write():
        Event.update(password=old).where(Event.id == id).execute()
    modified = client.get(f"/events/{id}", as_="admin").json["modified"]

    client.get(address, {"password": "wrong"})
    after_wrong = Event.get_by_id(id).password
    answers = [client.get(address, {"password": "sesame"}, status=200).text for _ in range(2)]

    assert after_wrong == old
    assert "Secret hall" in answers[0]
    assert answers[0] == answers[1]
    assert Event.get_by_id(id).password.startswith("scrypt$16384$")
    assert client.get(f"/events/{id}", as_="admin").json["modified"] == modified


@cheap
def test_password_is_changed_and_removed(client: Client) -> None:
    event = factories.event(client, "author", password="key")
    path = path_of(event)

    def statuses(*passwords: str) -> list[int]:
        return [client.get(path, {"password": password}).status_int for password in passwords]

    for new in ("ä ö 🎉", "x" * 255, "0", "a&b=c%20d"):
        change(client, event, "author", password=new)
        assert statuses("key", new) == [403, 200]
    # The last of several counts.
    assert client.get(f"{path}?password=wrong&password=a%26b%3Dc%2520d").status_int == 200
    assert client.get(f"{path}?password=a%26b%3Dc%2520d&password=wrong").status_int == 403
    change(client, event, "author", password="")
    assert client.get(f"{path}?password=anything", status=200).text == client.get(path).text


def test_writers_need_no_key_and_get_the_whole_record(client: Client, protected: Json) -> None:
    for method in ("PUT", "DELETE"):
        answer = client.send(method, path_of(protected), as_="author", status=200).json
        shown = (answer["description"], answer["venue"]["venue"])
        assert shown == ("<p>Deep secret</p>", "Secret hall")
        assert Event.get_by_id(protected["id"]).password != ""
