"""What templates show of events: days, times, places, texts, and links to calendars."""

import re
from datetime import date
from html import unescape
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calendar_api.domain.translation import translator
from calendar_api.representations import page
from calendar_api.representations.event_fields import lead
from calendar_api.representations.page import DatesOfEvents, Renderer

Json = dict[str, Any]
RENDERER = Renderer()
SITE = {"language": "en", "clock": "24", "timezone": "Europe/Berlin"}


def event(start: str = "2031-03-01 20:00:00", end: str = "2031-03-01 22:30:00", **more: Any) -> Json:
    return {
        "title": "Open day", "url": "https://cal.example/event/open-day/", "start_date": start,
        "end_date": end, "utc_start_date": start, "utc_end_date": end, "all_day": False,
        "timezone": "Europe/Berlin", "timezone_abbr": "CET", "venue": [], "excerpt": "", "description": "",
        **more,
    }  # fmt: skip


def dates(**more: str) -> DatesOfEvents:
    given = SITE | more
    return DatesOfEvents(**given, translate=translator(given["language"]))


def test_times_stand_under_the_heading_of_a_day() -> None:
    for start, end, shown in (
        ("2031-03-01 20:00:00", "2031-03-01 22:30:00", "20:00–22:30"),
        ("2031-03-01 20:00:00", "2031-03-01 20:00:00", "20:00"),
        ("2031-03-01 22:00:00", "2031-03-02 05:00:00", "22:00–05:00"),
        ("2031-03-01 06:00:00", "2031-03-02 07:00:00", "Sat 1 Mar, 06:00 – Sun 2 Mar 2031, 07:00"),
        ("2031-03-01 07:00:00", "2031-03-02 07:00:00", "Sat 1 Mar, 07:00 – Sun 2 Mar 2031, 07:00"),
        ("2031-03-01 22:00:00", "2031-03-02 09:00:00", "Sat 1 Mar, 22:00 – Sun 2 Mar 2031, 09:00"),
        ("2031-02-28 22:00:00", "2031-03-01 05:00:00", "Fri 28 Feb, 22:00 – Sat 1 Mar 2031, 05:00"),
        ("2031-03-01 00:00:00", "2031-03-01 23:59:59", "All day"),
        ("2031-03-01 00:00:00", "2031-03-03 23:59:59", "Sat 1 – Mon 3 Mar 2031"),
    ):
        assert dates().times(event(start, end), date(2031, 3, 1)) == shown
        assert dates(language="de").times(event(), date(2031, 3, 1)) == "20:00–22:30 Uhr"


def test_zone_is_shown_if_its_clock_is_another_one() -> None:
    utc = {"utc_start_date": "2031-03-01 19:00:00", "utc_end_date": "2031-03-01 21:30:00"}
    winter = event(**utc)
    summer = event(
        "2031-07-01 20:00:00", "2031-07-01 22:30:00", timezone_abbr="CEST",
        utc_start_date="2031-07-01 18:00:00", utc_end_date="2031-07-01 20:30:00",
    )  # fmt: skip

    for zone, one, shown in (
        ("Europe/Berlin", winter, ""), ("Europe/Paris", winter, ""), ("UTC", winter, "CET"),
        ("Africa/Algiers", summer, "CEST"), ("Africa/Tripoli", summer, ""),
    ):  # fmt: skip
        assert dates(timezone=zone).zone(one) == shown
    assert dates(timezone="UTC").zone(event("2031-03-01 00:00:00", "2031-03-01 23:59:59", **utc)) == ""


def test_events_that_began_earlier_stand_under_the_first_day() -> None:
    some = [event("2031-02-01 10:00:00"), event("2031-03-01 10:00:00"), event("2031-03-04 10:00:00")]
    grouped = [(str(day), len(events)) for day, events in page.by_day(some, date(2031, 3, 1))]
    alone = [(str(day), len(events)) for day, events in page.by_day(some)]
    assert grouped == [("2031-03-01", 2), ("2031-03-04", 1)]
    assert alone == [("2031-02-01", 1), ("2031-03-01", 1), ("2031-03-04", 1)]


@pytest.mark.parametrize("newest_first", [False, True])
def test_each_day_of_the_clocks_stands_once_and_in_order(newest_first: bool) -> None:
    """In UTC, the order of the list, Saturday in Honolulu is after Sunday in Auckland."""
    names = [f"2031-03-0{day} 10:00:00" for day in (2, 1, 2, 3)]
    some = [event(start) for start in (reversed(names) if newest_first else names)]
    grouped = [(day.day, len(events)) for day, events in page.by_day(some, newest_first=newest_first)]
    assert grouped == ([(3, 1), (2, 2), (1, 1)] if newest_first else [(1, 1), (2, 2), (3, 1)])


@given(st.lists(st.integers(1, 6), max_size=8))
def test_headings_of_a_text_follow_that_of_the_page(levels: list[int]) -> None:
    html = "".join(f"<h{level}>x</h{level}>" for level in levels)
    shown = page.rich(html)
    found = [int(level) for level in re.findall("<h([1-6])>x</h\\1>", shown)]
    assert len(found) == len(levels)
    assert all(2 <= after <= before + 1 for before, after in zip([1, *found], found, strict=False))


def test_images_load_late_and_links_tell_nothing() -> None:
    link = '<a href="https://x.example/" rel="noopener nofollow">x</a>'
    shown = page.rich(f'<p><img src="a"><img src="b" alt="B">{link}</p>')
    late = 'loading="lazy" referrerpolicy="no-referrer"'
    assert f'<img alt="" {late} src="a"><img {late} src="b" alt="B">' in shown
    assert 'rel="nofollow noopener ugc"' in shown


def test_map_is_of_coordinates_or_the_address() -> None:
    at = page.map_of({"geo_lat": 1.5, "geo_lng": -2})
    map = "https://www.openstreetmap.org"
    assert at == f"{map}/?mlat=1.500000&mlon=-2.000000#map=17/1.500000/-2.000000"
    assert page.map_of({"address": "A & B", "city": "Ulm"}) == f"{map}/search?query=A+%26+B%2C+Ulm"
    assert page.map_of({}) == ""


def calendars(one: Json) -> str:
    title = {"title": unescape(one["title"]), "feeds": {"ics": "https://cal.example/event/open-day.ics"}}
    template = RENDERER.environment.get_template("add_to_calendar.html")
    return unescape(template.render(event=one, page=title, _=str))


def test_links_to_calendars_have_instants_or_days() -> None:
    hall = {"venue": "Town hall &amp; court", "address": "Market 1", "zip": "89073", "city": "Ulm"}
    timed, days = calendars(event(venue=[hall, hall])), calendars(event(all_day=True))

    for shown in (
        "dates=20310301T200000Z%2F20310301T223000Z", "startdt=2031-03-01T20%3A00%3A00Z", "allday=false",
        "location=Town+hall+%26+court%2C+Market+1%2C+Ulm%2C+89073",
    ):  # fmt: skip
        assert shown in timed
    # Outlook shows a plus sign as it is.
    assert timed.count("location=Town%20hall%20%26%20court%2C%20Market%201%2C%20Ulm%2C%2089073") == 2
    # The end of an all-day event is the day after.
    assert "dates=20310301%2F20310302" in days
    assert "startdt=2031-03-01&enddt=2031-03-02&allday=true" in days


@given(st.text(st.characters(codec="utf-8"), max_size=40))
def test_title_is_shown_as_it_is_and_opens_nothing(title: str) -> None:
    escaped = title.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    template = RENDERER.environment.get_template("event_item.html")
    shown = template.render(
        event=event(title=escaped, cost="", categories=[], image=False), words=dates(), day=date(2031, 3, 1),
        site={"origin": ""}, _=str,
    )  # fmt: skip

    found = re.search('<h3><a href="[^"<>]*">([^<]*)</a></h3>', shown)
    assert found
    assert unescape(found[1]) == unescape(escaped)


def test_templates_of_a_theme_go_first(tmp_path: Any) -> None:
    (tmp_path / "badges.html").write_text("<i>{{ name }}</i>")
    shown = Renderer(str(tmp_path)).environment.get_template("badges.html").render(name="<b>")
    assert shown == "<i>&lt;b&gt;</i>"


def test_lead_is_the_beginning_of_the_text() -> None:
    for text, shown in (
        ("word " * 28, ("word " * 28).strip()), ("word, " * 30, ("word, " * 23).strip(", ") + " …"),
        ("長" * 200, "長" * 138 + "…"), ("Fest " + "長" * 200, "Fest " + "長" * 133 + "…"),
    ):  # fmt: skip
        assert lead(event(description=text)) == shown
