"""Pages of a month and of a day: the events that touch it on their own clocks."""

from calendar import Calendar
from collections.abc import Container
from datetime import date, timedelta
from typing import NamedTuple
from urllib.parse import urlencode

from calendar_api import database
from calendar_api.contract import validation
from calendar_api.domain import date_words
from calendar_api.domain.errors import NotFound
from calendar_api.resources.events import find_records
from calendar_api.resources.list_addresses import DATED, ONE_DAY, PATHS, ListAddress, between
from calendar_api.resources.list_pages import EventList, ListPages, as_text, listing
from calendar_api.resources.pages import View
from calendar_api.resources.resource import Json
from calendar_api.store import event_query

#: Events that are shown of a day: in the table of a month, and on its own page.
IN_CELL, ON_PAGE = 3, 100

_WEEKDAYS = {"monday": 0, "saturday": 5, "sunday": 6}
_ZONES = timedelta(days=3)  # the wall clocks of two zones differ by less


class Span(NamedTuple):
    """An event and the days that it touches on its own clock; midnight belongs to the day before."""

    id: int
    first: date
    last: date


class EventPages(ListPages):
    """All pages that list events; those of a month and of a day have the events that touch it."""

    def days(self, view: EventList, address: ListAddress) -> View:
        given, now, shown = address.filters, address.today, address.view
        checked = validation.parse_query("event", "query", given) | view.filters
        first, last = address.days()
        query = {name: value for name, value in checked.items() if name not in DATED}
        filters = {name: as_text(value) for name, value in given.items() if name not in DATED}
        path, about, is_all = view.base + PATHS[shown], view.data, view.base == "/events/"
        name = _names(shown, first, self.req.context.language)[0]
        view.title, view.path = name if is_all else f"{view.title} – {name}", path.format(first)
        view.query, view.calendar = urlencode(filters), view.feed
        view.feed = view.path.rstrip("/") if is_all else view.feed
        view.json = listing(view.filters, filters, between(first, last))
        view.data = {
            "today": now, "filters": filters, "has_dates": False, "base": view.base, "list_path": view.path,
        }  # fmt: skip

        def work() -> None:
            window = {"ends_after": str(first - _ZONES), "starts_before": str(last + _ZONES)}
            rows = event_query.spans(query | window, self.caller, self.config.site.zone)
            near = [_span(row.id, row.start_date, row.end_date) for row in rows]
            spans = [span for span in near if span.first <= last and span.last >= first]
            before, after = self.neighbours(query, near, first, last)
            # There is nothing before the first event and after the last.
            if not (spans or filters or first <= now <= last or (before and after)):
                raise NotFound("event")
            for side, day in (("previous", before), ("next", after)):
                if day:
                    setattr(view, side, self.address(view, path.format(day)))
                    view.data[f"{side}_name"] = _names(shown, day, self.req.context.language)[1]
            view.data |= {"total": len(spans), "categories": self.choices()} | about
            view.data["heading"] = view.title
            (self.show_month if shown == "month" else self.show_day)(view, spans, first)

        database.run_read(work)
        return view

    def show_month(self, view: EventList, spans: list[Span], first: date) -> None:
        weeks = Calendar(_WEEKDAYS[self.config.week_start]).monthdatescalendar(first.year, first.month)
        days = {day: _on(spans, day) for week in weeks for day in week if day.month == first.month}
        records = self.found([span for some in days.values() for span in some[:IN_CELL]], ("title",))
        filters = view.filters | view.data["filters"]
        view.data |= {
            "weeks": weeks,
            "cells": {day: (len(on), [records[one.id] for one in on[:IN_CELL]]) for day, on in days.items()},
            "day_query": urlencode({name: as_text(value) for name, value in filters.items()}),
        }  # fmt: skip
        view.template, view.nav, view.indexed = "month.html", "month", bool(spans) and not view.query

    def show_day(self, view: EventList, spans: list[Span], first: date) -> None:
        shown = _on(spans, first)[:ON_PAGE]
        records = self.found(shown)
        view.data |= {
            "day": first, "events": [records[span.id] for span in shown], "more": len(spans) - len(shown),
            "all_query": urlencode(view.data["filters"] | between(first, first)),
        }  # fmt: skip
        view.template, view.indexed = "day.html", False
        view.nav = "today" if first == view.data["today"] else ""

    def neighbours(
        self, query: Json, near: list[Span], first: date, last: date
    ) -> tuple[date | None, date | None]:
        """The days with events before and after these, None if there are none; `near` are events around."""
        started = {"starts_before": str(first - ONE_DAY), "newest_first": True}
        events = [
            one for window in (started, {"ends_after": str(last)})
            for one in self.find(query | window | {"per_page": 1}, ("title",))
        ]  # fmt: skip
        near = near + [_span(one["id"], one["start_date"], one["end_date"]) for one in events]
        before = [min(span.last, first - ONE_DAY) for span in near if span.first < first]
        after = [max(span.first, last + ONE_DAY) for span in near if span.last > last]
        return max(before, default=None), min(after, default=None)

    def find(self, query: Json, fields: Container[str] | None = None) -> list[Json]:
        return find_records({"page": 1, **query}, self.caller, self.config.site, self.site, fields)[1]

    def found(self, spans: list[Span], fields: Container[str] | None = None) -> dict[int, Json]:
        """The events as objects, by id."""
        ids = sorted({span.id for span in spans})
        found = self.find({"include": ids, "per_page": len(ids)}, fields) if ids else []
        return {record["id"]: record for record in found}


def _span(id: int, start: str, end: str) -> Span:
    first, last = date.fromisoformat(start[:10]), date.fromisoformat(end[:10])
    return Span(int(id), first, max(first, last - ONE_DAY) if end.endswith("00:00:00") else last)


def _names(shown: str, day: date, language: str) -> tuple[str, str]:
    """What the page of this month or day is called, in its title and in links."""
    names = date_words.full_day(day, language), date_words.short_day(day, language)
    if shown == "month":
        names = (date_words.month(day.year, day.month, language),) * 2
    title, link = (name[:1].upper() + name[1:] for name in names)
    return title, link


def _on(spans: list[Span], day: date) -> list[Span]:
    """The events of a day: those that begin on it, then those that go on."""
    found = [span for span in spans if span.first <= day <= span.last]
    return sorted(found, key=lambda span: span.first != day)
