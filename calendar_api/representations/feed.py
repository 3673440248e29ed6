"""What a feed says about itself, beside its events."""

from dataclasses import dataclass

from calendar_api.domain.translation import Translate


@dataclass(frozen=True, slots=True)
class Feed:
    """A list of events as a feed.

    `name` is that of the site, and of a narrowed list "Site: Music". Addresses are absolute: `self_url` is
    the feed's own, `page_url` that of the HTML page, `json_url` that of the JSON list with the same events;
    `next_url` is the next page of a paged feed, or "". `timezone` is the zone of the site, `ttl` the minutes
    after which clients should fetch the feed again, `clock` is "12" or "24".
    """

    name: str
    description: str
    self_url: str
    page_url: str
    json_url: str
    timezone: str
    language: str
    translate: Translate
    ttl: int = 60
    clock: str = "24"
    next_url: str = ""
