"""`search` in the event list: where words are looked for; tests/store/test_search_alike.py has the texts."""

from urllib.parse import quote

import pytest

from tests import factories
from tests.client import Client
from tests.resources.records import change, titles


def found(client: Client, *searches: str) -> list[list[str]]:
    return [titles(client, search=search) for search in searches]


def test_words_are_looked_for_in_title_description_and_excerpt_only(client: Client) -> None:
    factories.event(client, title="Zebra")
    factories.event(client, title="In description", description="<p>A <b>zebra</b> walks</p>")
    factories.event(client, title="In excerpt", excerpt="Zebras")
    factories.event(client, title="Elsewhere", slug="zebra-2", venue={"venue": "Zebra"}, tags=["zebra"],
                    cost="zebra", website="https://zebra.example")  # fmt: skip
    assert found(client, "zebra") == [["Zebra", "In description", "In excerpt"]]


def test_every_word_must_occur_in_any_of_the_texts_and_phrases_in_one(client: Client) -> None:
    factories.event(client, title="New jazz night")
    factories.event(client, title="Night of new jazz")
    factories.event(client, title="New", description="jazz night", excerpt="street")

    assert found(client, "night new", "street  jazz\u00a0new", "jazz nothing") == [
        ["New jazz night", "Night of new jazz", "New"], ["New"], []
    ]  # fmt: skip
    assert found(client, '"new jazz night"', '"new jazz" night', '"NEW  JAZZ') == [
        ["New jazz night"], *[["New jazz night", "Night of new jazz"]] * 2
    ]  # fmt: skip


def test_tabs_and_line_ends_separate_words(client: Client) -> None:
    factories.event(client, title="New jazz night", venue={"venue": "Old town hall"}, tags=["Open air"])
    for blank in ("\t", "\n", "\r\n", "\u0085"):
        assert found(client, f"night{blank}new{blank}", f'"new{blank}jazz"') == [["New jazz night"]] * 2
        for path in (f"/venues?search=town{quote(blank)}old", f"/tags?search=open{quote(blank)}air"):
            assert client.get(path, status=200).json["total"] == 1


def test_text_is_found_as_it_is_read(client: Client) -> None:
    """Across inline markup, without tags and entities."""
    shown = "Salt &#038; pepper"
    text = '<p>ze<b>bra</b> <a href="https://example.org">night</a> of R&amp;B</p><p>one</p><p>two</p>'
    factories.event(client, title="Salt &amp; pepper", description=text)
    absent = ("strong", "<p>", "href", "example.org", "amp", "&amp;", "/p", "#038", "onetwo")
    assert found(client, *absent) == [[]] * len(absent)
    assert found(client, "salt & pepper", "R&B", "zebra") == [[shown]] * 3


def test_search_without_words_filters_nothing(client: Client) -> None:
    factories.event(client, title="Event")
    assert found(client, " ", '""', '" "', '-""', "-word") == [["Event"]] * 5


@pytest.mark.both_databases
def test_changed_text_is_found_and_the_old_one_is_not(client: Client) -> None:
    event = factories.event(client, title="Old", description="past", excerpt="gone")
    change(client, event, title="New")
    assert found(client, "new past gone", "old") == [["New"], []]
    change(client, event, description="present", excerpt="")
    assert found(client, "new present", "past", "gone") == [["New"], [], []]
    change(client, event, title=" New ", description="future")
    assert found(client, "new future", "present") == [["New"], []]
