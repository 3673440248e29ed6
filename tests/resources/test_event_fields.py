"""Image, parent and texts of an event (docs/interface.md#images, #own-fields, #texts)."""

from typing import Any

import pytest

from calendar_api.database.models import Event, Image
from tests import factories
from tests.client import Client

URL = "https://images.example/a/Poster.PNG?size=1"
DATES = {"start_date": "2031-01-10 10:00:00", "end_date": "2031-01-10 12:00:00"}
#: One of each kind; tests/domain/test_text.py has the others.
HTML = [
    ("two\n\nparagraphs", "<p>two</p>\n<p>paragraphs</p>"),
    ("line\nbreak", "<p>line<br />\nbreak</p>"),
    ("<script>alert(1)</script>after", "<p>after</p>"),
    ('<a href="javascript:alert(1)" onclick="x()">a</a>', '<p><a rel="noopener nofollow">a</a></p>'),
    ('<iframe src="https://x.example"></iframe>', ""),
]


@pytest.mark.both_databases
def test_same_address_keeps_its_id(client: Client) -> None:
    first = factories.event(client, image=URL)["image"]
    venue = factories.venue(client, image=URL)["image"]
    other = factories.event(client, image=URL + "&x=1")["image"]

    assert venue == first
    assert other["id"] != first["id"]
    assert Image.select().count() == 2


def test_id_of_another_record_is_refused(client: Client) -> None:
    body = {"title": "x", **DATES, "image": factories.venue(client)["id"]}

    response = client.post("/events", body, as_="admin", status=400)

    assert list(response.json["data"]["params"]) == ["image"]


@pytest.mark.parametrize("noun", ["venue", "organizer"])
def test_nested_images_use_what_is_known(client: Client, noun: str) -> None:
    known = factories.event(client, image=URL)["image"]

    event = factories.event(
        client, "admin", **{noun: [{noun: "A", "image": URL}, {noun: "B", "image": known["id"]}]}
    )

    assert [record["image"] for record in event[noun]] == [known, known]
    assert Image.select().count() == 1


def put(client: Client, event: dict[str, Any], **fields: Any) -> dict[str, Any]:
    answer: dict[str, Any] = client.put(f"/events/{event['id']}", fields, as_="admin", status=200).json
    return answer


def test_parent_is_set_changed_and_removed(client: Client) -> None:
    a, b = factories.event(client), factories.event(client)

    event = factories.event(client, post_parent=a["id"])
    changed = put(client, event, post_parent=str(b["id"]))
    kept = put(client, event, title="New")
    removed = put(client, event, post_parent="0")

    assert [one["post_parent"] for one in (event, changed, kept, removed)] == [a["id"], b["id"], b["id"], 0]
    assert Event.get_by_id(event["id"]).parent_id is None


def test_parent_that_cannot_be_is_refused(client: Client) -> None:
    """A record of another kind, the event itself, and one below it."""
    top = factories.event(client)
    child = factories.event(client, post_parent=top["id"])
    grandchild = factories.event(client, post_parent=child["id"])

    for record in (factories.venue(client), top, child, grandchild):
        response = client.put(f"/events/{top['id']}", {"post_parent": record["id"]}, as_="admin", status=400)

        assert response.json["code"] == "rest_invalid_param"
        assert list(response.json["data"]["params"]) == ["post_parent"]
    assert client.get(f"/events/{top['id']}").json["post_parent"] == 0


def test_trashed_parent_is_kept_for_its_return(client: Client) -> None:
    parent = factories.event(client)
    event = factories.event(client, post_parent=parent["id"])

    client.delete(f"/events/{parent['id']}", as_="admin", status=200)
    meanwhile = client.get(f"/events/{event['id']}").json["post_parent"]
    put(client, parent, status="publish")

    assert meanwhile == 0
    assert client.get(f"/events/{event['id']}").json["post_parent"] == parent["id"]


@pytest.mark.parametrize("login", ["admin", "contributor"])
def test_html_is_cleaned_for_every_role(client: Client, login: str) -> None:
    for sent, shown in HTML:
        made = factories.event(client, login, description=sent, excerpt=sent)
        same = {name: made[name] for name in ("description", "excerpt")}
        again = client.put(f"/events/{made['id']}", same, as_=login, status=200).json

        assert {made["description"], made["excerpt"], again["description"], again["excerpt"]} == {shown}


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("name", "longest"), [("title", 255), ("description", 65_529), ("excerpt", 8_185), ("slug", 200)]
)
def test_longest_text_is_taken_and_a_longer_one_is_not(client: Client, name: str, longest: int) -> None:
    event = factories.event(client)

    client.put(f"/events/{event['id']}", {name: "x" * longest}, as_="admin", status=200)
    response = client.put(f"/events/{event['id']}", {name: "x" * (longest + 1)}, as_="admin", status=400)

    assert list(response.json["data"]["params"]) == [name]


def test_page_of_the_event_stands_in_for_a_website_until_there_was_one(client: Client) -> None:
    for fields in ({}, {"website": ""}, {"website": None}):
        event = factories.event(client, "admin", **fields)
        assert event["website"] == event["url"]
        assert event["url"].endswith(f"/event/{event['slug']}/")

    for empty in ("", None):
        event = factories.event(client, website="https://example.org/?a=1&b=2")
        path = f"/events/{event['id']}"
        cleared = client.put(path, {"website": empty}, as_="admin", status=200).json
        later = client.put(path, {"title": "New"}, as_="admin", status=200).json
        assert [one["website"] for one in (event, cleared, later)] == [
            "https://example.org/?a=1&amp;b=2",
            "",
            "",
        ]
