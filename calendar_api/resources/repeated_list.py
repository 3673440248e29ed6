"""Answers a cached list of events again after a write (docs/decisions/0011)."""

from dataclasses import replace
from functools import cached_property
from typing import Any

from calendar_api.domain import dates, json_text
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import InvalidParameters
from calendar_api.middleware.response_cache.answers import Shown
from calendar_api.middleware.response_cache.generations import Kept
from calendar_api.representations import archive
from calendar_api.representations.render_context import RenderContext
from calendar_api.resources.base import Json
from calendar_api.store import events
from calendar_api.store.event_query import Understood
from calendar_api.store.paging import Page


class RepeatedList:
    """Answers a list request of an anonymous caller again after a write, without parsing it again.

    The answer is the same as that of `Events.on_get`, with the same headers. `resource` is that of the list.
    """

    def __init__(self, resource: Any, query: Json, caller: Caller, site: RenderContext) -> None:
        self.resource, self.query, self.caller, self.site = resource, query, caller, site
        self._envelopes: dict[int, tuple[bytes, dict[str, str]]] = {}

    @cached_property
    def parameters(self) -> Json:
        filters: Json = self.resource.effective_filters(self.query, self.caller)
        return filters

    @cached_property
    def understood(self) -> Understood:
        return events.understood(self.query, self.caller, self.resource.zone)

    def __call__(self, kept: Kept) -> tuple[bytes, str, dict[str, str], Shown] | None:
        """Body, ETag, headers that change, and the events it shows; None to run the request as a new one."""
        now = dates.this_second()
        totals = self.resource.totals(self.query, kept)
        page = self.understood.page(self.query["page"], self.query["per_page"], now, totals)
        if page.past_the_end:
            return None
        if self.site.now != now:
            self.caller, self.site = replace(self.caller, now=now), replace(self.site, now=now)
        try:
            records = self.resource.items_by_id(page.records, self.caller, self.site, kept)
        except InvalidParameters:  # more than MAX_LIST bytes by now
            return None
        rest, headers = self._envelope(page)
        body = b"".join((b'{"events":', json_text.joined(records), b",", rest[1:]))
        return body, json_text.list_etag(rest, records), headers, self.resource.shown_events(page, self.query)

    def _envelope(self, page: Page[int]) -> tuple[bytes, dict[str, str]]:
        """The JSON around the events, and the headers; both depend on the total only."""
        if page.total not in self._envelopes:
            envelope = self.resource.envelope(page, [], self.parameters, self.site)
            del envelope["events"]
            headers = {name.lower(): value for name, value in archive.total_headers(page).items()}
            headers["link"] = ", ".join(archive.page_links(envelope))
            self._envelopes = {page.total: (json_text.dumps(envelope), headers)}
        return self._envelopes[page.total]
