"""A collection of conferences: payloads to import and the expected responses.

Everything here is worked out from the file alone, so that no mistake of the server can hide in its own code.
"""

import html
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote
from zoneinfo import ZoneInfo

OWN = Path(__file__).parents[1] / "conferences.jsonl"


def source(environ: Mapping[str, str]) -> Path:
    """The file named by CALENDAR_TEST_CONFERENCES (required in CI), or a small one of the repository."""
    named = environ.get("CALENDAR_TEST_CONFERENCES", "")
    if environ.get("CI") == "true":
        assert named, "CALENDAR_TEST_CONFERENCES must name the file of conferences in CI"
    path = Path(named) if named else OWN
    assert path.is_file(), f"CALENDAR_TEST_CONFERENCES names {path}, which is no file"
    return path


@dataclass(frozen=True)
class Conference:
    """One line of the file."""

    given: dict[str, Any]

    @cached_property
    def title(self) -> str:
        """The title on one line, with angle brackets replaced, because titles contain no markup."""
        return " ".join(self.given["title"].split()).replace("<", "‹").replace(">", "›")

    @cached_property
    def zone(self) -> str:
        return self.given.get("timezone") or "UTC"

    @cached_property
    def topics(self) -> list[str]:
        return sorted(self.given["topics"])

    @cached_property
    def venue(self) -> str | None:
        """City and country, because several cities share a name."""
        return f"{self.given['city']}, {self.given['country']}" if self.given.get("city") else None

    @cached_property
    def place(self) -> tuple[float, float] | None:
        return (self.given["lat"], self.given["lng"]) if "lat" in self.given else None

    @cached_property
    def start(self) -> datetime:
        """The first moment of the first day, in UTC."""
        return self._instant(self.given["start"], time(0, 0, 0))

    @cached_property
    def end(self) -> datetime:
        """The last second of the last day, in UTC."""
        return self._instant(self.given["end"], time(23, 59, 59))

    def _instant(self, day: str, clock: time) -> datetime:
        zone = ZoneInfo(self.zone)
        return datetime.combine(date.fromisoformat(day), clock, zone).astimezone(UTC)

    @cached_property
    def same(self) -> tuple[str, str, str | None]:
        """Lines with the same key are one event."""
        return self.title, self.given["start"], self.venue

    def payload(self) -> dict[str, Any]:
        """The payload that creates the event."""
        payload: dict[str, Any] = {
            "title": html.escape(self.title, quote=False),
            "start_date": self.given["start"],
            "end_date": self.given["end"],
            "all_day": True,
            "categories": self.given["topics"],
            "website": quote(self.given["website"], safe=":/?#[]@!$&'()*+,;=%~"),
        }
        if "timezone" in self.given:
            payload["timezone"] = self.given["timezone"]
        if self.venue:
            payload["venue"] = {
                "venue": self.venue, "city": self.given["city"], "country": self.given["country"]
            }  # fmt: skip
            if self.place:
                payload["venue"] |= {"geo_lat": self.place[0], "geo_lng": self.place[1]}
        return payload


def read(path: Path) -> list[Conference]:
    return [Conference(json.loads(line)) for line in path.read_text("utf-8").splitlines() if line.strip()]


def stored(conferences: Iterable[Conference]) -> list[Conference]:
    """The first line of each key, in the order of lists."""
    first: dict[tuple[str, str, str | None], Conference] = {}
    for conference in conferences:
        first.setdefault(conference.same, conference)
    return sorted(first.values(), key=lambda one: one.start)  # stable: equal starts stay in insertion order
