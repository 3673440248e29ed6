"""What venues and organizers have in common: finding, filtering, creating without doubles, trash."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from calendar_api.database.models import Event, EventOrganizer, EventVenue, Organizer, Venue
from calendar_api.domain import auth, form_params, html, search_query, text
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import AlreadyInTrash, InvalidParameters
from calendar_api.domain.translation import message
from calendar_api.store import compiled_queries, full_text, publishable, query_hints, slugs
from calendar_api.store.compiled_queries import CompiledQuery
from calendar_api.store.paging import Page, paginate
from calendar_api.store.visibility import columns, in_status, listed, readable, status_problem, unlocked

Fields = dict[str, Any]


@dataclass(frozen=True)
class VenueOrganizerStore:
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
        return publishable.by_id(self.model, id, caller)

    def by_slug(self, slug: str, caller: Caller) -> Any:
        return publishable.by_slug(self.model, slug, caller)

    def readable_ids(self, ids: set[int], caller: Caller) -> set[int]:
        """Those of the ids that the caller may read, in one statement."""
        rows = _READABLE.rows(
            self.model, caller.role, ids=compiled_queries.padded(sorted(ids)), now=caller.now, me=caller.id
        )
        return {int(id) for (id,) in rows}

    def of_events(self, ids: list[int], caller: Caller) -> dict[int, list[Any]]:
        """What is linked to each event, as far as the caller may read it, in order, in one statement."""
        found: dict[int, list[Any]] = {id: [] for id in ids}
        rows = _OF_EVENTS.grouped(
            self, caller.role, ids=compiled_queries.padded(ids), now=caller.now, me=caller.id
        )
        for event, row in rows:
            found[event].append(row)
        return found

    def search(self, query: Fields, caller: Caller) -> Page[Any]:
        """Newest first (docs/interface.md#venue-and-organizer-filters); raises InvalidParameters."""
        problems = self._unknown(query, caller)
        if problems:
            raise InvalidParameters(problems)
        clauses = (
            self.in_status(query, caller), self.words(query), self.of_event(query, caller),
            self.with_events(query, caller), self.with_upcoming(query, caller),
        )  # fmt: skip
        given = query_hints.led(clause for clause in clauses if clause is not None)
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
        """Every fragment of the search must stand in the same field (docs/interface.md#search)."""
        if "search" not in query:
            return None
        return full_text.holding(self.model.id, search_query.fragments(query["search"]))

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
            if form_params.truthy(query["has_events"])
            else self.model.id.not_in(counted)
        )

    def with_upcoming(self, query: Fields, caller: Caller) -> Any:
        if not form_params.truthy(query.get("only_with_upcoming", "false")):
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
        return self.problems_of([fields], caller)[0]

    def problems_of(self, items: list[Fields], caller: Caller) -> list[dict[str, str]]:
        """The same for each of several, with no more statements than for one."""
        found = publishable.problems_of(items, caller)
        return [wrong | self.own_problems(item, None) for wrong, item in zip(found, items, strict=True)]

    def create(self, fields: Fields, caller: Caller, zone: tzinfo) -> Any:
        """A new record, or the one that has the name already (docs/interface.md#duplicates), untouched."""
        [namesake] = self._namesakes([fields], caller, zone)
        return namesake.record or self.model.get_by_id(namesake.id)

    def ids(self, items: list[Fields], caller: Caller, zone: tzinfo) -> list[int]:
        """The same for several, as if one came after the other, with no more statements than for one."""
        return [namesake.id for namesake in self._namesakes(items, caller, zone)]

    def update(self, record: Any, fields: Fields, caller: Caller, zone: tzinfo) -> Any:
        """Write only the fields that were sent."""
        publishable.require_author_right(fields, caller, record)
        problems = self.own_problems(fields, record)
        if problems:
            raise InvalidParameters(problems)
        fields = dict(fields)
        fields.pop("slug", None)
        if "description" in fields:
            fields["description"] = html.sanitize(fields["description"] or "")
        name = html.plain(fields[self.noun]) if self.noun in fields else getattr(record, self.noun)
        row = publishable.changed(self.model, record, fields, caller, zone, name)
        row |= {self.noun: name, "name_caseless": _caseless(name), **self.own_columns(fields, record)}
        updated = publishable.save(self.model, record, row)
        publishable.write_search_text(int(record.id), self._folded(updated))
        return updated

    def remove(self, record: Any, caller: Caller) -> Any:
        """To the trash; the links to events stay and come back with it (docs/interface.md#trash)."""
        if record.status == "trash":
            raise AlreadyInTrash(self.noun)
        return publishable.trashed(self.model, record, caller.now)

    def _namesakes(self, items: list[Fields], caller: Caller, zone: tzinfo) -> list["_Namesake"]:
        """For each description of a record the one that has its name, made now if there is none.

        The caller may read it, and it has the same description, if one was sent.
        """
        if not items:
            return []
        for fields in items:
            publishable.require_author_right(fields, caller)
            problems = self.own_problems(fields, None)
            if problems:
                raise InvalidParameters(problems)
        names = [html.plain(fields[self.noun]) for fields in items]
        known = self._known(names, caller)
        chosen: list[_Namesake] = []
        new: list[tuple[_Namesake, Fields, str]] = []
        for fields, name in zip(items, names, strict=True):
            among = known.setdefault(text.caseless(name), [])
            described = html.sanitize(fields.get("description") or "")
            wanted = text.caseless(described) if fields.get("description") else None
            found = next((one for one in among if wanted is None or one.described_as(wanted)), None)
            if found is None:
                found = _Namesake(described)
                new.append((found, {**fields, "description": described}, name))
                if auth.granted_status(caller, fields.get("status")) != "trash":  # which no list shows
                    among.append(found)
            chosen.append(found)
        self._make(new, caller, zone)
        return chosen

    def _known(self, names: list[str], caller: Caller) -> dict[str, list["_Namesake"]]:
        """The records of these names that are listed for the caller, by caseless name, oldest first."""
        short = compiled_queries.padded(dict.fromkeys(_caseless(name) for name in names))
        rows = _NAMESAKES.rows(self.model, self.noun, caller.role, names=short, now=caller.now, me=caller.id)
        found: dict[str, list[_Namesake]] = {}
        for id, name, description in rows:
            found.setdefault(text.caseless(name), []).append(_Namesake(description, int(id)))
        return found

    def _make(self, new: list[tuple["_Namesake", Fields, str]], caller: Caller, zone: tzinfo) -> None:
        if not new:
            return
        wanted = [(fields, slugs.wanted(fields.get("slug"), name)) for _, fields, name in new]
        rows = publishable.all_created(self.model, wanted, caller, zone)
        for row, (namesake, fields, name) in zip(rows, new, strict=True):
            row |= {self.noun: name, "name_caseless": _caseless(name), **self.own_columns(fields, None)}
            namesake.id, namesake.record = row["id"], publishable.as_row(self.model, row)
        compiled_queries.insert(self.model, rows)
        publishable.add_search_texts({one.id: self._folded(one.record) for one, _, _ in new})

    def _folded(self, record: Any) -> dict[str, str]:
        folded = {name: text.folded(str(getattr(record, name))) for name in self.searched}
        return folded | {
            name: text.folded(html.visible(getattr(record, name))) for name in ("description", "excerpt")
        }


@dataclass
class _Namesake:
    """A record by its name: its id, and all of it when it is made now."""

    description: str
    id: int = 0
    record: Any = None

    def described_as(self, caseless: str) -> bool:
        return text.caseless(self.description) == caseless


def _named(model: Any, noun: str, role: str, *, names: list[Any], now: Any, me: Any) -> Any:
    visible = listed(model, Caller(now, me, role=role))
    return (
        model.select(model.id, getattr(model, noun), model.description)
        .where(*query_hints.first(model.name_caseless.in_(names), visible))
        .order_by(model.id)
    )


_NAMESAKES = CompiledQuery(_named)


def _readable(model: Any, role: str, *, ids: list[Any], now: Any, me: Any) -> Any:
    visible = readable(model, Caller(now, me, role=role))
    return model.select(model.id).where(*query_hints.first(model.id.in_(ids), visible))


_READABLE = CompiledQuery(_readable)


def _of_events(store: VenueOrganizerStore, role: str, *, ids: list[Any], now: Any, me: Any) -> Any:
    return (
        store.model.select(store.link.event, *columns(store.model))
        .join(store.link, on=(getattr(store.link, store.noun) == store.model.id))
        .where(*query_hints.first(store.link.event.in_(ids), listed(store.model, Caller(now, me, role=role))))
        .order_by(store.link.event, store.link.position)
    )


_OF_EVENTS = CompiledQuery(_of_events)


def line(value: str | None) -> str:
    """A one-line field as it is stored; null is empty."""
    return html.plain(value or "")


def _caseless(name: str) -> str:
    return text.caseless(name)[:191]
