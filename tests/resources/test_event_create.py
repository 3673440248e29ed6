"""Creating an event: what is required, what is refused, what is ignored (docs/interface.md#create)."""

from typing import Any

import pytest

from calendar_api.database.models import Event
from tests import factories
from tests.client import Client

BODY = {"title": "Concert", "start_date": "2031-01-10 10:00:00", "end_date": "2031-01-10 12:00:00"}
WINDOW = "/events?start_date=2031-01-01&end_date=2031-12-31"


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in BODY.items() if key != name}


def test_created_event_is_at_the_location_and_reads_the_same(client: Client) -> None:
    response = client.post("/events", BODY, as_="admin", status=201)

    assert response.headers["Location"] == response.json["rest_url"]
    assert response.headers["Allow"] == "GET, POST"
    read = client.get(f"/events/{response.json['id']}", status=200).json
    read.pop("json_ld")
    assert read == response.json
    assert list(read) == list(response.json)


def test_new_event_is_of_version_1(client: Client) -> None:
    event = factories.event(client, venue={"venue": "Hall"}, tags="a,b")

    assert Event.get_by_id(event["id"]).version == 1


@pytest.mark.parametrize("name", ["title", "start_date", "end_date"])
@pytest.mark.parametrize("as_null", [False, True])
def test_missing_field_is_named(client: Client, name: str, as_null: bool) -> None:
    body = {**BODY, name: None} if as_null else without(name)

    response = client.post("/events", body, as_="admin", status=400)

    assert response.json["code"] == "rest_missing_callback_param"
    assert response.json["data"] == {"status": 400, "params": [name]}
    assert client.get(WINDOW).json["total"] == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("title", ""),
        ("title", "0"),
        ("title", "   "),
        ("title", "<p></p>"),
        ("title", 7),
        ("title", ["Concert"]),
        ("title", "x" * 256),
        ("start_date", ""),
        ("start_date", "0"),
        ("start_date", "never"),
        ("start_date", "2031-13-01"),
        ("start_date", "2031-02-30"),
        ("start_date", True),
        ("start_date", 1.5),
        ("end_date", ""),
        ("end_date", "0"),
        ("end_date", "never"),
        ("end_date", "2031-02-30 10:00:00"),
        ("end_date", "25:00"),
    ],
)
def test_bad_required_field_is_refused(client: Client, name: str, value: object) -> None:
    response = client.post("/events", {**BODY, name: value}, as_="admin", status=400)

    assert response.json["code"] == "rest_invalid_param"
    assert list(response.json["data"]["params"]) == [name]
    assert response.json["data"]["params"][name].startswith(f"{name} must ")
    assert client.get(WINDOW).json["total"] == 0


OPTIONAL_ERRORS = [
    ("author", 999_999),
    ("author", ""),
    ("author", "someone"),
    ("author", 0),
    ("author", -1),
    ("author", None),
    ("author", 10**30),
    ("author", {"id": 1}),
    ("date", "whenever"),
    ("date", ""),
    ("date_utc", "whenever"),
    ("date_utc", "2031-02-30"),
    ("website", "foo"),
    ("website", "//example.org"),
    ("website", "example.org"),
    ("website", "javascript:alert(1)"),
    ("website", "ftp://example.org"),
    ("slug", ""),
    ("slug", "0"),
    ("slug", 5),
    ("status", "inherit"),
    ("status", "auto-draft"),
    ("status", ""),
    ("timezone", "Mars/Phobos"),
    ("timezone", "UTCfoo"),
    ("timezone", "UTC+25"),
    ("all_day", "perhaps"),
    ("featured", 2),
    ("cost", {"amount": 5}),
    ("cost", True),
    ("description", 5),
    ("description", "x" * 65_537),
    ("excerpt", "x" * 8_193),
    ("image", "free text"),
    ("image", 999_999),
    ("categories", [["nested"]]),
    ("categories", [{"name": "nested"}]),
    ("tags", [None]),
    ("tags", ["<b></b>"]),
    ("tags", list(range(1, 52))),
    ("password", "with\ncontrol"),
    ("post_parent", 999_999),
    ("post_parent", "first"),
    ("ticketed", "perhaps"),
]


@pytest.mark.parametrize(("name", "value"), OPTIONAL_ERRORS, ids=repr)
def test_bad_optional_field_is_refused(client: Client, name: str, value: object) -> None:
    response = client.post("/events", {**BODY, name: value}, as_="admin", status=400)

    assert response.json["code"] == "rest_invalid_param"
    assert list(response.json["data"]["params"]) == [name]
    assert client.get(WINDOW, as_="admin").json["total"] == 0


GENERATED = {
    "id": 4711,
    "url": "https://elsewhere.example/x",
    "rest_url": "https://elsewhere.example/x",
    "global_id": "elsewhere.example?id=1",
    "global_id_lineage": ["elsewhere.example?id=1"],
    "modified": "2001-01-01 00:00:00",
    "modified_utc": "2001-01-01 00:00:00",
    "utc_start_date": "2001-01-01 00:00:00",
    "utc_start_date_details": {"year": "2001"},
    "utc_end_date": "2001-01-01 00:00:00",
    "utc_end_date_details": {"year": "2001"},
    "start_date_details": {"year": "2001"},
    "end_date_details": {"year": "2001"},
    "timezone_abbr": "AEST",
    "cost_details": {"values": ["1"]},
    "custom_fields": {"a": {"label": "A", "value": "1"}},
    "json_ld": {},
    "never_heard_of": "anything",
}


@pytest.mark.parametrize("name", GENERATED)
def test_generated_field_is_ignored(client: Client, name: str) -> None:
    plain = factories.event(client, **BODY, status="draft", date_utc="2030-01-01 00:00:00")

    made = client.post(
        "/events",
        {**BODY, "status": "draft", "date_utc": "2030-01-01 00:00:00", name: GENERATED[name]},
        as_="admin",
        status=201,
    ).json
    changed = client.put(f"/events/{made['id']}", {name: GENERATED[name]}, as_="admin", status=200).json

    own = ("id", "global_id", "global_id_lineage", "url", "rest_url", "website", "modified", "modified_utc")
    assert made == changed
    assert made["modified_utc"] > "2026-01-01"
    assert {key: made[key] for key in made if key not in own} == {
        key: plain[key] for key in plain if key not in own
    }
    assert made["id"] == plain["id"] + 1
    assert made["rest_url"].endswith(f"/events/{made['id']}")
    assert made["global_id"] == f"localhost?id={made['id']}"
    assert "never_heard_of" not in made
