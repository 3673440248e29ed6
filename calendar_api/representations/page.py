"""HTML pages: templates, and what they show of events.

Templates get the JSON of records. Titles and names in it are escaped for HTML, and unescaped here exactly
once, because templates escape; descriptions are sanitised HTML.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, timedelta
from functools import partial
from html import unescape
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, TemplateSyntaxError
from markupsafe import Markup

from calendar_api.domain import date_words
from calendar_api.domain.translation import Translate, translated
from calendar_api.representations import event_fields, schema_org
from calendar_api.representations.event_fields import is_all_day
from calendar_api.representations.records import EventJson, OrganizerJson, VenueJson
from calendar_api.representations.rows import Json

_NIGHT = "08:00:00"
_FOLDER = Path(__file__).parent / "templates"
_HEADING = re.compile(r"<(/?)h([1-6])>")
_IMAGE = re.compile(r"<img(?=[\s/>])([^>]*)>")


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
            plain=unescape, rich=rich, by_day=by_day, is_all_day=is_all_day, day_after=day_after,
            map=map_of, lead=event_fields.lead, place=event_fields.place,
            location=event_fields.location, venues=event_fields.venues, field=event_fields.plain,
            tel=telephone,
            host=lambda address: urlsplit(address).netloc.removeprefix("www."),
            json_ld=lambda event: Markup(schema_org.script(event)),  # noqa: S704 - escapes < > &
            venue_json_ld=lambda venue: Markup(schema_org.venue_script(venue)),  # noqa: S704 - the same
            organizer_json_ld=lambda one: Markup(schema_org.organizer_script(one)),  # noqa: S704 - the same
        )  # fmt: skip

    def render(
        self, template: str, translate: Translate, site: Mapping[str, str], page: Json, **data: object
    ) -> bytes:
        """The page as UTF-8. `site` and `page` are made by `resources.pages`."""
        words = DatesOfEvents(site["language"], site["clock"], site["timezone"], translate)
        found = self.environment.get_template(template)
        say = partial(translated, translate=translate)
        return found.render(site=site, page=page, words=words, _=say, **data).encode()

    def problems(self, theme: Path) -> Iterator[tuple[str, str]]:
        """The templates of a theme that cannot be read, and why."""
        for file in sorted(theme.rglob("*.html")):
            name = file.relative_to(theme).as_posix()
            try:
                self.environment.get_template(name)
            except TemplateSyntaxError as error:
                yield name, f"line {error.lineno}: {error.message}"
            except (OSError, UnicodeDecodeError) as error:
                yield name, str(error)


class DatesOfEvents:
    """Dates of events in the language of a page, on the clock of the event."""

    def __init__(self, language: str, clock: str, timezone: str, translate: Translate) -> None:
        self.language, self.clock, self.timezone, self.translate = language, clock, timezone, translate

    def weekday(self, day: date, width: date_words.Width = "abbreviated") -> str:
        return date_words.weekday(day.weekday(), self.language, width)

    def month(self, day: date) -> str:
        name = date_words.month_name(day.month, self.language, "abbreviated")
        return f"{name} {day.year}"

    def day(self, day: date) -> str:
        return date_words.full_day(day, self.language)

    def times(self, event: EventJson, day: date) -> str:
        """The times of an event under the heading of `day`; days, too, unless it ends in the night after.

        An end at or after the time of the start would look like one on the same day.
        """
        start, end = event["start_date"], event["end_date"]
        ends_next_day = date.fromisoformat(end[:10]) - timedelta(days=1) == day
        night = ends_next_day and end[11:] <= _NIGHT and end[11:] < start[11:]
        if start[:10] != str(day) or (start[:10] != end[:10] and not night):
            return self.span(event)
        if is_all_day(event):
            return self.translate("All day")
        return date_words.times(start, end, self.clock, self.language)

    def start(self, event: EventJson, day: date) -> str:
        """The time of the start with its zone; "" if the event is all-day or began before `day`."""
        if is_all_day(event) or event["start_date"][:10] != str(day):
            return ""
        return f"{date_words.time(event['start_date'], self.clock, self.language)} {self.zone(event)}".strip()

    def first_day(self, event: EventJson) -> str:
        return date_words.short_day(date.fromisoformat(event["start_date"][:10]), self.language)

    def span(self, event: EventJson) -> str:
        start, end = event["start_date"], event["end_date"]
        return date_words.span(start, end, is_all_day(event), self.language, self.clock)

    def zoned_span(self, event: EventJson) -> str:
        return f"{self.span(event)} {self.zone(event)}".strip()

    def zone(self, event: EventJson) -> str:
        return event_fields.other_zone(event, self.timezone)


def day_after(day: str) -> str:
    return str(date.fromisoformat(day) + timedelta(days=1))


def by_day(
    events: Iterable[EventJson], first: date | None = None, *, newest_first: bool = False
) -> list[tuple[date, list[EventJson]]]:
    """Group events by the day of their start on their own clocks, or `first` if they started before it.

    Events keep their order within a day; it is in UTC, so that their days can be in another one.
    """
    found: dict[date, list[EventJson]] = {}
    for event in events:
        start = date.fromisoformat(event["start_date"][:10])
        found.setdefault(max(start, first) if first else start, []).append(event)
    return sorted(found.items(), reverse=newest_first)


def map_of(venue: VenueJson) -> str:
    """The address of a map of a venue: of its coordinates if they are known, else of its address."""
    if "geo_lat" in venue:
        at = f"{venue['geo_lat']:.6f}", f"{venue['geo_lng']:.6f}"
        return f"https://www.openstreetmap.org/?mlat={at[0]}&mlon={at[1]}#map=17/{at[0]}/{at[1]}"
    parts = [event_fields.plain(venue, name) for name in ("address", "zip", "city", "country")]
    query = urlencode({"query": ", ".join(filter(None, parts))})
    return f"https://www.openstreetmap.org/search?{query}" if any(parts) else ""


def telephone(record: VenueJson | OrganizerJson) -> str:
    """The phone number of a venue or organizer for a link, "" if its text is none."""
    number = re.sub(r"[\s()./-]", "", event_fields.plain(record, "phone"))
    return number if re.fullmatch(r"\+?[0-9]{3,20}", number) else ""


def rich(html: str) -> Markup:
    """Sanitised HTML for a page: its headings follow a heading of the first level, images load late."""
    html = html.replace(' rel="noopener nofollow"', ' rel="nofollow noopener ugc"')
    html = html.replace("<table", '<table tabindex="0"')  # a wide one is scrolled, also from the keyboard
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
