"""Pages of a month and of a day: the events that touch it on their own clocks."""

import re
from abc import abstractmethod
from calendar import Calendar, monthrange
from collections.abc import Container
from contextlib import suppress
from datetime import date, timedelta
from typing import Any, NamedTuple
from urllib.parse import urlencode

import falcon

from calendar_api import database
from calendar_api.config import Config
from calendar_api.contract import validation
from calendar_api.domain import date_words
from calendar_api.domain.errors import NotFound
from calendar_api.resources.event_pages import EventList, EventListPage, as_text, display, listing, today
from calendar_api.resources.events import find_records
from calendar_api.resources.pages import PageResource, View, parameters, redirect
from calendar_api.resources.resource import Json
from calendar_api.store import date_range, event_query

#: Events that are shown of a day: in the table of a month, and on its own page.
IN_CELL, ON_PAGE = 3, 100

_WEEKDAYS = {"monday": 0, "saturday": 5, "sunday": 6}
_DAY = timedelta(days=1)
_ZONES = timedelta(days=3)  # the wall clocks of two zones differ by less
_DAY_FORM = re.compile(r"(?!9999)[1-9]\d{3}-\d\d-\d\d", re.ASCII)
#: Filters that a page of days does not have: it has its own window.
DATED = {*date_range.DATE_FILTERS, "strict_dates"}


class Span(NamedTuple):
    """An event and the days that it touches on its own clock; midnight belongs to the day before."""

    id: int
    first: date
    last: date


class DaysPage(EventListPage):
    """What the pages of a month and of a day have in common; `path` is formatted with the first day."""

    path = ""

    @abstractmethod
    def bounds(self, req: falcon.Request, when: str) -> tuple[date, date]:
        """The first and the last day; raises NotFound."""

    @abstractmethod
    def names(self, day: date, language: str) -> tuple[str, str]:
        """What the page of this day is called, in its title and in links."""

    @abstractmethod
    def show(self, req: falcon.Request, view: EventList, spans: list[Span], first: date) -> None:
        """Add what is on the page."""

    def view(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        when, given, now = key.pop("when", ""), self.filters(req), today(req, self.config)
        view = self.scope(req, **key)
        checked = validation.parse_query("event", "query", given) | view.filters
        first, last = self.bounds(req, when)
        query = {name: value for name, value in checked.items() if name not in DATED}
        shown = {name: as_text(value) for name, value in given.items() if name not in DATED}
        path, about = view.base + self.path, view.data
        name, is_all = self.names(first, req.context.language)[0], view.base == "/events/"
        view.title, view.path = name if is_all else f"{view.title} – {name}", path.format(first)
        view.query, view.calendar = urlencode(shown), view.feed
        view.feed = view.path.rstrip("/") if is_all else view.feed
        view.json = listing(view.filters, shown, {"ends_after": first - _DAY, "starts_before": last})
        view.data = {
            "today": now, "filters": shown, "has_dates": False, "base": view.base, "list_path": view.path,
        }  # fmt: skip

        def work() -> None:
            window = {"ends_after": str(first - _ZONES), "starts_before": str(last + _ZONES)}
            rows = event_query.spans(query | window, req.context.caller, self.site.zone)
            near = [_span(row.id, row.start_date, row.end_date) for row in rows]
            spans = [span for span in near if span.first <= last and span.last >= first]
            before, after = self.neighbours(req, query, near, first, last)
            # There is nothing before the first event and after the last.
            if not (spans or shown or first <= now <= last or (before and after)):
                raise NotFound("event")
            for side, day in (("previous", before), ("next", after)):
                if day:
                    setattr(view, side, self.address(req, view, path.format(day)))
                    view.data[f"{side}_name"] = self.names(day, req.context.language)[1]
            view.data |= {"total": len(spans), "categories": self.choices(req)} | about
            view.data["heading"] = view.title
            self.show(req, view, spans, first)

        database.run_read(work)
        return view

    def neighbours(
        self, req: falcon.Request, query: Json, near: list[Span], first: date, last: date
    ) -> tuple[date | None, date | None]:
        """The days with events before and after these, None if there are none; `near` are events around."""
        started = {"starts_before": str(first - _DAY), "newest_first": True}
        events = [
            one for window in (started, {"ends_after": str(last)})
            for one in self.find(req, query | window | {"per_page": 1}, ("title",))
        ]  # fmt: skip
        near = near + [_span(one["id"], one["start_date"], one["end_date"]) for one in events]
        before = [min(span.last, first - _DAY) for span in near if span.first < first]
        after = [max(span.first, last + _DAY) for span in near if span.last > last]
        return max(before, default=None), min(after, default=None)

    def find(self, req: falcon.Request, query: Json, fields: Container[str] | None = None) -> list[Json]:
        caller, context = req.context.caller, req.context.site
        return find_records({"page": 1, **query}, caller, self.site, context, fields)[1]

    def records(
        self, req: falcon.Request, spans: list[Span], fields: Container[str] | None = None
    ) -> dict[int, Json]:
        """The events as objects, by id."""
        ids = sorted({span.id for span in spans})
        found = self.find(req, {"include": ids, "per_page": len(ids)}, fields) if ids else []
        return {record["id"]: record for record in found}


class MonthPage(DaysPage):
    """`/events/month/`, `/events/month/{when}/`"""

    path = "month/{:%Y-%m}/"

    def bounds(self, req: falcon.Request, when: str) -> tuple[date, date]:
        first = _parsed(f"{when}-01") if when else first_day(req, self.config).replace(day=1)
        return first, first.replace(day=monthrange(first.year, first.month)[1])

    def names(self, day: date, language: str) -> tuple[str, str]:
        name = _capitalised(date_words.month(day.year, day.month, language))
        return name, name

    def show(self, req: falcon.Request, view: EventList, spans: list[Span], first: date) -> None:
        weeks = Calendar(_WEEKDAYS[self.config.week_start]).monthdatescalendar(first.year, first.month)
        days = {day: _on(spans, day) for week in weeks for day in week if day.month == first.month}
        records = self.records(req, [span for some in days.values() for span in some[:IN_CELL]], ("title",))
        filters = view.filters | view.data["filters"]
        view.data |= {
            "weeks": weeks,
            "cells": {day: (len(on), [records[one.id] for one in on[:IN_CELL]]) for day, on in days.items()},
            "day_query": urlencode({name: as_text(value) for name, value in filters.items()}),
        }  # fmt: skip
        view.template, view.nav, view.indexed = "month.html", "month", bool(spans) and not view.query


class DayPage(DaysPage):
    """`/events/today/`, `/events/{when}/`"""

    path = "{:%Y-%m-%d}/"

    def view(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        if re.fullmatch(r"\d{4}-\d\d", key.get("when", "")):
            redirect(req, resp, falcon.HTTP_301, f"/events/month/{key['when']}/", req.query_string)
            return None
        return super().view(req, resp, **key)

    def bounds(self, req: falcon.Request, when: str) -> tuple[date, date]:
        day = _parsed(when) if when else first_day(req, self.config)
        return day, day

    def names(self, day: date, language: str) -> tuple[str, str]:
        words = date_words.full_day(day, language), date_words.short_day(day, language)
        return _capitalised(words[0]), _capitalised(words[1])

    def show(self, req: falcon.Request, view: EventList, spans: list[Span], first: date) -> None:
        shown = _on(spans, first)[:ON_PAGE]
        records = self.records(req, shown)
        window = {"ends_after": first - _DAY, "starts_before": first}
        view.data |= {
            "day": first, "events": [records[span.id] for span in shown], "more": len(spans) - len(shown),
            "all_query": urlencode(view.data["filters"] | window),
        }  # fmt: skip
        view.template, view.indexed = "day.html", False
        view.nav = "today" if first == view.data["today"] else ""


class EventsPage(PageResource):
    """`/events/`: the view that `eventDisplay` names, or that of CALENDAR_DEFAULT_VIEW."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        days, events = DayPage(config), EventListPage(config)
        self.views: dict[str | None, PageResource] = {
            "list": events, "past": events, "month": MonthPage(config), "today": days, "day": days
        }  # fmt: skip

    def view(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        return self.views.get(display(req), self.views[self.config.default_view]).view(req, resp, **key)


def first_day(req: falcon.Request, config: Config) -> date:
    """Where a page begins without a day in its path: the filter `start_date`, or the day at the site."""
    start = _DAY_FORM.match(str(parameters(req, config).get("start_date")))
    with suppress(ValueError):
        return date.fromisoformat(start[0] if start else "")
    return today(req, config)


def _span(id: int, start: str, end: str) -> Span:
    first, last = date.fromisoformat(start[:10]), date.fromisoformat(end[:10])
    return Span(int(id), first, max(first, last - _DAY) if end.endswith("00:00:00") else last)


def _capitalised(words: str) -> str:
    return words[:1].upper() + words[1:]


def _on(spans: list[Span], day: date) -> list[Span]:
    """The events of a day: those that begin on it, then those that go on."""
    found = [span for span in spans if span.first <= day <= span.last]
    return sorted(found, key=lambda span: span.first != day)


def _parsed(text: str) -> date:
    """A day of the years 1000 to 9998; raises NotFound for anything else."""
    if _DAY_FORM.fullmatch(text):
        with suppress(ValueError):
            return date.fromisoformat(text)
    raise NotFound("event")
