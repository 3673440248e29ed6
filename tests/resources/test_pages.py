"""Pages for people: addresses, what stands on them, what may be seen, and their headers."""

import gzip
import re
from html import unescape
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote

import pytest
from webtest import TestResponse

from calendar_api import database
from calendar_api.config import Config
from calendar_api.domain.translation import LANGUAGES
from tests import factories
from tests.client import Client
from tests.factories import day

SITE = "http://localhost"
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' https:; script-src 'none'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'self'"
)
HOSTILE = "\"><script>alert(1)</script>{{ 7 * 7 }} </title><img src=x onerror=alert(1)> &amp; 'x'"
VOID = {"meta", "link", "br", "hr", "img", "input", "base"}


class Structure(HTMLParser):
    """Open elements, the levels of headings, ids, and every attribute of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def of(self, *tags: str) -> list[dict[str, str | None]]:
        return [attrs for tag, attrs in self.found if tag in tags]


def get(client: Client, path: str, status: int = 200, **headers: str) -> TestResponse:
    """A page; fails if it is not well-formed or has what the policy of pages forbids."""
    page = client.app.get(path, headers=headers, expect_errors=True)
    assert page.status_int == status, page.text[:600]
    if page.content_type == "text/html":
        check(page)
    return page


def check(page: TestResponse) -> None:
    found = Structure(page.text)
    assert page.headers["Content-Security-Policy"] == POLICY
    assert page.headers["Referrer-Policy"] == "strict-origin-when-cross-origin"
    assert page.headers["X-Content-Type-Options"] == "nosniff"
    assert page.headers["X-TEC-API-VERSION"] == "v1"
    assert ("X-Robots-Tag" in page.headers) == ('content="noindex"' in page.text)
    levels = [int(tag[1]) for tag, _ in found.found if re.fullmatch("h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in zip([0, *levels], levels, strict=False))
    assert [script.get("type") for script in found.of("script")] in ([], ["application/ld+json"])
    names = {name for _, attrs in found.found for name in attrs}
    assert not [name for name in names if name == "style" or name.startswith("on")]
    assert all("alt" in image for image in found.of("img"))
    assert len(found.of("main")) == len(found.of("h1")) == 1


def own(address: str) -> str:
    """An address as pages have it: the client sends a port when it writes."""
    return address.replace("http://localhost:80/", f"{SITE}/")


def text_of(page: TestResponse) -> str:
    """The text inside of `main`, on one line."""
    main = re.search("<main.*</main>", page.text, re.DOTALL)
    assert main
    return " ".join(unescape(re.sub("<[^>]*>", " ", main[0])).split())


def titles(page: TestResponse) -> list[str]:
    return [unescape(title) for title in re.findall(r'<h3><a href="[^"]*">([^<]*)</a>', page.text)]


# -- addresses


@pytest.mark.parametrize(
    ("path", "status", "location"),
    [
        ("/", 302, "/events/"),
        ("/de/", 302, "/de/events/"),
        ("/events", 301, "/events/"),
        ("/Events/List/?search=x&a=%20", 301, "/events/list/?search=x&a=%20"),
        ("/DE/event/{slug}/", 301, "/de/event/{slug}/"),
        ("/?p={id}", 301, "/event/{slug}/"),
        ("/?p={id}&ical=1", 301, "/event/{slug}/?ical=1"),
        ("/de/?post_type=tribe_events&p={id}", 301, "/de/event/{slug}/"),
        ("/event/former/?embed=1", 301, "/event/{slug}/?embed=1"),
        ("//events//", 301, "/events/"),
        ("/event/z%C3%BCrich/", 404, None),
        ("/event/n%C3%B6w/?embed=1", 301, "/event/{slug}/?embed=1"),
        ("//evil.example/events", 404, None),
    ],
)
def test_other_spellings_are_redirected(client: Client, path: str, status: int, location: str | None) -> None:
    event = factories.event(client, slug="former")
    client.post(f"/events/{event['id']}", {"slug": "now"}, as_="admin", status=200)
    names = {"id": str(event["id"]), "slug": "now"}

    found = client.app.get(path.format_map(names), expect_errors=True)

    assert found.status_int == status
    assert found.headers.get("Location") == (location and SITE + location.format_map(names))
    assert re.fullmatch(f"{SITE}(/de)?/wp-json/tribe/events/v1/", found.headers["X-TEC-API-ROOT"])


def test_rest_route_is_of_the_interface_at_the_root_alone(client: Client) -> None:
    for path in ("/?rest_route=/other/v1", "/de/?rest_route=/other/v1", "/index.php?rest_route=/other/v1"):
        assert client.app.get(path, expect_errors=True).json["code"] == "rest_no_route"
    get(client, "/events/?rest_route=/other/v1")


def test_venue_and_organizer_are_found_by_id(client: Client) -> None:
    venue, organizer = factories.venue(client), factories.organizer(client)

    for record in (venue, organizer):
        found = client.app.get(f"/?p={record['id']}")
        assert (found.status_int, found.headers["Location"]) == (301, own(record["url"]))
    for id in ("0", "x", "99999", "9" * 30, "-1", "１"):
        get(client, f"/?p={id}", 404)


def test_absent_and_hidden_events_have_the_same_page(client: Client) -> None:
    hidden = [
        factories.event(client, slug="draft-one", status="draft"),
        factories.event(client, slug="private-one", status="private"),
        factories.event(client, slug="later-one", date=day(3)),
        factories.event(client, slug="gone-one"),
    ]
    client.delete(f"/events/{hidden[-1]['id']}", as_="admin", status=200)
    absent, editor = get(client, "/event/absent/", 404), client.basic("editor")

    for event in hidden:
        for path in (f"/event/{event['slug'].removesuffix('__trashed')}/", f"/?p={event['id']}"):
            page = get(client, path, 404)
            expected = absent.text.replace("/event/absent/", path.partition("?")[0])
            assert page.text == expected
        get(client, f"/?p={event['id']}", 301 if event in hidden[1:3] else 404, Authorization=editor)
    assert "noindex" in absent.text
    assert get(client, "/nothing/at/all/", 404).text == absent.text.replace("event/absent", "nothing/at/all")


# -- lists


def test_list_has_what_goes_on_or_comes_by_day(client: Client) -> None:
    factories.event(client, title="Over", start_date=day(-3), end_date=day(-2))
    factories.event(client, title="Now on", start_date=day(-3), end_date=day(3))
    factories.event(client, title="Far", start_date=day(900), end_date=day(900, "11:00:00"))
    factories.event(client, title="Unlisted", hide_from_listings=True)
    factories.event(
        client, title="Tomorrow", cost="12", venue={"venue": "Hall & Co", "city": "Ulm"},
        categories=["Music & more"], event_status="canceled", description="<p>Come &amp; <b>see</b></p>",
        timezone="Asia/Tokyo", image="https://images.example/a.png",
    )  # fmt: skip

    page = get(client, "/events/")

    assert titles(page) == ["Now on", "Tomorrow", "Far"]
    assert page.text.count('<section class="day') == 3
    text = text_of(page)
    assert "10:00–12:00 JST · $12 · Music & more Cancelled" in text
    assert "Hall & Co, Ulm Come & see" in text
    assert 'src="https://images.example/a.png" alt="" width="400"' in page.text
    assert titles(get(client, "/events/?eventDisplay=past")) == ["Over"]
    assert titles(get(client, f"/events/?eventDisplay=past&start_date={day(-1)[:10]}")) == []
    assert "X-Robots-Tag" not in page.headers


def test_past_events_begin_with_the_last(client: Client) -> None:
    for number in range(-14, -2):
        factories.event(client, title=f"Day {number}", start_date=day(number))

    first = get(client, "/events/list/?eventDisplay=past")
    second = get(client, "/events/list/page/2/?eventDisplay=past")

    assert titles(first) == [f"Day {number}" for number in range(-3, -13, -1)]
    assert titles(second) == ["Day -13", "Day -14"]
    assert f'<link rel="next" href="{SITE}/events/list/page/2/?eventDisplay=past">' in first.text
    assert f'<link rel="prev" href="{SITE}/events/?eventDisplay=past">' in second.text
    assert "X-Robots-Tag" in second.headers
    get(client, "/events/list/page/3/?eventDisplay=past", 404)


@pytest.mark.both_databases
@pytest.mark.parametrize("number", [0, 2, 2**63 - 1, 10**30])
def test_page_without_events_is_not_found(client: Client, number: int) -> None:
    factories.event(client, venue={"venue": "Hall"}, tags=["late"])

    for path in ("/events/list/page/{}/", "/venue/hall/page/{}/", "/tag/late/list/page/{}/"):
        get(client, path.format(number), 404)


def test_filters_are_those_of_the_interface(client: Client) -> None:
    music = factories.category(client, name="Music")
    factories.event(client, title="Jazz night", categories=[music["id"]])
    market = factories.event(client, title="Market", start_date=day(5))

    for query, found in {
        "search=jazz&categories=&start_date=": ["Jazz night"],
        "tribe-bar-search=market": ["Market"],
        f"categories={music['slug']}": ["Jazz night"],
        "categories[]=music&categories[]=music": ["Jazz night"],
        f"start_date={day(4)[:10]}&end_date={day(9)[:10]}": ["Market"],
        f"tribe-bar-date={day(4)[:10]}": ["Market"],
        f"event_ids={market['id']}": ["Market"],
        f"event_ids[]={market['id']}": ["Market"],
        "status=draft&page=7&password=x&utm_source=y": ["Jazz night", "Market"],
        "search=nothing": [],
    }.items():
        page = get(client, f"/events/list/?{query}")
        assert titles(page) == found, query
    assert "No events found." in text_of(page)
    assert page.headers["X-Robots-Tag"] == "noindex"
    assert f'<link rel="canonical" href="{SITE}/events/?search=nothing">' in page.text
    assert f'href="{SITE}/events.ics?search=nothing"' in page.text
    assert re.search(r"/events\?search=nothing>; rel=\"alternate\"", page.headers["Link"])
    form = get(client, "/events/?search=%22%3E").text
    assert '<input type="search" name="search" maxlength="200" value="&#34;&gt;">' in form


def test_bad_filter_is_a_page_that_names_it(client: Client) -> None:
    page = get(client, "/de/events/?start_date=whenever&geoloc_lat=x", 400)

    assert "start_date muss ein Datum sein" in text_of(page)
    assert "geoloc_lat muss" in text_of(page)
    assert '<html lang="de">' in page.text
    assert page.headers["Cache-Control"] == "private, no-store"
    get(client, "/events/?search[a]=x", 400)
    get(client, "/events/?venue=-1", 400)


# -- an event


def test_event_page_shows_everything(client: Client) -> None:
    above = factories.category(client, name="Music")
    factories.category(client, name="Jazz", parent=above["id"])
    before = factories.event(client, title="Before & after", start_date=day(1, "08:00:00"))
    event = factories.event(
        client, title="Open “day” & <night>", cost="5 - 10", website="https://www.band.example/x?a=1&b=2",
        categories=["Jazz"], tags=["late night"], event_status="postponed", event_status_reason="Rain <b>",
        organizer=[{"organizer": "Club A"}, {"organizer": "Club B"}], show_map_link=True,
        venue={"venue": "Hall", "address": "Lane 1", "city": "Ulm", "geo_lat": 48.4, "geo_lng": 9.99},
        description='<h1>Top</h1><h4>Low</h4><p><a href="https://x.example/">x</a><img src="https://i.example/"></p>',
    )  # fmt: skip
    after = factories.event(client, title="Later", start_date=day(2))

    page = get(client, f"/event/{event['slug']}/")

    text = text_of(page)
    for shown in (
        "Jazz", "Open “day” & <night>", "Postponed", "Rain", "Hall Lane 1 Ulm Map", "Club A", "Club B",
        "$5 – $10",
        "band.example", "late night", "Google", "← Before & after", "Later →",
    ):  # fmt: skip
        assert shown in text, shown
    for link in (
        f"{SITE}/events/category/music/jazz/", f"{SITE}/tag/late-night/",
        own(before["url"]), own(after["url"]),
        own(event["venue"]["url"]), own(event["organizer"][1]["url"]), f"{SITE}/event/{event['slug']}.ics",
        "https://www.band.example/x?a=1&b=2",
        "https://www.openstreetmap.org/?mlat=48.400000&mlon=9.990000#map=17/48.400000/9.990000",
    ):  # fmt: skip
        assert f'href="{link.replace("&", "&amp;")}"' in page.text, link
    assert "<h2>Top</h2><h3>Low</h3>" in page.text
    assert 'rel="nofollow noopener ugc"' in page.text
    assert '<img alt="" loading="lazy" referrerpolicy="no-referrer" src="https://i.example/">' in page.text
    assert "<title>Open “day” &amp; &lt;night&gt; – " in page.text
    assert f'<link rel="prev" href="{own(before["url"])}">' in page.text
    assert page.headers["X-TEC-API-ROOT"] == f"{SITE}/wp-json/tribe/events/v1/events/{event['id']}"
    assert '"@type":"Event"' in page.text


def test_title_is_text_wherever_it_stands(client: Client) -> None:
    given = "&lt;script&gt;alert(1)&lt;/script&gt; {{ 7*7 }} \" ' &amp;amp; &lt;/title&gt;"
    event = factories.event(client, title=given, venue={"venue": HOSTILE}, description=HOSTILE, tags=["a'b"])
    factories.event(client, title="Other", start_date=day(2), description=HOSTILE)

    for path in ("/events/", f"/event/{event['slug']}/"):
        page = get(client, path)
        assert "alert(1)" not in "".join(re.findall("<script.*?</script>", page.text))
        assert "onerror=alert" not in re.sub('"[^"]*"', "", page.text.replace("&", ""))
        assert "49" not in text_of(page)


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
    assert (
        f'<link rel="canonical" href="{own(event["url"])}">'
        in get(client, f"/en/event/{event['slug']}/").text
    )


# -- passwords


def test_password_is_sent_in_a_form_and_opens_the_page(client: Client) -> None:
    event = factories.event(
        client, title="Supper", password="lantern", description="Under the bridge", venue={"venue": "Bridge"},
    )  # fmt: skip
    path = f"/event/{event['slug']}/"

    closed = get(client, path)
    sneaked = get(client, f"{path}?password=lantern")
    wrong = client.app.post(path, {"password": "candle"}, expect_errors=True)
    opened = client.app.post(path, {"password": "lantern"})
    empty = client.app.post(path, {"password": ""}, expect_errors=True)

    for page in (closed, sneaked, wrong):
        assert "Supper" in text_of(page)
        assert "ridge" not in page.text
        assert "ld+json" not in page.text
        assert '<form class="password" method="post"' in page.text
    assert "Under the bridge" in text_of(opened)
    assert "Bridge" in text_of(opened)
    assert "ld+json" not in opened.text
    assert wrong.status_int == 403
    assert "This is not the password." in text_of(wrong)
    assert empty.status_int == 400
    for page in (closed, sneaked, wrong, opened, empty):
        check(page)
        assert page.headers["Cache-Control"] == "private, no-store"
        assert page.headers["X-Robots-Tag"] == "noindex"
        assert "Set-Cookie" not in page.headers
    assert "ridge" not in get(client, "/events/").text


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b'{"password": ["lantern"]}', "application/json", (400, 403)),
        (b'{"password": 5}', "application/json", (400, 403)),
        (b'{"password": null}', "application/json", (400, 403)),
        (b"{", "application/json", (400,)),
        (b"password=%00", "application/x-www-form-urlencoded", (400,)),
        (b"password=" + b"x" * 300, "application/x-www-form-urlencoded", (400,)),
        (b"", "application/x-www-form-urlencoded", (403,)),
        (b"password=lantern", "text/plain", (403, 415)),
    ],
)
def test_odd_bodies_are_refused_with_a_page(
    client: Client, body: bytes, content_type: str, status: tuple[int, ...]
) -> None:
    event = factories.event(client, password="lantern", description="Under the bridge")

    page = client.app.post(f"/event/{event['slug']}/", body, content_type=content_type, expect_errors=True)

    assert page.status_int in status
    check(page)
    assert "bridge" not in page.text


def test_guesses_are_limited_as_in_the_interface(client: Client, capfd: pytest.CaptureFixture[str]) -> None:
    event = factories.event(client, title="Supper", password="lantern")
    path = f"/event/{event['slug']}/"

    for number in range(10):
        client.app.post(path, {"password": f"guess {number}"}, status=403)
    blocked = client.app.post(path, {"password": "lantern"}, status=429)

    check(blocked)
    assert int(blocked.headers["Retry-After"]) > 0
    client.get(f"/events/{event['id']}", {"password": "lantern"}, status=429)
    log = capfd.readouterr().err
    assert "event_password_failed" in log
    assert "lantern" not in log.replace('"password":"lantern"', "x")
    assert "guess" not in log


def test_post_to_other_pages_is_refused_with_a_page(client: Client) -> None:
    page = client.app.post("/events/", {"a": "b"}, expect_errors=True)

    assert page.status_int == 405
    check(page)
    assert page.headers["Allow"] == "GET, HEAD, OPTIONS"


# -- headers


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


def test_signed_in_callers_see_what_the_interface_shows_them(client: Client) -> None:
    factories.event(client, slug="mine", status="private", title="Inside")

    page = get(client, "/event/mine/", Authorization=client.basic("editor"))

    assert "Inside" in page.text
    assert page.headers["Cache-Control"] == "private, no-store"
    get(client, "/event/mine/", 404)
    get(client, "/event/mine/", 401, Authorization="Basic eDp5")


def test_list_page_tells_where_the_interface_and_the_feeds_are(client: Client) -> None:
    page = get(client, "/events/")
    root = f"{SITE}/wp-json/tribe/events/v1"

    assert page.headers["X-TEC-API-ROOT"] == f"{root}/"
    assert page.headers["Link"] == (
        f'<{root}/events>; rel="alternate"; type="application/json", <{SITE}/wp-json/>; rel="https://api.w.org/"'
    )
    for kind in ("ics", "rss", "atom", "jsonld"):
        assert f'href="{SITE}/events.{kind}">' in page.text
    assert 'href="webcal://localhost/events.ics"' in page.text
    assert "cid=webcal%3A%2F%2Flocalhost%2Fevents.ics" in page.text


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


class TestBelowAFolder:
    @pytest.fixture
    def config(self, database_url: str) -> Config:
        return Config(
            database_url=database_url, base_url="https://cal.example/sub", language="de", aliases=(),
            site_name="Town & <Country>", clock="12",
        )  # fmt: skip

    def test_addresses_begin_with_the_base_url(self, client: Client) -> None:
        event = factories.event(client, start_date=day(1, "15:00:00"))

        page, english = get(client, "/events/"), get(client, f"/en/event/{event['slug']}/")

        own = re.findall(r'(?:href|action)="([^"]*)"', page.text)
        own = [unquote(address) for address in own if not address.startswith("/sub/")]
        assert {address for address in own if "//cal.example/sub/" not in address} == {"#main"}
        assert "Town &amp; &lt;Country&gt;</title>" in page.text
        assert "3:00 pm" in text_of(english)
        assert '<html lang="de">' in page.text
        assert client.app.get("/").headers["Location"] == "https://cal.example/sub/events/"


class TestFifty:
    @pytest.fixture
    def config(self, database_url: str) -> Config:
        return Config(database_url=database_url, per_page=50)

    def test_fifty_events_fit_in_thirty_kilobytes(self, client: Client) -> None:
        for number in range(50):
            factories.event(
                client, title=f"An evening with the brass band, part {number}", cost="$12",
                description="<p>" + "All are welcome here. " * 9 + "</p>", start_date=day(1 + number // 3),
                categories=["Concerts"], venue={"venue": "Old fire station", "city": "Lower Valley"},
            )  # fmt: skip

        page = get(client, "/events/")

        assert len(titles(page)) == 50
        assert len(page.body) < 30_000
        assert len(gzip.compress(page.body)) < 8000


class TestTheme:
    @pytest.fixture
    def config(self, database_url: str, tmp_path: Any) -> Config:
        (tmp_path / "badges.html").write_text("[{{ event.title|plain }}]")
        return Config(database_url=database_url, theme=str(tmp_path))

    def test_template_of_the_theme_replaces_ours(self, client: Client) -> None:
        factories.event(client, title="A & c")

        page = get(client, "/events/")

        assert "[A &amp; c]" in page.text
        assert f'<link rel="stylesheet" href="{SITE}/static/theme.css">' in page.text

    def test_broken_template_is_an_error_of_the_server(self, client: Client, tmp_path: Any) -> None:
        (tmp_path / "base.html").write_text("{% broken %}")

        found = client.app.get("/events/", expect_errors=True)

        assert (found.status_int, found.json["code"]) == (500, "internal_server_error")


class TestNoDatabase:
    @pytest.fixture
    def config(self, database_url: str, tmp_path: Any) -> Config:
        database.close_connection()
        return Config(database_url=f"sqlite:///{tmp_path}/missing.sqlite3")

    def test_pages_say_so_with_the_request_id(self, client: Client) -> None:
        for path in ("/events/", "/event/x/", "/nothing/"):
            page = get(client, path, 503)

            assert page.headers["X-Request-Id"] in text_of(page)
            assert page.headers["Retry-After"]
            assert page.headers["Cache-Control"] == "private, no-store"


class TestNoPages:
    @pytest.fixture
    def config(self, database_url: str) -> Config:
        return Config(database_url=database_url, pages="off")

    def test_there_are_none(self, client: Client) -> None:
        event = factories.event(client)

        for path in ("/", "/events/", f"/event/{event['slug']}/", "/static/x.css", f"/?p={event['id']}"):
            found = client.app.get(path, expect_errors=True)
            assert (found.status_int, found.json["code"]) == (404, "rest_no_route")
