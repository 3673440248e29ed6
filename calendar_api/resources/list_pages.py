"""Pages that list events: all of them, and those of a venue, organizer, category or tag."""

import json
import re
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from html import unescape
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import falcon

from calendar_api import database
from calendar_api.config import Config
from calendar_api.contract import schemas, validation
from calendar_api.domain import form_params
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import NotFound, PageNotFound
from calendar_api.domain.translation import message, translated
from calendar_api.representations import terms as representation
from calendar_api.representations.documents import with_links
from calendar_api.representations.event_fields import lead
from calendar_api.resources.events import find_records
from calendar_api.resources.pages import PageResource, View, parameters, redirect, redirect_former
from calendar_api.resources.resource import Json
from calendar_api.resources.venue_organizer import OrganizerBySlug, VenueBySlug
from calendar_api.store import date_range, term_query
from calendar_api.store.terms import Terms, categories, tags

#: The first day of a window without a beginning.
BEGINNING = "1970-01-01"
#: Records whose pages list events.
RECORDS = ("venue", "organizer")

_TERMS: dict[str, tuple[str, Terms]] = {
    "events/category": ("categories", categories), "tag": ("tags", tags)
}  # fmt: skip
_NOT_ON_PAGES = frozenset({"page", "per_page", "password", "status"})
_CHOICES = 100
# Slugs may look like views.
_PATH = re.compile(
    r"""
    /(?:(?P<kind>events/category|tag|venue|organizer)/(?P<slugs>.+?)|events)/
    (?P<rest>
        (?:(?P<list>list)/)?(?:page/(?P<number>[0-9]{1,9})/)?
        | (?P<month>month)/(?:(?P<when>[^/]+)/)?
        | (?(kind)(?!)|(?:today|(?P<day>[^/]+))/)
    )
    """,
    re.VERBOSE,
)
_MONTH = re.compile(r"\d{4}-\d\d", re.ASCII)


class PageAddress(NamedTuple):
    """The address of a page that lists events.

    `kind` is "" for all events, and `slugs` are those of the record or term and of categories above it.
    `view` is "list", "month", "day" or "" if the path names none, `when` the month or day in the path.
    `rest` is the path after the slugs.
    """

    kind: str
    slugs: list[str]
    view: str
    when: str
    number: int
    rest: str


@dataclass
class EventList(View):
    """What a list of events is about; its page adds the events.

    `path` is the address of its first page below the home page, `numbered` that of the others without their
    number; the same events by month are below `base`. `filters` are those of the interface, checked.
    """

    numbered: str = "/events/list/page/"
    base: str = "/events/"
    filters: Json = field(default_factory=dict)


class ListPages(PageResource):
    """`/events/…`, `/venue/{slug}/…`, `/organizer/{slug}/…`, `/tag/{slug}/…`"""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.records = {"venue": VenueBySlug(config), "organizer": OrganizerBySlug(config)}

    def view(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        path: str = req.context.page.path
        if path.startswith("/events/tag/"):  # as in the reference
            redirect(req, resp, falcon.HTTP_301, path.removeprefix("/events"), req.query_string)
            return None
        address = parse(path)
        try:
            scope = database.run_read(lambda: self.scope(req, address))
        except NotFound:
            if address.kind not in RECORDS:
                raise
            model = self.records[address.kind].store.model
            redirect_former(req, resp, model, address.slugs[-1])
            return None
        canonical = (scope.path if address.kind else "/events/") + address.rest
        if canonical != path:  # former or other slugs, other categories above it
            redirect(req, resp, falcon.HTTP_301, canonical, req.query_string)
            return None
        shown = view_name(req, address, self.config.default_view)
        if shown == "list":
            return self.list_of_events(req, scope, address.number)
        return self.days(req, scope, shown, address.when)

    @abstractmethod
    def days(self, req: falcon.Request, scope: EventList, shown: str, when: str) -> View:
        """The page of a "month" or "day"."""

    def scope(self, req: falcon.Request, address: PageAddress) -> EventList:
        """What the list at an address is about; raises NotFound."""
        if address.kind in self.records:
            return self.record(req, address)
        if address.kind:
            return self.term(req, address)
        say = req.context.translate
        path = "/events/" if self.config.default_view == "list" else "/events/list/"
        text = message("Events of {site}, to read here or in your own calendar.", site=self.config.site_name)
        title = say("Past events") if is_past(req) else say("Events")
        about = translated(text, say)
        return EventList("list.html", title, path=path, feed="/events", nav="list", description=about)

    def record(self, req: falcon.Request, address: PageAddress) -> EventList:
        """A venue or an organizer, and its events."""
        noun, resource, caller = address.kind, self.records[address.kind], req.context.caller
        if len(address.slugs) > 1 or address.view:
            raise NotFound(noun)
        row = resource.find(caller, slug=address.slugs[0])
        stored = resource.records([row], single=False)[0]
        record: Json = json.loads(with_links(stored, req.context.site))
        path, name = f"/{noun}/{record['slug']}/", unescape(record[noun])
        return EventList(
            f"{noun}.html", _titled(req, name), {"record": record, "heading": name}, path=path,
            numbered=f"{path}page/", filters={noun: [record["id"]]}, feed=path.rstrip("/"),
            description=lead({"excerpt": "", "description": "", **record}),
        )  # fmt: skip

    def term(self, req: falcon.Request, address: PageAddress) -> EventList:
        """A category or a tag, and its events."""
        plural, store = _TERMS[address.kind]
        slug, query = address.slugs[-1], {"hide_empty": False, "page": 1, "per_page": 1}
        found = term_query.search(store, {**query, "slug": slug}, req.context.caller).records
        term: Any = found[0] if found else store.by_former_slug(slug)
        is_category = store is categories
        slugs = representation.path(int(term.id), store.all_parents()) if is_category else [term.slug]
        path = f"/{address.kind}/{'/'.join(slugs)}/"
        data: Json = {"term": term, "heading": term.name}
        if is_category:
            data["categories"] = []  # the form would replace the category by another one
        about = lead({"excerpt": "", "description": term.description})
        return EventList(
            "term.html", _titled(req, term.name), data, about, path=path, base=path, feed=path.rstrip("/"),
            numbered=f"{path}list/page/", filters={plural: [int(term.id)]}, nav="list",
            api=f"/events/?{plural}={quote(term.slug)}",
        )  # fmt: skip

    def list_of_events(self, req: falcon.Request, view: EventList, number: int) -> View:
        """A page of events by day; those of the past begin with the last ones."""
        filters, past, now = self.filters(req), is_past(req), today(req, self.config)
        query = validation.parse_query("event", "query", filters) | view.filters
        window = self.window(query, now, past=past)
        query |= window | {"page": number, "per_page": self.config.per_page, "newest_first": past}
        if number < 1:
            raise PageNotFound("event")
        page, records = find_records(query, req.context.caller, self.site, req.context.site)
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
            "categories": self.choices(req),
            "other": urlencode(kept if past else {**kept, "eventDisplay": "past"}),
        } | view.data  # fmt: skip
        view.path, before, after = (
            view.path if one == 1 else f"{view.numbered}{one}/" for one in (number, number - 1, number + 1)
        )
        view.previous = self.address(req, view, before) if number > 1 else ""
        view.next = self.address(req, view, after) if number < page.pages else ""
        view.json = listing(view.filters, shown, window)
        view.indexed = number == 1 and not shown
        view.cacheable = date_range.absolute(query)
        return view

    def address(self, req: falcon.Request, view: View, path: str) -> str:
        """The address of another page of the same list."""
        address = f"{req.context.site.links.home}{quote(path)}"
        return f"{address}?{view.query}" if view.query else address

    def filters(self, req: falcon.Request) -> Json:
        """The filters of the address that have a value, by their names in the interface."""
        known = schemas.schema("event", "query")["properties"].keys() - _NOT_ON_PAGES
        return {name: value for name, value in parameters(req, self.config).items() if name in known}

    def window(self, query: Json, today: date, *, past: bool) -> Json:
        """The dates that the query lacks, as filters: events that end today or later, or before today."""
        if past:
            return past_window(query, today)
        if "include" in query or any(name in query for name in date_range.DATE_FILTERS):
            return {}
        return {"ends_after": f"{today - timedelta(days=1)} 23:59:59"}

    def choices(self, req: falcon.Request) -> list[Any]:
        """The categories to choose from."""
        query = validation.parse_query("category", "query", {"per_page": str(_CHOICES)})
        return database.run_read(lambda: term_query.search(categories, query, req.context.caller).records)


def parse(path: str) -> PageAddress:
    """The parts of a path, which ends with a slash; raises NotFound."""
    match = _PATH.fullmatch(path)
    if match is None:
        raise NotFound("event")
    kind, when, rest = match["kind"] or "", match["when"] or match["day"] or "", match["rest"]
    number = int(match["number"] or 1)
    if match["number"] and bool(match["list"]) == (kind in RECORDS):
        raise NotFound("event")
    if match["number"]:
        rest = rest.partition("page/")[0] + ("" if number == 1 else f"page/{number}/")
    view = match["list"] or match["month"] or ("day" if rest and not kind else "")
    if view == "day" and _MONTH.fullmatch(when):
        view, rest = "month", f"month/{rest}"
    return PageAddress(kind, match["slugs"].split("/") if kind else [], view, when, number, rest)


def view_name(req: falcon.Request, address: PageAddress, default: str) -> str:
    """The view of an address: "list", "month" or "day"; `default` is that of all events."""
    if address.view or address.kind in RECORDS:
        return address.view or "list"
    views = {"list": "list", "past": "list", "month": "month", "today": "day", "day": "day"}
    asked = views.get(display(req) or "")
    if address.kind:
        return "month" if asked == "month" else "list"
    return asked or views[default]


def past_window(query: Mapping[str, object], today: date) -> Json:
    """The dates that a query of past events lacks, as filters."""
    ended = {"start_date": BEGINNING, "end_date": str(today - timedelta(days=1))}
    return {name: value for name, value in ended.items() if name not in query}


def today(req: falcon.Request, config: Config) -> date:
    """The day at the site."""
    caller: Caller = req.context.caller
    return caller.at.astimezone(config.site.zone).date()


def display(req: falcon.Request) -> str | None:
    """The view that the address names in its query string, as in the reference."""
    return form_params.last(req.query_string, "eventDisplay")


def is_past(req: falcon.Request) -> bool:
    """Whether the address asks for past events."""
    return display(req) == "past"


def as_text(value: object) -> str:
    """A filter as links repeat it."""
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def listing(*filters: Json) -> str:
    """The address of the list in the interface, below the namespace."""
    query = urlencode({name: as_text(value) for some in filters for name, value in some.items()})
    return f"/events?{query}" if query else "/events"


def _titled(req: falcon.Request, name: str) -> str:
    return f"{name} – {req.context.translate('Past events')}" if is_past(req) else name
