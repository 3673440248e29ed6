"""Pages that list events by day, month or list: all events, and those of a venue, organizer or term."""

import json
from calendar import Calendar
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple
from urllib.parse import quote, urlencode

from calendar_api import database
from calendar_api.contract import validation
from calendar_api.domain import date_words, text
from calendar_api.domain.errors import NotFound, PageNotFound
from calendar_api.domain.translation import message, translated
from calendar_api.representations import terms as representation
from calendar_api.representations.documents import with_links
from calendar_api.representations.event_fields import lead, names
from calendar_api.representations.links import as_text
from calendar_api.representations.records import EventJson, OrganizerJson, VenueJson
from calendar_api.representations.rows import CountedTermRow, TermRow
from calendar_api.resources.events import find_records
from calendar_api.resources.list_addresses import (
    DATED,
    ONE_DAY,
    PATHS,
    RECORDS,
    ZONES,
    ListAddress,
    around,
    between,
)
from calendar_api.resources.pages import View, WebPage, redirect_former
from calendar_api.resources.resource import Json, Query
from calendar_api.store import date_range, documents, event_query, term_query
from calendar_api.store.terms import Terms, categories, tags

#: Events that are shown of a day: in the table of a month, and on its own page.
IN_CELL, ON_PAGE = 3, 100

_TERMS: dict[str, tuple[str, Terms]] = {
    "events/category": ("categories", categories), "tag": ("tags", tags)
}  # fmt: skip
_CHOICES = 100
_WEEKDAYS = {"monday": 0, "saturday": 5, "sunday": 6}


class Span(NamedTuple):
    """An event and the days that it touches on its own clock; midnight belongs to the day before."""

    id: int
    first: date
    last: date


@dataclass
class EventList(View):
    """What a list of events is about; its page adds the events.

    `path` is the address of its first page below the home page, `numbered` that of the others without their
    number; the same events by month are below `base`. `filters` are those of the interface, checked.
    """

    numbered: str = "/events/list/page/"
    base: str = "/events/"
    filters: Json = field(default_factory=dict)


class EventPages(WebPage):
    """`/events/…`, `/venue/{slug}/…`, `/organizer/{slug}/…`, `/tag/{slug}/…`"""

    def show(self) -> View | None:
        path, sent = self.path, self.req.query_string
        if path.startswith("/events/tag/"):  # as in the reference
            self.redirect(path.removeprefix("/events"), sent)
            return None
        address = ListAddress(self.req, self.config, path, self.config.default_view)
        try:
            scope = database.run_read(lambda: self.scope(address))
        except NotFound:
            if address.kind not in RECORDS:
                raise
            redirect_former(self.req, self.resp, RECORDS[address.kind], address.slugs[-1])
            return None
        canonical = (scope.path if address.kind else "/events/") + address.rest
        if canonical != path:  # former or other slugs, other categories above it
            self.redirect(canonical, sent)
            return None
        show = self.list_of_events if address.view == "list" else self.days
        return show(scope, address)

    def scope(self, address: ListAddress) -> EventList:
        """What the list at an address is about; raises NotFound."""
        if address.kind in RECORDS:
            return self.record(address)
        if address.kind:
            return self.term(address)
        path = "/events/" if self.config.default_view == "list" else "/events/list/"
        welcome = message(
            "Events of {site}, to read here or in your own calendar.", site=self.config.site_name
        )
        title = self.say("Past events") if address.is_past else self.say("Events")
        about = translated(welcome, self.say)
        return EventList("list.html", title, path=path, feed="/events", nav="list", description=about)

    def record(self, address: ListAddress) -> EventList:
        """A venue or an organizer, and its events; raises NotFound."""
        noun, model = address.kind, RECORDS[address.kind]
        if len(address.slugs) > 1 or address.named:
            raise NotFound(noun)
        row = documents.find(model, "slug", text.slug(address.slugs[0]), self.caller)
        stored = documents.venues_or_organizers(model, [row], self.config.site)[0]
        record: VenueJson | OrganizerJson = json.loads(with_links(stored, self.site))
        path, name = f"/{noun}/{record['slug']}/", names([record], noun)[0]
        return EventList(
            f"{noun}.html", address.titled(name), {"record": record, "heading": name}, path=path,
            numbered=f"{path}page/", filters={noun: [record["id"]]}, feed=path.rstrip("/"),
            api=f"/events/?{noun}={record['id']}",
            description=lead(record),
        )  # fmt: skip

    def term(self, address: ListAddress) -> EventList:
        """A category or a tag, and its events."""
        plural, store = _TERMS[address.kind]
        slug, query = address.slugs[-1], {"hide_empty": False, "page": 1, "per_page": 1}
        found = term_query.search(store, {**query, "slug": slug}, self.caller).records
        term: TermRow = found[0] if found else store.by_former_slug(slug)
        is_category = store is categories
        slugs = representation.path(int(term.id), store.all_parents()) if is_category else [term.slug]
        path = f"/{address.kind}/{'/'.join(slugs)}/"
        data: Json = {"term": term, "heading": term.name}
        if is_category:
            data["categories"] = []  # the form would replace the category by another one
        about = lead({"description": term.description})
        return EventList(
            "term.html", address.titled(term.name), data, about, path=path, base=path, feed=path.rstrip("/"),
            numbered=f"{path}list/page/", filters={plural: [int(term.id)]}, nav="list",
            api=f"/events/?{plural}={quote(term.slug)}",
        )  # fmt: skip

    def list_of_events(self, view: EventList, address: ListAddress) -> View:
        """A page of events by day; those of the past begin with the last ones. Raises PageNotFound."""
        filters, past, now, number = address.filters, address.is_past, address.today, address.number
        query = address.query | view.filters
        window = address.window(query)
        query |= window | {"page": number, "per_page": self.config.per_page, "newest_first": past}
        if number < 1:
            raise PageNotFound("event")
        page, records = find_records(query, self.caller, self.config.site, self.site)
        if page.past_the_end:
            raise PageNotFound("event")
        if past:
            records.reverse()
        shown = {name: as_text(value) for name, value in filters.items()}
        view.query = urlencode({**shown, "eventDisplay": "past"} if past else shown)
        kept = {name: value for name, value in shown.items() if name not in date_range.DATE_FILTERS}
        view.data = {
            "heading": view.title, "events": records, "total": page.total, "today": now,
            "first_day": now if "ends_after" in window else None,  # under which earlier events stand
            "filters": shown, "past": past, "list_path": view.path, "base": view.base,
            "categories": self.choices(),
            "other": urlencode(kept if past else {**kept, "eventDisplay": "past"}),
        } | view.data  # fmt: skip
        view.path, before, after = (
            view.path if one == 1 else f"{view.numbered}{one}/" for one in (number, number - 1, number + 1)
        )
        view.previous = self.address(view, before) if number > 1 else ""
        view.next = self.address(view, after) if number < page.pages else ""
        view.json = listing(view.filters, shown, window)
        view.indexed = number == 1 and not shown
        view.cacheable = date_range.absolute(query)
        return view

    def address(self, view: View, path: str) -> str:
        """The address of another page of the same list."""
        address = f"{self.home}{quote(path)}"
        return f"{address}?{view.query}" if view.query else address

    def choices(self) -> list[CountedTermRow]:
        """The categories to choose from."""
        query = validation.parse_query("category", "query", {"per_page": str(_CHOICES)})
        return database.run_read(lambda: term_query.search(categories, query, self.caller).records)

    def days(self, view: EventList, address: ListAddress) -> View:
        """A day or a month; raises NotFound where there is nothing before, in and after it."""
        given, now, shown = address.filters, address.today, address.view
        checked = address.query | view.filters
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
            rows = event_query.spans(query | around(first, last), self.caller, self.config.site.zone)
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
        self, query: Query, near: list[Span], first: date, last: date
    ) -> tuple[date | None, date | None]:
        """The days with events before and after these, None if there are none; `near` are events around."""
        # Nearer events can be within these days on their own clocks, and would hide those far from them.
        before_near = {"starts_before": str(first - ZONES + ONE_DAY), "newest_first": True}
        after_near = {"starts_after": str(last + ZONES - ONE_DAY)}
        events = [
            one for window in (before_near, after_near)
            for one in self.find(query | window | {"per_page": 1}, ("title",))
        ]  # fmt: skip
        near = near + [_span(one["id"], one["start_date"], one["end_date"]) for one in events]
        before = [min(span.last, first - ONE_DAY) for span in near if span.first < first]
        after = [max(span.first, last + ONE_DAY) for span in near if span.last > last]
        return max(before, default=None), min(after, default=None)

    def find(self, query: Query, fields: Container[str] | None = None) -> list[EventJson]:
        return find_records({"page": 1, **query}, self.caller, self.config.site, self.site, fields)[1]

    def found(self, spans: list[Span], fields: Container[str] | None = None) -> dict[int, EventJson]:
        """The events as objects, by id."""
        ids = sorted({span.id for span in spans})
        found = self.find({"include": ids, "per_page": len(ids)}, fields) if ids else []
        return {record["id"]: record for record in found}


def listing(*filters: Mapping[str, object]) -> str:
    """The address of the list in the interface, below the namespace."""
    query = urlencode({name: as_text(value) for some in filters for name, value in some.items()})
    return f"/events?{query}" if query else "/events"


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
