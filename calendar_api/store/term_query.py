"""Lists of terms, and the number of their events (docs/interface.md#term-filters)."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from peewee import SQL, Case, Expression, Field, ModelSelect, Node, Ordering, fn

from calendar_api.database.models import Event, EventTerm, Term
from calendar_api.domain import text
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import InvalidParameters
from calendar_api.domain.translation import message
from calendar_api.representations.archive import Page
from calendar_api.representations.rows import CountedTermRow
from calendar_api.store import identifiers
from calendar_api.store.compiled_queries import CompiledQuery, Param
from calendar_api.store.terms import Terms, is_number
from calendar_api.store.visibility import (
    Params,
    event_is_readable,
    parameter_caller,
    published_events,
    readable,
    unlocked,
)


class _TermListShape(NamedTuple):
    """What decides the SQL of a list, beside the names of its values and the lengths of lists of them."""

    taxonomy: str
    role: str
    top: bool  # `parent` is 0
    not_empty: bool
    order_by: str
    descending: bool


def search(terms: Terms, query: Params, caller: Caller) -> Page[CountedTermRow]:
    """A page of rows of terms, each with its number of published events as `published_count`.

    Raises InvalidParameters.
    """
    problems = _unknown(terms, query, caller)
    if problems:
        raise InvalidParameters(problems)
    event = query.get("event", query.get("post"))
    values: dict[str, object] = {"now": caller.now, "me": caller.id}
    if query.get("parent"):
        values["parent"] = query["parent"]
    for name in sorted({"exclude", "include"} & query.keys()):  # slugs match nothing, as in the reference
        values[name] = [int(item) for item in query[name] if is_number(item)]
    if "search" in query:
        values |= {"name": text.folded(query["search"]), "fragment": identifiers.slug_key(query["search"])}
    if "slug" in query:
        values["slug"] = identifiers.slug_key(query["slug"])
    if event is not None:
        values["event"] = event
    order_by = query.get("orderby", "name")
    shape = _TermListShape(
        taxonomy=terms.taxonomy,
        role=caller.role,
        top=query.get("parent") == 0,
        not_empty=event is None and query["hide_empty"],
        order_by=order_by if order_by in _COLUMNS or order_by in ("include", "term_group") else "name",
        descending=query.get("order", "asc").lower() != "asc",
    )
    page: Page[CountedTermRow] = Page([], _count.number(shape, **values), query["page"], query["per_page"])
    first, last = page.bounds
    if first < last:
        page.records.extend(_page.objects(shape, **values, limit=last - first, offset=first))
    return page


def published_count(id: int, now: str) -> int:
    """The number of published events of a term."""
    return _published.number(id=id, now=now)


@CompiledQuery
def _published(*, id: Param, now: Param) -> ModelSelect:
    return Term.select(published_events(now)).where(Term.id == id)


@CompiledQuery
def _count(shape: _TermListShape, **given: Param) -> ModelSelect:
    return Term.select(fn.COUNT(SQL("*"))).where(*_clauses(shape, given))


@CompiledQuery
def _page(shape: _TermListShape, *, limit: Param, offset: Param, **given: Param) -> ModelSelect:
    terms = Term.select(Term, published_events(given["now"]).alias("published_count"))
    return terms.where(*_clauses(shape, given)).order_by(*_order(shape, given)).limit(limit).offset(offset)


def _clauses(shape: _TermListShape, given: Mapping[str, Param]) -> Iterator[Expression]:
    yield Term.taxonomy == shape.taxonomy
    if "name" in given:  # a substring of name or slug
        found_in_name = fn.INSTR(Term.name_folded, given["name"]) > 0
        yield found_in_name | (fn.INSTR(Term.slug, given["fragment"]) > 0)
    if "exclude" in given:
        yield Term.id.not_in(given["exclude"])
    if "include" in given:
        yield Term.id.in_(given["include"])
    if "parent" in given:
        yield Term.parent == given["parent"]
    if shape.top:
        yield Term.parent.is_null()
    if "slug" in given:
        yield Term.slug == given["slug"]
    if "event" in given:
        caller = parameter_caller(shape.role, given["now"], given["me"])
        terms = EventTerm.select(EventTerm.term).join(Event, on=(EventTerm.event == Event.id))
        shown = (Event.id == given["event"], readable(Event, caller), unlocked(caller))
        yield Term.id.in_(terms.where(*shown))
    elif shape.not_empty:
        yield _not_empty(shape.taxonomy, given["now"])


def _not_empty(taxonomy: str, now: str) -> Expression:
    """Terms of published events, and the ancestors of these categories."""
    used: Expression = published_events(now) > 0
    if taxonomy == "post_tag":
        return used
    above = Term.alias()
    base = Term.select(Term.id, Term.parent).where(Term.taxonomy == taxonomy, used)
    tree = base.cte("used_category", recursive=True, columns=("id", "parent_id"))
    climb = above.select(above.id, above.parent).join(tree, on=(above.id == tree.c.parent_id))
    climbing = tree.union(climb)
    return Term.id.in_(climbing.select_from(climbing.c.id))


def _order(shape: _TermListShape, given: Mapping[str, Param]) -> list[Ordering]:
    """`asc` is ascending and everything else descending; an unknown `orderby` is the name."""
    if shape.order_by == "include":
        places = [(id, place) for place, id in enumerate(given.get("include", ()))]
        if "include" in given:
            by = Case(Term.id, places, len(places)) if places else Term.id
            return [by.asc(), Term.id.asc()]
        by = Term.name_folded
    elif shape.order_by == "term_group":
        return [Term.id.desc() if shape.descending else Term.id.asc()]
    else:
        by = _COLUMNS[shape.order_by]
    return [by.desc() if shape.descending else by.asc(), Term.id.asc()]


def _beginning(column: Field) -> Node:
    """The part of a long text to sort by: databases sort by so many bytes, and differ in white space."""
    return fn.RTRIM(fn.REPLACE(fn.REPLACE(fn.SUBSTR(column, 1, 2000), "\n", " "), "\t", " "))


_COLUMNS: dict[str, Node] = {
    "id": Term.id,
    "name": Term.name_folded,
    "slug": Term.slug,
    "count": SQL("published_count"),
    "description": _beginning(Term.description),
    "parent": fn.COALESCE(Term.parent, 0),
}


def _unknown(terms: Terms, query: Params, caller: Caller) -> dict[str, str]:
    problems: dict[str, str] = {}
    for name in ("exclude", "include"):
        if name in query and None in terms.resolve(query[name]).values():
            problems[name] = message("{name} must be terms that exist, by id or slug.", name=name)
    if (
        query.get("parent")
        and not Term.select().where(Term.id == query["parent"], Term.taxonomy == "tribe_events_cat").exists()
    ):
        problems["parent"] = message("{name} must be the id of a category, or 0 for none.", name="parent")
    for name in ("post", "event"):
        if name in query and not event_is_readable(query[name], caller):
            problems[name] = message("{name} must be the id of an event that you may read.", name=name)
    return problems
