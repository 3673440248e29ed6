"""Texts and website of an event: cleaned on the way in, escaped on the way out (docs/interface.md#texts)."""

import pytest

from tests import factories
from tests.client import Client

TITLES = [
    ("  padded  ", "padded"),
    ("<b>bold</b> words", "bold words"),
    ("\"Quotes\" & 'more' &amp; 1 < 2", "&quot;Quotes&quot; &#038; &#039;more&#039; &#038; 1 &lt; 2"),
    ("Café 🎉 東京", "Café 🎉 東京"),
    ("two\nlines", "two lines"),
    ("00", "00"),
]


def test_title_is_stored_plain_and_shown_as_html(client: Client) -> None:
    other = factories.event(client)

    for sent, shown in TITLES:
        made = factories.event(client, title=sent)
        changed = client.put(f"/events/{other['id']}", {"title": sent}, as_="admin", status=200).json
        assert (made["title"], changed["title"]) == (shown, shown)


#: One of each kind; tests/domain/test_text.py has the others.
HTML = [
    ("two\n\nparagraphs", "<p>two</p>\n<p>paragraphs</p>"),
    ("line\nbreak", "<p>line<br />\nbreak</p>"),
    ("<script>alert(1)</script>after", "<p>after</p>"),
    ('<a href="javascript:alert(1)" onclick="x()">a</a>', '<p><a rel="noopener nofollow">a</a></p>'),
    ('<iframe src="https://x.example"></iframe>', ""),
]


@pytest.mark.parametrize("name", ["description", "excerpt"])
@pytest.mark.parametrize("login", ["admin", "contributor"])
def test_html_is_cleaned_for_every_role(client: Client, name: str, login: str) -> None:
    for sent, shown in HTML:
        made = factories.event(client, login, **{name: sent})
        again = client.put(f"/events/{made['id']}", {name: made[name]}, as_=login, status=200).json

        assert (made[name], again[name]) == (shown, shown)


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
