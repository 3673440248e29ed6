"""What venues and organizers have in common: reading, filtering, creation without duplicates, trash."""

from collections.abc import Iterable, Mapping
from datetime import tzinfo
from typing import Any, Literal, TypeAlias, cast

from peewee import CharField, ModelSelect

from calendar_api.database.models import (
    Event,
    EventOrganizer,
    EventVenue,
    Organizer,
    PublishedRecord,
    Venue,
)
from calendar_api.domain import form_params, html, search_query, text
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import InvalidParameters
from calendar_api.domain.translation import message
from calendar_api.store import compiled_queries, full_text, publishable, query_hints, slugs, visibility
from calendar_api.store.compiled_queries import CompiledQuery, Param, Value
from calendar_api.store.paging import Page, paginate
from calendar_api.store.publishable import PublishedFields
from calendar_api.store.query_hints import Clause
from calendar_api.store.visibility import (
    Params,
    columns,
    event_is_readable,
    in_status,
    listed,
    readable,
    status_problem,
    unlocked,
)

#: A row of the model.
Row: TypeAlias = Venue | Organizer
#: Checked fields that were sent: those of `PublishedFields`, the name, and the columns of the model.
Fields: TypeAlias = Mapping[str, Any]


class VenueOrganizerStore:
    """The store of venues or of organizers.

    Text columns of the model are plain fields: cleaned, stored and, unless in `not_searched`, searched.
    """

    def __init__(
        self,
        noun: Literal["venue", "organizer"],
        model: type[Venue] | type[Organizer],
        link: type[EventVenue] | type[EventOrganizer],
        not_searched: Iterable[str] = (),
    ) -> None:
        self.noun = noun
        self.model = model
        self.link = link
        self.texts = [
            name
            for name, column in model._meta.fields.items()
            if isinstance(column, CharField)
            and name not in {noun, "name_caseless", *PublishedRecord._meta.fields}
        ]
        folded = dict.fromkeys({noun, *self.texts}.difference(not_searched), text.folded)
        self.searched = folded | dict.fromkeys(("description", "excerpt"), folded_markup)

    def own_columns(self, given: Fields, record: Row | None) -> dict[str, Value]:
        """The columns of the noun: of fields that were sent, and for a new record (None) all of them."""
        return {
            # A website was checked as an address and is stored as it is; null is empty.
            name: (given.get(name) or "") if name == "website" else line(given.get(name))
            for name in self.texts
            if record is None or name in given
        }

    def own_problems(self, given: Fields) -> dict[str, str]:
        """Problems between two fields, by field."""
        return {}

    # -- reading

    def by_id(self, id: int, caller: Caller) -> Row:
        return publishable.by_id(self.model, id, caller)

    def by_slug(self, slug: str, caller: Caller) -> Row:
        return publishable.by_slug(self.model, slug, caller)

    def readable_ids(self, ids: Iterable[int], caller: Caller) -> set[int]:
        """Those of the ids that the caller may read, with one statement."""
        return visibility.readable_ids(self.model, ids, caller)

    def of_events(self, ids: list[int], caller: Caller) -> dict[int, list[Row]]:
        """The records linked to each event that the caller may read, in order, with one statement."""
        found: dict[int, list[Row]] = {id: [] for id in ids}
        some = compiled_queries.padded(ids)
        for event, row in _OF_EVENTS.grouped(self, caller.role, ids=some, now=caller.now, me=caller.id):
            found[event].append(row)
        return found

    def search(self, query: Params, caller: Caller) -> Page[Row]:
        """Newest first (docs/interface.md#venue-and-organizer-filters); raises InvalidParameters."""
        problems = status_problem(query, caller)
        if "event" in query and not event_is_readable(query["event"], caller):
            problems["event"] = message("{name} must be the id of an event that you may read.", name="event")
        if problems:
            raise InvalidParameters(problems)
        clauses = (
            self.in_status(query, caller), self.words(query), self.of_event(query, caller),
            self.with_events(query, caller), self.with_upcoming(query, caller),
        )  # fmt: skip
        given = query_hints.led(clause for clause in clauses if clause is not None)
        rows = self.model.select().where(*given)
        return paginate(
            rows.order_by(self.model.published_utc.desc(), self.model.id.desc()),
            query["page"],
            query["per_page"],
        )

    def in_status(self, query: Params, caller: Caller) -> Clause:
        if "status" in query:
            return in_status(self.model, query["status"], caller)
        return listed(self.model, caller)

    def words(self, query: Params) -> Clause | None:
        """Every fragment of the search must stand in the same field (docs/interface.md#search)."""
        if "search" not in query:
            return None
        return full_text.holding(self.model.id, search_query.fragments(query["search"]))

    def of_event(self, query: Params, caller: Caller) -> Clause | None:
        if "event" not in query:
            return None
        event = (Event.id == query["event"]) & readable(Event, caller) & unlocked(caller)
        return self.model.id.in_(self._links_of_events(event))

    def with_events(self, query: Params, caller: Caller) -> Clause | None:
        """`has_events`: linked to an event that counts, or, when it is not true, to none that does."""
        if "has_events" not in query:
            return None
        counted = self._links_of_events(
            readable(Event, caller) & unlocked(caller) & Event.status.in_(("publish", "private"))
        )
        wanted = form_params.truthy(query["has_events"])
        return self.model.id.in_(counted) if wanted else self.model.id.not_in(counted)

    def with_upcoming(self, query: Params, caller: Caller) -> Clause | None:
        if not form_params.truthy(query.get("only_with_upcoming", "false")):
            return None
        upcoming = (Event.utc_start_date >= caller.now) & ~Event.hide_from_listings
        return self.model.id.in_(self._links_of_events(upcoming & listed(Event, caller) & unlocked(caller)))

    def _links_of_events(self, where: Clause) -> ModelSelect:
        links = self.link.select(getattr(self.link, self.noun))
        return links.join(Event, on=(self.link.event == Event.id)).where(where)

    # -- writing

    def problems(self, fields: Fields, caller: Caller) -> dict[str, str]:
        """Problems that only the database, or two fields together, can tell, by field."""
        return publishable.problems(cast(PublishedFields, fields), caller) | self.own_problems(fields)

    def create(self, fields: Fields, caller: Caller, zone: tzinfo) -> Row:
        """Create a record, or return the one that has the name already (docs/interface.md#duplicates).

        Raises InvalidParameters and Forbidden.
        """
        id, record = self.find_or_create(fields, caller, zone)
        return record or self.model.get_by_id(id)

    def find_or_create(self, given: Fields, caller: Caller, zone: tzinfo) -> tuple[int, Row | None]:
        """The same, as the id and the record; None for a record that exists already."""
        fields = cast(PublishedFields, given)
        publishable.require_author_right(fields, caller)
        problems = self.own_problems(given)
        if problems:
            raise InvalidParameters(problems)
        name, description = text.plain(given[self.noun]), html.sanitize(fields.get("description") or "")
        known = self._namesake(name, description if fields.get("description") else None, caller)
        if known is not None:
            return known, None
        fields = {**fields, "description": description}
        row = publishable.created(self.model, fields, caller, zone, slugs.wanted(fields.get("slug"), name))
        row |= self._name(name) | self.own_columns(given, None)
        compiled_queries.insert(self.model, [row])
        record = publishable.as_row(self.model, row)
        searched = {column: fold(getattr(record, column)) for column, fold in self.searched.items()}
        publishable.add_search_texts(record.id, searched)
        return record.id, record

    def update(self, record: Row, given: Fields, caller: Caller, zone: tzinfo) -> Row:
        """Write only the fields that were sent. Raises InvalidParameters and Forbidden."""
        fields = cast(PublishedFields, {name: value for name, value in given.items() if name != "slug"})
        publishable.require_author_right(fields, caller, record)
        problems = self.own_problems(given)
        if problems:
            raise InvalidParameters(problems)
        if "description" in fields:
            fields["description"] = html.sanitize(fields["description"] or "")
        name = text.plain(given[self.noun]) if self.noun in given else getattr(record, self.noun)
        row = publishable.changed(self.model, record, fields, caller, zone, name)
        row |= (self._name(name) if self.noun in given else {}) | self.own_columns(given, record)
        updated = publishable.save(self.model, record, row)
        searched = {
            column: fold(getattr(updated, column))
            for column, fold in self.searched.items()
            if getattr(updated, column) != getattr(record, column)
        }
        publishable.write_search_text(int(record.id), searched)
        return updated

    def remove(self, record: Row, caller: Caller) -> Row:
        """Move to the trash; links to events stay (docs/interface.md#trash). Raises AlreadyInTrash."""
        return publishable.trashed(self.model, record, caller.now)

    def _name(self, name: str) -> dict[str, Value]:
        return {self.noun: name, "name_caseless": _caseless(name)}

    def _namesake(self, name: str, description: str | None, caller: Caller) -> int | None:
        """The oldest record of this name, and of this description if given, that is listed for the caller."""
        name = text.casefold(name)
        rows = _NAMESAKES.rows(
            self.model, self.noun, caller.role, name=_caseless(name), now=caller.now, me=caller.id
        )
        for id, other, its_description in rows:
            if text.casefold(other) == name and (
                description is None or text.casefold(its_description) == text.casefold(description)
            ):
                return int(id)
        return None


def _named(
    model: type[Venue] | type[Organizer], noun: str, role: str, *, name: Param, now: Param, me: Param
) -> ModelSelect:
    visible = listed(model, Caller(now, me, role=role))
    return (
        model.select(model.id, getattr(model, noun), model.description)
        .where(*query_hints.first(model.name_caseless == name, visible))
        .order_by(model.id)
    )


_NAMESAKES = CompiledQuery(_named)


def _of_events(
    store: VenueOrganizerStore, role: str, *, ids: list[Param], now: Param, me: Param
) -> ModelSelect:
    visible = listed(store.model, Caller(now, me, role=role))
    return (
        store.model.select(store.link.event, *columns(store.model))
        .join(store.link, on=(getattr(store.link, store.noun) == store.model.id))
        .where(*query_hints.first(store.link.event.in_(ids), visible))
        .order_by(store.link.event, store.link.position)
    )


_OF_EVENTS = CompiledQuery(_of_events)


def line(value: str | None) -> str:
    """A one-line field as it is stored; null is empty."""
    return text.plain(value or "")


def folded_markup(value: str) -> str:
    """The visible text of HTML as it is searched."""
    return text.folded(text.visible(value))


def _caseless(name: str) -> str:
    return text.casefold(name)[:191]
