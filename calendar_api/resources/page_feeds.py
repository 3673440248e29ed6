"""The feeds of pages: what a page lists, as iCalendar, RSS, Atom, CSV and JSON-LD.

See docs/interface.md#feeds-of-pages.
"""

from typing import Unpack
from urllib.parse import quote

import falcon

from calendar_api import database
from calendar_api.database.models import Event
from calendar_api.domain.errors import NotFound
from calendar_api.domain.feed_formats import SINGLE
from calendar_api.representations.links import with_query
from calendar_api.resources.feeds import EventFeed, EventFeedBySlug
from calendar_api.resources.list_addresses import (
    DATED,
    PATHS,
    RECORDS,
    ListAddress,
    between,
    on_days,
    parameters,
)
from calendar_api.resources.list_pages import EventPages
from calendar_api.resources.pages import redirect_former
from calendar_api.resources.resource import Json, RouteKey
from calendar_api.store import documents

_MODELS: dict[str, type[documents.Record]] = {"event": Event, **RECORDS}


class PageFeed(EventFeed):
    """The feed of the page at `path`, which `url_prefix.parse_feed` has found with its format."""

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, format: str = "", **key: Unpack[RouteKey]
    ) -> None:
        format = req.context.feed_format
        kind, *slugs = key["path"].split("/")
        try:
            if kind == "event":
                self.send_single(req, resp, format, slugs)
            else:
                self.send_page(req, resp, format, ListAddress(req, self.config, f"/{key['path']}/", "list"))
        except NotFound:
            if kind not in _MODELS:
                raise
            redirect_former(req, resp, _MODELS[kind], slugs[0] if slugs else "", f".{format}")

    def send_single(self, req: falcon.Request, resp: falcon.Response, format: str, slugs: list[str]) -> None:
        """Raises HTTPRouteNotFound for a format that single events do not have, and NotFound."""
        if format not in SINGLE or len(slugs) != 1:
            raise falcon.HTTPRouteNotFound
        EventFeedBySlug(self.config).on_get(req, resp, format, slug=slugs[0])

    def send_page(
        self, req: falcon.Request, resp: falcon.Response, format: str, address: ListAddress
    ) -> None:
        pages = EventPages(self.config, req, resp)
        scope = database.run_read(lambda: pages.scope(address))
        query, sent = self.read_query(req)
        path, shown, window, days = scope.path if address.kind else "/events/", sent, {}, {}
        if address.view != "list":
            first, last = address.days()
            window = between(first, last)
            days = on_days(first, last)
            # Without a day in its address, the feed is always that of the current one.
            is_current = not address.when and address.start == address.today
            current = "month/" if address.view == "month" else "today/"
            path += current if is_current else PATHS[address.view].format(first)
            shown = sent = {name: value for name, value in sent.items() if name not in DATED}
            query = {name: value for name, value in query.items() if name not in DATED}
        elif address.is_past:
            window, shown = address.window(sent), {**sent, "eventDisplay": "past"}
        elif "start_date" in sent:
            window = address.window(sent)
        filters = scope.filters | window
        filters |= self.window(query | filters, format, req.context.caller)
        links = req.context.site.links
        page = links.home + quote(path)
        self_url = with_query(f"{page.rstrip('/')}.{format}", shown)
        json_url = links.listing("events", sent | filters)
        feed = self.feed(req, self_url, with_query(page, shown), json_url)
        self.send(req, resp, format, query | filters | days, feed)

    def given(self, req: falcon.Request) -> Json:
        return parameters(req, self.config)
