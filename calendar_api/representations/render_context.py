"""What a representation depends on beside the record: addresses, time zone and currency of the site."""

import re
from dataclasses import dataclass
from datetime import UTC, tzinfo

from calendar_api.domain import dates
from calendar_api.representations.links import Links

_TAG_START = re.compile(r"<(?=[a-zA-Z/!?])")


@dataclass(frozen=True, slots=True)
class RenderContext:
    """The context of one answer; `now` is UTC as text, `free` the word for a cost of nothing."""

    links: Links
    zone: tzinfo
    currency_symbol: str
    now: str
    free: str = "Free"

    def local(self, utc: str) -> str:
        """An instant on the wall clock of the site. Raises ValueError for damaged text."""
        moment = dates.from_text(utc)
        return utc if self.zone is UTC else dates.text(moment.replace(tzinfo=UTC).astimezone(self.zone))


def inert(value: str) -> str:
    """Escape what a browser, but not our sanitiser, takes for a tag; updates store the original."""
    return _TAG_START.sub("&lt;", value) if "<" in value else value
