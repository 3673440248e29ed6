"""Reading a site that has the interface: finding it, all pages of its lists, and what becomes of records."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from calendar_api import database
from calendar_api.commands import SourceError
from calendar_api.commands.sources import live_site
from calendar_api.commands.sources.fetch import Fetcher, FetchLimits
from calendar_api.commands.sources.items import Found, Item, Notice, Options, Problem, Reference
from calendar_api.commands.sources.site_records import LISTS
from calendar_api.store import identifiers
from tests.command_line import Run
from tests.commands.sources.reading import DIALECTS, check
from tests.loopback import Answer, Site, serving

Json = dict[str, Any]

OPTIONS = Options(
    "", datetime(2031, 1, 1, tzinfo=UTC), datetime(2033, 1, 1, tzinfo=UTC), site_timezone="Europe/Berlin"
)
ROOT = "/wp-json/tribe/events/v1"
HTML: Answer = (404, {"Content-Type": "text/html"}, b"<!DOCTYPE html><title>Not found</title>")
HOME: Answer = (200, {"Content-Type": "text/html"}, b"<!DOCTYPE html><title>Town</title>")


def event(id: int, **fields: Any) -> Json:
    """An event as a list of the reference shows it; `fields` replace the others."""
    address = f"https://old.example/event/event-{id}/"
    costs = {"currency_symbol": "", "currency_code": "", "currency_position": "", "values": []}
    return {
        "id": id, "global_id": f"old.example?id={id}", "global_id_lineage": [f"old.example?id={id}"],
        "author": "3", "status": "publish", "date": "2030-12-01 11:00:00", "date_utc": "2030-12-01 10:00:00",
        "modified": "2030-12-02 11:00:00", "modified_utc": "2030-12-02 10:00:00", "url": address,
        "rest_url": f"https://old.example{ROOT}/events/{id}", "title": f"Event {id}", "description": "",
        "excerpt": "", "slug": f"event-{id}", "image": False, "all_day": False,
        "start_date": "2031-05-01 20:00:00", "end_date": "2031-05-01 22:00:00",
        "utc_start_date": "2031-05-01 18:00:00", "utc_end_date": "2031-05-01 20:00:00",
        "timezone": "Europe/Berlin", "timezone_abbr": "CEST", "cost": "", "cost_details": costs,
        "website": address, "show_map": True, "show_map_link": True, "hide_from_listings": False,
        "sticky": False, "featured": False, "categories": [], "tags": [], "venue": [], "organizer": [],
        "custom_fields": [], **fields,
    }  # fmt: skip


def venue(id: int, **fields: Any) -> Json:
    """A venue as a list of the reference shows it: keys without a value are left out."""
    return {
        "id": id, "author": "3", "status": "publish", "date": "2030-12-01 11:00:00",
        "date_utc": "2030-12-01 10:00:00", "modified": "2030-12-01 11:00:00",
        "modified_utc": "2030-12-01 10:00:00", "url": f"https://old.example/venue/venue-{id}/",
        "venue": f"Venue {id}", "slug": f"venue-{id}", "show_map": True, "show_map_link": True,
        "global_id": f"old.example?id={id}", "global_id_lineage": [f"old.example?id={id}"], **fields,
    }  # fmt: skip


def organizer(id: int, **fields: Any) -> Json:
    made = venue(id, slug=f"organizer-{id}", organizer=f"Organizer {id}", **fields)
    return {name: value for name, value in made.items() if name not in ("venue", "show_map", "show_map_link")}


def term(id: int, name: str, parent: int = 0, **fields: Any) -> Json:
    """A term as lists and events show it, without keys that the import does not read."""
    slug = f"term-{id}"
    return {"id": id, "count": 1, "description": "", "name": name, "slug": slug, "parent": parent, **fields}


def page(name: str, records: list[Json], path: str, most: int = 50) -> Answer:
    """What the reference answers for a page of a list."""
    query = parse_qs(urlsplit(path).query)
    size, number = min(int(query["per_page"][0]), most), int(query.get("page", ["1"])[0])
    found = records[(number - 1) * size : number * size]
    if not found and number > 1 and name in ("events", "venues", "organizers"):
        return answer({"code": f"{name[:-1]}-archive-page-not-found", "message": "No page"}, 404)
    pages = -(-len(records) // size)
    return answer({name: found, "rest_url": path, "total": len(records), "total_pages": pages})


def answer(body: Json, status: int = 200) -> Answer:
    return status, {"Content-Type": "application/json; charset=UTF-8"}, json.dumps(body).encode()


def reference(root: str = ROOT, home: Answer = HOME, **lists: list[Json]) -> Callable[[str], Answer]:
    """A site with these lists, whose interface is at `root`."""

    def found(path: str) -> Answer:
        if path.startswith(root):
            name = path.removeprefix(root).lstrip("/").partition("?")[0].partition("&")[0]
            if name in LISTS:
                return page(name, lists.get(name, []), path)
        return home if path == "/" else HTML

    return found


def read(site: Site, address: str = "", **more: Any) -> list[Found]:
    fetcher = Fetcher(site.address, allow_private=True, sleep=lambda _: None, **more)
    return list(live_site.read(fetcher, address or site.address, OPTIONS))


def items(site_answer: Callable[[str], Answer], **more: Any) -> list[Item]:
    with serving(site_answer) as site:
        return [found for found in read(site, **more) if isinstance(found, Item)]


def texts(found: list[Found]) -> str:
    return "\n".join(one.text for one in found if isinstance(one, Notice))


# -- the interface


@pytest.mark.parametrize(
    ("root", "home"),
    [
        (ROOT, HOME),
        (f"/cms{ROOT}", (200, {"Link": '</cms/wp-json/>; rel="https://api.w.org/"'}, b"<html>")),
        ("/?rest_route=/tribe/events/v1", HOME),
        ("/?rest_route=/tribe/events/v1", (200, {"Link": '</?rest_route=/>; rel="https://api.w.org/"'}, b"")),
        ("/calendar/events/v1", HOME),
        (ROOT, (301, {"Location": "/events/"}, b"")),
        ("/x/tribe/events/v1", (200, {"X-TEC-API-ROOT": "{site}/x/tribe/events/v1/"}, b"<html>")),
    ],
)
def test_interface_is_found(root: str, home: Answer) -> None:
    def found(path: str) -> Answer:
        named = {name: value.replace("{site}", site.address) for name, value in home[1].items()}
        return reference(root, (home[0], named, home[2]), events=[event(7)])(path)

    with serving(found) as site:
        fetcher = Fetcher(site.address, allow_private=True)
        assert live_site.find_interface(fetcher, site.address) == f"{site.address}{root}"
        assert live_site.find_interface(fetcher, f"{site.address}{root}/events") == f"{site.address}{root}"
        (one,) = [item for item in read(site) if isinstance(item, Item)]

    assert (one.noun, one.foreign_id) == ("event", "7")


REFUSED = answer({"code": "rest_login_required", "message": "Only for members."}, 401)


@pytest.mark.parametrize(
    ("of_the_interface", "user", "reason"),
    [
        (HTML, "", r"has no interface .+ calendar \(\.ics\)"),
        (REFUSED, "", r"Only for members \(status 401\)\. .+WXR"),
        ((401, {}, b""), "ann", "application password"),
    ],
    ids=["no interface", "not for visitors", "wrong password"],
)
def test_site_that_cannot_be_read(of_the_interface: Answer, user: str, reason: str) -> None:
    def found(path: str) -> Answer:
        return of_the_interface if path.startswith(ROOT) else HOME if path == "/" else HTML

    with serving(found) as site, pytest.raises(SourceError, match=reason):
        read(site, user=user, password="x" * bool(user))


# -- lists


def test_all_pages_are_read_one_after_the_other() -> None:
    events = [event(number) for number in range(1, 121)]
    with serving(reference(events=events, venues=[venue(500)])) as site:
        found = [item for item in read(site, delay=1) if isinstance(item, Item)]

    assert [item.foreign_id for item in found] == ["500", *(str(number) for number in range(1, 121))]
    asked = [parse_qs(urlsplit(path).query) for path in site.paths if path.startswith(f"{ROOT}/events?start")]
    assert [query["page"] for query in asked] == [["1"], ["2"], ["3"]]
    assert {query["per_page"][0] for query in asked} == {"50"}
    assert (asked[0]["start_date"], asked[0]["end_date"]) == (["1970-01-01"], ["2100-01-01"])
    assert any("hide_empty=false" in path for path in site.paths if "categories" in path)
    assert not any("status=" in path for path in site.paths)


def test_list_that_becomes_shorter_while_it_is_read() -> None:
    def found(path: str) -> Answer:
        if not path.startswith(f"{ROOT}/events"):
            return reference()(path)
        status, headers, body = page("events", [event(number) for number in range(50)], path)
        return status, headers, body.replace(b'"total_pages": 1', b'"total_pages": 2')

    assert len(items(found)) == 50


def test_site_that_sends_smaller_pages() -> None:
    events = [event(number) for number in range(1, 46)]

    def clamped(path: str) -> Answer:
        return page("events", events, path, 20) if path.startswith(f"{ROOT}/events") else reference()(path)

    assert [item.foreign_id for item in items(clamped)] == [str(number) for number in range(1, 46)]


UNUSABLE = {
    "captcha": (202, {"Content-Type": "text/html"}, b"<html><title>One moment</title>"),
    "empty captcha": (202, {}, b""),
    "captcha as JSON": answer({"events": [], "total_pages": 0}, 202),
    "forbidden": (403, {"Content-Type": "text/html"}, b"<html>Access denied"),
    "HTML": HOME,
    "failure": (500, {}, b"<p>There has been a critical error</p>"),
    "truncated JSON": (200, {}, b'{"events": [{"id": 1, "ti'),
    "other JSON": answer({"code": "rest_no_route", "message": "No route"}, 404),
    "list": (200, {}, b"[]"),
}


def unusable_from_page_2(bad: Answer) -> Callable[[str], Answer]:
    site = reference(events=[event(number) for number in range(60)], venues=[venue(99)])
    return lambda path: bad if "page=2" in path else site(path)


@pytest.mark.parametrize("bad", UNUSABLE.values(), ids=UNUSABLE)
def test_site_that_stops_answering(bad: Answer) -> None:
    reason = pytest.raises(SourceError, match=r"import the WXR file\.$")
    with serving(unusable_from_page_2(bad)) as site, reason:
        read(site, limits=FetchLimits(attempts=2))


@pytest.mark.sqlite
def test_nothing_is_stored_of_a_site_that_stops_answering(run: Run) -> None:
    with serving(unusable_from_page_2(HOME)) as site:
        status, _, err = run("import", site.address, "--allow-private-addresses", "--quiet")

    assert (status, "import the WXR file." in err) == (2, True)
    with database.read():
        assert not identifiers.are_used()


@pytest.mark.sqlite
def test_feed_of_the_interface_is_a_file(run: Run) -> None:
    calendar = b"BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"
    with serving(lambda _: (200, {}, calendar)) as site:
        feed = f"{site.address}/calendar/events/v1/events.ics?categories=music"
        status, _, _ = run("import", feed, "--allow-private-addresses")

    assert (status, site.paths) == (0, ["/calendar/events/v1/events.ics?categories=music"])


# -- with a password


@pytest.mark.sqlite
@pytest.mark.parametrize("path", ["", "/events.ics"])
def test_password_that_the_first_page_rejects(path: str, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("wrong")
    with serving(lambda _: (401, {}, b"")) as site:
        address = f"{site.address}{path}"
        options = ("--allow-private-addresses", "--remote-user", "ann", "--remote-password-file", str(file))
        status, _, err = run("import", address, *options)

    assert (status, err) == (
        2, f"calendar-api: {address} rejects the user or the password: give an application password.\n"
    )  # fmt: skip


def test_statuses_are_asked_for_with_a_password_only() -> None:
    with serving(reference(events=[event(1, status="draft")], categories=[term(2, "Music")])) as site:
        found = read(site, user="ann", password="secret")

    asked = {urlsplit(path).path.rpartition("/")[2]: parse_qs(urlsplit(path).query) for path in site.paths}
    for name in ("events", "venues", "organizers"):
        assert asked[name]["status"] == ["publish,future,draft,pending,private"]
    assert "status" not in asked["categories"]
    assert "--remote-user" not in texts(found)


def test_events_that_only_the_password_of_the_user_opens_are_rejected() -> None:
    secret = event(1, uid="1@old.example", title="Secret &amp; quiet")

    def found(path: str) -> Answer:
        signed = "authorization" in site.requests[-1][1]
        return reference(events=[secret if signed else secret | {"all_day": None, "description": ""}])(path)

    with serving(found) as site:
        (problem,) = [one for one in read(site, user="ann", password="x") if isinstance(one, Problem)]

    assert (problem.place, problem.title, problem.field) == ("event 1", "Secret & quiet", "password")


def test_site_at_another_host_than_the_password_is_for() -> None:
    with serving(reference()) as other:
        address = f"http://localhost:{other.port}"
        reason = pytest.raises(SourceError, match=f"Give {address}{ROOT} instead")
        with serving(lambda _: (301, {"Location": f"{address}/"}, b"")) as site, reason:
            read(site, user="ann", password="x")


# -- records


def test_records(pytestconfig: pytest.Config) -> None:
    """Parents come before their children, and records before the events that name them."""
    lists = json.loads((DIALECTS / "site.json").read_text("utf-8"))

    check(items(reference(**lists)), "site.jsonl", update=pytestconfig.getoption("update_golden"))


def test_records_that_only_events_show() -> None:
    given = event(7, venue=[venue(4, status="draft"), venue(5)], categories=[term(2, "Music", parent=1)])

    found = items(reference(events=[given, event(8, venue=venue(4))], venues=[venue(5)]))

    assert [(item.noun, item.foreign_id) for item in found] == [
        ("venue", "5"), ("category", "2"), ("venue", "4"), ("event", "7"), ("event", "8"),
    ]  # fmt: skip
    assert "parent" not in found[1].fields


def test_own_fields_of_this_service() -> None:
    given = event(
        7, uid="a&lt;b@example.org", event_status="postponed", event_status_reason="Rain", ticketed=True,
        post_parent=9, slug="",
    )  # fmt: skip

    parent, child, orphan = items(reference(events=[given, event(9), event(8, post_parent=1)]))

    assert (parent.foreign_id, child.foreign_id) == ("9", "7")
    assert child.fields["post_parent"] == Reference("event", "9")
    assert child.fields["uid"] == "a<b@example.org"
    assert (child.fields["event_status"], child.fields["event_status_reason"]) == ("postponed", "Rain")
    assert "slug" not in child.fields
    assert "post_parent" not in orphan.fields  # its parent is not listed


def test_drafts_have_no_date_of_publication() -> None:
    never = dict.fromkeys(("date", "date_utc", "modified", "modified_utc"), "0000-00-00 00:00:00")

    (one,) = items(reference(events=[event(1, status="draft", slug="", timezone="", **never)]))

    assert (one.modified, one.fields["timezone"], "date_utc" in one.fields) == ("", "Europe/Berlin", False)


def test_occurrences_of_a_recurring_event_get_slugs_of_their_own() -> None:
    last = {"start_date": "2031-05-08 20:00:00", "slug": "yoga"}
    address = "https://old.example/event/dance/2031-05-01/"
    given = [event(1, slug="yoga"), event(2, **last), event(3, slug="dance", url=address), event(4)]

    found = [item.fields["slug"] for item in items(reference(events=given))]

    assert found == ["yoga-2031-05-01", "yoga-2031-05-08", "dance-2031-05-01", "event-4"]


def test_times_that_differ_from_utc_are_reported() -> None:
    twice = {"start_date": "2031-10-26 02:30:00", "end_date": "2031-10-26 02:45:00"}
    given = [
        event(1, utc_end_date="2031-05-01 21:00:00"),
        event(2, timezone="Mars/Olympus"),
        event(3, **twice, utc_start_date="2031-10-26 00:30:00", utc_end_date="2031-10-26 01:45:00"),
    ]

    with serving(reference(events=given)) as site:
        found = read(site)

    first, second, third = (one.fields for one in found if isinstance(one, Item))
    notice = "2 events have local times that differ from those in UTC; the local ones count: 1, 2."
    assert notice in texts(found)
    assert (first["start_date"], first["end_date"]) == ("2031-05-01 20:00:00", "2031-05-01 22:00:00")
    assert second["timezone"] == "Mars/Olympus"
    assert (third["start_date"], third["end_date"]) == ("2031-10-26 02:30:00", "2031-10-26 02:45:00+01:00")


@pytest.mark.parametrize(
    ("shown", "symbol", "position", "values", "sent"),
    [
        ("", "", "", [], ""),
        ("$10 – $20", "", "", ["10", "20"], ["10", "20"]),
        ("$10 – $20", "$", "prefix", ["10", "20"], "$10 – $20"),
        ("€5 – €15", "€", "prefix", ["5", "10", "15"], ["€5", "€10", "€15"]),
        ("5€ &#8211; 15€", "€", "postfix", ["5", "15"], "5€ – 15€"),
        ("1.000,50 €", "€", "postfix", ["1000.50"], "1.000,50 €"),
        ("Pay what you like", "", "", ["pay-what-you-like"], "Pay what you like"),
        ("Odd", "?", "", ["1", "2"], "Odd"),
    ],
)
def test_costs(shown: str, symbol: str, position: str, values: list[str], sent: object) -> None:
    details = {"currency_symbol": symbol, "currency_position": position, "values": values}

    (one,) = items(reference(events=[event(1, cost=shown, cost_details=details)]))

    assert one.fields["cost"] == sent


def test_masked_and_broken_records_are_named() -> None:
    broken = event(3)
    del broken["start_date"]
    masked_one = event(1, all_day=None, title="Secret")
    given: list[Any] = [masked_one, event(2), broken, "nonsense", {"title": "No id"}]

    with serving(reference(events=given, venues=[venue(4, venue=[])])) as site:
        found = read(site)

    masked_venue, masked, third = (one for one in found if isinstance(one, Problem))
    assert (masked_venue.place, masked_venue.field) == ("venue 4", "password")
    assert (masked.place, masked.title, masked.field) == ("event 1", "Secret", "password")
    assert (third.place, "start_date" in third.reason) == ("event 3", True)
    assert [one.foreign_id for one in found if isinstance(one, Item)] == ["2"]


def test_terms_leave_their_ids_to_events() -> None:
    image = {"url": "https://old.example/a.png", "id": 3}

    categories = [term(1, "A"), term(2, "B"), term(3, "C")]

    found = items(reference(categories=categories, events=[event(1, image=image)]))

    assert [item.original and item.original[:2] for item in found] == [(0, 0), (2, 0), (0, 0), (1, 3)]
    assert {item.original and item.original.highest for item in found} == {3}


def test_last_notice_says_what_remains_to_be_done() -> None:
    with serving(reference(events=[event(1)])) as site:
        *_, said = read(site)

    assert "wp-json/tribe/events/v1, which CALENDAR_ALIASES has to contain" in said.text
    assert f"the name 127.0.0.1:{site.port}, or redirect old links" in said.text
