"""Events in order of their UTC start, then id (docs/interface.md#list-envelope, #event-filters)."""

from collections.abc import Iterator
from datetime import tzinfo

from peewee import JOIN, SQL, Join, ModelSelect, fn

from calendar_api.database.models import Event, Organizer, Term, Venue
from calendar_api.domain.auth import Caller
from calendar_api.representations.archive import Page
from calendar_api.representations.rows import EventRow, ListedEventRow
from calendar_api.store import date_range, documents, event_filters, query_hints
from calendar_api.store.compiled_queries import CompiledQuery, Param, padded
from calendar_api.store.event_filters import Shape, Values
from calendar_api.store.terms import Terms, categories, tags
from calendar_api.store.visibility import Params, parameter_caller, public, readable, scheduled

#: Up to this many matching events are sorted for a page instead of testing all in their order.
FEW = 300
#: Events of a long list that are in memory at the same time.
CHUNK = 250
#: Names in the title of a feed.
MOST_NAMES = 5


def search(params: Params, caller: Caller, zone: tzinfo) -> Page[ListedEventRow]:
    """A page of rows for `documents.load_events`; `zone` is that of the site. Raises InvalidParameters.

    With `newest_first` in `params`, which is no parameter of the interface, the last events are on the first
    page; on each page the order stays.
    """
    shape, values = event_filters.parse(params, caller, zone)
    total = _count.number(shape, **values)
    page: Page[ListedEventRow] = Page([], total, params["page"], params["per_page"])
    first, last = page.bounds
    if params.get("newest_first"):
        first, last = total - last, total - first
    if first < last:
        # Pages in the second half are read backwards, from the end.
        backwards = first > total // 2
        offset = total - last if backwards else first
        page.records[:] = _page.objects(
            shape, total <= FEW, backwards, **values, limit=last - first, offset=offset
        )
    return page


def search_all(
    params: Params, caller: Caller, zone: tzinfo, first: int, most: int, more: documents.More | None = None
) -> tuple[int, Iterator[list[ListedEventRow]]]:
    """The number of events that match, and rows of them as `rows_of` finds them, CHUNK at a time.

    The rows are `most` from position `first` on (0 is the first one), whatever page `params` ask for. They
    are read while they are iterated: it must be in the same transaction. Raises InvalidParameters.
    """
    shape, values = event_filters.parse(params, caller, zone)
    total = _count.number(shape, **values)
    found = _ids.rows(shape, total <= FEW, **values, limit=most, offset=first) if first < total else []
    ids = [id for id, _ in found]
    return total, (rows_of(ids[at : at + CHUNK], caller, more) for at in range(0, len(ids), CHUNK))


def protected(params: Params, caller: Caller, zone: tzinfo, most: int) -> list[ListedEventRow]:
    """The first rows with a password that match all filters but those on what a password masks."""
    rest = {name: value for name, value in params.items() if name not in event_filters.MASKED}
    return search({**rest, "password_set": True, "page": 1, "per_page": most}, caller, zone).records


def rows_of(ids: list[int], caller: Caller, more: documents.More | None = None) -> list[ListedEventRow]:
    """Rows for `documents.load_events`, of events that the caller may read, with one more column."""
    return _by_id.objects(caller.role, more, ids=padded(ids), now=caller.now, me=caller.id)


def spans(params: Params, caller: Caller, zone: tzinfo) -> list[EventRow]:
    """Rows of id, `start_date` and `end_date` (wall time) of all events that match, in their order.

    Raises InvalidParameters.
    """
    shape, values = event_filters.parse(params, caller, zone)
    return _spans.objects(shape, **values)


def neighbours(event: EventRow, now: str) -> tuple[EventRow | None, EventRow | None]:
    """The public events before and after one, as rows (id, slug, title); None where there is none."""
    found = [
        _neighbour.objects(later, start=event.utc_start_date, id=event.id, now=now) for later in (False, True)
    ]
    before, after = (rows[0] if rows else None for rows in found)
    return before, after


def filter_names(params: Params, caller: Caller) -> list[str]:
    """The categories, tags, venues and organizers of a checked query by name, then its search words.

    For the title of a feed: plain text, in the order of the query, at most MOST_NAMES; at most
    three statements for each filter.
    """
    found: list[str] = []
    for name, terms in (("categories", categories), ("tags", tags)):
        if name in params:
            found += _term_names_of(terms, params[name])
    for name, model in (("venue", Venue), ("organizer", Organizer)):
        if name in params:
            ids = list(dict.fromkeys(params[name]))
            rows = _names.rows(model, name, caller.role, ids=padded(ids), now=caller.now, me=caller.id)
            found += _in_order(ids, rows)
    return [*found, params["search"]][:MOST_NAMES] if params.get("search") else found[:MOST_NAMES]


def _term_names_of(terms: Terms, given: list[int | str]) -> list[str]:
    ids = [id for id in terms.resolve(given, by_name=False).values() if id is not None]
    return _in_order(ids, _term_names.rows(ids=padded(ids))) if ids else []


def _in_order(ids: list[int], rows: list[tuple[int, str]]) -> list[str]:
    by_id = {int(id): name for id, name in rows}
    return [by_id[id] for id in dict.fromkeys(ids) if id in by_id]


@CompiledQuery
def _count(shape: Shape, **given: Param) -> ModelSelect:
    count, clauses = fn.COUNT(SQL("*")), event_filters.clauses(shape, given)
    if clauses.keys() != {"hidden", "status"} or shape.statuses or Caller("", role=shape.role).may_write:
        return _narrowed(shape, given, clauses, few=True, for_count=True).select(count)
    # All published events but the few that are scheduled: to test the date of each would take twice the time.
    window = [clauses["hidden"], *date_range.clauses(shape.dates, given["instants"])]
    later = Event.select(count).where(scheduled(Event, given["now"]), *map(query_hints.unindexed, window))
    return Event.select(count - later).where(Event.status == "publish", *window)


@CompiledQuery
def _spans(shape: Shape, **given: Param) -> ModelSelect:
    found = _events(shape, given, few=True).alias("found")
    rows = Event.select(Event.id, Event.start_date, Event.end_date)
    rows = rows.from_(Join(found, Event, JOIN.CROSS, on=(Event.id == found.c.id)))
    return rows.order_by(Event.utc_start_date, Event.id)


@CompiledQuery
def _page(
    shape: Shape, few: bool, backwards: bool, *, limit: Param, offset: Param, **given: Param
) -> ModelSelect:
    found = _events(shape, given, few=few)
    order = (SQL("start"), SQL("id"))
    ordered = found.order_by(*(column.desc() if backwards else column for column in order))
    caller = parameter_caller(shape.role, given["now"], given["me"])
    return documents.events_of(ordered.limit(limit).offset(offset), caller)


@CompiledQuery
def _ids(shape: Shape, few: bool, *, limit: Param, offset: Param, **given: Param) -> ModelSelect:
    found = _events(shape, given, few=few)
    return found.order_by(SQL("start"), SQL("id")).limit(limit).offset(offset)


@CompiledQuery
def _by_id(role: str, more: documents.More | None, *, ids: list[Param], now: Param, me: Param) -> ModelSelect:
    some = Event.select(Event.id.alias("id")).where(Event.id.in_(ids))
    return documents.events_of(some, parameter_caller(role, now, me), more)


def _events(shape: Shape, given: Values, *, few: bool) -> ModelSelect:
    """Id and start of the events that match.

    Test all events in order; or, with `few`, first find all that match one filter, then apply the others.
    """
    return _narrowed(shape, given, event_filters.clauses(shape, given), few=few)


def _narrowed(
    shape: Shape,
    given: Values,
    clauses: dict[str, query_hints.Clause],
    *,
    few: bool,
    for_count: bool = False,
) -> ModelSelect:
    linked = [name for name in event_filters.LINKS if name in given]
    if len(linked) == 1 and len(given[linked[0]]) == 1 and not shape.indexed:
        return _linked_events(shape, given, linked[0], clauses)
    if few:
        found = event_filters.leading(shape, given, for_count=for_count)
        only = clauses.keys() - found.keys() <= {"hidden", "status", "password"}
        if for_count or shape.indexed or only:
            clauses |= found
    window = date_range.clauses(shape.dates, given["instants"])
    events = Event.select(Event.id.alias("id"), Event.utc_start_date.alias("start"))
    return events.where(*query_hints.led([*clauses.values(), *window]))


def _linked_events(
    shape: Shape, given: Values, name: str, clauses: dict[str, query_hints.Clause]
) -> ModelSelect:
    """The events of one term, venue or organizer, read in order from its links.

    Otherwise the database would sort all of them for each page, or test all events of the date range.
    """
    column = event_filters.LINKS[name]
    link = column.model
    others = [clause for one, clause in clauses.items() if one != name]
    return (
        link.select(link.event.alias("id"), link.utc_start_date.alias("start"))
        .join(Event, JOIN.CROSS)  # in this order: the links, then each event
        .where(
            column == given[name][0],
            Event.id == link.event,
            *others,
            *date_range.clauses(shape.dates, given["instants"], link.utc_start_date),
        )
    )


@CompiledQuery
def _neighbour(later: bool, *, start: Param, id: Param, now: Param) -> ModelSelect:
    order = (Event.utc_start_date, Event.id)
    if later:
        beyond = (Event.utc_start_date >= start) & ((Event.utc_start_date > start) | (Event.id > id))
    else:
        beyond = (Event.utc_start_date <= start) & ((Event.utc_start_date < start) | (Event.id < id))
        order = tuple(column.desc() for column in order)
    listed = public(Event, now) & Event.hide_from_listings.in_((False,))
    rows = Event.select(Event.id, Event.slug, Event.title).where(beyond, listed)
    return rows.order_by(*order).limit(1)


@CompiledQuery
def _names(
    model: type[Venue] | type[Organizer], noun: str, role: str, *, ids: list[Param], now: Param, me: Param
) -> ModelSelect:
    visible = readable(model, parameter_caller(role, now, me))
    return model.select(model.id, getattr(model, noun)).where(model.id.in_(ids), visible)


@CompiledQuery
def _term_names(*, ids: list[Param]) -> ModelSelect:
    return Term.select(Term.id, Term.name).where(Term.id.in_(ids))
