"""The name of an event in addresses: derived, chosen, taken, in the trash and back.

See docs/interface.md#slugs.
"""

from typing import Any
from urllib.parse import quote

import pytest

from calendar_api.database.models import Event
from tests import factories
from tests.client import Client


def put(client: Client, event: dict[str, Any], **fields: Any) -> dict[str, Any]:
    answer: dict[str, Any] = client.put(f"/events/{event['id']}", fields, as_="admin", status=200).json
    return answer


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Größe & Maß", "grosse-mass"),
        ("東京 祭り", "東京-祭り"),
        ("Ярмарка 2031", "ярмарка-2031"),
        ("x" * 250, "x" * 191),
    ],
)
def test_slug_comes_from_the_title(client: Client, title: str, slug: str) -> None:
    event = factories.event(client, title=title)

    assert event["slug"] == slug
    assert event["url"].endswith(f"/event/{quote(slug)}/")
    assert client.get(f"/events/by-slug/{quote(slug)}", status=200).json["id"] == event["id"]


@pytest.mark.parametrize(
    ("sent", "slug"), [("a/b/c!", "a-b-c"), ("%E4%B8%AD%E6%96%87", "中文"), ("ÄÖ", "ao")]
)
def test_slug_is_chosen(client: Client, sent: str, slug: str) -> None:
    made = factories.event(client, slug=sent)
    other = factories.event(client)
    changed = [put(client, other, slug=sent)["slug"] for _ in range(2)]

    assert (made["slug"], changed) == (slug, [f"{slug}-2"] * 2)


def test_slug_without_a_letter_falls_back_to_the_title_and_then_to_the_id(client: Client) -> None:
    by_id = factories.event(client, title="!!!")

    assert factories.event(client, title="Concert", slug="!!!")["slug"] == "concert"
    assert by_id["slug"] == str(by_id["id"])


@pytest.mark.both_databases
def test_taken_slug_gets_the_first_free_number(client: Client) -> None:
    first, second, third = (factories.event(client, title="Concert") for _ in range(3))
    chosen = factories.event(client, slug="concert")
    assert [event["slug"] for event in (first, second, third, chosen)] == [
        "concert", "concert-2", "concert-3", "concert-4",
    ]  # fmt: skip

    for event in (first, second):
        client.delete(f"/events/{event['id']}", as_="admin", status=200)
    put(client, third, slug="other")

    assert factories.event(client, title="Concert")["slug"] == "concert"
    assert put(client, second, status="publish")["slug"] == "concert-2"
    assert put(client, first, status="publish")["slug"] == "concert-3"


def test_slug_of_a_hidden_event_is_taken_as_well(client: Client) -> None:
    factories.event(client, "author", slug="secret", status="private")

    assert factories.event(client, "author2", slug="secret")["slug"] == "secret-2"


def test_draft_has_no_slug_until_it_is_published(client: Client) -> None:
    factories.event(client, title="Concert")
    event = factories.event(client, title="Concert", status="draft")

    published = put(client, event, status="publish")

    assert event["slug"] == ""
    assert event["url"].endswith(f"/?post_type=tribe_events&p={event['id']}")
    assert Event.get_by_id(event["id"]).slug == "concert-2"
    assert published["slug"] == "concert-2"


@pytest.mark.parametrize("fields", [{"status": "private"}, {"date_utc": "2099-01-01"}])
def test_other_events_have_a_slug_at_once(client: Client, fields: dict[str, str]) -> None:
    assert factories.event(client, title="Concert", **fields)["slug"] == "concert"


def test_draft_gets_the_slug_of_the_title_that_it_is_published_with(client: Client) -> None:
    event = factories.event(client, title="Working title", status="draft")

    assert put(client, event, title="Final title", status="publish")["slug"] == "final-title"


def test_published_event_that_becomes_a_draft_keeps_its_slug(client: Client) -> None:
    event = factories.event(client, title="Concert")

    assert put(client, event, status="draft")["slug"] == "concert"


def test_slug_that_was_chosen_in_the_trash_counts_on_return(client: Client) -> None:
    event = factories.event(client, slug="concert")
    client.delete(f"/events/{event['id']}", as_="admin", status=200)

    in_trash = put(client, event, slug="renamed")
    restored = put(client, event, status="publish")

    assert (in_trash["slug"], restored["slug"]) == ("concert__trashed", "renamed")


def test_draft_without_a_slug_goes_to_the_trash_and_comes_back(client: Client) -> None:
    event = factories.event(client, title="Concert", status="draft")

    trashed = client.delete(f"/events/{event['id']}", as_="admin", status=200).json
    draft = put(client, event, status="draft")
    client.delete(f"/events/{event['id']}", as_="admin", status=200)
    published = put(client, event, status="publish")

    assert (trashed["slug"], draft["slug"], published["slug"]) == ("", "", "concert")


@pytest.mark.both_databases
def test_lookup_takes_what_becomes_the_slug(client: Client) -> None:
    for title, slug, spellings in (
        (
            "Café à Paris",
            "cafe-a-paris",
            ("Café à Paris", "CAFE-à-paris", "caf%C3%A9-a-paris", "cafe--a-paris", "cafe-a-paris/"),
        ),
        ("Ωδείο Αθηνών", "ωδείο-αθηνών", ("ΩΔΕΊΟ-ΑΘΗΝΏΝ", "ωδει\u0301ο-αθηνών", "ωδείο-αθηνών/")),
    ):
        made = factories.event(client, title=title)
        assert made["slug"] == slug
        for spelling in spellings:
            address = f"/events/by-slug/{quote(spelling)}"
            assert client.get(address, status=200).json["id"] == made["id"], spelling
            changed = client.put(address, {"website": "https://b.example/"}, as_="admin", status=200)
            assert changed.json["id"] == made["id"]
        assert client.delete(address, as_="admin", status=200).json["id"] == made["id"]


@pytest.mark.parametrize("path", ["%3Cscript%3E", "%21%21", "%20"])
def test_lookup_of_what_becomes_no_slug_finds_nothing(client: Client, path: str) -> None:
    factories.event(client, status="draft")

    client.get(f"/events/by-slug/{path}", as_="admin", status=404)
