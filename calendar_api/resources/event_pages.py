"""Pages of events: lists of them, and one event."""

from datetime import date, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlencode

import falcon

from calendar_api import database
from calendar_api.config import Config
from calendar_api.contract import validation
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import PageNotFound
from calendar_api.representations import events as representation
from calendar_api.resources import request_body
from calendar_api.resources.event_list import find_records
from calendar_api.resources.events import EventBySlug, is_open
from calendar_api.resources.pages import PageResource, View
from calendar_api.resources.resource import Json
from calendar_api.store import date_range
from calendar_api.store.paging import Page

#: Names of filters in addresses of the reference, and ours.
_ALIASES = {"tribe-bar-date": "start_date", "tribe-bar-search": "search"}
_NO_FILTERS = ("page", "per_page", "password", "status")
_BEGINNING = "1970-01-01"


class EventListPage(PageResource):
    """A list of events, grouped by day."""

    template = "list.html"

    def view(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View:
        number = key.get("number", 1)
        filters = self.filters(req)
        query = self.query(filters, req)
        page, records = self.find(query, number, req)
        if number < 1 or page.past_the_end:
            raise PageNotFound("event")
        shown = urlencode({name: _text(value) for name, value in filters.items()})
        ...


def today(req: falcon.Request, config: Config) -> date:
    """The day at the site."""
    caller: Caller = req.context.caller
    return caller.at.astimezone(config.site.zone).date()
