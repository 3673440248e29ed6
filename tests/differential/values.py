"""What the fields of bodies and the filters of lists may hold: strategies for values, by name.

What one database knows and the other does not is said by a symbol, an object with the key `$`: records are
named by how long ago they were made. Each world fills in what its own database gave; see `worlds`.
"""

from datetime import datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from calendar_api.domain.auth import STATUSES
from tests.differential import texts

Json = dict[str, Any]
Fields = dict[str, st.SearchStrategy[Any]]

UNKNOWN_ID = 4_000_000_000
ARCHIVES = {
    "event": "events", "venue": "venues", "organizer": "organizers", "category": "categories", "tag": "tags",
}  # fmt: skip
PUBLISHED = ("event", "venue", "organizer")
#: When the first request of a world is sent.
BEGINNING = datetime(2026, 6, 15, 12)


def reference(kind: str, back: int, form: str = "id") -> Json:
    """The id (or the slug, or the name) of the record made as the last of its kind but `back`."""
    return {"$": form, "kind": kind, "back": back}


def joined(parts: list[Any], separator: str = ",") -> Json:
    return {"$": "joined", "parts": parts, "separator": separator}


def user(login: str) -> Json:
    return {"$": "user", "login": login}


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
        "UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Apia", "UTC+2", "UTC-4:30",
        "+14:00", "",
    ]
)  # fmt: skip
EDGES = (
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


def day(hours: int) -> str:
    return str(BEGINNING + timedelta(hours=hours))


near_dates = st.integers(-240, 480).map(lambda hours: day(hours * 2))
dates = st.one_of(near_dates, near_dates, near_dates, st.sampled_from(EDGES), _odd_dates)
addresses = st.sampled_from(
    [
        "https://example.org/", "http://example.org/a?b=c&d=e", "https://example.org/ä",
        "https://EXAMPLE.org/Ä", "https://example.org/%C3%A4", "https://例え.jp/",
    ]
)  # fmt: skip
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
        "", "0", "10", 10, 12.5, "$10 - $20", "€5", "1.234,56 €", ["10", "20"], [5, "7.50"], "free", "¥100",
        "10 🎷", None,
    ]
)  # fmt: skip
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
    "event_status": st.sampled_from(["scheduled", "canceled", "cancelled", "postponed", "", None, "off"]),
    "event_status_reason": texts.names,
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
FAVOURITES = {
    "event": ("categories", "tags", "venue", "organizer", "description", "status", "slug", "featured"),
    "venue": ("geo", "city", "address", "description"),
    "organizer": ("email", "description"),
    "category": ("parent", "slug"),
    "tag": ("slug", "description"),
}
NAMES = {"event": "title", "venue": "venue", "organizer": "organizer", "category": "name", "tag": "name"}
