"""The feeds of pages: what a page lists, as iCalendar, RSS, Atom, CSV and JSON-LD.

See docs/interface.md#feeds-of-pages.
"""

import re
from calendar import monthrange
from datetime import date, timedelta
from typing import Any
from urllib.parse import quote

import falcon

from calendar_api import database
from calendar_api.config import Config
from calendar_api.contract import validation
from calendar_api.database.models import Event, Organizer, Venue
from calendar_api.domain import text
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import NotFound
from calendar_api.domain.feed_formats import SINGLE
from calendar_api.representations import terms
from calendar_api.representations.links import with_query
from calendar_api.resources import event_pages, month_pages, request_body
from calendar_api.resources.feeds import EventFeed, EventFeedBySlug
from calendar_api.resources.pages import parameters, redirect_former
from calendar_api.resources.resource import Json
from calendar_api.store import documents
from calendar_api.store.terms import Terms, categories, tags

_MODELS: dict[str, type[documents.Record]] = {"event": Event, "venue": Venue, "organizer": Organizer}
_DATE = re.compile(r"[1-9]\d{3}-\d\d(?:-\d\d)?", re.ASCII)
_MONTH = len("YYYY-MM")
_DAY = timedelta(days=1)


class PageFeed(EventFeed):
    """The feed of the page at `path`, which `url_prefix.parse_feed` has found with its format."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.single = EventFeedBySlug(config)

    def on_get(self, req: falcon.Request, resp: falcon.Response, format: str = "", **key: Any) -> None:
        format = req.context.feed_format
        kind, *rest = key["path"].split("/")
        try:
            if kind == "event":
                self.send_single(req, resp, format, rest)
            else:
                self.send_page(req, resp, format, kind, rest)
        except NotFound:
            if kind not in _MODELS:
                raise
            redirect_former(req, resp, _MODELS[kind], rest[0], f".{format}")

    on_head = on_get

    def send_single(self, req: falcon.Request, resp: falcon.Response, format: str, rest: list[str]) -> None:
        if format not in SINGLE or len(rest) != 1:
            raise falcon.HTTPRouteNotFound
        query: Json = validation.parse_query("event", "read", request_body.query(req, self.config))
        self.single.send_event(req, resp, format, rest[0], query.get("password"))

    def send_page(
        self, req: falcon.Request, resp: falcon.Response, format: str, kind: str, rest: list[str]
    ) -> None:
        caller: Caller = req.context.caller
        # Slugs may look like views.
        slugs = {"events": 2 if rest[:1] == ["category"] else 0}.get(kind, 1)
        at = next((at for at, one in enumerate(rest) if at >= slugs and _is_view(one)), len(rest))
        base, own = database.run_read(lambda: self.scope(kind, rest[:at], caller))
        today = event_pages.today(req, self.config)
        query, sent = self.read_query(req)
        view, first = rest[at:] or _asked(req, base), month_pages.first_day(req, self.config)
        if first != today:
            dated = {"month": ["month", f"{first:%Y-%m}"], "today": [str(first)]}
            view = dated.get("/".join(view), view)
        view, dates = _dates(view, today)
        if dates:
            sent = {name: value for name, value in sent.items() if name not in month_pages.DATED}
            query = {name: value for name, value in query.items() if name not in month_pages.DATED}
        shown = dict(sent)
        if event_pages.is_past(req) and not dates:
            ended = {"start_date": event_pages.BEGINNING, "end_date": str(today - _DAY)}
            dates, shown["eventDisplay"] = ended | {key: sent[key] for key in ended if key in sent}, "past"
        filters = own | dates
        filters |= self.window(query | filters, format, caller)
        links = req.context.site.links
        page = links.home + quote("/".join(["", *base, *view]))
        feed = self.feed(
            req,
            self_url=with_query(f"{page}.{format}", shown),
            page_url=with_query(f"{page}/", shown),
            json_url=links.listing("events", sent | filters),
        )
        self.send(req, resp, format, query | filters, feed)

    def scope(self, kind: str, rest: list[str], caller: Caller) -> tuple[list[str], Json]:
        """The canonical segments of a page without its view, and its filters; raises NotFound."""
        match kind, rest:
            case "events", []:
                return [kind], {}
            case "events", ["category", *slugs] if slugs:
                id = _term(categories, slugs[-1])
                return [kind, "category", *terms.path(id, categories.all_parents())], {"categories": [id]}
            case "tag", [slug]:
                return [kind, slug], {"tags": [_term(tags, slug)]}
            case "venue" | "organizer", [slug]:
                row = documents.find(_MODELS[kind], "slug", text.slug(slug), caller)
                return [kind, row.slug], {kind: [int(row.id)]}
        raise falcon.HTTPRouteNotFound

    def given(self, req: falcon.Request) -> Json:
        return parameters(req, self.config)


def _asked(req: falcon.Request, base: list[str]) -> list[str]:
    """The view that the query string of the page at `base` names, as segments of a path."""
    match event_pages.display(req), base:
        case "month", ["events" | "tag", *_]:
            return ["month"]
        case "day", ["events"]:
            return ["today"]
    return []


def _is_view(segment: str) -> bool:
    return segment in ("list", "month", "today") or _DATE.fullmatch(segment) is not None


def _term(store: Terms, slug: str) -> int:
    """The id of the term with this slug; raises NotFound."""
    (id,) = store.resolve([text.slug(slug)], by_name=False).values()
    return int(store.by_former_slug(slug).id) if id is None else id


def _dates(view: list[str], today: date) -> tuple[list[str], Json]:
    """The canonical segments of a view, and the filters of what takes place on its days."""
    match view:
        case [] | ["list"] | ["list", "page", _]:
            return [], {}
        case ["today"]:
            when = str(today)
        case ["month"]:
            when = str(today)[:_MONTH]
        case ["month", when] if len(when) == _MONTH:
            pass
        case [when]:
            view = ["month", when] if len(when) == _MONTH else view
        case _:
            raise falcon.HTTPRouteNotFound
    if not _DATE.fullmatch(when):
        raise falcon.HTTPRouteNotFound
    try:
        first = last = date.fromisoformat(f"{when}-01"[: len("YYYY-MM-DD")])
    except ValueError:
        raise falcon.HTTPRouteNotFound from None
    if len(when) == _MONTH:
        last = first.replace(day=monthrange(first.year, first.month)[1])
    return view, {"ends_after": f"{first - _DAY} 23:59:59", "starts_before": f"{last} 23:59:59"}
