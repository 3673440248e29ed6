"""How much a body may hold, whatever its size (and that finding it out takes no time)."""

import json
from typing import Any

import pytest
from webtest import TestResponse

from tests.client import Client, Json
from tests.processor_time import is_quick

_FORM = "application/x-www-form-urlencoded"
_EVENT = {"title": "Fair", "start_date": "2031-06-07", "end_date": "2031-06-08"}


def test_a_list_holds_at_most_100_items_and_a_body_5000_values(client: Client) -> None:
    fits = client.post("/events", {**_EVENT, "unknown": [0] * 100}, as_="admin")
    long = client.post("/events", {**_EVENT, "unknown": [0] * 101}, as_="admin")
    many = {f"x{number}": number for number in range(4997)}
    full = client.post("/events", {**_EVENT, **many}, as_="admin")
    over = client.post("/events", {**_EVENT, **many, "one": [1]}, as_="admin")

    assert [fits.status_int, full.status_int] == [201, 201]
    assert long.status_int == over.status_int == 400
    assert long.json["code"] == over.json["code"] == "rest_invalid_param"
    assert long.json["message"] == "A list in the body must have at most 100 items."
    assert over.json["message"] == "Send at most 5000 values at once."


def test_new_venues_share_what_one_description_may_have(client: Client) -> None:
    def sent(tags: int) -> Any:
        nested = [{"venue": f"Hall {number}", "description": "<b>x</b>" * tags} for number in range(10)]
        return client.post("/events", {**_EVENT, "venue": nested}, as_="admin")

    fits, over = sent(100), sent(101)

    assert fits.status_int == 201
    assert over.json["data"]["params"] == {
        "venue": "venue: new descriptions together must have at most 65536 characters and 2000 tags."
    }


def _event(**more: Any) -> bytes:
    return json.dumps({**_EVENT, **more}).encode()


def refused_at_once(client: Client, path: str, body: Any = None, **more: Any) -> TestResponse:
    """The response to a body whose refusal takes little time of the processor."""
    client.get(path)
    responses: list[TestResponse] = []
    assert is_quick(lambda: responses.append(client.post(path, body, as_="admin", status=400, **more)))
    return responses[-1]


@pytest.mark.sqlite
@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b'{"venue":[' + b",".join([b"{}"] * 340_000) + b"]}", "application/json"),
        (b'{"categories":[' + b",".join([b"1"] * 500_000) + b"]}", "application/json"),
        (b'"\\' * 500_000, "application/json"),
        (b'"' * 1_000_000, "application/json"),
        (b"]" * 1_000_000, "application/json"),
        (b"," * 1_000_000, "application/json"),
        (b'{"a":"' + b"\\\\" * 500_000, "application/json"),
        (b"a[]=&" * 200_000, _FORM),
        (b"venue[][]=&" * 90_000, _FORM),
        (_event(title="e" + "\u0301\u0323" * 80_000), "application/json"),
        (_event(categories="," * 1_000_000), "application/json"),
        (_event(cost="1\n" * 300_000), "application/json"),
    ],
    ids=["objects", "numbers", "escapes", "quotes", "closing", "commas", "backslashes", "form", "nested form",
         "marks", "commas in a text", "lines of a cost"],
)  # fmt: skip
def test_a_megabyte_of_nothing_is_refused_at_once(client: Client, body: bytes, content_type: str) -> None:
    refused_at_once(client, "/events", raw=body, content_type=content_type)


@pytest.mark.sqlite
@pytest.mark.parametrize("marks", ["\u0301\u0323" * 32_000, "&#769;" * 10_000, "\u0315" * 30 + "<i>\u0315"])
def test_a_text_of_nothing_but_marks_is_refused_at_once(client: Client, marks: str) -> None:
    for name in ("title", "description", "tags", "venue"):
        refused_at_once(client, "/events", {**_EVENT, name: f"e{marks}"})


_GROWING = "<p>" + "".join(f"<strong a={number}>" for number in range(999)) + "<p>x" * 999


@pytest.mark.sqlite
@pytest.mark.parametrize(
    ("path", "body", "name"),
    [
        ("/events", {**_EVENT, "description": _GROWING}, "description"),
        ("/events", {**_EVENT, "excerpt": "<p><b><i><u><s>" + "<p>x" * 300}, "excerpt"),
        ("/events", {**_EVENT, "venue": {"venue": "Hall", "description": _GROWING}}, "venue"),
        ("/organizers", {"organizer": "Ann", "description": _GROWING}, "description"),
        ("/tags", {"name": "music", "description": _GROWING}, "description"),
    ],
)
def test_html_that_would_multiply_is_refused_at_once(
    client: Client, path: str, body: Json, name: str
) -> None:
    assert list(refused_at_once(client, path, body).json["data"]["params"]) == [name]
