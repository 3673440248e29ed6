"""Pages of venues, organizers, categories and tags."""

import json
import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from webtest import TestResponse

from calendar_api import database
from calendar_api.store import identifiers
from calendar_api.store.identifiers import Kind
from tests import factories
from tests.client import ROOT, Client
from tests.resources.records import change

pytestmark = pytest.mark.settings(per_page=2)
Json = dict[str, Any]
MAKE: dict[Kind, Callable[..., Json]] = {"venue": factories.venue, "organizer": factories.organizer}
NOUNS = pytest.mark.parametrize("noun", list(MAKE))


def local(url: str) -> str:
    return re.sub("^http://localhost(:80)?", "", url)


def page(client: Client, path: str, as_: str | None = None, status: int = 200) -> TestResponse:
    headers = {"Authorization": client.basic(as_)} if as_ else {}
    return client.app.get(local(path), headers=headers, status=status)


def titles(found: TestResponse) -> list[str]:
    return [unescape(title) for title in re.findall(r'<h[34]><a href="[^"]*">([^<]*)</a>', found.text)]


def details(found: TestResponse) -> dict[str, str]:
    """Terms and their descriptions with the addresses of links."""
    rows = re.findall(r"<dt>([^<]*)</dt>\s*<dd>(.*?)</dd>", found.text, re.DOTALL)
    shown = {name: re.sub(r'<a href="([^"]*)"[^>]*>([^<]*)</a>', r"\2 (\1)", row) for name, row in rows}
    return {name: unescape(" ".join(row.replace("<br>", " | ").split())) for name, row in shown.items()}


def structured(found: TestResponse) -> Json:
    (script,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', found.text)
    read: Json = json.loads(script)
    return read


# -- venues and organizers


def test_venue_shows_what_is_known_of_it(client: Client) -> None:
    made = factories.venue(
        client, venue="Hall & Sons", description="<h1>Big</h1></script><p>hall</p>",
        address="1 <b>Main</b> St", city="Ulm", zip="89073", country="Germany", phone="+49 (731) 12-34", website="https://x.org/?a=1&copy=2",
        geo_lat=48.4, geo_lng=9.99, show_map_link=True, image="https://images.example/a.png",
    )  # fmt: skip
    found = page(client, made["url"])

    assert details(found) == {
        "Address": "1 Main St | 89073 Ulm | Germany",
        "Map": "OpenStreetMap (https://www.openstreetmap.org/?mlat=48.400000&mlon=9.990000#map=17/48.400000/9.990000)"
        " | 48.4, 9.99 (geo:48.4,9.99)",
        "Phone": "+49 (731) 12-34 (tel:+497311234)",
        "Website": "x.org (https://x.org/?a=1&copy=2)",
    }
    assert "<h1>Hall &amp; Sons</h1>" in found.text
    assert "<h2>Big</h2>" in found.text
    assert '<img src="https://images.example/a.png" alt=""' in found.text
    assert "<title>Hall &amp; Sons – Calendar</title>" in found.text
    assert '<meta name="description" content="Big hall">' in found.text
    assert structured(found) == {
        "@context": "https://schema.org", "@type": "Place", "name": "Hall & Sons",
        "address": {
            "@type": "PostalAddress", "streetAddress": "1 Main St", "addressLocality": "Ulm",
            "postalCode": "89073", "addressCountry": "Germany",
        },
        "geo": {"@type": "GeoCoordinates", "latitude": 48.4, "longitude": 9.99},
        "url": f"http://localhost{local(made['url'])}", "sameAs": "https://x.org/?a=1&copy=2",
        "telephone": "+49 (731) 12-34", "image": "https://images.example/a.png", "description": "Big hall",
    }  # fmt: skip


def test_organizer_shows_what_is_known_of_it(client: Client) -> None:
    fields = {"email": "ann@x.org", "phone": "123", "website": "https://www.x.org/a"}
    found = page(client, factories.organizer(client, organizer="Ann", **fields)["url"])
    assert details(found) == {
        "Phone": "123 (tel:123)", "E-mail": "ann@x.org (mailto:ann@x.org)",
        "Website": "x.org (https://www.x.org/a)",
    }  # fmt: skip
    assert structured(found)["@type"] == "Organization"


def test_what_is_not_known_of_a_venue_is_left_out(client: Client) -> None:
    """No map unless the venue allows it, no link for a telephone number that is none."""
    made = factories.venue(client, geo_lat=1, geo_lng=2, phone="ask <Ann>", show_map_link=False)
    assert details(page(client, made["url"])) == {"Phone": "ask <Ann>"}
    change(client, made, show_map_link=True, address="A")
    assert set(details(page(client, made["url"]))) == {"Phone", "Map", "Address"}
    assert "<aside" not in page(client, factories.venue(client)["url"]).text


@NOUNS
def test_upcoming_events_and_those_of_the_past_in_pages(client: Client, noun: Kind) -> None:
    made, other = MAKE[noun](client), MAKE[noun](client)
    own = {noun: made["id"]}
    for number in range(1, 4):
        factories.event(client, title=f"Next {number}", start_date=factories.day(number), **own)
        factories.event(client, title=f"Last {number}", start_date=factories.day(-number), **own)
    factories.event(client, **{noun: other["id"]})
    factories.event(client, title="Masked", password="sesame", **own)
    path = f"/{noun}/{made['slug']}/"

    second, past = page(client, f"{path}page/2/"), page(client, f"{path}?eventDisplay=past")

    assert titles(page(client, path)) == ["Next 1", "Next 2"]
    assert titles(second) == ["Next 3"]
    assert f'<link rel="prev" href="http://localhost{path}">' in second.text
    assert second.headers["X-Robots-Tag"] == "noindex"
    assert f'href="http://localhost/{noun}/{made["slug"]}.ics"' in second.text
    assert titles(past) == ["Last 1", "Last 2"]
    assert f"<title>{made[noun]} – Past events – Calendar</title>" in past.text
    assert f"<h1>{made[noun]}</h1>" in past.text
    assert titles(page(client, f"{path}page/2/?eventDisplay=past")) == ["Last 3"]
    for number in (0, 3):
        page(client, f"{path}page/{number}/", status=404)


@NOUNS
def test_what_is_not_public_is_a_page_like_that_of_unknown_records(client: Client, noun: Kind) -> None:
    unknown = page(client, f"/{noun}/none/", status=404)
    for status in ("draft", "private", "pending", "trash"):
        slug = MAKE[noun](client, status=status, slug=f"{status}-one")["slug"] or f"{status}-one"
        assert page(client, f"/{noun}/{slug}/", status=404).text == unknown.text
    assert unknown.headers["X-Robots-Tag"] == "noindex"


@NOUNS
def test_address_leads_to_the_record_under_its_present_slug(client: Client, noun: Kind) -> None:
    made = MAKE[noun](client, **{noun: "Café"})
    with database.db.connection_context(), database.write():
        identifiers.change_slug(noun, made["id"], "before", None)
    for path in ("before/", "cafe/page/1/", "Cafe/", "cafe", "caf%C3%A9/"):
        location = page(client, f"/{noun}/{path}", status=301).headers["Location"]
        assert location == f"http://localhost/{noun}/cafe/"
    page(client, f"/{noun}/cafe/")


# -- categories and tags


@pytest.fixture
def jazz(client: Client) -> Json:
    """A category below another, with two events."""
    music = factories.category(client, name="Music")
    fields = {"parent": music["id"], "description": "<b>Old</b> and new"}
    made = factories.category(client, name="Jazz & Blues", **fields)
    for title, day, one in (
        ("Jam", "2031-02-03", made), ("Past jam", "2021-02-03", made), ("Choir", "2031-03-03", music)
    ):  # fmt: skip
        factories.event(client, title=title, start_date=f"{day} 10:00:00", categories=[one["id"]])
    return made


def test_category_lists_its_events_and_those_below(client: Client, jazz: Json) -> None:
    found = page(client, jazz["url"])

    assert local(jazz["url"]) == "/events/category/music/jazz-blues/"
    assert titles(found) == ["Jam"]
    assert "<h1>Jazz &amp; Blues</h1>" in found.text
    assert "<b>Old</b> and new" in found.text
    assert titles(page(client, "/events/category/music/")) == ["Jam", "Choir"]
    past = page(client, f"{jazz['url']}?eventDisplay=past")
    assert titles(past) == ["Past jam"]
    assert "<title>Jazz &amp; Blues – Past events – Calendar</title>" in past.text
    assert '<select name="categories">' not in found.text
    views = re.findall(r'<li><a href="http://localhost(/[^"]*)"[^>]*>(?:List|Month)<', found.text)
    assert views == [f"/events/category/music/jazz-blues/{view}" for view in ("", "month/")]


def test_category_has_months_and_pages(client: Client, jazz: Json) -> None:
    url = jazz["url"]
    month = page(client, f"{url}month/2031-02/")

    assert "<h1>Jazz &amp; Blues – February 2031</h1>" in month.text
    assert re.findall(r"</time> ([^<]*)<", month.text) == ["Jam"]
    assert '<select name="categories">' not in month.text
    before = "http://localhost/events/category/music/jazz-blues/month/2021-02/"
    assert f'<link rel="prev" href="{before}">' in month.text
    assert f'href="/events/2031-02-03/?categories={jazz["id"]}"' in month.text
    page(client, f"{url}month/")
    for number in range(3):
        gig = {"title": f"Gig {number}", "start_date": "2031-02-04 10:00:00"}
        factories.event(client, **gig, categories=[jazz["id"]])
    assert titles(page(client, f"{url}list/page/2/")) == ["Gig 1", "Gig 2"]
    for path in ("month/2031-03/", "month/x/", "list/page/3/"):
        page(client, f"{url}{path}", status=404)


@pytest.mark.usefixtures("jazz")
def test_other_addresses_of_a_term_are_redirected(client: Client) -> None:
    jazz = "events/category/music/jazz-blues/"
    for path, location in (
        ("category/jazz-blues/", jazz), ("category/none/jazz-blues/", jazz),
        ("category/jazz-blues/month/2031-02/?search=a", f"{jazz}month/2031-02/?search=a"),
        ("category/jazz-blues/list/page/2/", f"{jazz}list/page/2/"), ("category/music/jazz-blues", jazz),
        ("category/music/jazz-blues/list/page/02/", f"{jazz}list/page/2/"),
        ("category/music/jazz-blues/list/page/1/", f"{jazz}list/"),
        ("list/page/02/?search=a", "events/list/page/2/?search=a"), ("tag/some/", "tag/some/"),
        ("tag/some/month/2031-02/", "tag/some/month/2031-02/"),
    ):  # fmt: skip
        found = page(client, f"/events/{path}", status=301)
        assert found.headers["Location"] == f"http://localhost/{location}"
    categories = ("events/category", "events/category/none", "events/category/music/none")
    for path in (*categories, "tag/none", "tag/music", "tag"):
        assert "<h1>Page not found</h1>" in page(client, f"/{path}/", status=404).text


def test_tag_is_found_by_its_slug_alone(client: Client) -> None:
    first = factories.tag(client, name="First")
    number = factories.tag(client, name="Year", slug=str(first["id"]))
    for title, tag in (("A", first), ("B", number)):
        factories.event(client, title=title, tags=[tag["id"]])
        assert titles(page(client, tag["url"])) == [title]
    assert page(client, f"{number['url']}month/").status_int == 200
    cyrillic = factories.tag(client, name="Джаз")
    assert "<h1>Джаз</h1>" in page(client, cyrillic["url"]).text


def test_category_may_be_called_like_a_view(client: Client) -> None:
    for name in ("Month", "List"):
        url = local(factories.category(client, name=name)["url"])
        for path in ("", "month/", "list/page/1/"):
            assert f"<h1>{name}" in client.app.get(url + path).maybe_follow().text


def test_pages_name_where_the_interface_is(client: Client, jazz: Json) -> None:
    tag = factories.tag(client, name="Old times")
    hall, ann = factories.venue(client), factories.organizer(client)
    root = f"http://localhost{ROOT.replace('calendar', 'wp-json/tribe')}"
    addresses = {
        jazz["url"]: "events/?categories=jazz-blues", f"{jazz['url']}month/": "events/?categories=jazz-blues",
        tag["url"]: "events/?tags=old-times", hall["url"]: f"events/?venue={hall['id']}",
        ann["url"]: f"events/?organizer={ann['id']}",
    }  # fmt: skip

    for url, address in addresses.items():
        found = page(client, url)
        for name, value in (("version", "v1"), ("origin", "http://localhost")):
            assert found.headers[f"X-TEC-API-{name.upper()}"] == value
            assert f'<meta name="tec-api-{name}" content="{value}">' in found.text
        assert found.headers["X-TEC-API-ROOT"] == f"{root}/{address}"
        assert f'<link rel="alternate" type="application/json" href="{root}/{address}">' in found.text
    listed = re.findall(r'<([^>]*)>; rel="alternate"', page(client, jazz["url"]).headers["Link"])[0]
    assert listed.partition("&ends_after=")[0] == f"{root}/events?categories={jazz['id']}"
