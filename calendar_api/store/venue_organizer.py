"""What venues and organizers have in common: reading, filtering, creation without duplicates, trash."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from peewee import JOIN, SQL, CharField, ModelSelect, fn

from calendar_api import database
from calendar_api.database.models import (
    Event,
    EventOrganizer,
    EventVenue,
    Image,
    Organizer,
    PublishedRecord,
    Venue,
)
from calendar_api.domain import form_params, html, search_query, text
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import InvalidParameters
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.domain.translation import message
from calendar_api.store import documents, full_text, publishable, query_hints, slugs, visibility
from calendar_api.store.compiled_queries import CompiledQuery, Param, Value
from calendar_api.store.paging import Page
from calendar_api.store.publishable import PublishedFields
from calendar_api.store.query_hints import Clause
from calendar_api.store.visibility import (
    Params,
    event_is_readable,
    in_status,
    listed,
    parameter_caller,
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
            and name not in {noun, "name_casefold", *PublishedRecord._meta.fields}
        ]
        folded = dict.fromkeys({noun, *self.texts}.difference(not_searched), text.folded)
        self.searched = folded | dict.fromkeys(("description", "excerpt"), text.folded_markup)

    def own_columns(self, given: Fields, record: Row | None) -> dict[str, Value]:
        """The columns of the noun: of fields that were sent, and for a new record (None) all of them."""
        return {
            # A website was checked as an address and is stored as it is; null is empty.
            name: (given.get(name) or "") if name == "website" else text.plain(given.get(name) or "")
            for name in self.texts
            if record is None or name in given
        }

    def own_problems(self, given: Fields) -> dict[str, str]:
        """Problems between two fields, by field."""
        return {}

    # -- reading

    def readable_ids(self, ids: Iterable[int], caller: Caller) -> set[int]:
        """Those of the ids that the caller may read, with one statement."""
        return visibility.readable_ids(self.model, ids, caller)

    def search(self, query: Params, caller: Caller) -> Page[Any]:
        """A page of rows for `documents.venues_or_organizers`, newest first; raises InvalidParameters.

        See docs/interface.md#venue-and-organizer-filters.
        """
        problems = status_problem(query, caller)
        if "event" in query and not event_is_readable(query["event"], caller):
            problems["event"] = message("{name} must be the id of an event that you may read.", name="event")
        if problems:
            raise InvalidParameters(problems)
        # Every fragment of the search must stand in the same field (docs/interface.md#search).
        fragments = search_query.fragments(query.get("search", ""))
        words = full_text.words(fragments)
        candidates = database.texts_holding(fragments, full_text.FEW) if fragments else None
        shape = _ListShape(
            role=caller.role,
            statuses=tuple(query["status"]) if "status" in query else None,
            words=words.globs if "search" in query else None,
            indexed=candidates is not None,
            event="event" in query,
            has_events=form_params.truthy(query["has_events"]) if "has_events" in query else None,
            upcoming=form_params.truthy(query.get("only_with_upcoming", "false")),
        )
        values = {
            "now": caller.now, "me": caller.id, "words": words.values, "candidates": candidates,
            "event": query.get("event"),
        }  # fmt: skip
        total = int(_COUNT.rows(self, shape, **values)[0][0])
        page: Page[Any] = Page([], total, query["page"], query["per_page"])
        first, last = page.bounds
        if first < last:
            page.records.extend(_PAGE.objects(self, shape, **values, limit=last - first, offset=first))
        return page

    def choices(self, caller: Caller, most: int) -> list[tuple[int, str, str]]:
        """Id, name and city ("" for organizers) of the newest records that are listed for the caller."""
        rows = _CHOICES.rows(self.model, self.noun, caller.role, now=caller.now, me=caller.id, limit=most)
        return [(int(id), name, city) for id, name, city in rows]

    def clauses(self, shape: "_ListShape", given: Mapping[str, Any]) -> Iterator[Clause]:
        """The conditions of a list."""
        model, caller = self.model, parameter_caller(shape.role, given["now"], given["me"])
        open_events = readable(Event, caller) & unlocked(caller)
        if shape.statuses is None:
            yield listed(model, caller)
        else:
            yield in_status(model, shape.statuses, caller)
        if shape.words is not None:
            texts = full_text.texts(shape.words, given["words"])
            if shape.indexed:
                yield full_text.indexed(model.id, texts, given["candidates"])
            else:
                yield full_text.each(model.id, texts)
        if shape.event:
            yield model.id.in_(self._links_of_events((Event.id == given["event"]) & open_events))
        if shape.has_events is not None:  # linked to an event that counts, or to none that does
            counted = self._links_of_events(open_events & Event.status.in_(("publish", "private")))
            yield model.id.in_(counted) if shape.has_events else model.id.not_in(counted)
        if shape.upcoming:
            upcoming = (Event.utc_start_date >= given["now"]) & ~Event.hide_from_listings
            shown = upcoming & listed(Event, caller) & unlocked(caller)
            yield model.id.in_(self._links_of_events(shown))

    def _links_of_events(self, where: Clause) -> ModelSelect:
        links = self.link.select(getattr(self.link, self.noun))
        return links.join(Event, on=(self.link.event == Event.id)).where(where)

    # -- writing

    def problems(self, fields: Fields, caller: Caller) -> dict[str, str]:
        """Problems that only the database, or two fields together, can tell, by field."""
        return publishable.problems(cast(PublishedFields, fields), caller) | self.own_problems(fields)

    def find_or_create(self, given: Fields, caller: Caller, site: SiteSettings) -> int:
        """Create a record, or find the one that has the name already; return its id.

        See docs/interface.md#duplicates. Raises InvalidParameters and Forbidden.
        """
        fields = cast(PublishedFields, given)
        publishable.require_author_right(fields, caller)
        problems = self.own_problems(given)
        if problems:
            raise InvalidParameters(problems)
        description = html.sanitize(fields["description"] or "") if fields.get("description") else None
        known = self._namesake(text.plain(given[self.noun]), description, caller)
        return self.create(given, caller, site) if known is None else known

    def create(self, given: Fields, caller: Caller, site: SiteSettings) -> int:
        """Create a record and return its id. Raises InvalidParameters and Forbidden."""
        fields = cast(PublishedFields, given)
        publishable.require_author_right(fields, caller)
        name, description = text.plain(given[self.noun]), html.sanitize(fields.get("description") or "")
        fields = {**fields, "description": description}
        row = publishable.created(self.model, fields, caller, site, slugs.wanted(fields.get("slug"), name))
        row |= self._name(name) | self.own_columns(given, None)
        record = publishable.insert(self.model, row, site)
        searched = {column: fold(getattr(record, column)) for column, fold in self.searched.items()}
        publishable.add_search_texts(record.id, searched)
        return int(record.id)

    def update(self, record: Row, given: Fields, caller: Caller, site: SiteSettings) -> Row:
        """Write only the fields that were sent. Raises InvalidParameters and Forbidden."""
        fields = cast(PublishedFields, {name: value for name, value in given.items() if name != "slug"})
        publishable.require_author_right(fields, caller, record)
        problems = self.own_problems(given)
        if problems:
            raise InvalidParameters(problems)
        if "description" in fields:
            fields["description"] = html.sanitize(fields["description"] or "")
        name = text.plain(given[self.noun]) if self.noun in given else getattr(record, self.noun)
        row = publishable.changed(self.model, record, fields, caller, site, name)
        row |= (self._name(name) if self.noun in given else {}) | self.own_columns(given, record)
        updated = publishable.save(self.model, record, row, site)
        searched = {
            column: fold(getattr(updated, column))
            for column, fold in self.searched.items()
            if getattr(updated, column) != getattr(record, column)
        }
        publishable.write_search_text(int(record.id), searched)
        return updated

    def remove(self, record: Row, caller: Caller, site: SiteSettings) -> Row:
        """Move to the trash; links to events stay (docs/interface.md#trash). Raises AlreadyInTrash."""
        return publishable.trashed(self.model, record, caller.now, site)

    def _name(self, name: str) -> dict[str, Value]:
        return {self.noun: name, "name_casefold": _casefolded(name)}

    def _namesake(self, name: str, description: str | None, caller: Caller) -> int | None:
        """The oldest record of this name, and of this description if given, that is listed for the caller."""
        name = text.casefold(name)
        rows = _NAMESAKES.rows(
            self.model, self.noun, caller.role, name=_casefolded(name), now=caller.now, me=caller.id
        )
        for id, other, its_description in rows:
            if text.casefold(other) == name and (
                description is None or text.casefold(its_description) == text.casefold(description)
            ):
                return int(id)
        return None


class _ListShape(NamedTuple):
    """What decides the SQL of a list; `indexed`: the full-text index has found candidates."""

    role: str
    statuses: tuple[str, ...] | None
    words: tuple[bool, ...] | None
    indexed: bool
    event: bool
    has_events: bool | None
    upcoming: bool


def _count(store: VenueOrganizerStore, shape: _ListShape, **given: Any) -> ModelSelect:
    return store.model.select(fn.COUNT(SQL("*"))).where(*query_hints.led(store.clauses(shape, given)))


def _page(
    store: VenueOrganizerStore, shape: _ListShape, *, limit: Param, offset: Param, **given: Any
) -> ModelSelect:
    model = store.model
    rows = model.select(*documents.columns(model, given["now"])).join(Image, JOIN.LEFT_OUTER)
    ordered = rows.order_by(model.published_utc.desc(), model.id.desc())
    return ordered.where(*query_hints.led(store.clauses(shape, given))).limit(limit).offset(offset)


def _choices(
    model: type[Venue] | type[Organizer], noun: str, role: str, *, now: Param, me: Param, limit: Param
) -> ModelSelect:
    city = Venue.city if model is Venue else SQL("''")
    rows = model.select(model.id, getattr(model, noun), city)
    rows = rows.where(listed(model, parameter_caller(role, now, me)))
    return rows.order_by(model.published_utc.desc(), model.id.desc()).limit(limit)


_COUNT = CompiledQuery(_count)
_PAGE = CompiledQuery(_page)
_CHOICES = CompiledQuery(_choices)


def _named(
    model: type[Venue] | type[Organizer], noun: str, role: str, *, name: Param, now: Param, me: Param
) -> ModelSelect:
    visible = listed(model, parameter_caller(role, now, me))
    return (
        model.select(model.id, getattr(model, noun), model.description)
        .where(*query_hints.first(model.name_casefold == name, visible))
        .order_by(model.id)
    )


_NAMESAKES = CompiledQuery(_named)


def _casefolded(name: str) -> str:
    return text.casefold(name)[:191]
