"""What a GET answers can be written back, and changes nothing but the time of the last write."""

import os
import re
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from calendar_api import database
from calendar_api.database import models
from calendar_api.database.models import Event, SearchText
from tests import factories
from tests.client import Client, ClientWith
from tests.differential import texts
from tests.resources.records import change, ids, path_of, read

Json = dict[str, Any]
How = tuple[str, str, str]

MODELS: dict[str, Any] = {
    "events": Event, "venues": models.Venue, "organizers": models.Organizer, "categories": models.Term,
    "tags": models.Term,
}  # fmt: skip
IMAGE = "https://example.org/a.png"
ORGANIZER: Json = {
    "description": "x", "phone": "555", "website": IMAGE, "email": "a@example.org", "image": IMAGE,
}  # fmt: skip
VENUE: Json = {
    "description": "x", "address": "1 Main", "city": "Kiel", "country": "US", "province": "SH", "state": "NY",
    "zip": "1", "phone": "555", "website": IMAGE, "image": IMAGE, "geo_lat": 54.5, "geo_lng": 10.25,
}  # fmt: skip
LINKS: tuple[Any, ...] = (models.EventVenue, models.EventOrganizer, models.EventTerm)
DATES: Json = {"start_date": "2031-10-20 10:00:00", "end_date": "2031-10-27 12:00:00"}

#: Method, key and encoding of the write.
ways = st.tuples(*map(st.sampled_from, (("PUT", "POST", "PATCH"), ("id", "slug"), ("json", "form"))))

_some = settings(
    max_examples=400 if os.environ.get("CALENDAR_TEST_FAULTS") == "long" else 25,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


def kept(record: Json) -> Json:
    """All of an answer but the time of the write."""
    return {name: value for name, value in record.items() if name not in ("modified", "modified_utc")}


def stored(plural: str, id: int) -> Json:
    """What the tables hold of a record."""

    def work() -> Json:
        row = dict(MODELS[plural].select().where(MODELS[plural].id == id).dicts().get())
        for name in ("modified_utc", "version"):
            row.pop(name, None)
        for name in {"document", "calendar_lines"} & row.keys():
            content = row[name][:-4]  # without the checksum
            row[name] = re.sub(rb'"modified(_utc)?":"[^"]+",|(DTSTAMP|LAST-MODIFIED):\w+', b"", content)
        if plural in ("events", "venues", "organizers"):
            texts_of = SearchText.select(SearchText.field, SearchText.folded)
            row["search"] = sorted(map(str, texts_of.where(SearchText.record == id).tuples()))
        if plural == "events":
            for link in LINKS:
                rows = link.select().where(link.event == id).dicts()
                row[link.__name__] = sorted(rows, key=str)
        return row

    return database.run_read(work)


def pairs(name: str, value: Any) -> list[tuple[str, str]]:
    """A value of JSON as the fields of a form."""
    if isinstance(value, dict | list) and value:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        return [pair for key, item in items for pair in pairs(f"{name}[{key}]", item)]
    if isinstance(value, bool):
        return [(name, "true" if value else "false")]
    return [(name, "" if value in ({}, [], None) else str(value))]


def form(record: Json) -> list[tuple[str, str]]:
    return [pair for name, value in record.items() for pair in pairs(name, value)]


def check_written_back(client: Client, plural: str, id: int, how: How, as_: str = "admin") -> None:
    """Write a record back, and compare what is read and what is stored."""
    method, by, encoding = how
    before, row = client.get(f"/{plural}/{id}", as_=as_, status=200).json, stored(plural, id)
    named = by == "slug" and plural not in ("categories", "tags") and before.get("slug")
    path = f"/{plural}/by-slug/{quote(before['slug'])}" if named else f"/{plural}/{id}"
    sent = {"body": before} if encoding == "json" else {"form": form(before)}
    client.send(method, path, as_=as_, status=200, **sent)
    assert kept(client.get(f"/{plural}/{id}", as_=as_).json) == kept(before)
    assert stored(plural, id) == row


# -- generated records

_odd = st.sampled_from(
    ("&", "&" * 255, "&amp;amp;", "<b", "a < b > c", "\"quoted\" 'text'", "0.", "Tom &copy; Jerry", "5 % off")
)
_names = st.one_of(_odd, texts.names)
_lines = st.one_of(_names, st.sampled_from(("", "0", None)))
_markup = st.one_of(
    _names,
    st.sampled_from(
        ("", None, "one\ntwo\n\nthree", "line\n" * 2100, "<p>block</p>text<br>more", "&" * 8000, "<p></p>",
         "<em>in</em>line", "  spaces  ", "<pre>\n\n x</pre>", "a &lt;b&gt; &amp;amp; c")
    ),
)  # fmt: skip
_excerpts = _markup.filter(lambda value: not isinstance(value, str) or len(value) <= 8192)
_addresses = st.sampled_from(
    ("https://example.org/?a=1&b=2", "https://example.org/?a=1&amp;b='2'", "https://example.org/a b/ä?ü#é",
     "https://münchen.example/", "http://example.org/%41%zz", "", None,
     "https://example.org/?x=" + "&" * 1000)
)  # fmt: skip
_images = st.sampled_from(("https://example.org/a.png", "https://example.org/ä b.png?a=1&amp;b=2", "", None))
_costs = st.sampled_from(
    ("", "0", 10, "$10 - $20", ["10", "$20", "30"], "free", "Donation & more", "1.234,56 €", "<b 5", None)
)  # fmt: skip
_stamps = st.sampled_from(
    ("2026-10-25 02:30:00", "2026-10-25T01:30:00Z", "2026-10-25T00:30:00Z", "2020-02-29 12:00:00",
     "2099-01-01 00:00:00")
)  # fmt: skip
_moments = st.sampled_from(
    ("2031-10-26T02:30:00+02:00", "2031-10-26T02:30:00+01:00", "2031-10-26 02:30:00", "2031-03-30 02:30:00",
     "2031-10-25", "2031-10-26T01:30:00Z", "2031-11-02T06:30:00Z", "2031-11-02T05:30:00Z")
)  # fmt: skip
_flags = st.booleans()
_statuses = st.sampled_from(("publish", "publish", "future", "draft", "pending", "private", "trash"))
_common = {"date_utc": _stamps, "status": _statuses, "image": _images, "description": _markup}
_places = st.sampled_from(({}, {"geo_lat": 54, "geo_lng": 10.5}, {"geo_lat": "-0.0", "geo_lng": -180}))
_venues = st.fixed_dictionaries(
    {"venue": _names},
    optional={
        **_common,
        **dict.fromkeys(
            ("address", "city", "country", "province", "state", "zip", "phone", "stateprovince"), _lines
        ),
        "website": _addresses, "show_map": _flags, "show_map_link": _flags, "place": _places,
    },
)  # fmt: skip
_organizers = st.fixed_dictionaries(
    {"organizer": _names},
    optional={
        **_common, "phone": _lines, "website": _addresses,
        "email": st.sampled_from(("a&b@example.org", "o'neil@bücher.example", "")),
    },
)  # fmt: skip
_terms = st.fixed_dictionaries(
    {"name": _names}, optional={"description": _markup.filter(bool), "slug": texts.words}
)
_events = st.fixed_dictionaries(
    {
        "title": _names,
        "start_date": _moments,
        "end_date": st.one_of(_moments, st.just("2031-12-01 10:00:00")),
    },
    optional={
        **_common,
        "excerpt": _excerpts, "slug": texts.words, "cost": _costs, "website": _addresses,
        "timezone": st.sampled_from(("Europe/Berlin", "America/New_York", "UTC-4:30", "")),
        **dict.fromkeys(
            ("all_day", "show_map", "show_map_link", "hide_from_listings", "sticky", "featured", "ticketed"),
            _flags,
        ),
        "categories": st.lists(_names, max_size=3), "tags": st.lists(_names, max_size=3),
        "venue": st.lists(st.fixed_dictionaries({"venue": _names}), max_size=3),
        "organizer": st.lists(st.fixed_dictionaries({"organizer": _names}), max_size=3),
        "event_status": st.sampled_from(("scheduled", "canceled", "cancelled", "postponed", "")),
        "event_status_reason": _lines,
        "password": st.just("sesame"),
    },
)  # fmt: skip


RECORDS = {"events": _events, "venues": _venues, "organizers": _organizers, "tags": _terms}


@pytest.mark.parametrize("plural", RECORDS)
@given(data=st.data(), how=ways)
@_some
def test_any_record_can_be_written_back(client: Client, plural: str, data: st.DataObject, how: How) -> None:
    fields = data.draw(RECORDS[plural])
    place = fields.pop("place", {})
    response = client.post(f"/{plural}", {**fields, **place}, as_="admin")
    assume(response.status_int == 201)  # what is refused is no record to write back
    check_written_back(client, plural, response.json["id"], how)


# -- what a client changes on the way, and what the caller may not see


def written_back(client: Client, path: str, as_: str = "admin", **changes: Any) -> Json:
    """Read a record, change these fields of it, write all of it back, and read it again."""
    before = client.get(path, as_=as_, status=200).json
    client.put(path, {**before, **changes}, as_=as_, status=200)
    after: Json = client.get(path, as_=as_, status=200).json
    return after


def test_write_back_moves_the_time_of_the_last_write(client: Client) -> None:
    event = factories.event(client, date="2020-01-01 00:00:00")
    Event.update(modified_utc="2020-01-01 00:00:00").where(Event.id == event["id"]).execute()
    assert written_back(client, f"/events/{event['id']}")["modified_utc"] > "2020-01-01 00:00:00"
    assert client.put(f"/events/{event['id']}", {"id": 7}, as_="admin").json["title"] == event["title"]


def test_wall_time_that_comes_twice_keeps_its_instant(client: Client) -> None:
    second = "2031-10-26T01:30:00Z"
    for value in (second, "2031-10-26T02:30", "2031-10-26 02:30:00"):
        event = factories.event(client, timezone="Europe/Berlin", start_date=second, end_date=second)
        answer = change(client, event, start_date=value, end_date=value)
        moved = change(client, event, start_date="2031-10-26T02:30:00+02:00")
        assert (answer["utc_start_date"], answer["utc_end_date"]) == ("2031-10-26 01:30:00",) * 2
        assert moved["utc_start_date"] == "2031-10-26 00:30:00"


@pytest.mark.parametrize("noun", ["event", "venue", "organizer"])
def test_publication_date_that_comes_twice_keeps_its_instant(client_with: ClientWith, noun: str) -> None:
    site = client_with(timezone="Europe/Berlin")
    made = getattr(factories, noun)(site, date_utc="2020-10-25 01:30:00")
    path = f"/{noun}s/{made['id']}"
    assert made["date"] == "2020-10-25 02:30:00"
    for changes in ({}, {"date": "2020-10-25T02:30:00"}):
        assert written_back(site, path, **changes)["date_utc"] == "2020-10-25 01:30:00"
    assert written_back(site, path, date_utc="2020-10-25 00:30:00")["date_utc"] == "2020-10-25 00:30:00"
    assert written_back(site, path, date="26 October 2020 00:30")["date"] == "2020-10-26 00:30:00"


def test_own_page_is_no_website(client: Client) -> None:
    for website in (None, "https://example.org/"):
        event = factories.event(client, website=website, slug="日本")
        site, path = event["rest_url"].partition("/calendar/")[0], f"/events/{event['id']}"
        slug = event["slug"]
        for page in (
            f"{site}/event/{quote(slug)}/", f"{site}/fr/event/{slug}/",
            f"{site}/?post_type=tribe_events&amp;p={event['id']}",
        ):  # fmt: skip
            if website:
                client.patch(path, {"website": website}, as_="admin", status=200)
            shown = client.patch(path, {"website": page}, as_="admin", status=200).json["website"]
            assert shown == ("" if website else event["url"])
            assert Event.get_by_id(event["id"]).website == ("" if website else None)
    other = factories.event(client)["url"]
    assert client.patch(path, {"website": other}, as_="admin", status=200).json["website"] == other


def test_new_event_is_made_of_what_another_one_answers(client: Client) -> None:
    event = factories.event(
        client, website="https://example.org/?a=1&b=2", image=IMAGE, cost="$10", categories=["One", "Two"],
        tags=["Three"], venue=[{"venue": "Hall"}], organizer=[{"organizer": "Ann"}],
    )  # fmt: skip
    for sent in ({"body": event}, {"form": form(event)}):
        copy = client.post("/events", as_="admin", status=201, **sent).json
        for name in ("website", "image", "cost_details", "title", "start_date", "venue", "organizer"):
            assert copy[name] == event[name]
        for name in ("categories", "tags"):
            assert [term["id"] for term in copy[name]] == [term["id"] for term in event[name]]


@pytest.mark.parametrize("noun", ["venue", "organizer"])
@pytest.mark.parametrize("hidden", ["private", "trash"])
def test_hidden_link_stays_where_it_is(client: Client, noun: str, hidden: str) -> None:
    records = [getattr(factories, noun)(client, "editor") for _ in range(3)]
    event = factories.event(client, "author", **{noun: ids(records)})
    change(client, records[1], "editor", status=hidden)
    before = stored("events", event["id"])

    shown = written_back(client, path_of(event), "author")
    client.put(path_of(event), form=form({noun: shown[noun]}), as_="author", status=200)

    assert ids(shown[noun]) == ids([records[0], records[2]])
    assert stored("events", event["id"]) == before
    if hidden == "private":  # the author reads what is there, and replaces it
        new = getattr(factories, noun)(client, "editor")["id"]
        assert ids(change(client, event, "author", **{noun: [new]})[noun]) == [new]
        assert change(client, event, "author", **{noun: ""})[noun] == []
        change(client, records[1], "editor", status="publish")
        assert ids(read(client, event)[noun]) == [records[1]["id"]]


def test_event_has_at_most_twenty_venues_with_hidden_ones(client: Client) -> None:
    hidden = [factories.venue(client, "editor", status="private")["id"] for _ in range(2)]
    event = factories.event(client, "author")
    client.put(f"/events/{event['id']}", {"venue": hidden}, as_="editor", status=200)
    more = [factories.venue(client, "author")["id"] for _ in range(19)]
    client.put(f"/events/{event['id']}", {"venue": more}, as_="author", status=200)
    shown = client.get(f"/events/{event['id']}", as_="editor", status=200).json["venue"]
    assert [venue["id"] for venue in shown] == [*more, hidden[0]]


def test_hidden_parent_stays(client: Client) -> None:
    parent = factories.event(client, "editor", status="private")["id"]
    event = factories.event(client, "author")
    change(client, event, "editor", post_parent=parent)

    client.put(path_of(event), {"post_parent": 0}, as_="author", status=200)
    client.put(path_of(event), form={"post_parent": "0"}, as_="author", status=200)

    assert [read(client, event, as_)["post_parent"] for as_ in ("author", "editor")] == [0, parent]
    assert change(client, event, "editor", post_parent=0)["post_parent"] == 0


def test_what_is_wrong_is_said_to_all_who_may_not_edit(client: Client) -> None:
    """Otherwise the status of the answer would tell whether a guess is right."""
    event = factories.event(client, "editor", title="&" * 255, password="sesame")
    sent = {"title": "&#038;" * 255}
    client.put(f"/events/{event['id']}", sent, as_="author", status=400)
    client.put(f"/events/{event['id']}", sent, as_="editor", status=200)


@pytest.mark.both_databases
def test_event_with_as_many_links_as_there_can_be(client: Client) -> None:
    linked = [
        [{noun: f"{noun} {number}", **fields} for number in range(20)]
        for noun, fields in (("venue", VENUE), ("organizer", ORGANIZER))
    ]
    terms = [[f"{kind} {number}" for number in range(50)] for kind in "ct"]
    links = dict(zip(("venue", "organizer", "categories", "tags"), (*linked, *terms), strict=True))
    event = factories.event(client, image=IMAGE, **links)

    check_written_back(client, "events", event["id"], ("PUT", "id", "json"))
    check_written_back(client, "events", event["id"], ("PUT", "id", "form"))


# -- addresses


def test_web_address_is_stored_in_ascii(client: Client) -> None:
    for sent, kept_as in (
        (" https://example.org/a b", "https://example.org/a%20b"),
        ("https://example.org/ä?ü=日#é%zz", "https://example.org/%C3%A4?%C3%BC=%E6%97%A5#%C3%A9%zz"),
        ("https://münchen.example:8080/", "https://xn--mnchen-3ya.example:8080/"),
        ("https://example.org/?a=1&amp;amp;b=&#039;2&#039;", "https://example.org/?a=1&b='2'"),
    ):
        for noun in ("event", "venue", "organizer"):
            made = getattr(factories, noun)(client, website=sent)
            assert MODELS[f"{noun}s"].get_by_id(made["id"]).website == kept_as


def test_address_that_would_be_another_one_is_refused(client: Client) -> None:
    def refused(**fields: str) -> list[str]:
        body = {"title": "x", **DATES, **fields}
        return sorted(client.post("/events", body, as_="admin", status=400).json["data"]["params"])

    for sent in (
        "https://straße.example/", "https://exa mple.org/", "https://" + "ä" * 64 + ".example/",
        "https://a／b.example/", "https://example.org/a\tb", 'https://example.org/"', "https://ä..example/",
        "https://example.org/" + "ä" * 400, "https://example.org/" + "&amp;" * 2000,
    ):  # fmt: skip
        assert refused(website=sent, image=sent) == ["image", "website"], sent
    for sent in ("https://example.org/&#10;b", "https://example.org/&quot;"):
        assert refused(website=sent) == ["website"]


# -- passwords by slug


def test_password_by_slug_is_refused(client: Client) -> None:
    event = factories.event(client, slug="fair", password="sesame")
    before = stored("events", event["id"])

    for password in ("new", "", None):
        body = {"title": "New", "password": password}
        answer = client.patch("/events/by-slug/fair", body, as_="admin", status=400).json
        assert answer["code"] == "rest_invalid_param"
        assert list(answer["data"]["params"]) == ["password"]
        assert "id" in answer["data"]["params"]["password"]
        assert stored("events", event["id"]) == before
    client.delete("/events/by-slug/fair?password=wrong", as_="admin", status=200)
