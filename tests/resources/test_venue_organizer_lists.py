"""Lists of venues and organizers: order, pages, search, and those with certain events."""

from typing import Any

import pytest

from calendar_api import database
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.store.venue_organizer import venues
from tests import factories
from tests.client import ROOT, Client
from tests.conftest import CallerFactory
from tests.resources.records import change, ids, listed, refused, trash

NOUNS = pytest.mark.parametrize("noun", ["venue", "organizer"])


# -- order and pages


@pytest.mark.both_databases
def test_list_is_newest_first_and_the_higher_id_first_among_equals(client: Client) -> None:
    dates = ("2020-01-01", "2022-01-01", "2020-01-01")
    old, new, same = (factories.venue(client, date_utc=date) for date in dates)
    change(client, old, phone="1")
    assert ids(listed(client, "/venues")) == ids([new, same, old])


@NOUNS
@pytest.mark.settings(base_url="http://localhost", per_page=3, per_page_max=4)
def test_pages_of_the_size_that_is_set_and_asked_for(client: Client, noun: str) -> None:
    make = getattr(factories, noun)
    expected = ids([make(client, date_utc=factories.day(-number - 1)) for number in range(5)])

    for query, size in (({}, 3), ({"per_page": 2}, 2), ({"per_page": 5}, 4), ({"per_page": 100}, 4)):
        pages = [client.get(f"/{noun}s", {**query, "page": page}, status=200) for page in (1, 2)]
        shown = [ids(page.json[f"{noun}s"]) for page in pages]
        assert shown == [expected[:size], expected[size : 2 * size]]
        total_pages = 3 if size == 2 else 2
        for page in pages:
            assert (page.json["total"], page.json["total_pages"]) == (5, total_pages)
            assert page.headers["X-TEC-Total"] == "5"
            assert page.headers["X-TEC-TotalPages"] == str(total_pages)
        address = f"http://localhost{ROOT}/{noun}s/?page=1&per_page={size}&status=publish"
        assert pages[0].json["rest_url"] == address


# -- search: all fragments of the query in one and the same field


def named(client: Client, noun: str, search: str) -> list[str]:
    return sorted(record[noun] for record in listed(client, f"/{noun}s", search=search))


@NOUNS
def test_search_by_name_and_description(client: Client, noun: str) -> None:
    for name, description in (
        ("Foo One", '<p>Word <a href="https://x.example.org">in</a></p>'), ("Foo Two", "words <b>out</b>"),
        ("Bar", ""),
    ):  # fmt: skip
        getattr(factories, noun)(client, **{noun: name}, description=description)

    for words, names in (
        (("foo", "word"), ["Foo One", "Foo Two"]), (("Foo Two", "out words"), ["Foo Two"]),
        (("word in",), ["Foo One"]), (("four", "href", "example", "foo out"), []),
        (("%_'\"&",), ["Bar", "Foo One", "Foo Two"]),
    ):  # fmt: skip
        assert [named(client, noun, search) for search in words] == [names] * len(words)


def test_search_by_excerpt(client: Client, caller: CallerFactory) -> None:
    """No request can set it."""
    factories.venue(client, venue="B")
    with database.write():
        record = {"venue": "A", "excerpt": "<p>Foo bar</p>"}
        venues.find_or_create(record, caller("admin"), SiteSettings("UTC", "$"))
    assert named(client, "venue", "bar foo") == ["A"]


#: Records by name, and what finds which of them.
SEARCHED: dict[str, tuple[dict[str, dict[str, str]], dict[str, list[str]]]] = {
    "venue": (
        {
            "Middle Hall": {
                "address": "12 Temple Avenue", "city": "London", "country": "United Kingdom",
                "province": "Greater London", "zip": "EC4Y 0HP", "phone": "+44 20 123",
                "website": "https://middle.example.org",
            },
            "Boat": {"city": "London", "province": "London, Greater", "zip": "EC4Y 1AA", "state": "LDN"},
            "Wheel": {"city": "Paris", "country": "France", "stateprovince": "Ile de France"},
        },
        {
            "london": ["Boat", "Middle Hall"], "avenue temple": ["Middle Hall"],
            "greater london": ["Boat", "Middle Hall"], "+44 20": ["Middle Hall"],
            "EC4Y": ["Boat", "Middle Hall"], "ec4y 1aa": ["Boat"], "ldn": ["Boat"],
            "france, ile de": ["Wheel"], "paris": ["Wheel"],
            "wheel paris": [],  # a fragment here and a fragment there are not one field
            "kingdom": [], "middle.example": [],  # neither country nor website is searched
        },
    ),
    "organizer": (
        {
            "Ann": {"phone": "55512", "email": "ann@tribe.example", "website": "https://ann.example.org"},
            "Bob": {"phone": "55534", "email": "bob@tribe.example", "website": "https://bob.example.net"},
            "Cid": {},
        },
        {
            "555": ["Ann", "Bob"], "55534": ["Bob"], "@tribe.example": ["Ann", "Bob"],
            "https://bob.example.net": ["Bob"], "cid": ["Cid"], "bob 55534": [],
        },
    ),
}  # fmt: skip


@NOUNS
def test_search_by_other_fields(client: Client, noun: str) -> None:
    records, searches = SEARCHED[noun]
    for name, fields in records.items():
        getattr(factories, noun)(client, **{noun: name}, **fields)
    assert {search: named(client, noun, search) for search in searches} == searches


@pytest.mark.both_databases
def test_search_follows_changes(client: Client) -> None:
    record = factories.venue(client, venue="Old name", description="old words", phone="111")
    change(client, record, venue="New name", description=None, phone="")
    found = [named(client, "venue", search) for search in ("old", "words", "111", "new")]
    assert found == [[], [], [], ["New name"]]


# -- by their events: `event`, `has_events`, `only_with_upcoming`


def made(client: Client, noun: str, *names: str) -> list[int]:
    return ids([getattr(factories, noun)(client, **{noun: name}) for name in names])


def found(client: Client, noun: str, as_: str | None = None, **query: Any) -> list[int]:
    return sorted(ids(listed(client, f"/{noun}s", as_, **query)))


@pytest.mark.both_databases
@NOUNS
def test_has_events_parts_the_records(client: Client, noun: str) -> None:
    """Past events and those that lists leave out count as well; any word but a yes is a no."""
    one, two, three, four = made(client, noun, "One", "Two", "Three", "Four")
    for id, fields in (
        (one, {}), (one, {"start_date": "2020-01-01 10:00"}), (three, {"hide_from_listings": True})
    ):  # fmt: skip
        factories.event(client, **{noun: id}, **fields)
    assert [found(client, noun, has_events=word) for word in ("true", "1")] == [[one, three]] * 2
    assert [found(client, noun, has_events=word) for word in ("false", "", "maybe")] == [[two, four]] * 3


@pytest.mark.both_databases
@NOUNS
def test_has_events_counts_what_the_caller_may_read_but_no_drafts(client: Client, noun: str) -> None:
    """See docs/interface.md#visibility."""
    *unpublished, future = made(client, noun, "Draft", "Pending", "Private", "Future")
    for status, id in zip(("draft", "pending", "private"), unpublished, strict=True):
        factories.event(client, "author", status=status, **{noun: id})
    factories.event(client, "author", date=factories.day(5), **{noun: future})
    everything = {*unpublished, future}

    for login in (None, "author2", "author", "editor"):
        seen = [unpublished[2], future] if login in ("author", "editor") else []
        assert found(client, noun, login, has_events="true") == seen
        assert set(found(client, noun, login, has_events="false")) == everything - set(seen)


@pytest.mark.both_databases
@NOUNS
def test_event_finds_what_is_linked_to_it(client: Client, noun: str) -> None:
    one, _, three = made(client, noun, "One", "Two", "Three")
    for linked in ([one], [one, three], []):
        event = factories.event(client, "admin", **{noun: linked[::-1]})
        assert found(client, noun, event=event["id"]) == linked


@pytest.mark.both_databases
@NOUNS
def test_event_that_the_caller_may_not_read_is_as_if_absent(client: Client, noun: str) -> None:
    (id,) = made(client, noun, "One")
    hidden = factories.event(client, status="draft", **{noun: id})
    trashed = factories.event(client, **{noun: id})
    trash(client, trashed)

    for login in (None, "subscriber", "contributor", "author"):
        answers = [
            client.get(f"/{noun}s", {"event": event}, as_=login, status=400)
            for event in (hidden["id"], trashed["id"], id, 999_999)
        ]
        assert refused(answers[3]) == ["event"]
        assert {answer.body for answer in answers} == {answers[3].body}
    assert found(client, noun, "editor", event=hidden["id"]) == [id]


@pytest.mark.both_databases
@NOUNS
def test_only_with_upcoming(client: Client, noun: str) -> None:
    """Events that began are not upcoming, those that lists leave out do not count."""
    names = ("Past", "Soon", "Later", "Started", "Hidden", "Trashed", "Without")
    past, soon, later, started, hidden, trashed, _ = everything = made(client, noun, *names)
    for id, first, last in ((past, -3, -3), (soon, 1, 1), (later, 900, 900), (started, -1, 1)):
        dates = {"start_date": factories.day(first), "end_date": factories.day(last)}
        factories.event(client, **dates, **{noun: id})
    factories.event(client, hide_from_listings=True, **{noun: hidden})
    trash(client, factories.event(client, **{noun: trashed}))

    for login in (None, "admin"):
        assert found(client, noun, login, only_with_upcoming="yes") == [soon, later]
    for word in ("false", "maybe"):
        assert found(client, noun, only_with_upcoming=word) == everything


@pytest.mark.both_databases
@NOUNS
def test_upcoming_events_count_for_those_who_see_them(client: Client, noun: str) -> None:
    open_, own, other, scheduled = everything = made(client, noun, "Open", "Own", "Other", "Scheduled")
    factories.event(client, **{noun: open_})
    factories.event(client, "author", status="draft", **{noun: own})
    factories.event(client, "admin", status="private", **{noun: other})
    dates = {"date": factories.day(1, "00:00:00"), "start_date": factories.day(2)}
    factories.event(client, **dates, **{noun: scheduled})

    seen_by = {None: [open_], "author2": [open_], "author": [open_, own], "editor": everything}
    for login, seen in seen_by.items():
        assert found(client, noun, login, only_with_upcoming="true") == seen
