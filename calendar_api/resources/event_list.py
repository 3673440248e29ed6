"""Lists of events over HTTP, and their creation."""

from collections.abc import Container
from contextlib import suppress
from datetime import datetime
from typing import Any, cast

from calendar_api import database
from calendar_api.domain import dates
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import (
    DatabaseUnavailable,
    InvalidParameters,
    TooManyAttempts,
)
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.domain.translation import message
from calendar_api.representations import events as representation
from calendar_api.representations.render_context import RenderContext
from calendar_api.resources.base import Archive
from calendar_api.resources.events import EventRules, is_open
from calendar_api.resources.resource import Json
from calendar_api.store import date_range, documents, event_query, events, login_attempts
from calendar_api.store.events import EventFields
from calendar_api.store.paging import Page

_REPEATED_FILTERS = (
    "search", "geoloc", "geoloc_lat", "geoloc_lng", "geoloc_distance", "status", "post_parent", "include",
    "starts_before", "starts_after", "ends_before", "ends_after",
    "venue", "organizer", "featured", "categories", "tags", "ticketed", "strict_dates",
)  # fmt: skip

#: Bytes that the events of one page may have together: each shows up to 140 other records.
MAX_LIST = 16 * 2**20


class Events(EventRules, Archive):
    path = "/events"

    def is_cacheable(self, query: Json) -> bool:
        return "password" not in query and date_range.absolute(query)

    def read_page(self, query: Json, caller: Caller) -> tuple[Page[Any], list[bytes]]:
        if "password" in query:
            return self.read_page_with_password(query, caller)
        return super().read_page(query, caller)

    def read_page_with_password(self, query: Json, caller: Caller) -> tuple[Page[Any], list[bytes]]:
        """Check the password outside of the transaction: it takes long."""

        def work() -> tuple[Page[Any], list[representation.Loaded]]:
            page = self.search(query, caller)
            return page, documents.load_events(page.records, caller, self.site)

        page, events = database.run_read(work)
        protected = {event.id: event.password for event in events if not is_open(event, caller)}
        return page, _rendered(events, caller, opened_digests(query["password"], protected, caller))

    def search(self, query: Json, caller: Caller) -> Page[Any]:
        return event_query.search(query, caller, self.site.zone)

    def list_items(self, rows: list[Any], query: Json, caller: Caller) -> list[bytes]:
        return _rendered(documents.load_events(rows, caller, self.site), caller)

    def effective_filters(self, query: Json, caller: Caller) -> Json:
        bounds = date_range.bounds(query, self.site.zone, caller)
        written = {name: _with_offset_if_ambiguous(moment) for name, moment in bounds.items()}
        parameters: Json = {"page": query["page"], "per_page": query["per_page"]}
        parameters |= {name: written[name] for name in ("start_date", "end_date") if name in written}
        values: Json = {} if caller.may_write else {"status": ["publish"]}
        values |= {name: value for name, value in query.items() if name not in date_range.DATE_FILTERS}
        values |= written
        if not date_range.strict(query):
            values.pop("strict_dates", None)
        if "geoloc_lat" not in query:
            values.pop("geoloc_distance", None)
        return parameters | {name: values[name] for name in _REPEATED_FILTERS if name in values}

    def create(self, fields: Json, caller: Caller) -> int:
        return int(events.create(cast(EventFields, fields), caller, self.site).id)


def find_records(
    query: Json,
    caller: Caller,
    site: SiteSettings,
    context: RenderContext,
    fields: Container[str] | None = None,
) -> tuple[Page[Any], list[Json]]:
    """A page of events as objects, for feeds and pages; masked if a password protects them.

    `query` is a checked query of the list with `page` and `per_page`. With `fields`, related records may be
    left out that none of these fields shows. Raises InvalidParameters.
    """

    def work() -> tuple[Page[Any], list[representation.Loaded]]:
        page = event_query.search(query, caller, site.zone)
        return page, documents.load_events(page.records, caller, site, fields)

    page, events = database.run_read(work)
    masked = {event.id for event in events if not is_open(event, caller)}
    return page, representation.records(events, masked, context)


def opened_digests(password: str, protected: dict[int, str], caller: Caller) -> Container[str]:
    """Those digests of protected events, by id, that a password opens; outside of a transaction."""
    if protected:
        with suppress(TooManyAttempts, DatabaseUnavailable):
            return login_attempts.matching_digests(password, protected, caller.address, caller.now)
    return ()


def _rendered(
    events: list[representation.Loaded], caller: Caller, opened: Container[str] = ()
) -> list[bytes]:
    """The events as JSON; mask what a password protects, unless its digest is in `opened`.

    Raises InvalidParameters for more than MAX_LIST bytes.
    """
    masked = {event.id for event in events if not (is_open(event, caller) or event.password in opened)}
    found = representation.page(events, masked, MAX_LIST)
    if found is None:
        problem = message(
            "{name} must be smaller: these events have more than {limit} MiB together.",
            name="per_page",
            limit=MAX_LIST // 2**20,
        )
        raise InvalidParameters({"per_page": problem})
    return found


def _with_offset_if_ambiguous(moment: datetime) -> str:
    """A filter as links write it: with its offset where the wall clock shows the same time twice."""
    ambiguous = moment.utcoffset() != moment.replace(fold=0).utcoffset()
    return moment.isoformat(" ", "seconds") if ambiguous else dates.text(moment)
