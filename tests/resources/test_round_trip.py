"""What a GET answers can be written back, and changes nothing but the time of the last write."""

from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from calendar_api import database
from calendar_api.models import (
    Event,
    EventOrganizer,
    EventTerm,
    EventVenue,
    Organizer,
    SearchText,
    Term,
    Venue,
)
from tests import factories
from tests.client import Client
from tests.differential import texts

Json = dict[str, Any]
How = tuple[str, str, str]

MODELS: dict[str, Any] = {
    "events": Event, "venues": Venue, "organizers": Organizer, "categories": Term, "tags": Term,
}  # fmt: skip
LINKS: tuple[Any, ...] = (EventVenue, EventOrganizer, EventTerm)
DATES: Json = {"start_date": "2031-10-20 10:00:00", "end_date": "2031-10-27 12:00:00"}

#: Method, key and encoding of the write.
ways = st.tuples(
    st.sampled_from(("PUT", "POST", "PATCH")), st.sampled_from(("id", "slug")), st.sampled_from(("json", "form"))
)  # fmt: skip

_some = settings(
    max_examples=50,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
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
        if plural in ("events", "venues", "organizers"):
            texts_of = SearchText.select(SearchText.field, SearchText.folded)
            row["search"] = sorted(map(str, texts_of.where(SearchText.record == id).tuples()))
        if plural == "events":
            for link in LINKS:
                rows = link.select().where(link.event == id).dicts()
                row[link.__name__] = sorted(rows, key=str)
        return row

    return database.reading(work)


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
     "https://münchen.example/", "http://example.org/%41%zz", "", None, "https://example.org/?x=" + "&" * 1000)
)  # fmt: skip
_images = st.sampled_from(("https://example.org/a.png", "https://example.org/ä b.png?a=1&amp;b=2", "", None))
_costs = st.sampled_from(
    ("", "0", 10, "10", "$10 - $20", ["10", "$20", "30"], "free", "Donation & more", "1.234,56 €", "<b 5", None)
)
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
_venues = st.fixed_dictionaries(
    {"venue": _names},
    optional={
        **_common,
        **dict.fromkeys(
            ("address", "city", "country", "province", "state", "zip", "phone", "stateprovince"), _lines
        ),
        "website": _addresses, "show_map": _flags, "show_map_link": _flags,
    },
)  # fmt: skip
_places = st.sampled_from(({}, {"geo_lat": 54, "geo_lng": 10.5}, {"geo_lat": "-0.0", "geo_lng": -180}))
_organizers = st.fixed_dictionaries(
    {"organizer": _names},
    optional={
        **_common, "phone": _lines, "website": _addresses,
        "email": st.sampled_from(("a&b@example.org", "o'neil@bücher.example", "")),
    },
)  # fmt: skip
_terms = {"description": _markup.filter(bool), "slug": texts.words}
_events = st.fixed_dictionaries(
    {"title": _names, "start_date": _moments, "end_date": st.one_of(_moments, st.just("2031-12-01 10:00:00"))},
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
        "password": st.just("sesame"),
    },
)  # fmt: skip


def made(client: Client, plural: str, fields: Json) -> int:
    """The id of a new record; what is refused is no record to write back."""
    fields = {name: value for name, value in fields.items() if not isinstance(value, dict)}
    response = client.post(f"/{plural}", fields, as_="admin")
    assume(response.status_int == 201)
    return int(response.json["id"])


@given(fields=_events, how=ways)
@_some
def test_any_event_can_be_written_back(client: Client, fields: Json, how: How) -> None:
    check_written_back(client, "events", made(client, "events", fields), how)


@given(fields=_venues, place=_places, how=ways)
@_some
def test_any_venue_can_be_written_back(client: Client, fields: Json, place: Json, how: How) -> None:
    check_written_back(client, "venues", made(client, "venues", {**fields, **place}), how)


@given(fields=_organizers, how=ways)
@_some
def test_any_organizer_can_be_written_back(client: Client, fields: Json, how: How) -> None:
    check_written_back(client, "organizers", made(client, "organizers", fields), how)


@pytest.mark.parametrize("plural", ["categories", "tags"])
@given(fields=st.fixed_dictionaries({"name": _names}, optional=_terms), how=ways)
@_some
def test_any_term_can_be_written_back(client: Client, plural: str, fields: Json, how: How) -> None:
    check_written_back(client, plural, made(client, plural, fields), how)
