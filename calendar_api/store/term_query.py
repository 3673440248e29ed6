"""The filters and the order of category and tag lists (docs/interface.md#term-filters)."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from peewee import SQL, Case, Expression, Field, Node, Ordering, Value, fn

from calendar_api.database.models import Event, EventTerm, Term
from calendar_api.domain import text
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import InvalidParameters
from calendar_api.domain.translation import message
from calendar_api.store import slugs, term_counts
from calendar_api.store.paging import Page, paginate
from calendar_api.store.term_counts import counted
from calendar_api.store.visibility import Params, event_is_readable, readable, unlocked

Resolve: TypeAlias = Callable[[list[int | str]], dict[int | str, int | None]]


def search(taxonomy: str, query: Params, caller: Caller, resolve: Resolve) -> Page[Term]:
    """A page of terms, each with its number of published events as `published_count`.

    Raises InvalidParameters.
    """
    problems = _unknown(query, caller, resolve)
    if problems:
        raise InvalidParameters(problems)
    count = term_counts.count(caller.now)
    terms = Term.select(Term, count.alias("published_count")).where(
        Term.taxonomy == taxonomy, *_clauses(query, taxonomy, caller)
    )
    return paginate(terms.order_by(*_order(query)), query["page"], query["per_page"])


def _clauses(query: Params, taxonomy: str, caller: Caller) -> Iterator[Expression]:
    if "search" in query:  # a substring of name or slug
        name, slug = text.folded(query["search"]), slugs.key(query["search"])
        yield (fn.INSTR(Term.name_folded, name) > 0) | (fn.INSTR(Term.slug, slug) > 0)
    if "exclude" in query:
        yield Term.id.not_in(_numbers(query["exclude"]))
    if "include" in query:
        yield Term.id.in_(_numbers(query["include"]))
    if "parent" in query:
        yield Term.parent == query["parent"] if query["parent"] else Term.parent.is_null()
    if "slug" in query:
        yield Term.slug == slugs.key(query["slug"])
    event = query.get("event", query.get("post"))
    if event is not None:
        terms = EventTerm.select(EventTerm.term).join(Event, on=(EventTerm.event == Event.id))
        yield Term.id.in_(terms.where(Event.id == event, readable(Event, caller), unlocked(caller)))
    elif query["hide_empty"]:
        yield _not_empty(taxonomy, caller.now)


def _not_empty(taxonomy: str, now: str) -> Expression:
    """Terms of published events, and the ancestors of these categories."""
    used = EventTerm.select(EventTerm.term).where(counted(now))
    if taxonomy == "post_tag":
        return Term.id.in_(used)
    above = Term.alias()
    base = Term.select(Term.id, Term.parent).where(Term.taxonomy == taxonomy, Term.id.in_(used))
    tree = base.cte("used_category", recursive=True, columns=("id", "parent_id"))
    climb = above.select(above.id, above.parent).join(tree, on=(above.id == tree.c.parent_id))
    climbing = tree.union(climb)
    return Term.id.in_(climbing.select_from(climbing.c.id))


def _order(query: Params) -> list[Ordering]:
    """`asc` is ascending and everything else descending; an unknown `orderby` is the name."""
    descending = query.get("order", "asc").lower() != "asc"
    by = {
        "id": Term.id,
        "name": Term.name_folded,
        "slug": Term.slug,
        "count": SQL("published_count"),
        "description": _beginning(Term.description),
        "term_group": Value(0),
        "parent": fn.COALESCE(Term.parent, 0),
    }.get(query.get("orderby", "name"), Term.name_folded)
    if query.get("orderby") == "include" and "include" in query:
        places = [(id, place) for place, id in enumerate(_numbers(query["include"]))]
        by = Case(Term.id, places, len(places)) if places else Term.id
        return [by.asc(), Term.id.asc()]
    if query.get("orderby") == "term_group":
        return [Term.id.desc() if descending else Term.id.asc()]
    return [by.desc() if descending else by.asc(), Term.id.asc()]


def _beginning(column: Field) -> Node:
    """The part of a long text to sort by: databases sort by so many bytes, and differ in white space."""
    return fn.RTRIM(fn.REPLACE(fn.REPLACE(fn.SUBSTR(column, 1, 2000), "\n", " "), "\t", " "))


def _numbers(items: list[str]) -> list[int]:
    """The ids among the items; slugs pass the check and match nothing, as in the reference."""
    return [int(item) for item in items if item.isascii() and item.isdigit() and len(item) <= 18]


def _unknown(query: Params, caller: Caller, resolve: Resolve) -> dict[str, str]:
    problems: dict[str, str] = {}
    for name in ("exclude", "include"):
        if name in query and None in resolve(query[name]).values():
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
