"""Pages of events: lists of them, and one event."""

from collections.abc import Container
from dataclasses import dataclass, field
from datetime import date, timedelta
from html import unescape
from typing import Any
from urllib.parse import quote, urlencode

import falcon

from calendar_api import database
from calendar_api.config import Config
from calendar_api.contract import schemas, validation
from calendar_api.database.models import Event
from calendar_api.domain import form_params
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import EventPasswordRequired, NotFound, PageNotFound
from calendar_api.domain.translation import message, translated
from calendar_api.representations import events as representation
from calendar_api.representations import terms
from calendar_api.representations.event_fields import image_url, lead
from calendar_api.resources import request_body
from calendar_api.resources.events import EventBySlug, find_records, is_open
from calendar_api.resources.pages import PageResource, View, parameters, redirect, redirect_former, send
from calendar_api.resources.resource import Json
from calendar_api.store import date_range, event_query, login_attempts
from calendar_api.store.terms import categories

_NOT_ON_PAGES = frozenset({"page", "per_page", "password", "status"})
BEGINNING = "1970-01-01"
_CHOICES = 100


@dataclass
class EventList(View):
    """What a list of events is about; its page adds the events.

    `path` is the address of its first page below the home page, `numbered` that of the others without their
    number; the same events by month are below `base`. `filters` are those of the interface, checked.
    """

    numbered: str = "/events/list/page/"
    base: str = "/events/"
    filters: Json = field(default_factory=dict)


class EventListPage(PageResource):
    """All events, by day; `?eventDisplay=past` are those of the past, the last ones first."""

    def scope(self, req: falcon.Request, **key: Any) -> EventList:
        """What the list is about: `scope` if it is given, else all events."""
        if "scope" in key:
            given: EventList = key["scope"]
            return given
        say = req.context.translate
        path = "/events/" if self.config.default_view == "list" else "/events/list/"
        text = message("Events of {site}, to read here or in your own calendar.", site=self.config.site_name)
        title = say("Past events") if is_past(req) else say("Events")
        about = translated(text, say)
        return EventList("list.html", title, path=path, feed="/events", nav="list", description=about)

    def view(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        number = key.pop("number", 1)
        view, filters = self.scope(req, **key), self.filters(req)
        query = validation.parse_query("event", "query", filters) | view.filters
        past = is_past(req)
        now = today(req, self.config)
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
        view.data = {
            "heading": view.title, "events": records, "total": page.total, "today": now,
            "first_day": now if "ends_after" in window else None,  # under which earlier events stand
            "filters": shown, "past": past, "list_path": view.path, "base": view.base,
            "categories": self.choices(req),
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
        yesterday = today - timedelta(days=1)
        if past:
            ended = {"start_date": BEGINNING, "end_date": str(yesterday)}
            return {name: value for name, value in ended.items() if name not in query}
        if "include" in query or any(name in query for name in date_range.DATE_FILTERS):
            return {}
        return {"ends_after": f"{yesterday} 23:59:59"}

    def choices(self, req: falcon.Request) -> list[Any]:
        """The categories to choose from."""
        query = validation.parse_query("category", "query", {"per_page": str(_CHOICES)})
        return database.run_read(lambda: categories.search(query, req.context.caller).records)


class EventPage(PageResource):
    """`/event/{slug}/`: POST sends the password of a protected event, and is answered with the page."""

    methods = ("GET", "POST")

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.events = EventBySlug(config)

    def view(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        try:
            view = database.run_read(lambda: self.page(req, key["slug"]))
        except NotFound:
            redirect_former(req, resp, Event, key["slug"])
            return None
        if req.context.page.path == view.path:
            return view
        redirect(req, resp, falcon.HTTP_301, view.path, req.query_string)
        return None

    def on_post(self, req: falcon.Request, resp: falcon.Response, slug: str) -> None:
        caller: Caller = req.context.caller
        given = request_body.fields(req, self.config, ())
        password = validation.parse_query("event", "read", given).get("password", "")
        try:
            row = database.run_read(lambda: self.events.find(caller, slug=slug))
        except NotFound:
            redirect_former(req, resp, Event, slug, status=falcon.HTTP_308)  # browsers send the form again
            return
        opened: Container[str] = ()
        if password and not is_open(row, caller):
            protected = {int(row.id): row.password}
            opened = login_attempts.matching_digests(str(password), protected, caller.address, caller.now)
        view = database.run_read(lambda: self.page(req, slug, opened))
        view.indexed = view.cacheable = False
        if view.data["is_masked"]:
            resp.status, req.context.error = falcon.HTTP_403, EventPasswordRequired.code
            view.data["is_wrong"] = True
        send(req, resp, view, self.config)

    def page(self, req: falcon.Request, slug: str, opened: Container[str] = ()) -> View:
        """The page as this caller may see it; raises NotFound. `opened` are digests of known passwords."""
        return self.view_of(req, self.events.find(req.context.caller, slug=slug), opened)

    def view_of(self, req: falcon.Request, row: Any, opened: Container[str] = ()) -> View:
        """The same of a row."""
        caller: Caller = req.context.caller
        links = req.context.site.links
        is_masked = not (is_open(row, caller) or row.password in opened)
        loaded, masked = self.events.load(row, caller), {int(row.id)} if is_masked else set()
        event: Json = representation.records([loaded], masked, req.context.site)[0]
        near = [
            one and {"title": one.title, "url": links.page("event", one.id, one.slug, "publish")}
            for one in event_query.neighbours(row, caller.now)
        ]
        parents = categories.all_parents() if event["categories"] else {}
        data: Json = {
            "event": event, "is_masked": is_masked, "is_wrong": False, "before": near[0], "after": near[1],
            "category_pages": {
                one["id"]: links.category_page(terms.path(one["id"], parents)) for one in event["categories"]
            },
            "has_json_ld": not row.password,
        }  # fmt: skip
        address = f"/events/{row.id}"
        return View(
            "event.html",
            unescape(event["title"]),
            data,
            description=lead(event),
            image=image_url(event),
            kind="article",
            path=f"/event/{event['slug']}/",
            feed="" if row.password else f"/event/{event['slug']}",
            json=address,
            api=address,
            previous=near[0]["url"] if near[0] else "",
            next=near[1]["url"] if near[1] else "",
            indexed=not (is_masked or event["hide_from_listings"]),
            cacheable=not row.password,
        )


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
