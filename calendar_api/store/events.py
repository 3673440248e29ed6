"""Events: reading, creating, updating and removing."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any, cast
from uuid import uuid4

from calendar_api.database.models import Event
from calendar_api.domain import costs, dates, html, text, time_zones
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import Forbidden, InvalidParameters
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.domain.translation import message
from calendar_api.store import (
    compiled_queries,
    event_query,
    identifiers,
    login_attempts,
    publishable,
    related_records,
    submissions,
)
from calendar_api.store.compiled_queries import Columns, Value
from calendar_api.store.publishable import DateField, PublishedFields
from calendar_api.store.visibility import event_is_readable


class EventFields(PublishedFields, total=False):
    """The checked fields of an event; venues and organizers are ids or the fields of new records."""

    title: str
    start_date: DateField
    end_date: DateField
    all_day: bool
    timezone: str | None
    cost: str
    website: str | None
    password: str | None
    post_parent: int | None
    show_map: bool
    show_map_link: bool
    hide_from_listings: bool
    sticky: bool
    featured: bool
    ticketed: bool
    event_status: str
    event_status_reason: str
    uid: str
    categories: list[int | str]
    tags: list[int | str]
    venue: list[int | dict[str, object]]
    organizer: list[int | dict[str, object]]


search = event_query.search
ENDS_BEFORE_START = message("{name} must leave the end of the event at or after its start.")
_FLAGS = ("show_map", "show_map_link", "hide_from_listings", "sticky", "featured", "ticketed")
_PLAIN = frozenset({"title", "cost", "password", "event_status", "event_status_reason", *_FLAGS})
#: Columns whose change calendars have to announce (docs/interface.md#uid).
_ANNOUNCED = (
    "start_date", "end_date", "utc_start_date", "utc_end_date", "timezone", "all_day",
    "status", "event_status",
)  # fmt: skip
_PUBLISHERS_ONLY = ("featured", "sticky", "hide_from_listings")


def problems(given: Mapping[str, object], caller: Caller) -> dict[str, str]:
    """Problems with checked fields that only the database can tell, by field."""
    fields = cast(EventFields, given)
    found = publishable.problems(fields, caller) | related_records.problems(fields, caller)
    parent = fields.get("post_parent")
    if parent and not event_is_readable(parent, caller):
        found["post_parent"] = message(
            "{name} must be the id of an event that you may read, or 0 for none.", name="post_parent"
        )
    return found


def prepare(given: Mapping[str, object]) -> EventFields:
    """Checked fields with texts, cost and password as they are stored.

    Takes milliseconds for a password or much markup: call it before the write.
    """
    stored = {name: made(given[name]) for name, made in _STORED.items() if name in given}
    return cast(EventFields, {**given, **stored})


def create(fields: EventFields, caller: Caller, site: SiteSettings) -> Event:
    """Create an event from prepared fields, and its nested records; part of a write transaction.

    Raises InvalidParameters and Forbidden.
    """
    columns = new_columns({**fields, "website": fields.get("website") or None}, caller, site)
    return insert([(columns, fields)], caller, site)[0]


def new_columns(fields: EventFields, caller: Caller, site: SiteSettings) -> dict[str, Value]:
    """The columns of a new event, for `insert` in the same transaction.

    The website "" stays, None means that there is none yet. Raises InvalidParameters and Forbidden.
    """
    _require_rights(fields, caller, None)
    times = _times(fields, None, caller, site)
    slug = identifiers.wanted_slug(fields.get("slug"), fields["title"])
    row = publishable.created(Event, fields, caller, site, slug)
    return row | {
        "title": fields["title"],
        **times,
        "cost": fields.get("cost", ""),
        "website": fields.get("website"),
        **{name: bool(fields.get(name)) for name in _FLAGS},
        "password": fields.get("password", ""),
        "parent": fields.get("post_parent") or None,
        "uid": fields.get("uid") or new_uid(),
        "sequence": 0,
        "event_status": fields.get("event_status", "scheduled"),
        "event_status_reason": fields.get("event_status_reason", ""),
    }


def insert(new: Sequence[tuple[Columns, EventFields]], caller: Caller, site: SiteSettings) -> list[Event]:
    """Insert events, their links to other records, and the texts that are searched."""
    inserted = publishable.insert(Event, [columns for columns, _ in new], site)
    sent = [(event, fields) for event, (_, fields) in zip(inserted, new, strict=True)]
    related_records.add(sent, caller, site)
    publishable.add_search_texts({int(event.id): _search_text(event) for event in inserted})
    return inserted


def new_uid() -> str:
    """The identifier of a new event in calendars (RFC 7986, section 5.3)."""
    return str(uuid4())


def update(event: Event, fields: EventFields, caller: Caller, site: SiteSettings) -> Event:
    """Write only the prepared fields that were sent. Raises InvalidParameters and Forbidden.

    See docs/interface.md#updates.
    """
    _require_rights(fields, caller, event)
    times = _times(fields, event, caller, site)
    row = publishable.changed(Event, event, fields, caller, site, fields.get("title", event.title))
    row |= times
    row |= {name: cast(Value, value) for name, value in fields.items() if name in _PLAIN}
    if "website" in fields:
        row["website"] = fields["website"] or ""
    if "post_parent" in fields and (fields["post_parent"] or _shows_parent(event, caller)):
        row["parent"] = _parent(event, fields["post_parent"] or 0)
    updated = publishable.save(Event, event, row, site)
    moved = related_records.replace(updated, fields, caller, site)
    if moved or any(getattr(updated, name) != getattr(event, name) for name in _ANNOUNCED):
        _announce(event)
    related_records.sync(updated, event)
    if updated.status != event.status:
        submissions.follow(updated, caller, site)
    if any(getattr(updated, name) != getattr(event, name) for name in _FOLDED):
        publishable.write_search_text(int(event.id), _search_text(updated))
    return updated


def remove(event: Event, caller: Caller, site: SiteSettings) -> Event:
    """Move to the trash; raises AlreadyInTrash."""
    removed = publishable.trashed(Event, event, caller.now, site)
    related_records.sync(removed, event)
    _announce(event)
    return removed


def _announce(event: Event) -> None:
    compiled_queries.update(Event, int(event.id), {"sequence": event.sequence + 1})


def _require_rights(fields: EventFields, caller: Caller, event: Event | None) -> None:
    """Rights on single fields (docs/interface.md#terms-of-an-event, #authors, #contributors)."""
    if "author" in fields:
        publishable.require_author_right(fields, caller, event)
    for name in () if caller.may_publish else _PUBLISHERS_ONLY:
        if fields.get(name) and not (event is not None and getattr(event, name)):
            reason = message("Your role does not allow you to set {name}.", name=name)
            raise Forbidden(reason, anonymous=caller.anonymous)
    if "categories" in fields or "tags" in fields:
        related_records.require_term_rights(fields, caller)


def _times(fields: EventFields, event: Event | None, caller: Caller, site: SiteSettings) -> dict[str, Value]:
    """Columns of zone, all-day flag, wall times and instants; {} if none of these fields was sent.

    A new zone keeps the wall times and moves the instants; an all-day event always covers whole days.
    """
    if event is not None and not {"timezone", "all_day", "start_date", "end_date"} & fields.keys():
        return {}
    name = (
        (fields.get("timezone") or site.timezone) if event is None or "timezone" in fields else event.timezone
    )
    zone = time_zones.named(name)
    all_day = fields.get("all_day", event is not None and event.all_day)
    same_zone = event is not None and name == event.timezone
    start = _moment("start_date", fields.get("start_date"), event, zone, caller, same_zone)
    end = _moment("end_date", fields.get("end_date"), event, zone, caller, same_zone)
    same_day = "end_date" in fields and end.date() == start.date()
    if same_day and end < start and dates.is_day(fields["end_date"], zone, caller.at):
        end = start
    if all_day:
        start, end = dates.day_start(start), dates.day_end(end)
    # As instants: within one zone Python compares wall clocks, and those run backwards once a year.
    if end.astimezone(UTC) < start.astimezone(UTC):
        blamed = "end_date" if "end_date" in fields else "start_date"
        raise InvalidParameters({blamed: message(ENDS_BEFORE_START.template, name=blamed)})
    return {
        "timezone": name,
        "all_day": all_day,
        "start_date": dates.text(start),
        "end_date": dates.text(end),
        "utc_start_date": dates.text(start.astimezone(UTC)),
        "utc_end_date": dates.text(end.astimezone(UTC)),
    }


def _moment(
    name: str, value: DateField | None, event: Event | None, zone: tzinfo, caller: Caller, same_zone: bool
) -> datetime:
    if value is not None and not (same_zone and publishable.is_wall_time(value, getattr(event, name))):
        return publishable.moment(name, value, zone, caller)
    if same_zone:  # the instant is unambiguous, a wall time may occur twice
        return dates.from_text(getattr(event, f"utc_{name}")).replace(tzinfo=UTC).astimezone(zone)
    wall = dates.from_text(getattr(event, name))
    return dates.to_utc(wall, zone).replace(tzinfo=UTC).astimezone(zone)


def _shows_parent(event: Event, caller: Caller) -> bool:
    """Whether the caller sees the parent. To others it is shown as none, and writing that back keeps it."""
    return event.parent_id is None or event_is_readable(event.parent_id, caller)


def _parent(event: Event, parent: int) -> int | None:
    """Raises InvalidParameters for an event that would be its own ancestor."""
    seen = parent or None
    while seen is not None:
        if seen == event.id:
            raise InvalidParameters(
                {
                    "post_parent": message(
                        "{name} must be neither this record nor one below it.", name="post_parent"
                    )
                }
            )
        seen = Event.select(Event.parent).where(Event.id == seen).scalar()
    return parent or None


def _search_text(event: Event) -> dict[str, str]:
    folded = (fold(getattr(event, name)) for name, fold in _FOLDED.items())
    # A newline, so that no phrase matches across two fields.
    return {"all": "\n".join(filter(None, folded))}


_FOLDED = {"title": text.folded, "description": text.folded_markup, "excerpt": text.folded_markup}
#: How fields are stored that are not stored as they are sent; null is empty.
_STORED: dict[str, Callable[[Any], str]] = {
    "title": text.plain,
    "description": lambda value: html.sanitize(value or ""),
    "excerpt": lambda value: html.sanitize(value or ""),
    "event_status_reason": lambda value: text.plain(value or ""),
    "cost": costs.parse,
    "password": lambda value: login_attempts.new_digest(value or ""),
}
