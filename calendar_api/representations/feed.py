"""What a feed says about itself, beside its events."""

from dataclasses import dataclass
from urllib.parse import quote

from calendar_api.domain import text
from calendar_api.domain.translation import Translate

_LONGEST_NAME = 100  # characters of the name of a file


@dataclass(frozen=True, slots=True)
class Feed:
    """A list of events as a feed.

    `name` is that of the site, and of a narrowed list "Site: Music". Addresses are absolute: `self_url` is
    the feed's own, `page_url` that of the HTML page or "", `json_url` that of the JSON list with the same
    events; `next_url` is the next page of a paged feed, or "". `timezone` is the zone of the site, `ttl` the
    minutes after which clients should fetch the feed again, `clock` is "12" or "24".
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

    @property
    def alternate(self) -> tuple[str, str]:
        """Address and media type of the page, or of the JSON if there is none."""
        return (self.page_url, "text/html") if self.page_url else (self.json_url, "application/json")


def disposition(name: str, suffix: str, *, attached: bool) -> str:
    """Content-Disposition with a file name in ASCII, and the whole one if that differs (RFC 6266).

    >>> disposition("Café: Größe", "ics", attached=False)
    'inline; filename="cafe-grosse.ics"'
    """
    slug = text.slug(name)[:_LONGEST_NAME] or "calendar"
    plain = slug.encode("ascii", "ignore").decode().strip("-") or "calendar"
    header = f'{"attachment" if attached else "inline"}; filename="{plain}.{suffix}"'
    return header if plain == slug else f"{header}; filename*=UTF-8''{quote(slug)}.{suffix}"
