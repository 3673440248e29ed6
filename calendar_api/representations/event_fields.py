"""What several formats read of an event as JSON, as plain text and with offsets."""

import re
from collections.abc import Iterable, Mapping
from html import unescape
from typing import Literal
from uuid import NAMESPACE_URL, uuid5

from calendar_api.domain import dates, text, time_zones
from calendar_api.representations.records import EventJson, OrganizerJson, OwnEventJson, VenueJson

#: Characters of a text in lists and for search engines.
LEAD = 140

_MEDIA_TYPES = {
    **{name: f"image/{name}" for name in ("jpeg", "png", "gif", "webp", "avif")},
    "jpg": "image/jpeg", "svg": "image/svg+xml",
}  # fmt: skip
_ADDRESS = ("address", "city", "stateprovince", "zip", "country")
_UUID = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)


def venues(event: EventJson) -> list[VenueJson]:
    """Return the venues of an event: one is an object in JSON, none or several are a list."""
    found = event["venue"]
    return found if isinstance(found, list) else [found]


def names(records: Iterable[Mapping[str, object]], key: str = "name") -> list[str]:
    """Return the names of venues, organizers or terms as plain text."""
    return [unescape(str(record[key])) for record in records]


def plain(record: Mapping[str, object], field: str) -> str:
    """Return a text that JSON shows with tags made inert as it is stored, "" if there is none."""
    return text.from_inert(str(record.get(field) or ""))


def place(event: EventJson) -> str:
    """Return each venue in one line, with its city unless its name has it: `Town hall, Ulm`."""
    found = [(unescape(venue["venue"]), plain(venue, "city")) for venue in venues(event)]
    return "; ".join(
        f"{name}, {city}" if city and not re.search(rf"\b{re.escape(city)}\b", name, re.IGNORECASE) else name
        for name, city in found
    )


def location(event: EventJson) -> str:
    """Return name and address of the first venue: `Town hall, Market 1, Ulm, 89073`; "" without a venue."""
    return next((full_address(venue) for venue in venues(event)), "")


def full_address(venue: Mapping[str, object]) -> str:
    """Return the name of a venue and its address in one line."""
    parts = [unescape(str(venue["venue"] or "")), *[plain(venue, key) for key in _ADDRESS]]
    return ", ".join(filter(None, parts))


def lead(record: Mapping[str, object]) -> str:
    """Return the excerpt or the beginning of the description, as plain text of at most LEAD characters."""
    found = text.visible(str(record.get("excerpt") or record.get("description") or ""))
    if len(found) <= LEAD:
        return found
    head = found[: LEAD - 2]
    words = head.rpartition(" ")[0]
    has_words = len(words) > LEAD // 2  # Japanese has no spaces
    return words.rstrip(",;:. ") + " …" if has_words else f"{head}…"


def image_url(record: OwnEventJson | VenueJson | OrganizerJson) -> str:
    """Return the address of the image, "" if there is none."""
    image = record.get("image")
    return image["url"] if image else ""


def media_type(record: OwnEventJson) -> str:
    """Return the type of the image by the end of its address, "" for an unknown one."""
    image = record["image"]
    return _MEDIA_TYPES.get(text.from_inert(image["extension"]).lower(), "") if image else ""


def moment(event: OwnEventJson, bound: Literal["start", "end"]) -> str:
    """Return the start or end: the day of an all-day event, else wall time with its offset."""
    local, utc = event["start_date"], event["utc_start_date"]
    if bound == "end":
        local, utc = event["end_date"], event["utc_end_date"]
    return local[:10] if event["all_day"] else time_zones.with_offset(local, utc)


def is_all_day(event: OwnEventJson) -> bool:
    """Return whether an event has whole days; a masked event does not say."""
    start, end = event["start_date"], event["end_date"]
    return bool(event["all_day"]) or (start[11:] == "00:00:00" and end[11:] == "23:59:59")


def other_zone(event: OwnEventJson, site: str) -> str:
    """Return the abbreviation of its zone; "" for whole days, and if the zone `site` has the same clock."""
    if event["timezone"] == site or is_all_day(event):
        return ""
    zone = time_zones.named(site)
    moments = [
        (event["utc_start_date"], event["start_date"]), (event["utc_end_date"], event["end_date"])
    ]  # fmt: skip
    same = all(dates.text(dates.to_local(dates.from_text(utc), zone)) == local for utc, local in moments)
    return "" if same else str(event["timezone_abbr"])


def urn(event: OwnEventJson) -> str:
    """Return the uid as a URN; an imported uid that is not a UUID gives one, always the same."""
    uid = plain(event, "uid")
    return f"urn:uuid:{uid.lower() if _UUID.fullmatch(uid) else uuid5(NAMESPACE_URL, uid)}"
