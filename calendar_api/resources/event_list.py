"""Lists of events over HTTP, and their creation."""

from collections.abc import Container, Iterable
from datetime import datetime
from typing import Any

from calendar_api import database
from calendar_api.domain import dates, json_text
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import (
    DatabaseUnavailable,
    InvalidParameters,
    TooManyAttempts,
)
from calendar_api.domain.json_text import Rendered
from calendar_api.domain.translation import message
from calendar_api.representations import events as representation
from calendar_api.representations.render_context import RenderContext
from calendar_api.resources.base import Archive
from calendar_api.resources.events import EventRules, is_open
from calendar_api.resources.resource import Json
from calendar_api.store import date_range, events, login_attempts, related_records
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

    def is_cacheable(self, query: Json) -> bool:
        return "password" not in query and date_range.absolute(query)

    def read_page(self, query: Json, caller: Caller, site: RenderContext) -> tuple[Page[int], list[Rendered]]:
        if "password" in query:
            return self.read_page_with_password(query, caller, site)
        return super().read_page(query, caller, site)

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
            opened = login_attempts.matching_digests(query["password"], protected, caller.address, caller.now)
        except (TooManyAttempts, DatabaseUnavailable):
            return page, masked
        return page, self.rendered(found, nested, caller, site, opened) if opened else masked

    def search(self, query: Json, caller: Caller) -> Page[int]:
        return events.search(query, caller, self.zone)

    def list_items(
        self, records: list[int], query: Json, caller: Caller, site: RenderContext
    ) -> list[Rendered]:
        """`records` are ids."""
        found = events.by_ids(records, caller)
        return self.rendered(found, related_records.load(found, caller), caller, site) if found else []

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
            json_text.rendered(
                representation.record(event, nested, site, single=False)
                if is_open(event, caller) or event.password in opened
                else representation.masked(event, site)
            )
            for event in records
        )

    def effective_filters(self, query: Json, caller: Caller) -> Json:
        bounds = date_range.bounds(query, self.zone, caller)
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

    def draft(self, fields: Json) -> EventDraft:
        return events.prepare(fields, new=True)

    def create(self, draft: EventDraft, caller: Caller) -> Any:
        return events.create(draft, caller, self.zone, self.config.timezone)


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
