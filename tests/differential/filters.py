"""What the query strings of lists ask for: a strategy for each filter, by kind of record."""

from typing import Any

from hypothesis import strategies as st

from calendar_api.domain.auth import STATUSES
from tests.differential import texts
from tests.differential.values import ARCHIVES, Fields, backs, dates, ids, joined, passwords, reference, slugs

_flags_asked = st.sampled_from(["true", "false", "1", "0"])
_PAGES: Fields = {
    "page": st.sampled_from(["1", "1", "1", "2", "2", "3", "50"]),
    "per_page": st.sampled_from(["1", "2", "3", "5", "50", "51", "1000"]),
}
_STATUS_ASKED = st.lists(st.sampled_from(STATUSES), min_size=1, max_size=3).map(",".join)


def _named(kind: str) -> st.SearchStrategy[Any]:
    """The name of a record, or something like it."""
    return st.builds(lambda back, how: reference(kind, back, "name") | {"how": how}, backs, _ways)


_ways = st.sampled_from(["same", "upper", "half"] * 3 + list(texts.VARIATIONS))
SEARCHES = {kind: st.one_of(_named(kind), _named(kind), _named(kind), texts.queries) for kind in ARCHIVES}


def _some(one: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(one, one, st.lists(one, min_size=2, max_size=4).map(joined))


_LINKED_FILTERS: Fields = _PAGES | {
    "event": ids("event"),
    "has_events": st.sampled_from(["true", "1", "yes", "no", "0", ""]),
    "only_with_upcoming": st.sampled_from(["true", "1", "no", ""]),
    "status": _STATUS_ASKED,
}
_ORDERS = (
    "id", "name", "slug", "count", "description", "term_group", "parent", "include", "date", "Name", "İd",
)  # fmt: skip


def _term_filters(kind: str) -> Fields:
    near = st.builds(lambda back, how: reference(kind, back, "slug") | {"how": how}, backs, _ways)
    slug = st.one_of(backs.map(lambda back: reference(kind, back, "slug")), near, slugs)
    return _PAGES | {
        "exclude": _some(st.one_of(ids(kind), ids(kind), slug)),
        "include": _some(st.one_of(ids(kind), ids(kind), slug)),
        "order": st.sampled_from(["asc", "desc", "ASC", "Desc", "down"]),
        "orderby": st.sampled_from(_ORDERS),
        "hide_empty": _flags_asked,
        "post": ids("event"),
        "event": ids("event"),
        "slug": slug,
    }


def _term_asked(kind: str) -> st.SearchStrategy[Any]:
    slug = backs.map(lambda back: reference(kind, back, "slug"))
    return _some(st.one_of(ids(kind), ids(kind), slug, slug, texts.common))


FILTERS: dict[str, Fields] = {
    "event": _PAGES
    | dict.fromkeys(
        ("start_date", "end_date", "starts_before", "starts_after", "ends_before", "ends_after"), dates
    )
    | {
        "strict_dates": st.sampled_from(["true", "false", "1", "yes", "0"]),
        "categories": _term_asked("category"),
        "tags": _term_asked("tag"),
        "venue": _some(ids("venue")),
        "organizer": _some(ids("organizer")),
        "featured": _flags_asked,
        "ticketed": _flags_asked,
        "status": _STATUS_ASKED,
        "geoloc": _flags_asked,
        "geoloc_near": st.just(None),
        "include": _some(ids("event")),
        "post_parent": ids("event"),
        "password": passwords.filter(bool),
    },
    "venue": _LINKED_FILTERS,
    "organizer": _LINKED_FILTERS,
    "category": _term_filters("category") | {"parent": st.one_of(ids("category"), st.just("0"))},
    "tag": _term_filters("tag"),
}
