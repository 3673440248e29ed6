"""Creating and reading an event: what is refused, what is ignored, that nothing of a refusal is stored.

See docs/interface.md#create, #order-of-checks, #transactions, #not-found.
"""

from typing import Any

import pytest

from calendar_api import database
from calendar_api.database.models import Event, Image, Organizer, Record, Term, Venue
from tests import factories
from tests.client import Client

BODY = {"title": "Concert", "start_date": "2031-01-10 10:00:00", "end_date": "2031-01-10 12:00:00"}
WINDOW = "/events?start_date=2031-01-01&end_date=2031-12-31"
#: Values of each kind that a field refuses, on create and on update.
REFUSED: dict[str, tuple[Any, ...]] = {
    "title": ("", "0", "   ", "<p></p>", 7, ["Concert"], "x" * 256),
    "start_date": ("", "0", "never", "2031-13-01", "2031-02-30", True, 1.5),
    "end_date": ("", "never", "2031-02-30 10:00:00", "25:00"),
    "author": (999_999, "", "someone", 0, -1, None, 10**30, {"id": 1}),
    "date": ("whenever", ""),
    "date_utc": ("whenever", "2031-02-30"),
    "website": ("foo", "//example.org", "javascript:alert(1)", "ftp://example.org"),
    "slug": ("", "0", 5, None, [], "x" * 201),
    "status": ("inherit", "auto-draft", "any", "Publish", "", 5, None, ["draft"]),
    "timezone": ("Mars/Phobos", "UTCfoo", "UTC+25"),
    "all_day": ("", " ", "maybe", "2", 2, -1, 1.5, None, [], {}, [True]),
    "ticketed": ("perhaps",),
    "cost": ({"amount": 5}, True),
    "description": (5, "x" * 65_537),
    "excerpt": ("x" * 8_193,),
    "image": (
        "free text", "ftp://images.example/a.png", "//images.example/a.png", 999_999, "999999", 0, -1, 1.5,
        True, [], {}, {"id": {}}, {"url": ["https://example.org/a.png"]}, "https://images.example/a<b.png",
        "https://images.example/" + "x" * 2048,
    ),
    "categories": ([["nested"]], [{"name": "nested"}], [{}], {"id": {"id": 1}}, [True], True),
    "tags": ([None], ["<b></b>"], ["x" * 201], [{"id": {"id": 1}}], [{"id": True}], list(range(1, 52))),
    "password": (5, True, [], "x" * 256, "with\ncontrol", "a\x00b"),
    "post_parent": (999_999, -1, 1.5, "first", "", True, [], 10**30),
}  # fmt: skip
GENERATED = {
    "id": 4711, "url": "https://elsewhere.example/x", "rest_url": "https://elsewhere.example/x",
    "global_id": "elsewhere.example?id=1", "global_id_lineage": ["elsewhere.example?id=1"],
    "uid": "elsewhere",
    "modified": "2001-01-01 00:00:00", "modified_utc": "2001-01-01 00:00:00",
    "utc_start_date": "2001-01-01 00:00:00", "utc_start_date_details": {"year": "2001"},
    "utc_end_date": "2001-01-01 00:00:00", "utc_end_date_details": {"year": "2001"},
    "start_date_details": {"year": "2001"}, "end_date_details": {"year": "2001"}, "timezone_abbr": "AEST",
    "cost_details": {"values": ["1"]}, "custom_fields": {"a": {"label": "A", "value": "1"}}, "json_ld": {},
    "never_heard_of": "anything",
}  # fmt: skip
DATES = {"start_date": "2031-01-10 10:00:00", "end_date": "2031-01-10 12:00:00"}


def test_created_event_is_at_the_location_and_reads_the_shape(client: Client) -> None:
    response = client.post("/events", {**BODY, "venue": {"venue": "Hall"}}, as_="admin", status=201)

    assert response.headers["Location"] == response.json["rest_url"]
    assert response.headers["Allow"] == "GET, POST"
    read = client.get(f"/events/{response.json['id']}", status=200).json
    for record in (read, read["venue"]):
        record.pop("json_ld")
    assert list(read.items()) == list(response.json.items())
    assert Event.get_by_id(read["id"]).version == 1


@pytest.mark.parametrize("name", REFUSED)
def test_bad_value_is_refused(client: Client, name: str) -> None:
    event = factories.event(client)
    path = f"/events/{event['id']}"

    for value in REFUSED[name]:
        for response in (
            client.post("/events", {**BODY, name: value}, as_="admin", status=400),
            client.put(path, {name: value}, as_="admin", status=400),
        ):
            code = response.json["code"]
            assert code == "rest_invalid_param", (value, code)
            assert list(response.json["data"]["params"]) == [name]
            assert response.json["data"]["params"][name].startswith(f"{name} ")
    assert client.get(WINDOW, as_="admin").json["total"] == 0
    assert [client.get(path).json[key] for key in ("title", "modified")] == [
        event["title"],
        event["modified"],
    ]
    assert (Image.select().count(), Event.get_by_id(event["id"]).version) == (0, 1)


def test_generated_fields_are_ignored(client: Client) -> None:
    fields = {**BODY, "status": "draft", "date_utc": "2030-01-01 00:00:00"}
    plain = factories.event(client, **fields)

    made = client.post("/events", {**fields, **GENERATED}, as_="admin", status=201).json
    changed = client.put(f"/events/{made['id']}", GENERATED, as_="admin", status=200).json

    own = (
        "id",
        "uid",
        "global_id",
        "global_id_lineage",
        "url",
        "rest_url",
        "website",
        "modified",
        "modified_utc",
    )
    assert made == changed
    assert made["modified_utc"] > "2026-01-01"
    assert {key: made[key] for key in made if key not in own} == {
        key: plain[key] for key in plain if key not in own
    }
    assert made["id"] == plain["id"] + 1
    assert made["rest_url"].endswith(f"/events/{made['id']}")
    assert made["global_id"] == f"localhost?id={made['id']}"


def counts() -> tuple[int, ...]:
    with database.read():
        return tuple(model.select().count() for model in (Event, Venue, Organizer, Term, Image, Record))


def test_problems_of_form_and_of_content_are_reported_together(client: Client) -> None:
    """What the schema finds, and what only the database can tell, which gets no value out of all range."""
    fields = {
        "author": 999_999,
        "venue": 999_998,
        "organizer": [999_997],
        "image": 999_996,
        "post_parent": 999_995,
    }
    huge = {**dict.fromkeys(fields, 10**30), "organizer": {"id": 10**30}}

    for sent in (fields, huge):
        body = {"title": "Concert", **DATES, "website": "x", **sent}
        data = client.post("/events", body, as_="admin", status=400).json["data"]
        assert sorted(data["params"]) == sorted([*fields, "website"])
    response = client.post("/events", {"title": "Concert", **DATES, **fields}, as_="admin", status=400).json
    assert response["code"] == "rest_invalid_param"
    assert "999998" in response["data"]["params"]["venue"]
    assert "999997" in response["data"]["params"]["organizer"]


@pytest.mark.both_databases
def test_nothing_is_changed_when_an_update_is_refused_half_way(client: Client) -> None:
    event = factories.event(client, "author", title="Before", venue={"venue": "Old hall"})
    before, read = counts(), client.get(f"/events/{event['id']}").json
    body = {
        "title": "After",
        "venue": {"venue": "New hall"},
        "organizer": [{"organizer": "New group", "author": client.ids["admin"]}],
    }

    client.put(f"/events/{event['id']}", body, as_="author", status=403)

    assert counts() == before
    assert client.get(f"/events/{event['id']}").json == read


@pytest.mark.both_databases
def test_terms_are_in_the_order_of_their_names(client: Client) -> None:
    event = factories.event(client, tags="b,Äa,c,a", categories="Zoo,alpha,Beta")

    assert [tag["name"] for tag in event["tags"]] == ["a", "Äa", "b", "c"]
    assert [category["name"] for category in event["categories"]] == ["alpha", "Beta", "Zoo"]


def test_json_ld_is_on_single_reads_only(client: Client) -> None:
    event = factories.event(client, venue={"venue": "Hall"}, organizer=[{"organizer": "Ann"}])

    single = client.get(f"/events/{event['id']}").json
    [listed] = client.get("/events").json["events"]

    assert [key in single["json_ld"] for key in ("location", "organizer")] == [True, True]
    assert single["venue"]["json_ld"] == single["json_ld"]["location"]
    assert single["organizer"][0]["json_ld"] == single["json_ld"]["organizer"]
    assert ["json_ld" in one for one in (listed, listed["venue"], listed["organizer"][0])] == [False] * 3
    assert listed == event
