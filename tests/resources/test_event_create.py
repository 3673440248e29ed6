"""Creating an event: what is refused, what is ignored, the order of checks, and its categories and tags.

See docs/interface.md#create, #order-of-checks, #transactions; tests/golden/conformance has whole answers,
tests/contract every kind of value for every field.
"""

import re
from typing import Any

import pytest

from calendar_api import database
from calendar_api.database.models import Event, Image, Organizer, Record, Term, Venue
from tests import factories
from tests.client import Client
from tests.resources.records import (
    MODIFIED,
    Json,
    change,
    ids,
    listed,
    path_of,
    read,
    refused,
    trash,
    without,
)  # fmt: skip

DATES = {"start_date": "2031-01-10 10:00:00", "end_date": "2031-01-10 12:00:00"}
BODY = {"title": "Concert", **DATES}
#: Values of each kind that a field refuses, on create and on update.
REFUSED: dict[str, tuple[Any, ...]] = {
    "title": ("", "   ", "<p></p>", 7, "x" * 256),
    "start_date": ("0", "never", "2031-02-30", True, 1.5),
    "end_date": ("", "25:00"),
    "author": (999_999, "", 0, None, 10**30, {"id": 1}),
    "date": ("whenever", ""),
    "date_utc": ("2031-02-30",),
    "website": ("foo", "//example.org", "javascript:alert(1)"),
    "slug": ("", "0", 5, None, [], "x" * 201),
    "status": ("inherit", "any", "Publish", "", None, ["draft"]),
    "timezone": ("Mars/Phobos", "UTC+25"),
    "all_day": ("", "maybe", 2, 1.5, None, [True]),
    "ticketed": ("perhaps",),
    "cost": ({"amount": 5}, True),
    "description": (5, "x" * 65_537),
    "excerpt": ("x" * 8_193,),
    "image": (
        "free text", "ftp://images.example/a.png", 999_999, 0, -1, 1.5, True, [], {"id": {}},
        {"url": ["https://example.org/a.png"]}, "https://images.example/a<b.png",
        "https://images.example/" + "x" * 2048,
    ),
    "categories": ([["nested"]], [{"name": "nested"}], [{}], {"id": {"id": 1}}, True),
    "tags": ([None], ["<b></b>"], ["x" * 201], [{"id": True}], list(range(1, 52))),
    "password": (5, [], "x" * 256, "with\ncontrol", "a\x00b"),
    "post_parent": (999_999, -1, 1.5, "first", True, [], 10**30),
}  # fmt: skip
GENERATED = {
    "id": 4711, "url": "https://elsewhere.example/x", "rest_url": "https://elsewhere.example/x",
    "global_id": "elsewhere.example?id=1", "global_id_lineage": ["elsewhere.example?id=1"],
    "uid": "elsewhere", **dict.fromkeys((*MODIFIED, "utc_start_date", "utc_end_date"), "2001-01-01 00:00:00"),
    "utc_start_date_details": {"year": "2001"}, "utc_end_date_details": {"year": "2001"},
    "start_date_details": {"year": "2001"}, "end_date_details": {"year": "2001"}, "timezone_abbr": "AEST",
    "cost_details": {"values": ["1"]}, "custom_fields": {"a": {"label": "A", "value": "1"}}, "json_ld": {},
    "never_heard_of": "anything",
}  # fmt: skip
#: What differs between two events that were made of the same fields.
OWN = ("id", "uid", "global_id", "global_id_lineage", "url", "rest_url", "website", *MODIFIED)


@pytest.mark.parametrize("name", REFUSED)
def test_bad_value_is_refused(client: Client, name: str) -> None:
    event = factories.event(client)

    for value in REFUSED[name]:
        for answer in (
            client.post("/events", {**BODY, name: value}, as_="admin", status=400),
            client.put(path_of(event), {name: value}, as_="admin", status=400),
        ):
            assert refused(answer) == [name], value
            assert answer.json["data"]["params"][name].startswith(f"{name} ")
    assert listed(client, "/events", "admin") == [without(event, "json_ld")]
    assert (Image.select().count(), Event.get_by_id(event["id"]).version) == (0, 1)


def test_generated_fields_are_ignored(client: Client) -> None:
    fields = {**BODY, "status": "draft", "date_utc": "2030-01-01 00:00:00"}
    plain = factories.event(client, **fields)
    made = client.post("/events", {**fields, **GENERATED}, as_="admin", status=201).json

    assert change(client, made, **GENERATED) == made
    assert without(made, *OWN) == without(plain, *OWN)
    assert made["modified_utc"] > "2026-01-01"
    assert made["id"] == plain["id"] + 1
    assert made["rest_url"].endswith(f"/events/{made['id']}")
    assert made["global_id"] == f"localhost?id={made['id']}"


def test_problems_of_form_and_of_content_are_reported_together(client: Client) -> None:
    """What the schema finds, and what only the database can tell, which gets no value out of all range."""
    fields: Json = {
        "author": 999_999, "venue": 999_998, "organizer": [999_997], "image": 999_996, "post_parent": 999_995
    }  # fmt: skip
    huge = {**dict.fromkeys(fields, 10**30), "organizer": {"id": 10**30}}

    for sent in (fields, fields | {"website": "x"}, huge | {"website": "x"}):
        answer = client.post("/events", BODY | sent, as_="admin", status=400)
        assert sorted(refused(answer)) == sorted(sent)
        problems = answer.json["data"]["params"]
        for name in ("venue", "organizer") if sent["author"] == 999_999 else ():
            assert re.search("99999[78]", problems[name])


def counts() -> tuple[int, ...]:
    with database.read():
        return tuple(model.select().count() for model in (Event, Venue, Organizer, Term, Image, Record))


@pytest.mark.both_databases
def test_nothing_is_changed_when_an_update_is_refused_half_way(client: Client) -> None:
    event = factories.event(client, "author", title="Before", venue={"venue": "Old hall"})
    before, shown = counts(), read(client, event)
    group = {"organizer": "New group", "author": client.ids["admin"]}
    body = {"title": "After", "venue": {"venue": "New hall"}, "organizer": [group]}
    client.put(path_of(event), body, as_="author", status=403)
    assert counts() == before
    assert read(client, event) == shown


# -- the order of checks


def test_body_goes_before_the_record_and_the_right_on_it(client: Client) -> None:
    """And the record before the right on single fields."""
    event = factories.event(client, "author")
    invalid = {"start_date": "never", "website": "nowhere"}

    for path in ("/events/999999", "/events/by-slug/nothing", f"/events/{event['id']}"):
        answer = client.put(path, invalid, as_="contributor", status=400)
        broken = client.put(path, raw=b"{", content_type="application/json", as_="contributor", status=400)
        assert sorted(refused(answer)) == ["start_date", "website"]
        assert broken.json["code"] == "rest_invalid_json"
    assert refused(client.get("/events/999999?password=", status=400)) == ["password"]
    absent = client.put("/events/999999", {"featured": True}, as_="contributor", status=404)
    assert absent.json["code"] == "rest-event-not-found"


@pytest.mark.parametrize("login", ["author", "contributor"])
def test_author_that_does_not_exist_is_refused_like_any_other(client: Client, login: str) -> None:
    """403 to those who may not name another (docs/interface.md#authors)."""
    bodies = (BODY | {"author": author} for author in (client.ids["admin"], 999_999))
    known, unknown = (client.post("/events", body, as_=login, status=403).json for body in bodies)
    assert known == unknown


def test_contributor_keeps_the_flags_that_an_editor_set(client: Client) -> None:
    """See docs/interface.md#contributors."""
    flags = dict.fromkeys(("featured", "sticky", "hide_from_listings"), True)
    event = factories.event(client, "contributor", status="draft")
    for name, value in (*flags.items(), ("categories", "New"), ("tags", "New")):
        client.put(path_of(event), {name: value}, as_="contributor", status=403)
    change(client, event, "editor", **flags)
    for body in ({"title": "New", **flags}, {"title": "Newer"}):
        answer = change(client, event, "contributor", **body)
        assert {name: answer[name] for name in flags} == flags


# -- categories and tags (docs/interface.md#terms-of-an-event)

KINDS = pytest.mark.parametrize("kind", ["categories", "tags"])


def term(client: Client, kind: str, name: str, **fields: Any) -> int:
    make = factories.category if kind == "categories" else factories.tag
    return int(make(client, name=name, **fields)["id"])


def names(event: Json, kind: str) -> list[str]:
    return [one["name"] for one in event[kind]]


@pytest.mark.both_databases
@KINDS
def test_terms_are_found_by_id_then_slug_then_name(client: Client, kind: str) -> None:
    first = term(client, kind, "First Term")
    by_slug = term(client, kind, "Slugged", slug="word")
    term(client, kind, "Word", slug="other")
    term(client, kind, "Numbered", slug=str(first))

    event = factories.event(client, "contributor", **{kind: [str(first), "word"]})
    assert ids(event[kind]) == [first, by_slug]
    for word in ("FIRST-term", "first term", " <b>First</b> Term "):
        assert ids(factories.event(client, "contributor", **{kind: [word]})[kind]) == [first]
    assert Term.select().count() == 4


@pytest.mark.both_databases
@KINDS
def test_new_names_are_created_once_and_shown_in_their_order(client: Client, kind: str) -> None:
    known = term(client, kind, "Known")
    login = "editor" if kind == "categories" else "author"
    made = factories.event(client, login, **{kind: "B name,a name,Äa,c"})
    mixed = factories.event(client, login, **{kind: [known, "Newest", "b name", "NEWEST", "<i>New</i>est"]})
    assert names(made, kind) == ["a name", "Äa", "B name", "c"]
    assert names(mixed, kind) == ["B name", "Known", "Newest"]
    assert [one["slug"] for one in made[kind]] == ["a-name", "aa", "b-name", "c"]
    assert Term.select().count() == 6


@KINDS
def test_empty_means_none(client: Client, kind: str) -> None:
    for empty in ("", None, [], [""], " , ,"):
        made = factories.event(client, "admin", **{kind: empty})
        other = factories.event(client, "admin", **{kind: "a,b"})
        assert (made[kind], change(client, other, **{kind: empty})[kind]) == ([], [])
    assert Term.select().count() == 2


@KINDS
def test_unknown_number_is_skipped(client: Client, kind: str) -> None:
    known = term(client, kind, "Known")
    other = term(client, "tags" if kind == "categories" else "categories", "Other kind")
    unknown = [999_999, "999999", -1, "-1", 0, 10**30, "9" * 30, other]
    event = factories.event(client, "contributor", **{kind: [*unknown, known]})
    assert names(event, kind) == ["Known"]
    assert Term.select().count() == 2


@pytest.mark.both_databases
def test_every_write_counts_one_version(client: Client) -> None:
    event = factories.event(client, "author")
    updates: tuple[Json, ...] = (
        {"title": "New"},
        {"venue": {"venue": "A"}, "organizer": [{"organizer": "B"}], "tags": "a,b", "categories": "c"},
        {"venue": []}, {"status": "draft", "slug": "new", "image": "https://images.example/a.png"},
        {"status": "trash"}, {"status": "publish"},
    )  # fmt: skip

    versions = [Event.get_by_id(event["id"]).version]
    for fields in updates:
        client.put(path_of(event), {"title": ""}, as_="author", status=400)
        change(client, event, **fields)
        versions.append(Event.get_by_id(event["id"]).version)
    trash(client, event)

    assert versions == [1, 2, 3, 4, 5, 6, 7]
    assert Event.get_by_id(event["id"]).version == 8
