"""HTML pages: templates, and what they show of events.

Templates get the JSON of records. Titles and names in it are escaped for HTML, and unescaped here exactly
once, because templates escape; descriptions are sanitised HTML.
"""

import re
from collections.abc import Callable, Iterable
from datetime import date
from html import unescape
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader
from markupsafe import Markup

from calendar_api.domain import date_words, text
from calendar_api.domain.translation import Translate

Json = dict[str, Any]

_FOLDER = Path(__file__).parent / "templates"
_HEADING = re.compile(r"<(/?)h([1-6])>")
_IMAGE = re.compile(r"<img(?=[\s/>])([^>]*)>")
_LEAD = 160  # characters of a text in a list


class Renderer:
    """Templates; those in the folder `theme` replace ours, which stay available as `calendar/…`."""

    def __init__(self, theme: str = "") -> None:
        ours = FileSystemLoader(_FOLDER)
        replaced = [FileSystemLoader(theme)] if theme else []
        self.environment = Environment(
            loader=ChoiceLoader([*replaced, ours, PrefixLoader({"calendar": ours})]),
            autoescape=True,
            auto_reload=False,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.environment.filters.update(
            plain=unescape, rich=rich, lead=lead, place=place, by_day=by_day, query=urlencode, quote=quote,
            host=lambda address: urlsplit(address).netloc,
        )  # fmt: skip

    def render(self, template: str, translate: Translate, site: Json, page: Json, **data: object) -> bytes:
        """The page as UTF-8. `site` and `page` are made by `resources.pages`."""
        words = Words(site["language"], site["clock"], site["timezone"], translate)
        found = self.environment.get_template(template)
        return found.render(site=site, page=page, words=words, _=translate, **data).encode()


class Words:
    """Dates of events in the language of a page, on the clock of the event."""

    def __init__(self, language: str, clock: str, timezone: str, translate: Translate) -> None:
        self.language, self.clock, self.timezone, self.translate = language, clock, timezone, translate

    def weekday(self, day: date) -> str:
        return date_words.weekday(day.weekday(), self.language, "abbreviated")

    def month(self, day: date) -> str:
        name = date_words.month_name(day.month, self.language, "abbreviated")
        return f"{name} {day.year}"

    def day(self, day: date) -> str:
        return date_words.full_day(day, self.language)

    def times(self, event: Json) -> str:
        """The time of an event under the heading of its day: days only if it has several."""
        start, end = event["start_date"], event["end_date"]
        if start[:10] != end[:10]:
            return self.span(event)
        if event["all_day"]:
            return self.translate("All day")
        from_, to = (date_words.time(moment, self.clock, self.language) for moment in (start, end))
        return from_ if start == end else f"{from_} – {to}"

    def span(self, event: Json) -> str:
        start, end, all_day = event["start_date"], event["end_date"], bool(event["all_day"])
        return date_words.span(start, end, all_day, self.language, self.clock)

    def zone(self, event: Json) -> str:
        """The abbreviation of the event's zone, "" if it is that of the site."""
        return "" if event["timezone"] == self.timezone else str(event["timezone_abbr"])


def by_day(events: Iterable[Json], first: date | None = None) -> list[tuple[date, list[Json]]]:
    """Group events in their order by the day of their start, or `first` if they started before it."""

    def day(event: Json) -> date:
        start = date.fromisoformat(event["start_date"][:10])
        return max(start, first) if first else start

    return [(when, list(some)) for when, some in groupby(events, key=day)]


def place(event: Json) -> str:
    """Name and city of the first venue, "" without one."""
    venue = first_venue(event)
    parts = (unescape(venue.get("venue", "")), venue.get("city", ""))
    return ", ".join(part for part in parts if part)


def first_venue(event: Json) -> Json:
    venue = event["venue"]
    return venue if isinstance(venue, dict) else next(iter(venue), {})


def lead(event: Json) -> str:
    """The excerpt or the beginning of the description, as plain text."""
    found = text.visible(event["excerpt"] or event["description"])
    if len(found) <= _LEAD:
        return found
    return found[:_LEAD].rpartition(" ")[0].rstrip(",;:. ") + " …"


def rich(html: str) -> Markup:
    """Sanitised HTML for a page: its headings follow a heading of the first level, images load late."""
    html = html.replace(' rel="noopener nofollow"', ' rel="nofollow noopener ugc"')
    return Markup(_HEADING.sub(_shifted(), _IMAGE.sub(_late, html)))  # noqa: S704 - sanitised when stored


def _late(image: re.Match[str]) -> str:
    alt = "" if " alt=" in image[1] else ' alt=""'
    return f'<img{alt} loading="lazy" referrerpolicy="no-referrer"{image[1]}>'


def _shifted() -> Callable[[re.Match[str]], str]:
    """Replace headings so that none is the first level and no level is skipped."""
    level = 1

    def shift(tag: re.Match[str]) -> str:
        nonlocal level
        if not tag[1]:
            level = min(max(int(tag[2]), 2), level + 1)
        return f"<{tag[1]}h{level}>"

    return shift
