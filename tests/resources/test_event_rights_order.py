"""The order in which a request is checked.

See docs/interface.md#order-of-checks, #head-and-options.
"""

import pytest

from tests import factories
from tests.client import Client

INVALID = {"start_date": "never", "website": "nowhere"}


def test_body_goes_before_the_record_and_the_right_on_it(client: Client) -> None:
    event = factories.event(client, "author")

    for path in ("/events/999999", "/events/by-slug/nothing", f"/events/{event['id']}"):
        response = client.put(path, INVALID, as_="contributor", status=400)
        broken = client.put(path, raw=b"{", content_type="application/json", as_="contributor", status=400)

        assert sorted(response.json["data"]["params"]) == ["start_date", "website"]
        assert broken.json["code"] == "rest_invalid_json"


def test_parameters_of_a_read_go_before_the_record(client: Client) -> None:
    response = client.get("/events/999999?password=", status=400)

    assert response.json["code"] == "rest_invalid_param"
    assert list(response.json["data"]["params"]) == ["password"]


def test_record_goes_before_the_right_on_single_fields(client: Client) -> None:
    response = client.put("/events/999999", {"featured": True}, as_="contributor", status=404)

    assert response.json["code"] == "rest-event-not-found"


@pytest.mark.parametrize("login", ["author", "contributor"])
def test_author_that_does_not_exist_is_refused_like_any_other(client: Client, login: str) -> None:
    """403 to those who may not name another (docs/interface.md#authors)."""
    body = {"title": "For you", "start_date": "2031-01-10", "end_date": "2031-01-10"}

    known, unknown = (
        client.post("/events", {**body, "author": author}, as_=login, status=403)
        for author in (client.ids["admin"], 999_999)
    )

    assert known.json == unknown.json


def test_contributor_keeps_the_flags_that_an_editor_set(client: Client) -> None:
    """See docs/interface.md#contributors."""
    flags = dict.fromkeys(("featured", "sticky", "hide_from_listings"), True)
    event = factories.event(client, "contributor", status="draft")
    path = f"/events/{event['id']}"
    for name, value in (*flags.items(), ("categories", "New"), ("tags", "New")):
        client.put(path, {name: value}, as_="contributor", status=403)
    client.put(path, flags, as_="editor", status=200)

    for body in ({"title": "New", **flags}, {"title": "Newer"}):
        answer = client.put(path, body, as_="contributor", status=200).json
        assert {name: answer[name] for name in flags} == flags
