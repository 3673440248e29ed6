"""Random requests as data: valid ones for the greater part, on every route, by every kind of caller.

A request says nothing that one database knows and the other does not: records are named by how long ago
they were made, entity tags by whose they are. Each world fills in what its own database gave; see `worlds`.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from calendar_api.auth import STATUSES
from tests.differential import texts

Json = dict[str, Any]
Draw = Callable[[st.SearchStrategy[Any]], Any]
Fields = dict[str, st.SearchStrategy[Any]]

#: When the first request of a world is sent.
BEGINNING = datetime(2026, 6, 15, 12)
UNKNOWN_ID = 4_000_000_000

ARCHIVES = {
    "event": "events", "venue": "venues", "organizer": "organizers", "category": "categories", "tag": "tags",
}  # fmt: skip
PUBLISHED = ("event", "venue", "organizer")
OVERRIDABLE = ("PUT", "PATCH", "DELETE")


def reference(kind: str, back: int, form: str = "id") -> Json:
    """The id (or the slug, or the name) of the record made as the last of its kind but `back`."""
    return {"$": form, "kind": kind, "back": back}


def joined(parts: list[Any], separator: str = ",") -> Json:
    return {"$": "joined", "parts": parts, "separator": separator}


def user(login: str) -> Json:
    return {"$": "user", "login": login}


# -- values

backs = st.sampled_from([0, 0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 8, 10, 13, 17, 25])


def ids(kind: str) -> st.SearchStrategy[Any]:
    return backs.map(lambda back: reference(kind, back))


numbers = st.sampled_from(
    [
        0, -1, 1, 2, 3, 7, 10, 50, 51, 100, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 2**53 + 1, 10**18 - 1,
        10**18, 2**63 - 1, 2**63, 2**64, 10**30, 1.0, 1.5, -0.5, 1e300,
    ]
)  # fmt: skip
wrong = st.one_of(
    numbers,
    texts.hostile,
    texts.long,
    st.sampled_from(
        [
            None, True, False, "", "0", " ", [], {}, [[]], [None], ["x"], {"id": 0}, {"id": "x"}, {"a": "b"},
            "yes", "-1", "1.5", "1e5", "２", "99999999999999999999", "nowhere", "\x00", "\ud800",
        ]
    ),
)  # fmt: skip
flags = st.sampled_from([True, False, True, False, "yes", "no", "1", "0", 1, 0, "ON", "false"])
zones = st.sampled_from(
    [
        "UTC",
        "Europe/Berlin",
        "America/New_York",
        "Asia/Kolkata",
        "Pacific/Apia",
        "UTC+2",
        "UTC-4:30",
        "+14:00",
        "",
    ]
)
_EDGES = (
    "1000-01-02 00:00:00", "1000-01-03 12:00:00", "1582-10-10 10:00:00", "1899-12-31 23:59:59",
    "1900-01-01 00:00:00", "1969-12-31 23:59:59", "1970-01-01 00:00:00", "2038-01-19 03:14:08",
    "2106-02-07 06:28:16", "9999-12-29 23:59:59", "9999-12-30 10:00:00",
)  # fmt: skip
_odd_dates = st.sampled_from(
    [
        "1000-01-01 00:00:00", "0999-12-31", "9999-12-31 23:59:59", "2026-02-30", "2024-02-29", "0",
        "2026-03-29 02:30:00", "2026-10-25 02:30:00", "2026-06-16T10:00:00Z", "2026-06-16T10:00:00+05:30",
        "tomorrow", "yesterday 9am", "+2 weeks", "next friday", "20260620", "1781600000", "@1781600000",
        1781600000,
        "2026-06-16 10:00:00.999999", "31.12.2026", "12/31/2026", "2026-06", "now", "2016-12-31 23:59:60",
    ]
)  # fmt: skip


def _day(hours: int) -> str:
    return str(BEGINNING + timedelta(hours=hours))


near_dates = st.integers(-240, 480).map(lambda hours: _day(hours * 2))
dates = st.one_of(near_dates, near_dates, near_dates, st.sampled_from(_EDGES), _odd_dates)
addresses = st.sampled_from(
    [
        "https://example.org/",
        "http://example.org/a?b=c&d=e",
        "https://example.org/ä",
        "https://EXAMPLE.org/Ä",
        "https://example.org/%C3%A4",
        "https://例え.jp/",
    ]
)
images = st.one_of(
    st.sampled_from(
        [
            "https://example.org/a.jpg", "https://example.org/A.JPG", "https://example.org/ä.png",
            "https://example.org/a\u0308.png", "https://example.org/🎷.webp", "https://example.org/a.jpg ",
            "", None,
        ]
    ),
    ids("image"),
)  # fmt: skip
slugs = st.one_of(texts.words, texts.words, texts.varied, texts.free)
markup = st.one_of(
    texts.names,
    texts.phrases,
    texts.names.map(lambda word: f"<p>{word}</p>"),
    texts.names.map(lambda word: f"first line\n{word}\n\nthird <b>{word}</b><br>"),
    st.sampled_from(["", None]),
    st.one_of(texts.long, texts.huge, texts.hostile),
)
lines = st.one_of(texts.names, texts.names, st.sampled_from(["", None]), texts.odd)
statuses = st.sampled_from(("publish", "publish", "publish", "publish", *STATUSES))
costs = st.sampled_from(
    [
        "",
        "0",
        "10",
        10,
        12.5,
        "$10 - $20",
        "€5",
        "1.234,56 €",
        ["10", "20"],
        [5, "7.50"],
        "free",
        "¥100",
        "10 🎷",
        None,
    ]
)
authors = st.sampled_from(["admin", "editor", "author", "author2", "contributor"]).map(user)
passwords = st.sampled_from(["sesame", "Sesame", "sesame ", "ſesame", "🎷", "", None])
latitudes = st.sampled_from([0, 54.32, -90, 90, "54.33", 0.1, -33.9, 89.999999, 1e-7, 12.3456789012345678])
longitudes = st.sampled_from(
    [0, 10.13, -180, 180, "10.14", 0.1, 179.9999, -179.9999, 1e-7, 98.7654321098765432]
)

_COMMON_FIELDS: Fields = {
    "author": authors,
    "date": dates,
    "date_utc": dates,
    "description": markup,
    "status": statuses,
    "image": images,
}
_VENUE_FIELDS: Fields = _COMMON_FIELDS | {
    "venue": texts.names,
    **dict.fromkeys(
        ("address", "city", "country", "province", "state", "zip", "phone", "stateprovince"), lines
    ),
    "show_map": flags,
    "show_map_link": flags,
    "website": addresses,
    "geo_lat": latitudes,
    "geo_lng": longitudes,
}
_ORGANIZER_FIELDS: Fields = _COMMON_FIELDS | {
    "organizer": texts.names,
    "phone": lines,
    "website": addresses,
    "email": st.sampled_from(
        ["a@example.org", "A@EXAMPLE.org", "ä@example.org", "a@bücher.example", "", None]
    ),
}


def _nested(noun: str, fields: Fields) -> st.SearchStrategy[Any]:
    """A record inside an event: by id, by data, or a list of both."""
    some = {name: fields[name] for name in ("description", "phone", "website", "status")}
    data = st.fixed_dictionaries({noun: texts.names}, optional=some)
    one = st.one_of(ids(noun), ids(noun), ids(noun).map(lambda symbol: {"id": symbol}), data)
    return st.one_of(
        one,
        one,
        st.lists(one, min_size=1, max_size=3),
        st.lists(ids(noun), min_size=1, max_size=3).map(joined),
        st.sampled_from([None, "", [], 0]),
    )


def _terms(kind: str) -> st.SearchStrategy[Any]:
    one = st.one_of(ids(kind), texts.common, texts.names, backs.map(lambda n: reference(kind, n, "slug")))
    return st.one_of(
        st.lists(one, min_size=1, max_size=3),
        st.lists(one, min_size=1, max_size=3).map(joined),
        one,
        st.sampled_from([None, "", []]),
    )


_EVENT_FIELDS: Fields = _COMMON_FIELDS | {
    "title": texts.names,
    "slug": slugs,
    "excerpt": markup,
    "timezone": zones,
    "cost": costs,
    "website": addresses,
    **dict.fromkeys(
        ("all_day", "show_map", "show_map_link", "hide_from_listings", "sticky", "featured", "ticketed"),
        flags,
    ),
    "start_date": near_dates,
    "end_date": near_dates,
    "categories": _terms("category"),
    "tags": _terms("tag"),
    "venue": _nested("venue", _VENUE_FIELDS),
    "organizer": _nested("organizer", _ORGANIZER_FIELDS),
    "password": passwords,
    "post_parent": st.one_of(ids("event"), st.just(0)),
}
_TERM_FIELDS: Fields = {"name": texts.names, "slug": slugs, "description": markup}
FIELDS: dict[str, Fields] = {
    "event": _EVENT_FIELDS,
    "venue": _VENUE_FIELDS,
    "organizer": _ORGANIZER_FIELDS,
    "category": _TERM_FIELDS | {"parent": st.one_of(ids("category"), ids("category"), st.just(0))},
    "tag": _TERM_FIELDS,
}
# What filters and links live on is sent more often than the rest.
_FAVOURITES = {
    "event": ("categories", "tags", "venue", "organizer", "description", "status", "slug", "featured"),
    "venue": ("geo", "city", "address", "description"),
    "organizer": ("email", "description"),
    "category": ("parent", "slug"),
    "tag": ("slug", "description"),
}
NAMES = {"event": "title", "venue": "venue", "organizer": "organizer", "category": "name", "tag": "name"}

# -- query strings

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
_searches = {kind: st.one_of(_named(kind), _named(kind), _named(kind), texts.queries) for kind in ARCHIVES}


def _some(one: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(one, one, st.lists(one, min_size=2, max_size=4).map(joined))


_LINKED_FILTERS: Fields = _PAGES | {
    "event": ids("event"),
    "has_events": st.sampled_from(["true", "1", "yes", "no", "0", ""]),
    "only_with_upcoming": st.sampled_from(["true", "1", "no", ""]),
    "status": _STATUS_ASKED,
}
_ORDERS = (
    "id",
    "name",
    "slug",
    "count",
    "description",
    "term_group",
    "parent",
    "include",
    "date",
    "Name",
    "İd",
)


def _term_filters(kind: str) -> Fields:
    slug = st.one_of(backs.map(lambda back: reference(kind, back, "slug")), slugs)
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

# -- requests

_WEIGHTS = {
    "list event": 18, "list venue": 5, "list organizer": 5, "list category": 7, "list tag": 5,
    "create event": 15, "create venue": 5, "create organizer": 4, "create category": 5, "create tag": 4,
    "one event": 5, "one venue": 3, "one organizer": 3, "one category": 2, "one tag": 2,
    "update event": 10, "update venue": 5, "update organizer": 4, "update category": 4, "update tag": 3,
    "delete event": 3, "delete venue": 2, "delete organizer": 2, "delete category": 1, "delete tag": 1,
    "describe": 8, "index": 1, "stray": 1,
}  # fmt: skip
_choices = st.sampled_from([name for name, weight in _WEIGHTS.items() for _ in range(weight)])
_percent = st.integers(0, 99)
_readers = st.sampled_from(
    [None, None, None, "admin", "admin", "admin", "editor", "author", "author2", "contributor", "subscriber"]
)
_writers = st.sampled_from(
    ["admin"] * 8 + ["editor"] * 4 + ["author"] * 3 + ["author2", "contributor", "contributor"]
)
_anybody = st.sampled_from([None, "subscriber", "contributor2", "contributor", "author", "admin"])
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


@st.composite
def requests(draw: Draw) -> Json:
    """One request: `operation` is what it counts as; it is sent once more after `again` others."""
    what, _, kind = draw(_choices).partition(" ")
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
    query: list[list[Any]] = [["search", draw(_searches[kind])]] if draw(_percent) < 50 else []
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
    favourites = [name for name in _FAVOURITES[kind] if name in fields]
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
        first, second = sorted((draw(st.sampled_from(_EDGES)), draw(st.sampled_from(_EDGES))))
    elif chance < 18:
        first, second = draw(dates), draw(dates)
    else:
        start = draw(st.integers(-240, 480))
        first, second = _day(start), _day(start + draw(st.sampled_from([0, 1, 2, 24, 72])))
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
        slug = reference(kind, back, "slug") if draw(_percent) < 85 else draw(slugs)
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
    if request["method"] not in OVERRIDABLE or draw(_percent) >= 8:
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
        "operation": f"{method} {route}",
        "method": method,
        "path": path,
        "query": query,
        "caller": caller,
    }


def _index(draw: Draw, _: str) -> Json:
    query = draw(st.sampled_from([[], [], [["namespace", "other"]], [["context", "edit"]]]))
    return {"operation": "GET /", "method": "GET", "path": [], "query": query, "caller": draw(_readers)}


def _stray(draw: Draw, _: str) -> Json:
    method, path = draw(_strays)
    return {
        "operation": "stray",
        "method": method,
        "path": [{"$": "plain", "text": path}],
        "caller": draw(_readers),
    }


_MAKERS: dict[str, Callable[[Draw, str], Json]] = {
    "list": _listing, "create": _create, "one": _one, "update": _update, "delete": _delete,
    "describe": _describe, "index": _index, "stray": _stray,
}  # fmt: skip


def batch(seed: str, count: int) -> list[Json]:
    """So many requests, the same for the same seed.

    Hypothesis tries the simplest example first, then a random one; what it would do next, to vary that one,
    would give many requests that hardly differ.
    """
    drawn: list[list[Json]] = []

    @hypothesis.seed(seed)
    @settings(
        max_examples=2,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(requests(), min_size=count, max_size=count))
    def draw(found: list[Json]) -> None:
        drawn.append(found)

    draw()
    return _repeated(drawn[-1])


def _repeated(requests: list[Json]) -> list[Json]:
    """Some requests once more, a little later, in the place of another."""
    for place, request in enumerate(list(requests)):
        later = place + request.pop("again", 0)
        if place < later < len(requests):
            requests[later] = request
    return requests
