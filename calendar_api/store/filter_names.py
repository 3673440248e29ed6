"""The names of the records that a list of events is narrowed to, for the title of its feed."""

from peewee import ModelSelect

from calendar_api.database.models import Organizer, Term, Venue
from calendar_api.domain.auth import Caller
from calendar_api.store.compiled_queries import CompiledQuery, Param, padded
from calendar_api.store.terms import Terms, categories, tags
from calendar_api.store.visibility import Params, parameter_caller, readable

MOST = 5


def names(params: Params, caller: Caller) -> list[str]:
    """The categories, tags, venues and organizers of a checked query by name, then its search words.

    Plain text, in the order of the query, at most MOST; at most three statements for each filter.
    """
    found: list[str] = []
    for name, terms in (("categories", categories), ("tags", tags)):
        if name in params:
            found += _terms(terms, params[name])
    for name, model in (("venue", Venue), ("organizer", Organizer)):
        if name in params:
            ids = list(dict.fromkeys(params[name]))
            rows = _NAMES.rows(model, name, caller.role, ids=padded(ids), now=caller.now, me=caller.id)
            found += _in_order(ids, rows)
    return [*found, params["search"]][:MOST] if params.get("search") else found[:MOST]


def _terms(terms: Terms, given: list[int | str]) -> list[str]:
    ids = [id for id in terms.resolve(given, by_name=False).values() if id is not None]
    return _in_order(ids, _TERMS.rows(ids=padded(ids))) if ids else []


def _in_order(ids: list[int], rows: list[tuple[int, str]]) -> list[str]:
    by_id = {int(id): name for id, name in rows}
    return [by_id[id] for id in dict.fromkeys(ids) if id in by_id]


def _names(
    model: type[Venue] | type[Organizer], noun: str, role: str, *, ids: list[Param], now: Param, me: Param
) -> ModelSelect:
    visible = readable(model, parameter_caller(role, now, me))
    return model.select(model.id, getattr(model, noun)).where(model.id.in_(ids), visible)


def _term_names(*, ids: list[Param]) -> ModelSelect:
    return Term.select(Term.id, Term.name).where(Term.id.in_(ids))


_NAMES = CompiledQuery(_names)
_TERMS = CompiledQuery(_term_names)
