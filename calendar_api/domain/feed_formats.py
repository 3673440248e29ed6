"""The media types of feeds, by the suffix of their addresses (docs/interface.md#feeds)."""

from typing import Final

MEDIA_TYPES: Final = {
    "ics": "text/calendar; charset=UTF-8",
    "rss": "application/rss+xml; charset=UTF-8",
    "atom": "application/atom+xml; charset=UTF-8",
    "csv": "text/csv; charset=UTF-8",
    "jsonld": "application/ld+json",
}
#: The formats of a list of events, of one event, and of venues and organizers.
LISTS: Final = tuple(MEDIA_TYPES)
SINGLE: Final = ("ics", "jsonld")
CSV: Final = ("csv",)
