"""Events: finding one, and the rules of creating, changing and removing one."""

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any

from calendar_api import database
from calendar_api.database.models import Event
from calendar_api.domain import auth, costs, dates, html, text, time_zones
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import AlreadyInTrash, InvalidParameters
from calendar_api.domain.translation import message
from calendar_api.store import (
    compiled_queries,
    event_query,
    password_hashes,
    publishable,
    query_hints,
    related_records,
    slugs,
    term_counts,
)
from calendar_api.store.compiled_queries import CompiledQuery
from calendar_api.store.visibility import columns, readable

Fields = dict[str, Any]

search = event_query.search
understood = event_query.understood
stays_understood = event_query.stays_understood
reads_texts = event_query.reads_texts
_FLAGS = ("show_map", "show_map_link", "hide_from_listings", "sticky", "featured", "ticketed")
#: What only reads and searches of the event itself show: no filter, no order and no other record looks at it.
_TEXTS = frozenset({"title", "description", "excerpt", "cost", "website", "show_map", "show_map_link"})
_PUBLISHERS_ONLY = ("featured", "sticky", "hide_from_listings")


def by_id(id: int, caller: Caller) -> Any:
    return publishable.by_id(Event, id, caller)


def by_slug(slug: str, caller: Caller) -> Any:
    return publishable.by_slug(Event, slug, caller)


def problems(fields: Fields, caller: Caller) -> dict[str, str]:
    """What only the database can tell about the fields of a new event or an update."""
    found = publishable.problems(fields, caller) | related_records.problems(fields, caller)
    parent = fields.get("post_parent")
    if isinstance(parent, int) and parent and not by_ids([parent], caller):
        found["post_parent"] = message(
            "{name} must be the id of an event that you may read, or 0 for none.", name="post_parent"
        )
    return found


def by_ids(ids: list[int], caller: Caller) -> list[Any]:
    """The events of a page in the order of these ids, as far as the caller may read them."""
    if not ids:
        return []
    rows = _BY_IDS.objects(caller.role, ids=compiled_queries.padded(ids), now=caller.now, me=caller.id)
    found = {row.id: row for row in rows}
    return [found[id] for id in ids if id in found]


def _by_ids(role: str, *, ids: list[Any], now: Any, me: Any) -> Any:
    return Event.select(*columns(Event)).where(
        *query_hints.first(Event.id.in_(ids), readable(Event, Caller(now, me, role=role)))
    )


_BY_IDS = CompiledQuery(_by_ids)


@dataclass(frozen=True)
class EventDraft:
    """Checked fields with what can be worked out of them alone, so that nobody else has to wait for it.

    `fields` has texts, cost and password as they are stored, `folded` the texts as they are searched, and
    `slug` is what a new event would like to be called.
    """

    fields: Fields
    folded: dict[str, str]
    slug: str


def drafted(given: Fields | EventDraft, *, new: bool) -> EventDraft:
    """Takes milliseconds with a password or much markup, and so is best called before a write begins."""
    if isinstance(given, EventDraft):
        return given
    fields = dict(given)
    if "title" in fields:
        fields["title"] = html.plain(fields["title"])
    for name in ("description", "excerpt"):
        if name in fields:
            fields[name] = html.sanitize(fields[name] or "")
    if "cost" in fields:
        fields["cost"] = costs.parse(fields["cost"])
    if "password" in fields:
        fields["password"] = _digest(fields["password"] or "")
    folded = {name: _FOLDED[name](fields[name]) for name in _FOLDED if name in fields}
    return EventDraft(fields, folded, slugs.wanted(fields.get("slug"), fields["title"]) if new else "")


def _digest(password: str) -> str:
    """Of the same salt as that of the last protected event: to check many takes as long as to check one."""
    if not password:
        return ""
    newest = (
        Event.select(Event.password)
        .where(Event.password.startswith(password_hashes.CURRENT))
        .order_by(Event.id.desc())
        .limit(1)
    )
    return password_hashes.event_digest(password, database.run_autocommit(newest.scalar) or "")


def renewed_digest(digest: str, password: str) -> str:
    """Store an old digest of a password in the current format; part of a write transaction."""
    if password_hashes.is_current(digest):
        return digest
    renewed = _digest(password)
    Event.update(password=renewed).where(Event.password == digest).execute()
    return renewed


def create(given: Fields | EventDraft, caller: Caller, zone: tzinfo, zone_name: str) -> Any:
    """A new event with everything nested in it, inside the caller's write transaction.

    `zone` is the zone of the site and `zone_name` what it is called. Raises InvalidParameters and Forbidden.
    """
    draft = drafted(given, new=True)
    fields = draft.fields
    _require_rights(fields, caller, None)
    times = _times(fields, None, caller, zone_name)
    row = publishable.created(Event, fields, caller, zone, draft.slug)
    row |= {
        "title": fields["title"],
        **times,
        "cost": fields.get("cost", ""),
        "website": fields.get("website") or None,
        **{name: fields.get(name, False) for name in _FLAGS},
        "password": fields.get("password", ""),
        "parent": fields.get("post_parent") or None,
    }
    event = publishable.as_row(Event, row)
    compiled_queries.insert(Event, [row])
    related_records.add(event, fields, caller, zone)
    publishable.add_search_texts({row["id"]: _searched(draft.folded)})
    return event


def update(event: Any, given: Fields | EventDraft, caller: Caller, zone: tzinfo, zone_name: str) -> Any:
    """Write only the fields that were sent. Raises InvalidParameters and Forbidden.

    See docs/interface.md#updates.
    """
    draft = drafted(given, new=False)
    fields = draft.fields
    _require_rights(fields, caller, event)
    times = _times(fields, event, caller, zone_name)
    row = publishable.changed(Event, event, fields, caller, zone, fields.get("title", event.title))
    row |= times | {name: fields[name] for name in ("title", "cost", "password", *_FLAGS) if name in fields}
    if "website" in fields:
        row["website"] = fields["website"] or ""
    if "post_parent" in fields and (fields["post_parent"] or _shows_parent(event, caller)):
        row["parent"] = _parent(event, fields["post_parent"])
    updated = publishable.save(Event, event, row)
    related_records.replace(updated, fields, caller, zone)
    term_counts.sync(updated, event)
    if draft.folded:
        own = {name: fold(getattr(event, name)) for name, fold in _FOLDED.items() if name not in draft.folded}
        publishable.write_search_text(int(event.id), _searched(own | draft.folded))
    return updated


def only_texts(fields: Fields, before: Any, after: Any) -> bool:
    """Whether an update with these fields has changed nothing but texts of the event (decision 0011)."""
    if not fields.keys() <= _TEXTS:
        return False
    if after is before:  # there was nothing to write
        return True
    changed = {name for name, value in vars(after).items() if getattr(before, name) != value}
    return changed <= _TEXTS | {"modified_utc", "version"}


def remove(event: Any, caller: Caller) -> Any:
    """To the trash; raises AlreadyInTrash."""
    if event.status == "trash":
        raise AlreadyInTrash("event")
    removed = publishable.trashed(Event, event, caller.now)
    term_counts.sync(removed, event)
    return removed


def _require_rights(fields: Fields, caller: Caller, event: Any) -> None:
    """Rights on single fields (docs/interface.md#terms-of-an-event, #authors, #contributors)."""
    publishable.require_author_right(fields, caller, event)
    for name in _PUBLISHERS_ONLY:
        was = bool(event is not None and getattr(event, name))
        auth.require(
            caller.publishes or was or not fields.get(name),
            caller,
            message("Your role does not allow you to set {name}.", name=name),
        )
    related_records.require_term_rights(fields, caller)


def _times(fields: Fields, event: Any, caller: Caller, site_zone: str) -> Fields:
    """Zone, all-day flag, wall times and instants after this write; {} when nothing of it was sent.

    A new zone keeps the wall times and moves the instants; an all-day event always covers whole days.
    """
    if event is not None and not {"timezone", "all_day", "start_date", "end_date"} & fields.keys():
        return {}
    name = (fields.get("timezone") or site_zone) if event is None or "timezone" in fields else event.timezone
    zone = time_zones.named(name)
    all_day = fields.get("all_day", event is not None and event.all_day)
    moved = event is not None and name == event.timezone
    start = _moment("start_date", fields, event, zone, caller, moved)
    end = _moment("end_date", fields, event, zone, caller, moved)
    same_day = "end_date" in fields and end.date() == start.date()
    if same_day and end < start and dates.is_day(fields["end_date"], zone, caller.at):
        end = start
    if all_day:
        start, end = dates.day_start(start), dates.day_end(end)
    # As instants: within one zone Python compares wall clocks, and those run backwards once a year.
    if end.astimezone(UTC) < start.astimezone(UTC):
        blamed = "end_date" if "end_date" in fields else "start_date"
        raise InvalidParameters(
            {blamed: message("{name} must leave the end of the event at or after its start.", name=blamed)}
        )
    return {
        "timezone": name,
        "all_day": all_day,
        "start_date": dates.text(start),
        "end_date": dates.text(end),
        "utc_start_date": dates.text(start.astimezone(UTC)),
        "utc_end_date": dates.text(end.astimezone(UTC)),
    }


def _moment(name: str, fields: Fields, event: Any, zone: tzinfo, caller: Caller, same_zone: bool) -> datetime:
    if name in fields and not (same_zone and publishable.is_wall_time(fields[name], getattr(event, name))):
        return publishable.moment(name, fields[name], zone, caller)
    if same_zone:  # from the instant: of two equal wall times it knows which one was meant
        return dates.from_text(getattr(event, f"utc_{name}")).replace(tzinfo=UTC).astimezone(zone)
    wall = dates.from_text(getattr(event, name))
    return dates.to_utc(wall, zone).replace(tzinfo=UTC).astimezone(zone)


def _shows_parent(event: Any, caller: Caller) -> bool:
    """Who may not read the parent is shown none, and writes that back without taking the event from it."""
    return event.parent_id is None or bool(by_ids([event.parent_id], caller))


def _parent(event: Any, parent: int) -> int | None:
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


def _searched(folded: Fields) -> dict[str, str]:
    # A newline keeps a phrase from reaching over from one field into the next.
    return {"all": "\n".join(folded[name] for name in _FOLDED if folded.get(name))}


def _folded_markup(value: str) -> str:
    return text.folded(html.visible(value))


_FOLDED = {"title": text.folded, "description": _folded_markup, "excerpt": _folded_markup}
