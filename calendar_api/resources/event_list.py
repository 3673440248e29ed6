"""Lists of events over HTTP, and their creation."""

from collections.abc import Container, Iterable
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import Any

import falcon

from calendar_api import database
from calendar_api.config import Config
from calendar_api.domain import dates, json_text
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import (
    DatabaseUnavailable,
    InvalidParameters,
    TooManyAttempts,
)
from calendar_api.domain.json_text import Rendered
from calendar_api.domain.translation import message
from calendar_api.middleware.response_cache import texts
from calendar_api.middleware.response_cache.answers import Shown
from calendar_api.middleware.response_cache.generations import Kept
from calendar_api.middleware.response_cache.hint import CACHE_HINT, CacheHint
from calendar_api.middleware.response_cache.texts import Texts
from calendar_api.representations import archive
from calendar_api.representations import events as representation
from calendar_api.representations.render_context import RenderContext
from calendar_api.resources.base import Archive
from calendar_api.resources.events import EventRules, is_open
from calendar_api.resources.resource import Json
from calendar_api.store import date_range, events, login_attempts, related_records
from calendar_api.store.event_query import Totals, Understood
from calendar_api.store.events import EventDraft
from calendar_api.store.paging import Page
from calendar_api.store.related_records import RelatedRecords

_REPEATED_FILTERS = (
    "search", "geoloc", "geoloc_lat", "geoloc_lng", "geoloc_distance", "status", "post_parent", "include",
    "starts_before", "starts_after", "ends_before", "ends_after",
    "venue", "organizer", "featured", "categories", "tags", "ticketed", "strict_dates",
)  # fmt: skip

#: Bytes that the events of one page may have together: each shows up to 140 other records.
MAX_LIST = 16 * 2**20


class Events(EventRules, Archive):
    path = "/events"

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.texts = Texts(int(config.cache * 2**20 * texts.SHARE))

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        super().on_get(req, resp)
        hint: CacheHint | None = req.env.get(CACHE_HINT)
        if hint is not None and "_fields" in req.query_string:
            hint.again = None

    on_head = on_get

    def is_cacheable(self, query: Json) -> bool:
        return "password" not in query and date_range.absolute(query)

    def read_page(
        self, query: Json, caller: Caller, site: RenderContext, hint: CacheHint | None
    ) -> tuple[Page[Any], list[Any]]:
        if "password" in query:
            return self.read_page_with_password(query, caller, site)

        def work() -> tuple[Page[int], list[Rendered]]:
            kept = hint.generation() if hint is not None else None
            totals = self.totals(query, kept) if kept is not None else None
            page = events.search(query, caller, self.zone, totals)
            if hint is not None:
                hint.shows = self.shown_events(page, query)
                if kept is not None and events.stays_understood(query):
                    hint.again = RepeatedList(self, query, caller, site)
            return page, self.items_by_id(page.records, caller, site, kept)

        return database.run_read(work)

    def read_page_with_password(
        self, query: Json, caller: Caller, site: RenderContext
    ) -> tuple[Page[int], list[Rendered]]:
        """Check the password outside of the transaction: it takes long."""

        def work() -> tuple[Page[int], list[Any], RelatedRecords]:
            page = self.search(query, caller)
            found = events.by_ids(page.records, caller)
            return page, found, related_records.load(found, caller) if found else RelatedRecords()

        page, found, nested = database.run_read(work)
        masked = self.rendered(found, nested, caller, site)
        protected = {int(event.id): event.password for event in found if not is_open(event, caller)}
        if not protected:
            return page, masked
        try:
            opened = login_attempts.opened(query["password"], protected, caller.address, caller.now)
        except (TooManyAttempts, DatabaseUnavailable):
            return page, masked
        return page, self.rendered(found, nested, caller, site, opened) if opened else masked

    def search(self, query: Json, caller: Caller) -> Page[int]:
        return events.search(query, caller, self.zone)

    def totals(self, query: Json, kept: Kept) -> Totals:
        """The cache for the total of the list."""
        return kept.found if events.reads_texts(query) else kept.totals

    def shown_events(self, page: Page[int], query: Json) -> Shown:
        """The ids of the events whose texts the list depends on; None for all."""
        return None if events.reads_texts(query) else frozenset(page.records)

    def items_by_id(
        self, ids: list[int], caller: Caller, site: RenderContext, kept: Kept | None
    ) -> list[Rendered]:
        """The events as JSON; cached ones are neither read nor rendered."""
        if kept is None:
            return self.list_items(events.by_ids(ids, caller), {}, caller, site)
        found: dict[int, Any] = dict(
            zip(ids, kept.events.several((site.place, id) for id in ids), strict=True)
        )
        lacking = [id for id, rendered in found.items() if rendered is None]
        if lacking:
            read = events.by_ids(lacking, caller)
            for event, rendered in zip(read, self.list_items(read, {}, caller, site), strict=True):
                found[event.id] = rendered
                kept.events.put((site.place, event.id), rendered, len(rendered))
        return _limited(found[id] for id in ids if found[id] is not None)

    def list_items(
        self, records: list[Any], query: Json, caller: Caller, site: RenderContext
    ) -> list[Rendered]:
        return self.rendered(records, related_records.load(records, caller), caller, site) if records else []

    def rendered(
        self,
        records: list[Any],
        nested: RelatedRecords,
        caller: Caller,
        site: RenderContext,
        opened: Container[str] = (),
    ) -> list[Rendered]:
        """Mask what a password protects, unless its digest is in `opened`."""
        return _limited(
            representation.listed(event, nested, site, self.texts)
            if is_open(event, caller) or event.password in opened
            else json_text.rendered(representation.masked(event, site))
            for event in records
        )

    def effective_filters(self, query: Json, caller: Caller) -> Json:
        bounds = date_range.bounds(query, self.zone, caller)
        written = {name: _with_offset_if_ambiguous(moment) for name, moment in bounds.items()}
        parameters: Json = {"page": query["page"], "per_page": query["per_page"]}
        parameters |= {name: written[name] for name in ("start_date", "end_date") if name in written}
        values: Json = {} if caller.writes else {"status": ["publish"]}
        values |= {name: value for name, value in query.items() if name not in date_range.DATE_FILTERS}
        values |= written
        if not date_range.strict(query):
            values.pop("strict_dates", None)
        if "geoloc_lat" not in query:
            values.pop("geoloc_distance", None)
        return parameters | {name: values[name] for name in _REPEATED_FILTERS if name in values}

    def draft(self, fields: Json) -> EventDraft:
        return events.drafted(fields, new=True)

    def create(self, draft: EventDraft, caller: Caller) -> Any:
        return events.create(draft, caller, self.zone, self.config.timezone)


class RepeatedList:
    """Answers a list request of an anonymous caller again after a write, without parsing it again.

    The answer is the same as that of `Events.on_get`, with the same headers.
    """

    def __init__(self, resource: Events, query: Json, caller: Caller, site: RenderContext) -> None:
        self.resource, self.query, self.caller, self.site = resource, query, caller, site
        self._envelopes: dict[int, tuple[bytes, dict[str, str]]] = {}

    @cached_property
    def parameters(self) -> Json:
        return self.resource.effective_filters(self.query, self.caller)

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


def _limited(records: Iterable[Rendered]) -> list[Rendered]:
    """Render one by one; raise InvalidParameters for more than MAX_LIST bytes.

    One event is always shown, so that a client can read every list with `per_page=1`.
    """
    found: list[Rendered] = []
    size = 0
    for record in records:
        size += len(record)
        if found and size > MAX_LIST:
            problem = message(
                "{name} must be smaller: these events have more than {limit} MiB together.",
                name="per_page",
                limit=MAX_LIST // 2**20,
            )
            raise InvalidParameters({"per_page": problem})
        found.append(record)
    return found


def _with_offset_if_ambiguous(moment: datetime) -> str:
    """A filter as links write it: with its offset where the wall clock shows the same time twice."""
    ambiguous = moment.utcoffset() != moment.replace(fold=0).utcoffset()
    return moment.isoformat(" ", "seconds") if ambiguous else dates.text(moment)
