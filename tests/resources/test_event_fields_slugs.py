"""The name of an event in addresses: derived, chosen, taken, in the trash and back.

See docs/interface.md#slugs.
"""

from typing import Any
from urllib.parse import quote

import pytest

from calendar_api.database.models import Event
from tests import factories
from tests.client import Client

pytestmark = pytest.mark.both_databases


def put(client: Client, event: dict[str, Any], **fields: Any) -> dict[str, Any]:
    answer: dict[str, Any] = client.put(f"/events/{event['id']}", fields, as_="admin", status=200).json
    return answer


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("The Concert", "the-concert"),
        ("Café à Paris", "cafe-a-paris"),
        ("Größe & Maß", "grosse-mass"),
        ("東京 祭り", "東京-祭り"),
        ("Ярмарка 2031", "ярмарка-2031"),
        ("dots.in/it -- twice", "dots-in-it-twice"),
        ("x" * 250, "x" * 191),
    ],
)
def test_slug_comes_from_the_title(client: Client, title: str, slug: str) -> None:
    event = factories.event(client, title=title)

    assert event["slug"] == slug
    assert event["url"].endswith(f"/event/{quote(slug)}/")
    assert client.get(f"/events/by-slug/{quote(slug)}", status=200).json["id"] == event["id"]


@pytest.mark.parametrize(
    ("sent", "slug"),
    [
        ("My Slug!", "my-slug"),
        ("a/b/c", "a-b-c"),
        ("中文", "中文"),
        ("%E4%B8%AD%E6%96%87", "中文"),
        ("ÄÖ", "ao"),
    ],
)
def test_slug_is_chosen(client: Client, sent: str, slug: str) -> None:
    made = factories.event(client, slug=sent)
    other = factories.event(client)
    changed = put(client, other, slug=sent)

    assert (made["slug"], changed["slug"]) == (slug, f"{slug}-2")


def test_slug_without_a_letter_falls_back_to_the_title(client: Client) -> None:
    event = factories.event(client, title="Concert", slug="!!!")

    assert event["slug"] == "concert"


def test_title_without_a_letter_falls_back_to_the_id(client: Client) -> None:
    event = factories.event(client, title="!!!")

    assert event["slug"] == str(event["id"])


@pytest.mark.parametrize("slug", ["", "0", None, 5, [], "x" * 201])
def test_slug_that_cannot_be_is_refused(client: Client, slug: object) -> None:
    event = factories.event(client, slug="kept")

    response = client.put(f"/events/{event['id']}", {"slug": slug}, as_="admin", status=400)

    assert list(response.json["data"]["params"]) == ["slug"]
    assert client.get("/events/by-slug/kept").json["id"] == event["id"]


def test_taken_slug_gets_a_number(client: Client) -> None:
    slugs = [factories.event(client, title="Concert")["slug"] for _ in range(3)]
    chosen = factories.event(client, slug="concert")["slug"]

    assert [*slugs, chosen] == ["concert", "concert-2", "concert-3", "concert-4"]


def test_number_that_became_free_is_used_again(client: Client) -> None:
    first, second, _ = (factories.event(client, title="Concert") for _ in range(3))
    put(client, second, slug="other")

    assert factories.event(client, title="Concert")["slug"] == "concert-2"
    assert put(client, first, slug="concert")["slug"] == "concert"


def test_long_slug_that_is_taken_stays_within_its_length(client: Client) -> None:
    factories.event(client, slug="x" * 191)

    event = factories.event(client, slug="x" * 191)

    assert event["slug"] == "x" * 189 + "-2"


def test_slug_of_a_hidden_event_is_taken_as_well(client: Client) -> None:
    factories.event(client, "author", slug="secret", status="private")

    assert factories.event(client, "author2", slug="secret")["slug"] == "secret-2"


def test_venues_and_organizers_have_slugs_of_their_own(client: Client) -> None:
    event = factories.event(
        client, title="Concert", venue={"venue": "Concert"}, organizer=[{"organizer": "Concert"}]
    )

    assert event["slug"] == "concert"
    assert event["venue"]["slug"] == "concert"
    assert event["organizer"][0]["slug"] == "concert"


@pytest.mark.parametrize("status", ["draft", "pending"])
def test_unpublished_event_has_no_slug_until_it_is_published(client: Client, status: str) -> None:
    factories.event(client, title="Concert")
    event = factories.event(client, title="Concert", status=status)

    published = put(client, event, status="publish")

    assert event["slug"] == ""
    assert event["url"].endswith(f"/?post_type=tribe_events&p={event['id']}")
    assert Event.get_by_id(event["id"]).slug == "concert-2"
    assert published["slug"] == "concert-2"


@pytest.mark.parametrize("status", ["publish", "private", "future"])
def test_other_events_have_a_slug_at_once(client: Client, status: str) -> None:
    fields = {"date_utc": "2099-01-01"} if status == "future" else {"status": status}

    event = factories.event(client, title="Concert", **fields)

    assert (event["status"], event["slug"]) == (status, "concert")


def test_draft_gets_the_slug_of_the_title_that_it_is_published_with(client: Client) -> None:
    event = factories.event(client, title="Working title", status="draft")

    assert put(client, event, title="Final title", status="publish")["slug"] == "final-title"


def test_slug_does_not_follow_the_title(client: Client) -> None:
    event = factories.event(client, title="Concert")

    assert put(client, event, title="Something else")["slug"] == "concert"


def test_published_event_that_becomes_a_draft_keeps_its_slug(client: Client) -> None:
    event = factories.event(client, title="Concert")

    assert put(client, event, status="draft")["slug"] == "concert"


def test_trash_sets_the_slug_aside_and_gives_it_back(client: Client) -> None:
    event = factories.event(client, slug="concert")

    trashed = client.delete(f"/events/{event['id']}", as_="admin", status=200).json
    restored = put(client, event, status="publish")

    assert (trashed["slug"], restored["slug"]) == ("concert__trashed", "concert")


def test_slug_that_was_taken_meanwhile_comes_back_with_a_number(client: Client) -> None:
    event = factories.event(client, slug="concert")
    client.delete(f"/events/{event['id']}", as_="admin", status=200)
    newcomer = factories.event(client, slug="concert")

    restored = put(client, event, status="publish")

    assert (newcomer["slug"], restored["slug"]) == ("concert", "concert-2")


def test_two_events_of_one_slug_in_the_trash(client: Client) -> None:
    first = factories.event(client, slug="concert")
    client.delete(f"/events/{first['id']}", as_="admin", status=200)
    second = factories.event(client, slug="concert")
    trashed = client.delete(f"/events/{second['id']}", as_="admin", status=200).json

    assert trashed["slug"] == "concert__trashed-2"
    assert put(client, second, status="publish")["slug"] == "concert"
    assert put(client, first, status="publish")["slug"] == "concert-2"


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


@pytest.mark.parametrize("path", ["CONCERT", "Concert", "concert/", "concert%20", "conc%65rt", "CONC%45RT"])
def test_lookup_ignores_letter_case_and_encoding(client: Client, path: str) -> None:
    event = factories.event(client, slug="concert")

    assert client.get(f"/events/by-slug/{path}", status=200).json["id"] == event["id"]


@pytest.mark.parametrize("noun", ["events", "venues", "organizers"])
@pytest.mark.parametrize("path", ["Caf%C3%A9%20%C3%A0%20Paris", "caf%25C3%25A9-a-paris", "cafe--a-paris"])
def test_lookup_takes_what_becomes_the_slug(client: Client, noun: str, path: str) -> None:
    make = {"events": factories.event, "venues": factories.venue, "organizers": factories.organizer}[noun]
    name = {"events": "title", "venues": "venue", "organizers": "organizer"}[noun]
    made = make(client, **{name: "Café à Paris"})
    address = f"/{noun}/by-slug/{path}"

    answers = [
        client.get(address, status=200),
        client.post(address, {"website": "https://a.example/"}, as_="admin", status=200),
        client.put(address, {"website": "https://b.example/"}, as_="admin", status=200),
        client.patch(address, {"website": ""}, as_="admin", status=200),
        client.delete(address, as_="admin", status=200),
    ]

    assert made["slug"] == "cafe-a-paris"
    assert [answer.json["id"] for answer in answers] == [made["id"]] * 5


@pytest.mark.parametrize("path", ["%3Cscript%3E", "%21%21", "%20"])
def test_lookup_of_what_becomes_no_slug_finds_nothing(client: Client, path: str) -> None:
    factories.event(client, status="draft")

    client.get(f"/events/by-slug/{path}", as_="admin", status=404)


def test_lookup_of_other_scripts(client: Client) -> None:
    event = factories.event(client, slug="Ярмарка")

    for written in ("ярмарка", "ЯРМАРКА"):
        assert client.get(f"/events/by-slug/{quote(written)}", status=200).json["id"] == event["id"]


def test_taken_slug_that_is_sent_again_keeps_its_number(client: Client) -> None:
    factories.event(client, slug="concert")
    event = factories.event(client, slug="concert")

    assert [put(client, event, slug="concert")["slug"] for _ in range(3)] == ["concert-2"] * 3
