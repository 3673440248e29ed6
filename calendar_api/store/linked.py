"""What venues and organizers have in common: finding, filtering, creating without doubles, trash."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from calendar_api import casting, search_words, text
from calendar_api.auth import Caller
from calendar_api.errors import AlreadyInTrash, InvalidParameters
from calendar_api.messages import message
from calendar_api.models import Event, EventOrganizer, EventVenue, Organizer, Venue
from calendar_api.store import planning, records, search_text
from calendar_api.store.paging import Page, paginate
from calendar_api.store.prepared import NOW, among_ids, prepared
from calendar_api.store.visibility import in_status, listed, readable, status_problem, unlocked

Fields = dict[str, Any]


@dataclass(frozen=True)
class Linked:
    """The store of one of the two; `own_columns` says what the fields of that noun are in the table."""

    noun: str
    model: type[Venue] | type[Organizer]
    link: type[EventVenue] | type[EventOrganizer]
    searched: tuple[str, ...]
    own_columns: Callable[[Fields, Any], Fields]
    own_problems: Callable[[Fields, Any], dict[str, str]]

    @property
    def _name(self) -> Any:
        return getattr(self.model, self.noun)

    @property
    def _linked_id(self) -> Any:
        return getattr(self.link, self.noun)

    # -- reading

    def by_id(self, id: int, caller: Caller) -> Any:
        return records.by_id(self.model, id, caller)

    def by_slug(self, slug: str, caller: Caller) -> Any:
        return records.by_slug(self.model, slug, caller)

    def readable_ids(self, ids: set[int], caller: Caller) -> set[int]:
        """Those of the ids that the caller may read, in one statement."""
        rows = self.model.select(self.model.id).where(
            self.model.id.in_(sorted(ids)), readable(self.model, caller)
        )
        return {int(id) for (id,) in rows.tuples()}

    def of_events(self, ids: list[int], caller: Caller) -> dict[int, list[Any]]:
        """What is linked to each event, as far as the caller may read it, in order, in one statement."""
        found: dict[int, list[Any]] = {id: [] for id in ids}
        for row in _of_events(self, *caller.shape).rows(ids=ids, now=caller.now):
            found[row.event_id].append(row)
        return found

    def search(self, query: Fields, caller: Caller) -> Page[Any]:
        """The filters of specification §4.3 and §4.4, newest first; raises InvalidParameters."""
        problems = self._unknown(query, caller)
        if problems:
            raise InvalidParameters(problems)
        clauses = (
            self.in_status(query, caller), self.words(query), self.of_event(query, caller),
            self.with_events(query, caller), self.with_upcoming(query, caller),
        )  # fmt: skip
        given = planning.led(clause for clause in clauses if clause is not None)
        rows = self.model.select().where(*given)
        page: Page[Any] = paginate(
            rows.order_by(self.model.published_utc.desc(), self.model.id.desc()),
            query["page"],
            query["per_page"],
        )
        return page

    def in_status(self, query: Fields, caller: Caller) -> Any:
        if "status" in query:
            return in_status(self.model, query["status"], caller)
        return listed(self.model, caller)

    def words(self, query: Fields) -> Any:
        """Every fragment of the search must stand in the same field (contract §3.5)."""
        if "search" not in query:
            return None
        return search_text.holding(self.model.id, search_words.fragments(query["search"]))

    def of_event(self, query: Fields, caller: Caller) -> Any:
        if "event" not in query:
            return None
        event = (Event.id == query["event"]) & readable(Event, caller) & unlocked(caller)
        return self.model.id.in_(self._links_of_events(event))

    def with_events(self, query: Fields, caller: Caller) -> Any:
        """`has_events`: linked to an event that counts, or, when it is not true, to none that does."""
        if "has_events" not in query:
            return None
        counted = self._links_of_events(
            readable(Event, caller) & unlocked(caller) & Event.status.in_(("publish", "private"))
        )
        return (
            self.model.id.in_(counted)
            if casting.truthy(query["has_events"])
            else self.model.id.not_in(counted)
        )

    def with_upcoming(self, query: Fields, caller: Caller) -> Any:
        if not casting.truthy(query.get("only_with_upcoming", "false")):
            return None
        upcoming = (Event.utc_start_date >= caller.now) & ~Event.hide_from_listings
        return self.model.id.in_(self._links_of_events(upcoming & listed(Event, caller) & unlocked(caller)))

    def _links_of_events(self, where: Any) -> Any:
        return self.link.select(self._linked_id).join(Event, on=(self.link.event == Event.id)).where(where)

    def _unknown(self, query: Fields, caller: Caller) -> dict[str, str]:
        problems = status_problem(query, caller)
        if (
            "event" in query
            and not Event.select().where(Event.id == query["event"], readable(Event, caller)).exists()
        ):
            problems["event"] = message("{name} must be the id of an event that you may read.", name="event")
        return problems

    # -- writing

    def problems(self, fields: Fields, caller: Caller) -> dict[str, str]:
        """What only the database, or two fields together, can tell about a new record or an update."""
        return records.problems(fields, caller) | self.own_problems(fields, None)

    def create(self, fields: Fields, caller: Caller, zone: tzinfo) -> Any:
        """A new record, or the one that has the name already (decisions §4.5), untouched."""
        records.require_author_right(fields, caller)
        problems = self.own_problems(fields, None)
        if problems:
            raise InvalidParameters(problems)
        name = text.plain(fields[self.noun])
        known = self._same(name, fields.get("description"), caller)
        if known is not None:
            return known
        fields = {**fields, "description": text.sanitize(fields.get("description") or "")}
        row = records.created(self.model, fields, caller, zone, name)
        row |= {self.noun: name, "name_caseless": _caseless(name), **self.own_columns(fields, None)}
        self.model.insert(row).execute()
        return self._indexed(row["id"])

    def update(self, record: Any, fields: Fields, caller: Caller, zone: tzinfo) -> Any:
        """Write only the fields that were sent."""
        records.require_author_right(fields, caller, record)
        problems = self.own_problems(fields, record)
        if problems:
            raise InvalidParameters(problems)
        if not fields:
            return record
        fields = dict(fields)
        fields.pop("slug", None)
        if "description" in fields:
            fields["description"] = text.sanitize(fields["description"] or "")
        name = text.plain(fields[self.noun]) if self.noun in fields else getattr(record, self.noun)
        row = records.changed(self.model, record, fields, caller, zone, name)
        row |= {self.noun: name, "name_caseless": _caseless(name), **self.own_columns(fields, record)}
        records.save(self.model, record, row)
        return self._indexed(int(record.id))

    def remove(self, record: Any, caller: Caller) -> Any:
        """To the trash; the links to events stay and come back with it (decisions §4.17)."""
        if record.status == "trash":
            raise AlreadyInTrash(self.noun)
        return records.trashed(self.model, record, caller.now)

    def _same(self, name: str, description: str | None, caller: Caller) -> Any:
        """A record of this name, and description if one was sent, that the caller may read."""
        caseless = text.caseless(name)
        rows = (
            self.model.select()
            .where(self.model.name_caseless == caseless[:191], listed(self.model, caller))
            .order_by(self.model.id)
        )
        wanted = text.caseless(text.sanitize(description)) if description else None
        for row in rows:
            if text.caseless(getattr(row, self.noun)) != caseless:
                continue
            if wanted is None or text.caseless(row.description) == wanted:
                return row
        return None

    def _indexed(self, id: int) -> Any:
        record = self.model.get_by_id(id)
        folded = {name: text.folded(str(getattr(record, name))) for name in self.searched}
        folded |= {
            name: text.folded(text.visible(getattr(record, name))) for name in ("description", "excerpt")
        }
        records.write_search_text(id, folded)
        return record


@prepared
def _of_events(store: Linked, role: str, id: int | None) -> Any:
    return (
        store.model.select(store.model, store.link.event.alias("event_id"))
        .join(store.link, on=(getattr(store.link, store.noun) == store.model.id))
        .where(store.link.event << among_ids(), listed(store.model, Caller(NOW, id, role=role)))
        .order_by(store.link.event, store.link.position)
    )


def line(value: str | None) -> str:
    """A one-line field as it is stored; null is empty."""
    return text.plain(value or "")


def _caseless(name: str) -> str:
    return text.caseless(name)[:191]
