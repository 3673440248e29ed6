"""The JSON of an event from plain rows; imports no library, so that peers can use it."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

Json = dict[str, Any]
Row = Mapping[str, Any]

BASE = "https://calendar.example.org"
API = f"{BASE}/calendar/events/v1"
_ADDRESS = ("address", "city", "country", "state", "zip", "phone", "website", "stateprovince")
_TIMES = ("start_date", "end_date", "utc_start_date", "utc_end_date")
_FLAGS = ("show_map", "show_map_link", "hide_from_listings", "sticky", "featured")
_KINDS = {"tribe_events_cat": "categories", "post_tag": "tags"}
ABBREVIATIONS = {"America/Los_Angeles": "PST", "Europe/Berlin": "CET", "UTC": "UTC", "Asia/Tokyo": "JST"}


def details(moment: str) -> Json:
    return {
        "year": moment[:4], "month": moment[5:7], "day": moment[8:10], "hour": moment[11:13],
        "minutes": moment[14:16], "seconds": moment[17:19],
    }  # fmt: skip


def common(row: Row, kind: str) -> Json:
    return {
        "id": row["id"], "author": str(row["author_id"]), "status": row["status"],
        "date": row["published_utc"], "date_utc": row["published_utc"], "modified": row["modified_utc"],
        "modified_utc": row["modified_utc"], "url": f"{BASE}/{kind}/{row['slug']}/",
        "slug": row["slug"], "description": row["description"],
        "global_id": f"calendar.example.org?id={row['id']}",
        "global_id_lineage": [f"calendar.example.org?id={row['id']}"],
    }  # fmt: skip


def venue(row: Row) -> Json:
    return {
        **common(row, "venue"), "venue": row["venue"], **{name: row[name] for name in _ADDRESS},
        "geo_lat": row["geo_lat"], "geo_lng": row["geo_lng"], "show_map": bool(row["show_map"]),
        "show_map_link": bool(row["show_map_link"]),
    }  # fmt: skip


def organizer(row: Row) -> Json:
    return {
        **common(row, "organizer"), "organizer": row["organizer"],
        **{name: row[name] for name in ("phone", "website", "email")},
    }  # fmt: skip


def term(row: Row, count: int) -> Json:
    kind = _KINDS[row["taxonomy"]]
    return {
        "name": row["name"], "slug": row["slug"], "term_group": 0, "term_taxonomy_id": row["id"],
        "taxonomy": row["taxonomy"], "description": row["description"], "parent": row["parent_id"] or 0,
        "count": count, "filter": "raw", "id": row["id"],
        "urls": {"self": f"{API}/{kind}/{row['id']}", "collection": f"{API}/{kind}"},
    }  # fmt: skip


def cost(stored: str) -> Json:
    parts = stored.split("\n") if stored else []
    return {
        "currency_symbol": "$" if parts else "", "currency_code": "", "currency_position": "prefix",
        "values": [part.strip("$") for part in parts],
    }  # fmt: skip


def event(
    row: Row, image: Row | None, venues: list[Json], organizers: list[Json], terms: Iterable[Json]
) -> Json:
    """All keys of an event in a list."""
    times: Json = {}
    for name in _TIMES:
        times |= {name: row[name], f"{name}_details": details(row[name])}
    by_kind: dict[str, list[Json]] = {"tribe_events_cat": [], "post_tag": []}
    for one in terms:
        by_kind[one["taxonomy"]].append(one)
    return {
        **common(row, "event"), **times, "rest_url": f"{API}/events/{row['id']}", "title": row["title"],
        "excerpt": row["excerpt"],
        "image": {name: image[name] for name in ("url", "id", "extension")} if image else False,
        "all_day": bool(row["all_day"]), "timezone": row["timezone"],
        "timezone_abbr": ABBREVIATIONS.get(row["timezone"], ""), "cost": row["cost"].replace("\n", " – "),
        "cost_details": cost(row["cost"]), "website": row["website"],
        **{name: bool(row[name]) for name in _FLAGS}, "ticketed": bool(row["ticketed"]),
        "categories": by_kind["tribe_events_cat"], "tags": by_kind["post_tag"],
        "venue": venues[0] if len(venues) == 1 else venues, "organizer": organizers, "custom_fields": [],
        "post_parent": row["parent_id"] or 0,
        **{name: row[name] for name in ("uid", "event_status", "event_status_reason")},
    }  # fmt: skip


def page(events: list[Json], number: int, size: int, total: int) -> Json:
    pages = -(-total // size)
    here = f"{API}/events/?per_page={size}&status=publish"
    body = {"events": events, "rest_url": f"{here}&page={number}", "total": total, "total_pages": pages}
    if number < pages:
        body["next_rest_url"] = f"{here}&page={number + 1}"
    return body


def window(now: datetime) -> tuple[str, str, str]:
    """Now, and the bounds of a list without date filters."""
    start = now - timedelta(days=1)
    return f"{now:%Y-%m-%d %H:%M:%S}", f"{start:%Y-%m-%d} 00:00:00", f"{now.year + 2}-{now:%m-%d} 23:59:59"
