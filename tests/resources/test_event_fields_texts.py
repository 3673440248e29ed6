"""Texts and website of an event: cleaned on the way in, escaped on the way out (docs/interface.md#texts)."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import factories
from tests.client import Client

TITLES = [
    ("  padded  ", "padded"),
    ("Tom & Jerry", "Tom &#038; Jerry"),
    ("Tom &amp; Jerry", "Tom &#038; Jerry"),
    ("<b>bold</b> words", "bold words"),
    ("\"Quotes\" & 'more'", "&quot;Quotes&quot; &#038; &#039;more&#039;"),
    ("1 < 2", "1 &lt; 2"),
    ("Café 🎉 東京", "Café 🎉 東京"),
    ("two\nlines", "two lines"),
    ("00", "00"),
]


@pytest.mark.parametrize(("sent", "shown"), TITLES)
def test_title_is_stored_plain_and_shown_as_html(client: Client, sent: str, shown: str) -> None:
    made = factories.event(client, title=sent)
    other = factories.event(client)
    changed = client.put(f"/events/{other['id']}", {"title": sent}, as_="admin", status=200).json

    assert (made["title"], changed["title"]) == (shown, shown)


@pytest.mark.both_databases
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(title=st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40))
def test_any_title_reads_back_as_it_was_written(client: Client, title: str) -> None:
    body = {"title": f"a{title}", "start_date": "2031-01-10", "end_date": "2031-01-10", "status": "draft"}

    made = client.post("/events", body, as_="admin", status=201).json
    again = client.put(f"/events/{made['id']}", {"title": made["title"]}, as_="admin", status=200).json

    assert again["title"] == made["title"]


HTML = [
    ("plain", "<p>plain</p>"),
    ("two\n\nparagraphs", "<p>two</p>\n<p>paragraphs</p>"),
    ("line\nbreak", "<p>line<br />\nbreak</p>"),
    ("<p>own <em>paragraph</em></p>", "<p>own <em>paragraph</em></p>"),
    ("<script>alert(1)</script>after", "<p>after</p>"),
    ('<a href="javascript:alert(1)" onclick="x()">a</a>', '<p><a rel="noopener nofollow">a</a></p>'),
    ('<iframe src="https://x.example"></iframe>', ""),
]


@pytest.mark.parametrize("name", ["description", "excerpt"])
@pytest.mark.parametrize(("sent", "shown"), HTML)
@pytest.mark.parametrize("login", ["admin", "contributor"])
def test_html_is_cleaned_for_every_role(client: Client, name: str, sent: str, shown: str, login: str) -> None:
    made = factories.event(client, login, **{name: sent})
    other = factories.event(client, login)
    changed = client.put(f"/events/{other['id']}", {name: sent}, as_=login, status=200).json
    again = client.put(f"/events/{made['id']}", {name: made[name]}, as_=login, status=200).json

    assert (made[name], changed[name], again[name]) == (shown, shown, shown)


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("name", "longest"), [("title", 255), ("description", 65_529), ("excerpt", 8_185), ("slug", 200)]
)
def test_longest_text_is_taken_and_a_longer_one_is_not(client: Client, name: str, longest: int) -> None:
    event = factories.event(client)

    client.put(f"/events/{event['id']}", {name: "x" * longest}, as_="admin", status=200)
    response = client.put(f"/events/{event['id']}", {name: "x" * (longest + 1)}, as_="admin", status=400)

    assert list(response.json["data"]["params"]) == [name]


def test_website_is_stored_and_escaped(client: Client) -> None:
    made = factories.event(client, website="https://example.org/?a=1&b=2")
    changed = client.put(
        f"/events/{made['id']}", {"website": "http://example.org"}, as_="admin", status=200
    ).json

    assert made["website"] == "https://example.org/?a=1&amp;b=2"
    assert changed["website"] == "http://example.org"


@pytest.mark.parametrize("fields", [{}, {"website": ""}, {"website": None}])
def test_page_of_the_event_stands_in_for_a_website(client: Client, fields: dict[str, object]) -> None:
    event = factories.event(client, "admin", **fields)

    assert event["website"] == event["url"]
    assert event["url"].endswith(f"/event/{event['slug']}/")


@pytest.mark.parametrize("empty", ["", None])
def test_website_that_was_cleared_stays_empty(client: Client, empty: str | None) -> None:
    event = factories.event(client, website="https://example.org")

    cleared = client.put(f"/events/{event['id']}", {"website": empty}, as_="admin", status=200).json
    later = client.put(f"/events/{event['id']}", {"title": "New"}, as_="admin", status=200).json

    assert (cleared["website"], later["website"]) == ("", "")
