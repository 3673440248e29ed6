"""Pages of a month and of a day: the events that touch it on their own clocks."""

import re
from abc import abstractmethod
from calendar import Calendar, monthrange
from collections.abc import Container
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import quote, urlencode

import falcon

from calendar_api import database
from calendar_api.contract import validation
from calendar_api.domain import date_words, dates
from calendar_api.domain.errors import NotFound
from calendar_api.resources.event_list import find_records
from calendar_api.resources.event_pages import EventListPage, Scope, as_text, listing, today
from calendar_api.resources.pages import View, redirect
from calendar_api.resources.resource import Json
from calendar_api.store import date_range, event_query

#: Events that are shown of a day: in the table of a month, and on its own page.
IN_CELL, ON_PAGE = 3, 100

_WEEKDAYS = {"monday": 0, "saturday": 5, "sunday": 6}
_DAY = timedelta(days=1)
_ZONES = timedelta(days=3)  # the wall clocks of two zones differ by less
_ANY_DATE = {"starts_after": str(dates.EARLIEST.date())}
_DAY_FORM = re.compile(r"(?!9999)[1-9]\d{3}-\d\d-\d\d", re.ASCII)
_DATED = {*date_range.DATE_FILTERS, "strict_dates"}


@dataclass(frozen=True)
class Span:
    """An event and the days that it touches on its own clock; midnight belongs to the day before."""

    id: int
    first: date
    last: date

    @classmethod
    def of(cls, row: Any) -> "Span":
        first, last = (date.fromisoformat(text[:10]) for text in (row.start_date, row.end_date))
        if row.end_date.endswith("00:00:00"):
            last = max(first, last - _DAY)
        return cls(int(row.id), first, last)


@dataclass
class Days:
    """The days from `first` to `last` with their events.

    `previous` and `next` are the nearest days with events before and after them, None without any.
    """

    first: date
    last: date
    spans: list[Span]
    previous: date | None
    next: date | None

    def by_day(self) -> dict[date, list[Span]]:
        """The events of each day: those that begin on it, then those that go on."""
        count = (self.last - self.first).days + 1
        begin: list[list[Span]] = [[] for _ in range(count)]
        go_on: list[list[Span]] = [[] for _ in range(count)]
        for span in self.spans:
            start, end = (span.first - self.first).days, (span.last - self.first).days
            if start >= 0:
                begin[start].append(span)
            for number in range(max(start + 1, 0), min(end + 1, count)):
                go_on[number].append(span)
        return {self.first + number * _DAY: begin[number] + go_on[number] for number in range(count)}


@dataclass
class Cell:
    """A day in the table of a month; `events` are some of the `total`."""

    day: date
    total: int
    events: list[Json]


class DaysPage(EventListPage):
    """What the pages of a month and of a day have in common."""

    @abstractmethod
    def bounds(self, req: falcon.Request, when: str) -> tuple[date, date]:
        """The first and the last day; raises NotFound."""

    @abstractmethod
    def show(self, req: falcon.Request, scope: Scope, days: Days, shown: Json) -> View:
        """The page; `shown` are the filters of its address."""

    @abstractmethod
    def name(self, day: date, language: str) -> str:
        """What the page of this day is called."""

    def short_name(self, day: date, language: str) -> str:
        return self.name(day, language)

    def view(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        first, last = self.bounds(req, key.pop("when", ""))
        scope, given, now = self.scope(req, **key), self.filters(req), today(req, self.config)
        checked = validation.parse_query("event", "query", given) | scope.filters
        query = {name: value for name, value in checked.items() if name not in _DATED}
        shown = {name: as_text(value) for name, value in given.items() if name not in _DATED}

        def work() -> View:
            days = self.find(req, query, first, last)
            within = first <= now <= last or (days.previous and days.next)
            if not (days.spans or within or shown):  # before the first event, or after the last
                raise NotFound("event")
            view = self.show(req, scope, days, shown)
            view.data["categories"] = self.choices(req)
            return view

        view = database.run_read(work)
        view.description, view.api, view.calendar = scope.description, scope.api, scope.feed
        view.json = listing(scope.filters, shown, {"ends_after": first - _DAY, "starts_before": last})
        view.data |= {
            "today": now, "filters": shown, "has_dates": False, "base": scope.base, "list_path": view.path,
            **scope.data, "heading": view.title,
        }  # fmt: skip
        return view

    def find(self, req: falcon.Request, query: Json, first: date, last: date) -> Days:
        """The days with the events that match; raises InvalidParameters."""
        caller, zone = req.context.caller, self.site.zone
        spans = self.spans(req, query, first, last)
        start, end = (
            dates.text(datetime.combine(day, time(), zone).astimezone(UTC)) for day in (first, last + _DAY)
        )
        ended, begins = event_query.nearest(query | _ANY_DATE, caller, zone, start, end)
        before = [span.last for span in spans if span.first < first]
        if ended and not before:
            before = [span.last for span in self.spans_at(req, query, ended) if span.first < first]
        after = [span.first for span in spans if span.last > last]
        if begins and not after:
            after = [span.first for span in self.spans_at(req, query, begins) if span.last > last]
        return Days(
            first,
            last,
            [span for span in spans if span.first <= last and span.last >= first],
            min(max(before), first - _DAY) if before else None,
            max(min(after), last + _DAY) if after else None,
        )

    def spans(self, req: falcon.Request, query: Json, first: date, last: date) -> list[Span]:
        """The events that touch these days in any zone, and some of the days around them."""
        window = {"ends_after": str(first - _ZONES), "starts_before": str(last + _ZONES)}
        rows = event_query.all_spans(query | window, req.context.caller, self.site.zone)
        return [Span.of(row) for row in rows]

    def spans_at(self, req: falcon.Request, query: Json, instant: str) -> list[Span]:
        day = date.fromisoformat(self.site.local(instant)[:10])
        return self.spans(req, query, day, day)

    def place(self, req: falcon.Request, view: View, days: Days, path: str, shown: Json) -> None:
        """Set the title and the addresses of the page and its neighbours; `path` is formatted with a day."""
        language = req.context.language
        view.title, view.path = self.name(days.first, language), path.format(days.first)
        view.feed, view.query = view.path.rstrip("/"), urlencode(shown)
        for side, day in (("previous", days.previous), ("next", days.next)):
            if day is not None:
                address = f"{req.context.site.links.home}{quote(path.format(day))}"
                setattr(view, side, f"{address}?{view.query}" if shown else address)
                view.data[f"{side}_name"] = self.short_name(day, language)

    def records(
        self, req: falcon.Request, spans: list[Span], fields: Container[str] | None = None
    ) -> dict[int, Json]:
        """The events as objects, by id; `fields` as in `find_records`."""
        ids = sorted({span.id for span in spans})
        if not ids:
            return {}
        query = {"include": ids, "page": 1, "per_page": len(ids)}
        _, found = find_records(query, req.context.caller, self.site, req.context.site, fields)
        return {record["id"]: record for record in found}


class MonthPage(DaysPage):
    """`/events/month/`, `/events/month/{when}/`"""

    def bounds(self, req: falcon.Request, when: str) -> tuple[date, date]:
        """Without a month in the path it is that of the filter `start_date`, or the current one."""
        start = str(self.filters(req).get("start_date"))
        if when or _DAY_FORM.fullmatch(start):
            first = _parsed(f"{when or start[:7]}-01")
        else:
            first = today(req, self.config).replace(day=1)
        return first, first.replace(day=monthrange(first.year, first.month)[1])

    def show(self, req: falcon.Request, scope: Scope, days: Days, shown: Json) -> View:
        weeks = Calendar(_WEEKDAYS[self.config.week_start]).monthdatescalendar(
            days.first.year, days.first.month
        )
        spans = days.by_day()
        shown_spans = [span for some in spans.values() for span in some[:IN_CELL]]
        records = self.records(req, shown_spans, fields=("title",))
        cells = {
            day: Cell(day, len(some), [records[span.id] for span in some[:IN_CELL]])
            for day, some in spans.items()
        }
        data: Json = {
            "weeks": [[(day, cells.get(day)) for day in week] for week in weeks], "total": len(days.spans),
            "day_query": urlencode({name: as_text(value) for name, value in (scope.filters | shown).items()}),
        }  # fmt: skip
        view = View("month.html", "", data, nav="month", indexed=bool(days.spans) and not shown)
        self.place(req, view, days, scope.base + "month/{:%Y-%m}/", shown)
        if scope.base != "/events/":
            view.title, view.feed = f"{scope.title} – {view.title}", scope.feed
        return view

    def name(self, day: date, language: str) -> str:
        return date_words.month(day.year, day.month, language)


class DayPage(DaysPage):
    """`/events/today/`, `/events/{when}/`"""

    def view(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        when = key.get("when", "")
        if re.fullmatch(r"\d{4}-\d\d", when):
            redirect(req, resp, falcon.HTTP_301, f"/events/month/{when}/", req.query_string)
            return None
        return super().view(req, resp, **key)

    def bounds(self, req: falcon.Request, when: str) -> tuple[date, date]:
        day = _parsed(when) if when else today(req, self.config)
        return day, day

    def show(self, req: falcon.Request, scope: Scope, days: Days, shown: Json) -> View:
        spans = days.by_day()[days.first]
        records = self.records(req, spans[:ON_PAGE])
        window = {"ends_after": days.first - _DAY, "starts_before": days.first}
        data: Json = {
            "day": days.first, "events": [records[span.id] for span in spans[:ON_PAGE]],
            "more": len(spans) - ON_PAGE, "total": len(spans), "all_query": urlencode(shown | window),
        }  # fmt: skip
        nav = "today" if days.first == today(req, self.config) else ""
        view = View("day.html", "", data, nav=nav, indexed=False)
        self.place(req, view, days, "/events/{:%Y-%m-%d}/", shown)
        return view

    def name(self, day: date, language: str) -> str:
        return date_words.full_day(day, language)

    def short_name(self, day: date, language: str) -> str:
        return date_words.short_day(day, language)


def _parsed(text: str) -> date:
    """A day of the years 1000 to 9998; raises NotFound for anything else."""
    try:
        if _DAY_FORM.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:  # there is no such day
        pass
    raise NotFound("event")
