"""Events at a fixed time: relative dates, changes of status by the clock, search text."""

from typing import Any

import pytest

from calendar_api import database
from calendar_api.database.models import Event, SearchText
from calendar_api.domain import auth
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import NotFound
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.store import documents, events, password_hashes
from tests.conftest import CallerFactory

SITE = SiteSettings("UTC", "$")
DATES = {"start_date": "2031-01-10 10:00:00", "end_date": "2031-01-10 12:00:00"}


def made(caller: Caller, **fields: Any) -> Event:
    with database.write():
        return events.create(events.prepare({"title": "Concert", **DATES, **fields}), caller, SITE)


def changed(event: Event, caller: Caller, site: SiteSettings = SITE, **fields: Any) -> Event:
    with database.write():
        return events.update(Event.get_by_id(event.id), events.prepare(fields), caller, site)


#: Every field that is worked out before a write: texts with markup, a slug, a cost, a password.
SENT = {
    "title": "<b>Größe</b> &amp; Ωραία", "description": "<p>Ça <script>x</script>va</p>", "excerpt": "Kürze",
    "cost": "5 - 10", "password": "open sesame",
}  # fmt: skip


#: Columns that differ from one event to the next.
OWN = ("id", "uid", "password", "document", "json_ld", "calendar_lines")


def stored(event: Any) -> dict[str, Any]:
    """The columns of an event but OWN, and its search text."""
    with database.read():
        row = Event.get_by_id(event.id)
        rendered = documents.render(Event, row, SITE)
        assert {name: getattr(row, name) for name in rendered} == rendered
        (found,) = SearchText.select(SearchText.folded).where(SearchText.record == event.id).tuples()
    own = {name: value for name, value in row.__data__.items() if name not in OWN}
    return own | {"folded": found[0], "opens": password_hashes.opens("open sesame", row.password)}


def test_fields_prepared_before_the_write_are_stored_alike_and_only_a_password_needs_the_database(
    caller: CallerFactory,
) -> None:
    admin = caller("admin")
    database.close_connection()
    events.prepare({**DATES, **SENT, "slug": "drafted", "password": ""})
    closed = database.db.is_closed()
    prepared = events.prepare({**DATES, **SENT, "slug": "drafted"})

    with database.write():
        drafted = events.create(prepared, admin, SITE)
    as_sent = made(admin, **SENT, slug="sent")

    assert closed
    assert stored(drafted) == {**stored(as_sent), "slug": "drafted"}
    assert stored(drafted)["folded"] == "große & ωραια\nca va\nkurze".replace("ß", "ss")
    assert stored(drafted)["opens"]


@pytest.mark.parametrize("name", SENT)
def test_prepared_update_changes_what_was_sent_alone(caller: CallerFactory, name: str) -> None:
    admin = caller("admin")
    whole, part = made(admin, **SENT, slug="whole"), made(admin, **{**SENT, name: "Other"}, slug="part")

    with database.write():
        event = documents.find(Event, "id", part.id, admin)
        events.update(event, events.prepare({name: SENT[name]}), admin, SITE)

    differing = {"slug": "part", "version": 2, "modified_utc": admin.now}
    assert stored(part) == stored(whole) | differing


@pytest.mark.parametrize(
    ("now", "site", "fields", "start", "utc"),
    [
        ("22:30", "UTC", {}, "2026-06-16 09:00:00", "2026-06-16 09:00:00"),
        ("22:30", "UTC", {"timezone": "Europe/Berlin"}, "2026-06-17 09:00:00", "2026-06-17 07:00:00"),
        ("12:00", "America/Juneau", {}, "2026-06-16 09:00:00", "2026-06-16 17:00:00"),
        ("12:00", "Australia/Sydney", {}, "2026-06-16 09:00:00", "2026-06-15 23:00:00"),
    ],
)
def test_relative_dates_start_at_the_clock_of_the_caller_in_the_zone_of_the_event_or_the_site(
    caller: CallerFactory, now: str, site: str, fields: dict[str, str], start: str, utc: str
) -> None:
    """2026-06-15 is a Monday."""
    admin = caller("admin", f"2026-06-15 {now}:00")
    relative = {"title": "x", "start_date": "tomorrow 9am", "end_date": "next thursday 4pm", **fields}

    with database.write():
        event = events.create(events.prepare(relative), admin, SiteSettings(site, "$"))

    assert (event.start_date, event.utc_start_date) == (start, utc)
    assert event.end_date == "2026-06-18 16:00:00"


@pytest.mark.both_databases
def test_scheduled_event_becomes_public_when_its_moment_comes(caller: CallerFactory) -> None:
    """Nothing is written, time alone does it (docs/interface.md#scheduled-records)."""
    event = made(caller("author"), date_utc="2026-07-01 10:00:00", slug="later")
    before, after = "2026-07-01 09:59:59", "2026-07-01 10:00:00"

    with database.read():
        for login in (None, "subscriber", "contributor", "author2"):
            with pytest.raises(NotFound):
                documents.find(Event, "id", int(event.id), caller(login, before))
            with pytest.raises(NotFound):
                documents.find(Event, "slug", "later", caller(login, before))
            assert documents.find(Event, "id", int(event.id), caller(login, after)).id == event.id
            assert documents.find(Event, "slug", "later", caller(login, after)).id == event.id
    assert [auth.effective_status(event, now) for now in (before, after)] == ["future", "publish"]
    assert Event.get_by_id(event.id).version == 1


@pytest.mark.parametrize(
    ("published", "expected"),
    [("2099-01-01", "2026-06-20 08:00:00"), ("2026-06-15 10:00:00", "2026-06-15 10:00:00")],
    ids=["scheduled", "public"],
)
def test_publishing_takes_the_moment_of_the_request_unless_the_event_is_public(
    caller: CallerFactory, published: str, expected: str
) -> None:
    event = made(caller("author"), date_utc=published)

    again = changed(event, caller("author", "2026-06-20 08:00:00"), status="publish")

    assert (again.published_utc, again.modified_utc) == (expected, "2026-06-20 08:00:00")


def test_zone_of_the_site_may_change_without_moving_events(caller: CallerFactory) -> None:
    event = made(caller("admin"))

    moved = changed(event, caller("admin"), SiteSettings("Europe/Berlin", "$"), title="New")

    assert (moved.timezone, moved.utc_start_date) == ("UTC", "2031-01-10 10:00:00")
