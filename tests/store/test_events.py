"""Events under a clock that stands still: relative dates, states that time alone changes, search text."""

from datetime import UTC
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from calendar_api import database
from calendar_api.database.models import Event, SearchText
from calendar_api.domain import auth
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import AlreadyInTrash, Forbidden, InvalidParameters, NotFound
from calendar_api.store import events, password_hashes
from tests.conftest import CallerFactory

BERLIN = ZoneInfo("Europe/Berlin")
DATES = {"start_date": "2031-01-10 10:00:00", "end_date": "2031-01-10 12:00:00"}


def made(caller: Caller, **fields: Any) -> Event:
    with database.write():
        return events.create({"title": "Concert", **DATES, **fields}, caller, UTC, "UTC")


def changed(event: Event, caller: Caller, **fields: Any) -> Event:
    with database.write():
        return events.update(Event.get_by_id(event.id), fields, caller, UTC, "UTC")


#: Every field that is worked out before a write: texts with markup, a slug, a cost, a password.
SENT = {
    "title": "<b>Größe</b> &amp; Ωραία", "description": "<p>Ça <script>x</script>va</p>", "excerpt": "Kürze",
    "cost": "5 - 10", "password": "open sesame",
}  # fmt: skip


def stored(event: Any) -> dict[str, Any]:
    """The columns of an event without those that differ from one to the next, and its search text."""
    with database.read():
        (row,) = Event.select().where(Event.id == event.id).dicts()
        (found,) = SearchText.select(SearchText.folded).where(SearchText.record == event.id).tuples()
    own = {name: value for name, value in row.items() if name not in ("id", "password")}
    return own | {"folded": found[0], "opens": password_hashes.opens("open sesame", row["password"])}


def test_draft_is_stored_as_its_fields_are_and_only_a_password_needs_the_database(
    caller: CallerFactory,
) -> None:
    admin = caller("admin")
    database.close_connection()
    events.prepare({**DATES, **SENT, "slug": "drafted", "password": ""}, new=True)
    closed = database.db.is_closed()
    draft = events.prepare({**DATES, **SENT, "slug": "drafted"}, new=True)

    with database.write():
        drafted = events.create(draft, admin, UTC, "UTC")
    as_sent = made(admin, **SENT, slug="sent")

    assert closed
    assert stored(drafted) == {**stored(as_sent), "slug": "drafted"}
    assert stored(drafted)["folded"] == "große & ωραια\nca va\nkurze".replace("ß", "ss")
    assert stored(drafted)["opens"]


@pytest.mark.parametrize("name", SENT)
def test_draft_of_an_update_changes_what_was_sent_alone(caller: CallerFactory, name: str) -> None:
    admin = caller("admin")
    whole, part = made(admin, **SENT, slug="whole"), made(admin, **{**SENT, name: "Other"}, slug="part")

    with database.write():
        event = events.by_id(part.id, admin)
        events.update(event, events.prepare({name: SENT[name]}, new=False), admin, UTC, "UTC")

    differing = {"slug": "part", "version": 2, "modified_utc": admin.now}
    assert stored(part) == stored(whole) | differing


def test_words_start_from_the_clock_of_the_caller(caller: CallerFactory) -> None:
    late = caller("admin", "2026-06-15 22:30:00")

    utc = made(late, start_date="tomorrow 9am", end_date="next wednesday 4pm")
    berlin = made(late, start_date="tomorrow 9am", end_date="tomorrow 10am", timezone="Europe/Berlin")

    assert (utc.start_date, utc.end_date) == ("2026-06-16 09:00:00", "2026-06-17 16:00:00")
    assert (berlin.start_date, berlin.utc_start_date) == ("2026-06-17 09:00:00", "2026-06-17 07:00:00")


@pytest.mark.parametrize(
    "zone", ["America/New_York", "America/Juneau", "Australia/Sydney", "Atlantic/Reykjavik"]
)
def test_words_in_the_zone_of_the_site(caller: CallerFactory, zone: str) -> None:
    """At noon in UTC it is the 15th in all of them, a Monday."""
    fields = {"title": "x", "start_date": "tomorrow 9am", "end_date": "next wednesday 4pm"}

    with database.write():
        event = events.create(fields, caller("admin"), ZoneInfo(zone), zone)

    utc = {
        "America/New_York": "2026-06-16 13:00:00",
        "America/Juneau": "2026-06-16 17:00:00",
        "Australia/Sydney": "2026-06-15 23:00:00",
        "Atlantic/Reykjavik": "2026-06-16 09:00:00",
    }
    assert (event.start_date, event.end_date) == ("2026-06-16 09:00:00", "2026-06-17 16:00:00")
    assert event.utc_start_date == utc[zone]


def test_scheduled_event_becomes_public_when_its_moment_comes(caller: CallerFactory) -> None:
    """Nothing is written, time alone does it (docs/interface.md#scheduled-records)."""
    event = made(caller("author"), date_utc="2026-07-01 10:00:00", slug="later")
    before, after = "2026-07-01 09:59:59", "2026-07-01 10:00:00"

    with database.read():
        for login in (None, "subscriber", "contributor", "author2"):
            with pytest.raises(NotFound):
                events.by_id(int(event.id), caller(login, before))
            with pytest.raises(NotFound):
                events.by_slug("later", caller(login, before))
            assert events.by_id(int(event.id), caller(login, after)).id == event.id
            assert events.by_slug("later", caller(login, after)).id == event.id
    assert [auth.effective_status(event, now) for now in (before, after)] == ["future", "publish"]
    assert Event.get_by_id(event.id).version == 1


def test_publishing_a_scheduled_event_takes_the_moment_of_the_request(caller: CallerFactory) -> None:
    event = made(caller("author"), date_utc="2099-01-01")

    published = changed(event, caller("author", "2026-06-20 08:00:00"), status="publish")

    assert (published.published_utc, published.modified_utc) == ("2026-06-20 08:00:00", "2026-06-20 08:00:00")


def test_publishing_again_after_the_moment_changes_no_date(caller: CallerFactory) -> None:
    event = made(caller("author"), date_utc="2026-06-15 10:00:00")

    again = changed(event, caller("author", "2026-06-20 08:00:00"), status="publish")

    assert (again.published_utc, again.modified_utc) == ("2026-06-15 10:00:00", "2026-06-20 08:00:00")


@pytest.mark.parametrize("date", ["2020-01-01 00:00:00", "2099-01-01 00:00:00"])
def test_new_event_is_modified_when_it_is_written(caller: CallerFactory, date: str) -> None:
    event = made(caller("author"), date_utc=date)

    assert (event.published_utc, event.modified_utc) == (date, "2026-06-15 12:00:00")


def test_update_without_fields_writes_its_time_only(caller: CallerFactory) -> None:
    event = made(caller("author"))

    same = changed(event, caller("author", "2026-06-20 08:00:00"))

    assert (same.version, same.modified_utc) == (2, "2026-06-20 08:00:00")
    assert {name for name, value in vars(same).items() if getattr(event, name) != value} == {
        "version", "modified_utc"
    }  # fmt: skip


def test_search_text_is_folded_and_without_markup(caller: CallerFactory) -> None:
    event = made(caller("author"), title="CAFÉ & more", description="<p>Some <b>bold</b></p>", excerpt="End")

    assert SearchText.get(SearchText.record == event.id).folded == "cafe & more\nsome bold\nend"
    changed(event, caller("author"), description="", title="New")
    assert SearchText.get(SearchText.record == event.id).folded == "new\nend"
    assert SearchText.select().where(SearchText.record == event.id).count() == 1


def test_remove_twice(caller: CallerFactory) -> None:
    event = made(caller("author"))

    with database.write():
        gone = events.remove(event, caller("author"))
    with database.write(), pytest.raises(AlreadyInTrash) as error:
        events.remove(gone, caller("author"))

    assert (error.value.status, error.value.code) == (410, "event-is-in-trash")


@pytest.mark.parametrize("name", ["featured", "sticky", "hide_from_listings"])
def test_flag_of_publishers(caller: CallerFactory, name: str) -> None:
    with pytest.raises(Forbidden):
        made(caller("contributor"), **{name: True})

    event = made(caller("contributor"), **{name: False})
    changed(event, caller("editor"), **{name: True})

    assert getattr(changed(event, caller("contributor"), **{name: True}), name) is True
    assert Event.select().count() == 1


def test_parent_in_a_ring_is_refused(caller: CallerFactory) -> None:
    admin = caller("admin")
    top = made(admin)
    middle = made(admin, post_parent=top.id)
    low = made(admin, post_parent=middle.id)

    for parent in (top, middle, low):
        with pytest.raises(InvalidParameters) as error:
            changed(top, admin, post_parent=parent.id)
        assert list(error.value.problems) == ["post_parent"]

    assert changed(low, admin, post_parent=top.id).parent_id == top.id
    assert changed(low, admin, post_parent=0).parent_id is None


def test_parent_problem_depends_on_the_caller(caller: CallerFactory) -> None:
    draft = made(caller("author"), status="draft")

    with database.read():
        assert events.problems({"post_parent": draft.id}, caller("author")) == {}
        assert events.problems({"post_parent": draft.id}, caller("editor")) == {}
        assert list(events.problems({"post_parent": draft.id}, caller("author2"))) == ["post_parent"]
        assert events.problems({"post_parent": 0}, caller("author2")) == {}


@pytest.mark.parametrize(
    ("start", "end", "allowed"),
    [
        ("2031-10-26T02:30:00+02:00", "2031-10-26T02:10:00+01:00", True),
        ("2031-10-26T02:10:00+01:00", "2031-10-26T02:30:00+02:00", False),
        ("2031-10-26 02:30:00", "2031-10-26 02:30:00", True),
        ("2031-10-26T02:30:00+02:00", "2031-10-26T02:30:00+01:00", True),
        ("2031-10-26T02:30:00+01:00", "2031-10-26T02:30:00+02:00", False),
    ],
)
def test_end_is_compared_by_its_instant(caller: CallerFactory, start: str, end: str, allowed: bool) -> None:
    fields = {"start_date": start, "end_date": end, "timezone": "Europe/Berlin"}

    if allowed:
        event = made(caller("admin"), **fields)
        assert event.utc_end_date >= event.utc_start_date
        return
    with pytest.raises(InvalidParameters) as error:
        made(caller("admin"), **fields)
    assert list(error.value.problems) == ["end_date"]


def test_start_is_blamed_when_only_it_was_sent(caller: CallerFactory) -> None:
    event = made(caller("admin"))

    with pytest.raises(InvalidParameters) as error:
        changed(event, caller("admin"), start_date="2031-01-10 13:00:00")

    assert list(error.value.problems) == ["start_date"]


def test_zone_of_the_site_may_change_without_moving_events(caller: CallerFactory) -> None:
    event = made(caller("admin"))

    with database.write():
        moved = events.update(event, {"title": "New"}, caller("admin"), BERLIN, "Europe/Berlin")

    assert (moved.timezone, moved.utc_start_date) == ("UTC", "2031-01-10 10:00:00")
