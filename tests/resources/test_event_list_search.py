"""`search` in the event list: what a word is, where it is looked for, and for whom nothing matches."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client


def made(client: Client, title: str, as_: str = "admin", **fields: object) -> dict[str, Any]:
    return factories.event(client, as_, title=title, **fields)


def found(client: Client, search: str, as_: str | None = None, **filters: str) -> list[str]:
    page = client.get("/events", {"search": search, "per_page": 50, **filters}, as_=as_, status=200).json
    assert page["total"] == len(page["events"])
    return [event["title"] for event in page["events"]]


def test_words_are_looked_for_in_title_description_and_excerpt_only(client: Client) -> None:
    made(client, "Zebra")
    made(client, "In description", description="<p>A <b>zebra</b> walks</p>")
    made(client, "In excerpt", excerpt="Zebras")
    made(client, "Elsewhere", slug="zebra-2", venue={"venue": "Zebra"}, tags=["zebra"], cost="zebra",
         website="https://zebra.example")  # fmt: skip

    assert found(client, "zebra") == ["Zebra", "In description", "In excerpt"]


def test_every_word_must_occur_in_any_of_the_texts(client: Client) -> None:
    made(client, "Zebra crossing")
    made(client, "Zebra", description="crossing", excerpt="street")
    made(client, "Crossing")

    assert found(client, "crossing zebra") == ["Zebra crossing", "Zebra"]
    assert found(client, "street  crossing\u00a0zebra") == ["Zebra"]
    assert found(client, "zebra nothing") == []


def test_phrases_hold_together_within_one_text(client: Client) -> None:
    made(client, "New jazz night")
    made(client, "Night of new jazz")
    made(client, "New", description="jazz night")

    assert found(client, '"new jazz night"') == ["New jazz night"]
    assert found(client, '"new jazz" night') == ["New jazz night", "Night of new jazz"]
    assert found(client, '"NEW  JAZZ') == ["New jazz night", "Night of new jazz"]


def test_markup_and_entities_do_not_match(client: Client) -> None:
    made(
        client,
        "Salt &amp; pepper",
        description='<p><strong>Big</strong> <a href="https://example.org">night</a> of R&amp;B</p>',
    )

    for query in ("strong", "<p>", "href", "example.org", "amp", "&amp;", "/p", "#038"):
        assert found(client, query) == []
    assert found(client, "salt & pepper") == ["Salt &#038; pepper"]
    assert found(client, "R&B") == ["Salt &#038; pepper"]


def test_text_is_found_as_it_is_read_across_inline_markup(client: Client) -> None:
    made(client, "Marked", description="<p>ze<b>bra</b></p><p>one</p><p>two</p>")

    assert found(client, "zebra") == ["Marked"]
    assert found(client, "onetwo") == []


def test_search_without_words_filters_nothing(client: Client) -> None:
    made(client, "Event")

    assert [found(client, query) for query in (" ", '""', '" "', '-""', "-word")] == [["Event"]] * 5


@pytest.mark.both_databases
def test_changed_text_is_found_and_the_old_one_is_not(client: Client) -> None:
    id = made(client, "Old", description="past", excerpt="gone")["id"]

    client.post(f"/events/{id}", {"title": "New"}, as_="admin", status=200)
    assert found(client, "new past gone") == ["New"]
    client.post(f"/events/{id}", {"description": "present", "excerpt": ""}, as_="admin", status=200)

    assert found(client, "new present") == ["New"]
    assert [found(client, word) for word in ("old", "past", "gone")] == [[], [], []]
    client.post(f"/events/{id}", {"title": " New ", "description": "future"}, as_="admin", status=200)
    assert found(client, "new future") == ["New"]
