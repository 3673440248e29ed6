"""Pages of a month and of a day."""

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date
from html import unescape
from typing import Any

import pytest
import time_machine
from playhouse.test_utils import count_queries
from webtest import TestResponse

from calendar_api.resources.list_pages import ON_PAGE
from tests import factories
from tests.client import Client, ClientWith

MONTH = "/events/month/2026-11/"


@pytest.fixture(autouse=True)
def _now() -> Iterator[None]:
    with time_machine.travel("2026-11-22T12:00:00+00:00", tick=True):
        yield


def event(client: Client, title: str, start: str, end: str = "", **fields: Any) -> str:
    """Store an event; dates without a time are at 10:00."""
    start, end = (f"{moment} 10:00:00" if len(moment) == 10 else moment for moment in (start, end or start))
    return str(factories.event(client, title=title, start_date=start, end_date=end, **fields)["slug"])


def page(client: Client, path: str, as_: str | None = None, status: int = 200) -> TestResponse:
    headers = {"Authorization": client.basic(as_)} if as_ else {}
    return client.app.get(path, headers=headers, status=status)


def plain(html: str) -> str:
    return " ".join(unescape(re.sub("<[^>]+>", "", html)).split())


def cells(found: TestResponse) -> list[tuple[str, list[str]]]:
    """The cells of the table in their order: number of the day, and the names of the links in its list."""
    shown = re.findall(r"<td[^>]*>(.*?)</td>", found.text, re.DOTALL)
    numbers = ["".join(re.findall(r'class="number"[^>]*>(\d+)<', cell)) for cell in shown]
    return list(zip(numbers, [list(map(plain, re.findall("<li.*", cell))) for cell in shown], strict=True))


def days(found: TestResponse) -> dict[int, list[str]]:
    """The titles of the events by day; each is the first word of its link, or follows the time."""
    return {
        int(number): [re.sub(r"^[\d:]+ ", "", name).split(",")[0].split(" ")[0] for name in names]
        for number, names in cells(found)
        if names
    }


def titles(found: TestResponse) -> list[str]:
    return re.findall(r'<h2><a href="[^"]*">([^<]*)</a>', found.text)


def near(found: TestResponse) -> dict[str, str]:
    links = re.findall(r'<link rel="(prev|next)" href="http://localhost([^"]*)"', found.text)
    assert {(rel, path) for rel, path in links} == set(
        re.findall(r'<a class="button quiet" rel="(prev|next)" href="http://localhost([^"]*)"', found.text)
    )
    return {rel: unescape(path) for rel, path in links}


# -- the table


def test_day_and_events_are_links_that_name_day_time_and_state(client: Client) -> None:
    slug = event(
        client, "Open day & tea", "2026-11-21 10:00:00", "2026-11-21 12:00:00", event_status="canceled",
        featured=True,
    )  # fmt: skip
    event(client, "Fair", "2026-11-21", all_day=True)
    event(client, "Vault", "2026-11-20", all_day=True, password="sesame")
    found = page(client, MONTH)

    assert dict(cells(found))["20"] == ["Vault, Fri 20 Nov 2026"]
    names = ["Fair, Sat 21 Nov 2026", "10:00 Open day & tea Cancelled Featured, Sat 21 Nov 2026, 10:00–12:00"]
    assert dict(cells(found))["21"] == names
    label = "Saturday 21 November 2026, 2 events"
    assert f'<a class="number" href="/events/2026-11-21/" aria-label="{label}">' in found.text
    assert f'<a href="/event/{slug}/">' in found.text
    assert found.text.count("<h1>November 2026</h1>") == 1


@pytest.mark.settings(clock="12")
def test_time_that_programs_cannot_read_has_one_that_they_can(client: Client) -> None:
    event(client, "Gig", "2026-11-21 20:00:00", "2026-11-21 22:00:00", timezone="Europe/Berlin")
    assert '<time datetime="20:00">8:00 pm CET</time>' in page(client, MONTH).text


def test_table_has_its_roles_and_heads_in_any_language(client: Client) -> None:
    event(client, "Fest", "2026-11-05", "2026-11-06")
    found = page(client, "/de/events/month/")

    table = found.text[found.text.index("<table") : found.text.index("</table>")]
    assert 'role="table"' in table
    assert table.count('role="row"') == table.count("<tr") == 7
    assert table.count('role="cell"') == table.count("<td") == 42
    assert '<caption class="unseen">November 2026</caption>' in table
    heads = " ".join(re.findall('<th scope="col" role="columnheader">([^<]*)</th>', table))
    assert heads == "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag"
    (today,) = re.findall('class="today">(.*?)</td>', table, re.DOTALL)
    assert '<span class="badge">Heute</span>' in today
    assert dict(cells(found))["5"] == ["10:00 Fest, Do., 5. Nov., 10:00 Uhr – Fr., 6. Nov. 2026, 10:00 Uhr"]
    assert 'aria-label="Donnerstag, 5. November 2026, 1 Veranstaltung"' in found.text
    assert '<a class="number" href="/de/events/2026-11-05/"' in found.text
    assert "<h1>Novembre 2026</h1>" in page(client, "/fr/events/month/2026-11/").text
    assert "<h1>Jeudi 5 novembre 2026</h1>" in page(client, "/fr/events/2026-11-05/").text


@pytest.mark.parametrize(("start", "first"), [("monday", 0), ("saturday", 5), ("sunday", 6)])
def test_each_day_stands_once_below_its_weekday(client_with: ClientWith, start: str, first: int) -> None:
    client = client_with(week_start=start)
    for month in ("2026-02", "2026-03", "2026-08", "2026-12", "2024-02", "2027-02", "1000-02", "9998-12"):
        found, (year, month) = page(client, f"/events/month/{month}/?search=x"), map(int, month.split("-"))
        numbers = [number for number, _ in cells(found)]
        shown = [(place, int(number)) for place, number in enumerate(numbers) if number]
        assert [number for _, number in shown] == list(range(1, monthrange(year, month)[1] + 1))
        assert {(date(year, month, number).weekday() - first - place) % 7 for place, number in shown} == {0}
        assert len(numbers) % 7 == 0


#: Start, end and zone of an event, and the days in November on which it stands.
TOUCHED: list[tuple[str, str, str, list[int]]] = [
    ("2026-10-30", "2026-11-02", "UTC", [1, 2]),
    ("2026-11-29", "2026-12-02", "UTC", [29, 30]),
    ("2026-10-01", "2026-12-31", "UTC", list(range(1, 31))),
    ("2026-11-05 20:00:00", "2026-11-06 00:00:00", "UTC", [5]),
    ("2026-11-05 20:00:00", "2026-11-06 00:00:01", "UTC", [5, 6]),
    ("2026-11-05 00:00:00", "2026-11-05 00:00:00", "UTC", [5]),
    ("2026-10-31 23:00:00", "2026-11-01 00:00:00", "UTC", []),
    # In UTC these are in other months.
    ("2026-11-01 01:00:00", "2026-11-01 02:00:00", "Pacific/Kiritimati", [1]),
    ("2026-12-01 01:00:00", "2026-12-01 02:00:00", "Pacific/Kiritimati", []),
    ("2026-11-30 22:00:00", "2026-11-30 23:00:00", "Pacific/Pago_Pago", [30]),
    ("2026-10-31 22:00:00", "2026-10-31 23:00:00", "Pacific/Pago_Pago", []),
]


@pytest.mark.parametrize("home", ["UTC", "Pacific/Pago_Pago", "Pacific/Kiritimati"])
def test_event_stands_on_the_days_of_its_own_clock(client_with: ClientWith, home: str) -> None:
    client = client_with(timezone=home)
    for row, (start, end, zone, on) in enumerate(TOUCHED):
        event(client, f"Fair{row}x", start, end, timezone=zone)
        assert list(days(page(client, f"{MONTH}?search=fair{row}x"))) == on
        for number in (1, 5, 6, 30):
            shown = titles(page(client, f"/events/2026-11-{number:02}/?search=fair{row}x"))
            assert shown == [f"Fair{row}x"] * (number in on)


def test_cell_shows_three_events_and_those_that_begin_first(client: Client) -> None:
    event(client, "Exhibition", "2026-11-01", "2026-11-30")
    for number in range(4):
        event(client, f"Talk{number}", f"2026-11-10 1{number}:00:00")
    found = days(page(client, MONTH))
    assert found[9] == ["Exhibition"]
    assert found[10] == ["Talk0", "Talk1", "Talk2", "more"]
    assert "2 more, Tuesday 10 November 2026" in dict(cells(page(client, MONTH)))["10"]


# -- which months and days there are


@pytest.mark.both_databases
def test_neighbours_are_the_nearest_with_events_within_the_first_and_the_last(client: Client) -> None:
    event(client, "First", "2026-01-31")
    event(client, "Second", "2026-03-31", "2026-04-02")
    event(client, "Long", "2026-09-20", "2027-01-02")
    event(client, "Short", "2026-09-25")

    assert near(page(client, MONTH)) == {"prev": "/events/month/2026-10/", "next": "/events/month/2026-12/"}
    for here, prev, next in (
        ("month/2026-09", "month/2026-04", "month/2026-10"), ("month/2026-01", "", "month/2026-03"),
        ("month/2027-01", "month/2026-12", ""), ("2026-09-20", "2026-04-02", "2026-09-21"),
        ("2027-01-02", "2027-01-01", ""),
    ):  # fmt: skip
        expected = {rel: f"/events/{path}/" for rel, path in (("prev", prev), ("next", next)) if path}
        assert near(page(client, f"/events/{here}/")) == expected
    for path in ("month/2025-12", "month/2027-02", "2026-01-30", "2027-01-03"):
        page(client, f"/events/{path}/", status=404)
    assert page(client, "/events/month/2026-06/").headers["X-Robots-Tag"] == "noindex"
    assert "X-Robots-Tag" not in page(client, MONTH).headers
    assert page(client, "/events/2026-09-20/").headers["X-Robots-Tag"] == "noindex"


def test_neighbours_are_days_on_the_clocks_of_events(client: Client) -> None:
    event(client, "East", "2026-11-02 01:00:00", timezone="Pacific/Kiritimati")  # 1 November in UTC
    event(client, "West", "2026-11-29 23:00:00", timezone="Pacific/Pago_Pago")  # 30 November in UTC
    days_around = {"prev": "/events/2026-11-02/", "next": "/events/2026-11-29/"}
    assert near(page(client, "/events/today/")) == days_around
    assert [titles(page(client, day)) for day in days_around.values()] == [["East"], ["West"]]


@pytest.mark.both_databases
def test_events_at_the_edge_of_a_month_do_not_hide_those_far_from_it(client: Client) -> None:
    event(client, "Before", "2026-05-05")
    event(client, "Opening", "2026-11-01 05:00:00", timezone="Pacific/Auckland")  # 31 October in UTC
    event(client, "Dance", "2026-11-30 20:00:00", "2026-12-01 00:00:00")
    event(client, "After", "2027-04-04")
    assert near(page(client, MONTH)) == {"prev": "/events/month/2026-05/", "next": "/events/month/2027-04/"}
    around = near(page(client, "/events/2026-11-30/"))
    assert around == {"prev": "/events/2026-11-01/", "next": "/events/2027-04-04/"}


def test_today_always_has_its_pages(client: Client) -> None:
    for path in ("/events/month/", MONTH, "/events/today/", "/events/2026-11-22/"):
        assert "No events found." in page(client, path).text
    event(client, "Next year", "2027-11-22")
    assert near(page(client, "/events/today/")) == {"next": "/events/2027-11-22/"}
    page(client, "/events/month/2026-10/", status=404)


def test_unknown_date_is_the_page_of_unknown_addresses(client: Client) -> None:
    for path in (
        "month/2026-13", "month/0999-12", "month/9999-12", "month/2026-1", "month/x", "month/2026-11-05",
        "2026-11-31", "9999-12-30", "20261122", "2026-w47-1", "x", "%D9%A2026-11-22", "month/2026-11/x",
    ):  # fmt: skip
        assert "<h1>Page not found</h1>" in page(client, f"/events/{path}/", status=404).text, path


def test_last_year_has_pages_before_its_last_month(client: Client) -> None:
    event(client, "Farewell", "9999-11-30")

    assert titles(page(client, "/events/9999-11-30/")) == ["Farewell"]
    assert days(page(client, "/events/month/9999-11/")) == {30: ["Farewell"]}
    assert near(page(client, "/events/today/")) == {"next": "/events/9999-11-30/"}


def test_other_spellings_are_redirected(client: Client) -> None:
    for path, location in (
        ("2026-11/", "month/2026-11/"), ("2026-11/?search=a", "month/2026-11/?search=a"), ("today", "today/")
    ):  # fmt: skip
        found = page(client, f"/events/{path}", status=301)
        assert found.headers["Location"] == f"http://localhost/events/{location}"


def test_date_filter_chooses_the_month(client: Client) -> None:
    event(client, "Fair", "2027-02-03")
    for given in ("start_date=2027-02-14", "tribe-bar-date=2027-02-14", "tribe-bar-date=2027-02"):
        found = page(client, f"/events/month/?{given}")
        assert days(found) == {3: ["Fair"]}
        assert '<link rel="canonical" href="http://localhost/events/month/2027-02/">' in found.text
    assert "start_date" in page(client, "/events/month/?start_date=2027-13-01", status=400).text


# -- what is on them


@pytest.mark.both_databases
def test_filters_narrow_a_month_and_a_day_and_stay_in_links(client: Client) -> None:
    event(client, "Choir", "2026-11-05", categories=["Music & song"])
    event(client, "Chess", "2026-11-05", categories=["Games"])
    event(client, "Chant", "2026-12-05", categories=["Music & song"])
    query = "?categories=music-song"

    month, day = page(client, MONTH + query), page(client, f"/events/2026-11-05/{query}")
    assert days(month) == {5: ["Choir"]}
    assert titles(day) == ["Choir"]
    assert near(month) == {"next": f"/events/month/2026-12/{query}"}
    assert near(day) == {"next": f"/events/2026-12-05/{query}"}
    assert f'href="/events/2026-11-05/{query}"' in month.text
    for found in (month, day):
        assert found.headers["X-Robots-Tag"] == "noindex"
        assert "Events found: 1" in found.text
        assert f'<a href="http://localhost/events/list/{query}">List</a>' in found.text
    assert days(page(client, f"{MONTH}?search=chess")) == {5: ["Chess"]}
    assert days(page(client, f"{MONTH}?search=xyz")) == {}
    assert titles(page(client, "/events/2026-11-05/?search=chess")) == ["Chess"]
    for path in (MONTH, "/events/today/"):
        assert "categories" in page(client, f"{path}?categories=none", status=400).text


@pytest.mark.parametrize("caller", [None, "contributor", "editor"])
def test_shows_what_the_list_shows_to_the_same_caller(client: Client, caller: str | None) -> None:
    at = {"start_date": "2026-11-22 10:00:00"}
    event(client, "Secret", "2026-11-22", password="sesame", description="Treasure", venue={"venue": "Cave"})
    for number, status in enumerate(("draft", "private", "pending", "trash")):
        event(client, f"A{number}", "2026-11-22", status=status)
        factories.event(
            client, "contributor", title=f"C{number}", status="draft" if number else "pending", **at
        )
    event(client, "Hidden", "2026-11-22", hide_from_listings=True)
    query = {"start_date": "2026-11-22", "end_date": "2026-11-22", "per_page": 50}
    expected = sorted(one["title"] for one in client.get("/events", query, as_=caller).json["events"])

    day = page(client, "/events/today/", caller)
    assert sorted(titles(day)) == expected
    month = page(client, MONTH, caller)
    assert f", {len(expected)} event" in month.text
    assert set(days(month)[22]) <= {*expected, "more"}
    assert "Secret" in expected
    for found in (day, month):
        assert "Hidden" not in found.text
    assert ("Treasure" in day.text) == ("Cave" in day.text) == (caller == "editor")


def test_day_shows_some_events_and_links_to_all(client: Client) -> None:
    for number in range(ON_PAGE + 1):
        event(client, f"Talk {number}", "2026-11-22")
    found = page(client, "/events/today/")
    assert len(titles(found)) == ON_PAGE
    (link,) = re.findall(r'<p class="others"><a href="([^"]*)">1 more</a>', found.text)
    assert f"Events found: {ON_PAGE + 1}" in client.app.get(unescape(link)).text


@pytest.mark.settings(cache=0)
@pytest.mark.parametrize("path", [MONTH, "/events/2026-11-10/"])
def test_many_events_take_as_many_statements_as_one(client: Client, path: str) -> None:
    counts = []
    for number in range(12):
        event(
            client, f"Talk {number}", "2026-11-10", "2026-11-12", venue={"venue": f"V{number}"},
            categories=[f"C{number}"],
        )  # fmt: skip
        page(client, path)
        with count_queries() as counter:
            page(client, path)
        counts.append(counter.count)

    assert set(counts) == {counts[0]}


# -- where they are


def test_setting_says_which_page_comes_first(client_with: ClientWith) -> None:
    headings = {"month": "November 2026", "today": "Sunday 22 November 2026", "list": "Events"}
    for view, heading in headings.items():
        found = page(client_with(default_view=view), "/events/").text
        assert f"<h1>{heading}</h1>" in found
        assert re.findall('<a href="[^"]*" aria-current="page">([^<]*)</a>', found) == [view.capitalize()]


@pytest.mark.parametrize("view", ["list", "month"])
def test_query_string_of_the_reference_names_the_view(client_with: ClientWith, view: str) -> None:
    client = client_with(default_view=view)
    event(client, "New year", "2026-12-31", categories=["Music"])
    path = "/events/" if view == "list" else "/events/list/"

    for address, canonical in (
        ("/events/?eventDisplay=month", MONTH),
        ("/events/?eventDisplay=month&tribe-bar-date=2026-12-31", "/events/month/2026-12/"),
        ("/events/?eventDisplay=day", "/events/2026-11-22/"),
        ("/events/?eventDisplay=day&tribe-bar-date=2026-12-31", "/events/2026-12-31/"),
        ("/events/?eventDisplay=list", "{list}"), ("/events/?eventDisplay=past", "{list}?eventDisplay=past"),
        ("/events/category/music/?eventDisplay=month", "/events/category/music/month/2026-11/"),
        ("/events/category/music/list/?eventDisplay=month", "/events/category/music/"),
    ):  # fmt: skip
        found = page(client, address).text
        assert f'<link rel="canonical" href="http://localhost{canonical.format(list=path)}">' in found


def test_addresses_of_feeds_and_of_the_interface(client: Client) -> None:
    event(client, "Choir", "2026-11-05")
    found = page(client, f"{MONTH}?search=choir")
    assert 'href="http://localhost/events/month/2026-11.ics?search=choir"' in found.text
    assert 'href="webcal://localhost/events.ics?search=choir"' in found.text
    link = re.findall(r'<([^>]*)>; rel="alternate"', found.headers["Link"])[0]
    assert [one["title"] for one in client.get(link).json["events"]] == ["Choir"]
    assert 'href="http://localhost/events/2026-11-05.ics"' in page(client, "/events/2026-11-05/").text


def test_page_of_fifty_events_is_small(client: Client) -> None:
    for number in range(50):
        event(client, f"A talk with a title of usual length {number}", f"2026-11-{number % 30 + 1:02}")
    assert len(page(client, MONTH).body) <= 30 * 1024
