"""Random requests as data: valid ones for the greater part, on every route, by every kind of caller."""

from collections.abc import Callable
from functools import cache
from typing import Any

from hypothesis import strategies as st

from tests.differential import texts
from tests.differential.filters import FILTERS, SEARCHES
from tests.differential.values import (
    ARCHIVES,
    EDGES,
    FAVOURITES,
    FIELDS,
    NAMES,
    PUBLISHED,
    backs,
    dates,
    day,
    latitudes,
    longitudes,
    numbers,
    passwords,
    reference,
    slugs,
    wrong,
)  # fmt: skip

Json = dict[str, Any]
Draw = Callable[[st.SearchStrategy[Any]], Any]

# Most lists are asked for the whole calendar: the usual window hides most dates of the pool.
_ALWAYS = "start_date=1000-01-03&end_date=9999-12-28"
_selections = st.sampled_from(
    [
        "id,slug",
        "rest_url,total",
        "events.title,events.venue.venue",
        "id",
        "venues.city,total_pages",
        "nothing",
    ]
)

_WEIGHTS = {
    "list event": 18, "list venue": 5, "list organizer": 5, "list category": 7, "list tag": 5,
    "create event": 15, "create venue": 5, "create organizer": 4, "create category": 5, "create tag": 4,
    "one event": 5, "one venue": 3, "one organizer": 3, "one category": 2, "one tag": 2,
    "update event": 10, "update venue": 5, "update organizer": 4, "update category": 4, "update tag": 3,
    "delete event": 3, "delete venue": 2, "delete organizer": 2, "delete category": 1, "delete tag": 1,
    "describe": 8, "index": 1, "stray": 1,
}  # fmt: skip
_percent = st.integers(0, 99)
_readers = st.sampled_from(
    [None, None, None, "admin", "admin", "admin", "editor", "author", "author2", "contributor", "subscriber"]
)
_writers = st.sampled_from(
    ["admin"] * 8 + ["editor"] * 4 + ["author"] * 3 + ["author2", "contributor", "contributor"]
)
_anybody = st.sampled_from([None, "subscriber", "contributor2", "contributor", "author", "admin"])
_spellings = st.sampled_from(["same"] * 12 + ["upper", "NFD", "space after", "space before", "without last"])
_pauses = st.sampled_from([0] * 6 + [1, 1, 1, 5, 60, 3600, 86_400])
_agains = st.sampled_from([0] * 40 + [1, 4])
_strays = st.sampled_from(
    [
        ("PUT", "events"), ("DELETE", "venues"), ("PATCH", "tags"), ("POST", ""), ("GET", "event"),
        ("GET", "events/x"),
        ("GET", "categories/by-slug/jazz"), ("GET", "tags/1/2"), ("BREW", "events"),
        ("GET", "events/%F0%9F%8E%B7"),
        ("GET", "events/99999999999999999999"), ("GET", "venues/9223372036854775807"), ("GET", "Events"),
    ]
)  # fmt: skip


@cache
def _choices(kinds: tuple[str, ...]) -> st.SearchStrategy[str]:
    names = [name for name, weight in _WEIGHTS.items() for _ in range(weight) if name.startswith(kinds)]
    return st.sampled_from(names)


@st.composite
def requests(draw: Draw, kinds: tuple[str, ...] = ("",)) -> Json:
    """One request: `operation` is what it counts as; it is sent once more after `again` others.

    `kinds` are beginnings of keys of `_WEIGHTS`.
    """
    what, _, kind = draw(_choices(kinds)).partition(" ")
    request: Json = {"query": [], "headers": {}, "pause": draw(_pauses), "again": draw(_agains)}
    request |= _MAKERS[what](draw, kind)
    chance = draw(_percent)
    if chance < 2:
        request["caller"] = draw(st.sampled_from(["nobody:x", "admin:wrong", "Admin:", "ädmin:🎷"]))
    elif chance < 5:
        request["query"] = [*request["query"], ["_fields", draw(_selections)]]
    elif chance < 6:
        request["query"] = [*request["query"], [draw(texts.varied), draw(texts.varied)]]
    return request


def _asked(draw: Draw, kind: str, most: int) -> list[list[Any]]:
    fields = FILTERS[kind]
    careless = draw(_percent) < 12
    query: list[list[Any]] = [["search", draw(SEARCHES[kind])]] if draw(_percent) < 50 else []
    most = min(most, 1) if query else most  # so that something is found
    names = draw(st.lists(st.sampled_from(list(fields)), max_size=most, unique=True))
    for name in names:
        if name == "geoloc_near":
            query += [["geoloc_lat", draw(latitudes)], ["geoloc_lng", draw(longitudes)]]
            query += [["geoloc_distance", draw(st.sampled_from([0.001, 1, 25, 5000, 20038]))]]
        elif careless and draw(_percent) < 60:
            query.append([name, draw(st.one_of(numbers, texts.odd))])
        else:
            query.append([name, draw(fields[name])])
    return query


def _listing(draw: Draw, kind: str) -> Json:
    query = _asked(draw, kind, 3)
    if kind == "event" and draw(_percent) < 65:
        query = [*(pair.split("=") for pair in _ALWAYS.split("&")), *query]
    if kind in ("category", "tag") and draw(_percent) < 60:
        query = [["hide_empty", "0"], *query]
    return {
        "operation": f"GET /{ARCHIVES[kind]}", "method": "GET", "path": [ARCHIVES[kind]], "query": query,
        "caller": draw(_readers), "headers": _unless_known(draw, kind),
    }  # fmt: skip


def _unless_known(draw: Draw, kind: str, back: int = 0) -> Json:
    if draw(_percent) >= 8:
        return {}
    return {"If-None-Match": draw(st.sampled_from([_tag(kind, back), "*", '"x"', 'W/"x", "y"']))}


def _tag(kind: str, back: int, age: int = 0) -> Json:
    """The entity tag that this caller saw last for the record, or the one before it."""
    return {"$": "etag", "kind": kind, "back": back, "age": age}


def _create(draw: Draw, kind: str) -> Json:
    body = _body(draw, kind, "create")
    headers: Json = {}
    again: Json = {}
    if draw(_percent) < 8:
        again = {"again": draw(st.sampled_from([0, 1, 2, 5]))}
        headers["Idempotency-Key"] = draw(
            st.sampled_from(["k1", "k2", "K1", "k3", "k4", "k1 ", "k" * 255, "k" * 256, "ä"])
        )
    return {
        "operation": f"POST /{ARCHIVES[kind]}", "method": "POST", "path": [ARCHIVES[kind]],
        "caller": _writer(draw), "headers": headers, **_sent(draw, body), **again,
    }  # fmt: skip


def _writer(draw: Draw) -> str | None:
    return draw(_anybody) if draw(_percent) < 8 else draw(_writers)


def _body(draw: Draw, kind: str, role: str) -> Json:
    fields = FIELDS[kind]
    favourites = [name for name in FAVOURITES[kind] if name in fields]
    names = draw(st.lists(st.sampled_from([*fields, *favourites, *favourites]), max_size=5, unique=True))
    needed = [NAMES[kind]] if role == "create" or draw(_percent) < 20 else []
    body = {name: draw(fields[name]) for name in dict.fromkeys([*needed, *names])}
    if kind == "event" and (role == "create" or "start_date" in body or "end_date" in body):
        body |= _when(draw)
    if "geo_lat" in body or "geo_lng" in body:
        body |= {"geo_lat": draw(latitudes), "geo_lng": draw(longitudes)}
    if "author" in body and draw(_percent) < 60:
        del body["author"]  # few callers may send it
    careless = draw(_percent)
    if careless < 14 and body:
        name = draw(st.sampled_from([*body, *fields]))
        body[name] = draw(st.one_of(wrong, texts.odd))
    elif careless < 17 and needed:
        del body[needed[0]]
    return body


def _when(draw: Draw) -> Json:
    chance = draw(_percent)
    if chance < 10:
        first, second = sorted((draw(st.sampled_from(EDGES)), draw(st.sampled_from(EDGES))))
    elif chance < 18:
        first, second = draw(dates), draw(dates)
    else:
        start = draw(st.integers(-240, 480))
        first, second = day(start), day(start + draw(st.sampled_from([0, 1, 2, 24, 72])))
    return {"start_date": first, "end_date": second}


def _sent(draw: Draw, body: Json) -> Json:
    """A body as JSON, as a form when that can say the same, or broken."""
    chance = draw(_percent)
    if chance < 5 and all(isinstance(value, str | int) for value in body.values()):
        return {"form": [[name, value] for name, value in body.items()]}
    if chance < 7:
        return {"raw": draw(st.sampled_from(["{", "[]", '"x"', "nonsense", '{"title": NaN}', ""]))}
    return {"body": body}


def _address(draw: Draw, kind: str) -> tuple[str, list[Any], int]:
    """A route below an archive, the path to a record there, and which record that is."""
    archive, back = ARCHIVES[kind], draw(backs)
    if kind in PUBLISHED and draw(_percent) < 40:
        slug = reference(kind, back, "slug") | {"how": draw(_spellings)}
        slug = slug if draw(_percent) < 85 else draw(slugs)
        return f"/{archive}/by-slug/{{slug}}", [archive, "by-slug", slug], back
    if draw(_percent) < 4:
        other = draw(st.sampled_from([*ARCHIVES, "image"]))
        return f"/{archive}/{{id}}", [archive, reference(other, back)], back
    return f"/{archive}/{{id}}", [archive, reference(kind, back)], back


def _one(draw: Draw, kind: str) -> Json:
    route, path, back = _address(draw, kind)
    query = [["password", draw(passwords)]] if kind == "event" and draw(_percent) < 25 else []
    return {
        "operation": f"GET {route}", "method": "GET", "path": path, "query": query,
        "caller": draw(_readers), "headers": _unless_known(draw, kind, back),
    }  # fmt: skip


def _update(draw: Draw, kind: str) -> Json:
    route, path, back = _address(draw, kind)
    method = draw(st.sampled_from(["POST", "PUT", "PATCH"]))
    return _maybe_overridden(
        draw,
        {
            "operation": f"{method} {route}", "method": method, "path": path, "caller": _writer(draw),
            "headers": _if_match(draw, kind, back), **_sent(draw, _body(draw, kind, "update")),
        },
    )  # fmt: skip


def _if_match(draw: Draw, kind: str, back: int) -> Json:
    if draw(_percent) >= 12:
        return {}
    age = draw(st.sampled_from([0, 0, 0, 1]))
    return {"If-Match": draw(st.sampled_from([_tag(kind, back, age), "*", '"x"', ""]))}


def _maybe_overridden(draw: Draw, request: Json) -> Json:
    if request["method"] not in ("PUT", "PATCH", "DELETE") or draw(_percent) >= 8:
        return request
    override = {"X-HTTP-Method-Override": request["method"]}
    return request | {"method": "POST", "headers": request["headers"] | override}


def _delete(draw: Draw, kind: str) -> Json:
    route, path, back = _address(draw, kind)
    request = {
        "operation": f"DELETE {route}", "method": "DELETE", "path": path, "caller": _writer(draw),
        "headers": _if_match(draw, kind, back),
    }  # fmt: skip
    return _maybe_overridden(draw, request)


def _describe(draw: Draw, _: str) -> Json:
    """HEAD and OPTIONS on any route."""
    method = draw(st.sampled_from(["HEAD", "OPTIONS"]))
    kind = draw(st.sampled_from(list(ARCHIVES)))
    chance = draw(_percent)
    if chance < 8:
        route, path, query = "/", [], draw(st.sampled_from([[], [["namespace", "other"]]]))
    elif chance < 40:
        route, path, query = f"/{ARCHIVES[kind]}", [ARCHIVES[kind]], _asked(draw, kind, 2)
    else:
        route, path, _back = _address(draw, kind)
        query = []
    caller = draw(st.one_of(_readers, st.just("admin:wrong")))
    return {
        "operation": f"{method} {route}", "method": method, "path": path, "query": query, "caller": caller,
    }  # fmt: skip


def _index(draw: Draw, _: str) -> Json:
    query = draw(st.sampled_from([[], [], [["namespace", "other"]], [["context", "edit"]]]))
    return {"operation": "GET /", "method": "GET", "path": [], "query": query, "caller": draw(_readers)}


def _stray(draw: Draw, _: str) -> Json:
    method, path = draw(_strays)
    return {
        "operation": "stray", "method": method, "path": [{"$": "plain", "text": path}],
        "caller": draw(_readers),
    }  # fmt: skip


_MAKERS: dict[str, Callable[[Draw, str], Json]] = {
    "list": _listing, "create": _create, "one": _one, "update": _update, "delete": _delete,
    "describe": _describe, "index": _index, "stray": _stray,
}  # fmt: skip
