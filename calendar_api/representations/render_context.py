"""What a representation has to know beside the record: addresses, the zone of the site, its currency."""

from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from typing import Any

from calendar_api.domain import auth, dates
from calendar_api.representations.links import Links


@dataclass(frozen=True, slots=True)
class RenderContext:
    """One answer's surroundings; `now` is UTC as text, because time alone publishes records.

    `free` is the word for a cost of nothing.
    """

    links: Links
    zone: tzinfo
    currency_symbol: str
    now: str
    free: str = "Free"
    #: All but the moment as one text, which is compared and looked up faster than its parts.
    place: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", repr((self.links, self.zone, self.currency_symbol, self.free)))

    def seen(self, record: Any) -> tuple[str, str]:
        """All that a record shows of its surroundings: the moment counts only for its status."""
        return auth.effective_status(record, self.now), self.place

    def local(self, utc: str) -> str:
        """An instant on the wall clock of the site."""
        moment = dates.from_text(utc)  # which does not let damaged text pass
        return utc if self.zone is UTC else dates.text(moment.replace(tzinfo=UTC).astimezone(self.zone))
