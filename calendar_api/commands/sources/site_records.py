"""The records of a site that has the interface, as payloads of requests (docs/interface.md#event-keys)."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any, TypeAlias
from urllib.parse import unquote

from calendar_api.commands.sources.file_values import wall_time
from calendar_api.commands.sources.items import Noun, Reference
from calendar_api.domain import costs

Json: TypeAlias = dict[str, Any]

#: Lists -> what they list, and the field with its name.
LISTS: dict[str, Noun] = {
    "categories": "category", "tags": "tag", "venues": "venue", "organizers": "organizer", "events": "event"
}  # fmt: skip
TERMS = ("categories", "tags")
NAMES = {"category": "name", "tag": "name", "venue": "venue", "organizer": "organizer", "event": "title"}
#: Fields that are taken as they are.
_SAME = {
    "category": ("description",),
    "tag": ("description",),
    "venue": (
        "description", "status", "address", "city", "country", "province", "state", "zip", "phone",
        "stateprovince", "website", "geo_lat", "geo_lng", "show_map", "show_map_link",
    ),
    "organizer": ("description", "status", "phone", "website", "email"),
    "event": (
        "description", "excerpt", "status", "all_day", "show_map", "show_map_link", "hide_from_listings",
        "sticky", "featured", "ticketed", "event_status", "event_status_reason",
    ),
}  # fmt: skip
_INSTANT = re.compile("[12][0-9]{3}-(0[1-9]|1[0-2])-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9]")


def fields(noun: Noun, record: Json) -> Json:
    """The payload of a POST of the noun, without what only events have."""
    found = {name: record[name] for name in _SAME[noun] if name in record}
    found[NAMES[noun]] = unescape(record[NAMES[noun]])
    if record.get("slug"):
        found["slug"] = unquote(record["slug"])
    if instant(record, "date_utc"):
        found["date_utc"] = record["date_utc"]
    if record.get("image"):
        found["image"] = record["image"]["url"]
    if noun == "category" and record.get("parent"):
        found["parent"] = Reference("category", str(record["parent"]))
    return found


def event_fields(record: Json, zone: str, *, shares_slug: bool) -> Json:
    """What only events have. Times that are not those in UTC are ""; `zone` is for an event without."""
    found: Json = {}
    for name in (*TERMS, "venue", "organizer"):
        found[name] = [Reference(noun, str(one["id"])) for noun, one in nested(record, name)]
    if record.get("post_parent"):
        found["post_parent"] = Reference("event", str(record["post_parent"]))
    slug, day = record.get("slug") or "", record["start_date"][:10]
    # Occurrences of a recurring event have the slug of all of them, and an address with their day.
    if slug and (shares_slug or f"/{slug}/{day}/" in record.get("url", "")):
        found["slug"] = f"{unquote(slug)}-{day}"
    if unescape(record.get("website") or "") != unescape(record.get("url") or ""):
        found["website"] = record["website"]
    if record.get("uid"):
        found["uid"] = record["uid"].replace("&lt;", "<")
    found["cost"] = _cost(record)
    found["timezone"] = record.get("timezone") or zone
    for name in ("start_date", "end_date"):
        found[name] = wall_time(record[name], record[f"utc_{name}"], found["timezone"])
    return found


def is_masked(noun: Noun, record: Json) -> bool:
    """Whether a password protects the record."""
    return record.get("all_day", False) is None or record.get(NAMES[noun]) == []


def instant(record: Json, name: str) -> str:
    """A date in UTC, "" if there is none: drafts have only zeros."""
    value = str(record.get(name))
    return value if _INSTANT.fullmatch(value) else ""


def image_id(record: Json) -> int:
    image = record.get("image")
    return int(image.get("id") or 0) if isinstance(image, dict) else 0


def nested(event: Json, *names: str) -> Iterator[tuple[Noun, Json]]:
    """The records in these keys of an event: one venue is an object, else they are a list."""
    for name in names:
        value = event.get(name)
        for one in filter(has_id, value if isinstance(value, list) else [value]):
            yield LISTS.get(name) or LISTS[f"{name}s"], one


def has_id(record: object) -> bool:
    return isinstance(record, dict) and isinstance(record.get("id"), int)


def _cost(record: Json) -> list[str] | str:
    """The cost as it is stored: what is shown has the currency of the site, and only the ends of a range."""
    shown, details = unescape(record.get("cost") or ""), record.get("cost_details") or {}
    symbol, values = details.get("currency_symbol") or "", details.get("values") or []
    after = details.get("currency_position") == "postfix"
    for cost in (shown, [f"{value}{symbol}" if after else f"{symbol}{value}" for value in values]):
        try:
            parsed = costs.details(costs.parse(cost))
        except ValueError:
            continue
        if (parsed["values"], parsed["currency_symbol"]) == (values, symbol):
            return cost
    return shown
