"""Pages for people: addresses, languages, headers, and what the settings change."""

import re
from html import unescape
from typing import Any
from urllib.parse import unquote

import pytest

from calendar_api.domain.translation import LANGUAGES
from tests import factories
from tests.client import Client, ClientWith
from tests.factories import day
from tests.page_checks import SITE, get, own, text_of, titles


def test_other_spellings_are_redirected(client: Client) -> None:
    event = factories.event(client, slug="former")
    client.post(f"/events/{event['id']}", {"slug": "now"}, as_="admin", status=200)
    names = {"id": str(event["id"]), "slug": "now"}

    for path, status, location in (
        ("/", 302, "/events/"), ("/de/", 302, "/de/events/"), ("/events", 301, "/events/"),
        ("/Events/List/?search=x&a=%20", 301, "/events/list/?search=x&a=%20"),
        ("/DE/event/{slug}/", 301, "/de/event/{slug}/"), ("/?p={id}", 301, "/event/{slug}/"),
        ("/?p={id}&ical=1", 301, "/event/{slug}/?ical=1"), ("//events//", 301, "/events/"),
        ("/de/?post_type=tribe_events&p={id}", 301, "/de/event/{slug}/"),
        ("/event/former/?embed=1", 301, "/event/{slug}/?embed=1"),
        ("/event/n%C3%B6w/?embed=1", 301, "/event/{slug}/?embed=1"),
        ("/event/z%C3%BCrich/", 404, None), ("//evil.example/events", 404, None),
    ):  # fmt: skip
        found = client.app.get(path.format_map(names), expect_errors=True)
        assert (path, found.status_int) == (path, status)
        assert found.headers.get("Location") == (location and SITE + location.format_map(names))
        assert re.fullmatch(f"{SITE}(/de)?/wp-json/tribe/events/v1/", found.headers["X-TEC-API-ROOT"])


def test_rest_route_is_of_the_interface_at_the_root_alone(client: Client) -> None:
    for path in ("/?rest_route=/other/v1", "/de/?rest_route=/other/v1", "/index.php?rest_route=/other/v1"):
        assert client.app.get(path, expect_errors=True).json["code"] == "rest_no_route"
    get(client, "/events/?rest_route=/other/v1")


def test_unknown_address_below_the_interface_answers_programs(client: Client) -> None:
    for path in (
        "/wp-json/wp/v2/posts", "/de/calendar/events/v2/events/", "/xx/calendar/events/v1",
        "/pt/wp-json/tribe/events/v1/events/7",
    ):  # fmt: skip
        assert client.app.get(path, status=404).json["code"] == "rest_no_route"
    for path in ("/calendar/", "/wp-content/x", "/event/calendar/"):
        assert client.app.get(path, status=404).content_type == "text/html"


def test_venue_and_organizer_are_found_by_id(client: Client) -> None:
    venue, organizer = factories.venue(client), factories.organizer(client)
    for record in (venue, organizer):
        found = client.app.get(f"/?p={record['id']}")
        assert (found.status_int, found.headers["Location"]) == (301, own(record["url"]))
    for id in ("0", "x", "99999", "9" * 30, "-1", "１"):
        get(client, f"/?p={id}", 404)


def test_language_is_that_of_the_address(client: Client) -> None:
    event = factories.event(client, start_date="2031-03-01 20:00:00", end_date="2031-03-01 22:30:00")

    for language in LANGUAGES:
        home = "" if language == "en" else f"/{language}"
        page = get(client, f"{home}/event/{event['slug']}/")
        assert f'<html lang="{language}">' in page.text
        for other in LANGUAGES:
            address = f"{SITE}{'' if other == 'en' else '/' + other}/event/{event['slug']}/"
            assert f'<link rel="alternate" hreflang="{other}" href="{address}">' in page.text
    german = text_of(get(client, f"/de/event/{event['slug']}/"))
    assert "Sa., 1. März 2031, 20:00–22:30" in german
    assert "In den Kalender" in german
    # The language of the site has one address that counts.
    english = get(client, f"/en/event/{event['slug']}/").text
    assert f'<link rel="canonical" href="{own(event["url"])}">' in english


def test_pages_are_cached_under_their_own_spelling(client: Client) -> None:
    event = factories.event(client, slug="one")

    for path in ("/events/", "/event/one/"):
        pages = [client.app.get(path) for _ in range(3)]
        assert len({page.headers["ETag"] for page in pages}) == 1
        assert pages[0].headers["Cache-Control"] == "public, max-age=0, must-revalidate"
        unchanged = client.app.get(path, headers={"If-None-Match": pages[0].headers["ETag"]})
        assert (unchanged.status_int, unchanged.body) == (304, b"")
        assert client.app.head(path).headers["ETag"] == pages[0].headers["ETag"]
        zipped = client.app.get(path, headers={"Accept-Encoding": "gzip"})
        assert zipped.headers["ETag"] == pages[0].headers["ETag"][:-1] + '-gzip"'
        for other in (path.rstrip("/"), path.upper(), path.title()):
            assert client.app.get(other).status_int == 301, other
    for query in ("", "?eventDisplay=past", "?tribe-bar-search=zz", ""):
        client.app.get(f"/events/{query}")
        shown = titles(client.app.get(f"/events/{query}"))
        assert shown == ([] if query else [unescape(event["title"])])
    client.post(f"/events/{event['id']}", {"title": "Changed"}, as_="admin", status=200)
    assert "Changed" in client.app.get("/event/one/").text


def test_every_link_to_the_site_is_answered(client: Client) -> None:
    jazz = factories.category(client, name="Jazz", parent=factories.category(client, name="Music")["id"])
    factories.event(
        client, title="Open day", categories=[jazz["id"]], tags=["öffentlich & late"], start_date=day(2),
        venue={"venue": "Hall"}, organizer={"organizer": "Club"},
    )  # fmt: skip
    factories.event(client, title="Locked", password="sesame", start_date=day(1))
    waiting, asked = ["/events/"], set[str]()
    while waiting:
        asked.add(path := waiting.pop())
        page = client.app.get(path, headers={"Accept": "*/*"}, expect_errors=True)
        assert page.status_int == 200, path
        if page.content_type == "text/html":
            links = {unescape(link) for link in re.findall(r'(?:href|src|action)="([^"]*)"', page.text)}
            found = {link.removeprefix(SITE) for link in links if re.match(f"{SITE}/|/", link)}
            ours = {link for link in found if re.match("/(de/|(?!../))", link) and "wp-json" not in link}
            waiting += ours - asked - set(waiting)
    assert {"/tag/offentlich-late/month/", "/event/open-day.ics", "/de/event/locked/"} <= asked


@pytest.mark.settings(
    base_url="https://cal.example/sub", language="de", aliases=(), site_name="Town & <Country>", clock="12"
)
def test_addresses_begin_with_the_base_url(client: Client) -> None:
    event = factories.event(client, start_date=day(1, "15:00:00"))
    page, english = get(client, "/events/"), get(client, f"/en/event/{event['slug']}/")

    own = [unquote(address) for address in re.findall(r'(?:href|action)="([^"]*)"', page.text)]
    elsewhere = {one for one in own if not one.startswith("/sub/") and "//cal.example/sub/" not in one}
    assert elsewhere == {"#main"}
    assert "Town &amp; &lt;Country&gt;</title>" in page.text
    assert "3:00 pm" in text_of(english)
    assert '<html lang="de">' in page.text
    assert client.app.get("/").headers["Location"] == "https://cal.example/sub/events/"


def test_template_of_the_theme_replaces_ours(client_with: ClientWith, tmp_path: Any) -> None:
    (tmp_path / "badges.html").write_text("[{{ event.title|plain }}]")
    client = client_with(theme=str(tmp_path))
    factories.event(client, title="A & c")
    page = get(client, "/events/")
    assert "[A &amp; c]" in page.text
    assert f'<link rel="stylesheet" href="{SITE}/static/theme.css">' in page.text
