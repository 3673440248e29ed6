"""Find terms: by what a request calls them, and lists of them.

See docs/interface.md#terms-of-an-event and #term-filters.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from peewee import SQL, Case, Expression, Field, ModelSelect, Node, Ordering, fn

from calendar_api.database.models import Event, EventTerm, Term
from calendar_api.domain import text
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import InvalidParameters
from calendar_api.domain.translation import message
from calendar_api.representations.archive import Page
from calendar_api.store import slugs
from calendar_api.store.compiled_queries import CompiledQuery, Param, padded
from calendar_api.store.visibility import (
    Params,
    event_is_readable,
    parameter_caller,
    published_events,
    readable,
    unlocked,
)


def is_number(item: int | str) -> bool:
    if isinstance(item, int):
        return abs(item) < 10**18  # larger numbers do not fit into the database
    return item.isascii() and item.isdigit() and len(item) <= 18


@lru_cache(maxsize=256)  # a request looks a name up twice, and an import the same names again and again
def possible_slugs(name: str) -> tuple[str, str]:
    """The slugs that a text in a request can mean: itself, or the slug of a name."""
    return slugs.key(name.strip()), text.slug(name)


class KnownTerms:
    """Terms by id, slug and name."""

    def __init__(self, *, by_name: bool) -> None:
        self.by_name = by_name
        self.ids: set[int] = set()
        self.by_slug: dict[str, int] = {}
        self.named: dict[str, int] = {}

    def add(self, id: int, slug: str, name: str) -> None:
        self.ids.add(id)
        if slug:
            self.by_slug[slug] = id
        if self.by_name:
            self.named.setdefault(text.casefold(name), id)

    def match(self, item: int | str) -> int | None:
        """By id, else by slug, else by name (docs/interface.md#terms-of-an-event)."""
        if is_number(item) and int(item) in self.ids:
            return int(item)
        if isinstance(item, int):
            return None
        found = next((self.by_slug[slug] for slug in possible_slugs(item) if slug in self.by_slug), None)
        if found is not None or not self.by_name:
            return found
        return self.named.get(text.casefold(text.plain(item)))


class _TermListShape(NamedTuple):
    """What decides the SQL of a list, beside the names of its values and the lengths of lists of them."""

    taxonomy: str
    role: str
    top: bool  # `parent` is 0
    not_empty: bool
    order_by: str
    descending: bool


@dataclass(frozen=True)
class TermQuery:
    """Reads the terms of one taxonomy; categories have parents, tags have none."""

    noun: Literal["category", "tag"]
    taxonomy: Literal["tribe_events_cat", "post_tag"]
    hierarchical: bool

    def search(self, query: Params, caller: Caller) -> Page[Any]:
        """A page of rows of terms, each with its number of published events as `published_count`.

        Raises InvalidParameters.
        """
        problems = _unknown(self, query, caller)
        if problems:
            raise InvalidParameters(problems)
        event = query.get("event", query.get("post"))
        values: dict[str, Any] = {"now": caller.now, "me": caller.id}
        if query.get("parent"):
            values["parent"] = query["parent"]
        for name in sorted({"exclude", "include"} & query.keys()):  # slugs match nothing, as in the reference
            values[name] = [int(item) for item in query[name] if is_number(item)]
        if "search" in query:
            values |= {"name": text.folded(query["search"]), "fragment": slugs.key(query["search"])}
        if "slug" in query:
            values["slug"] = slugs.key(query["slug"])
        if event is not None:
            values["event"] = event
        order_by = query.get("orderby", "name")
        shape = _TermListShape(
            taxonomy=self.taxonomy,
            role=caller.role,
            top=query.get("parent") == 0,
            not_empty=event is None and query["hide_empty"],
            order_by=order_by if order_by in _COLUMNS or order_by in ("include", "term_group") else "name",
            descending=query.get("order", "asc").lower() != "asc",
        )
        page: Page[Any] = Page([], _count.number(shape, **values), query["page"], query["per_page"])
        first, last = page.bounds
        if first < last:
            page.records.extend(_page.objects(shape, **values, limit=last - first, offset=first))
        return page

    def all_parents(self) -> dict[int, tuple[str, int | None]]:
        """Slug and parent of every category by id, with one statement; {} for tags."""
        if not self.hierarchical:
            return {}
        rows = _parents.rows(taxonomy=self.taxonomy)
        return {int(id): (slug, parent) for id, slug, parent in rows}

    def with_descendants_of(self, given: list[int | str]) -> set[int] | None:
        """The ids of the terms with these ids or slugs and of their descendants; None if one is unknown.

        A mere name is known but finds nothing: lists are filtered by id and slug
        (docs/interface.md#event-filters).
        """
        parents = self.all_parents()
        if self.hierarchical:
            known = KnownTerms(by_name=False)
            for id, (slug, _) in parents.items():
                known.add(id, slug, "")
        else:
            known = self._known(given, by_name=False)
        by_item = {item: known.match(item) for item in given}
        lacking = [item for item, id in by_item.items() if id is None]
        if lacking and None in self.resolve(lacking).values():
            return None
        return _with_descendants({id for id in by_item.values() if id is not None}, parents)

    def with_descendants(self, id: int) -> set[int]:
        """The id of a term and those of all terms below it."""
        return _with_descendants({id}, self.all_parents())

    def resolve(self, given: list[int | str], *, by_name: bool = True) -> dict[int | str, int | None]:
        """The id of each item, None if unknown, with one statement: found by id, else slug, else name.

        See docs/interface.md#terms-of-an-event.
        """
        known = self._known(given, by_name=by_name)
        return {item: known.match(item) for item in given}

    def _known(self, given: list[int | str], *, by_name: bool = True) -> KnownTerms:
        """The terms that these items can mean."""
        names = [item for item in given if isinstance(item, str)]
        folded = [text.folded(text.plain(name)) for name in names] if by_name else []
        possible = [slug for name in names for slug in possible_slugs(name)]
        ids = [int(item) for item in given if is_number(item)]
        rows = _known.rows(
            taxonomy=self.taxonomy, ids=padded(ids), slugs=padded(possible), folded=padded(folded)
        )
        known = KnownTerms(by_name=by_name)
        for id, slug, name in rows:
            known.add(int(id), slug, name)
        return known


@CompiledQuery
def _count(shape: _TermListShape, **given: Any) -> ModelSelect:
    return Term.select(fn.COUNT(SQL("*"))).where(*_clauses(shape, given))


@CompiledQuery
def _page(shape: _TermListShape, *, limit: Param, offset: Param, **given: Any) -> ModelSelect:
    terms = Term.select(Term, published_events(given["now"]).alias("published_count"))
    return terms.where(*_clauses(shape, given)).order_by(*_order(shape, given)).limit(limit).offset(offset)


@CompiledQuery
def _parents(*, taxonomy: Param) -> ModelSelect:
    return Term.select(Term.id, Term.slug, Term.parent).where(Term.taxonomy == taxonomy)


@CompiledQuery
def _known(*, taxonomy: Param, ids: list[Param], slugs: list[Param], folded: list[Param]) -> ModelSelect:
    named = Term.id.in_(ids)
    if slugs or folded:  # this reads every term: names have no index
        named |= Term.slug.in_(slugs) | Term.name_folded.in_(folded)
    rows = Term.select(Term.id, Term.slug, Term.name).where(Term.taxonomy == taxonomy, named)
    return rows.order_by(Term.id)


def _with_descendants(ids: set[int], parents: Mapping[int, tuple[str, int | None]]) -> set[int]:
    children: dict[int | None, list[int]] = {}
    for id, (_, parent) in parents.items():
        children.setdefault(parent, []).append(id)
    found: set[int] = set()
    waiting = list(ids)
    while waiting:
        id = waiting.pop()
        if id not in found:
            found.add(id)
            waiting.extend(children.get(id, ()))
    return found


def _clauses(shape: _TermListShape, given: Mapping[str, Any]) -> Iterator[Expression]:
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


def _order(shape: _TermListShape, given: Mapping[str, Any]) -> list[Ordering]:
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


_COLUMNS: dict[str, Any] = {
    "id": Term.id,
    "name": Term.name_folded,
    "slug": Term.slug,
    "count": SQL("published_count"),
    "description": _beginning(Term.description),
    "parent": fn.COALESCE(Term.parent, 0),
}


def _unknown(terms: TermQuery, query: Params, caller: Caller) -> dict[str, str]:
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
