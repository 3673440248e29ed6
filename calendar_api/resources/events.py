"""Lists of events and single ones over HTTP."""

from collections.abc import Container
from contextlib import suppress
from types import MappingProxyType
from typing import Protocol, Unpack, cast

import falcon

from calendar_api import database
from calendar_api.config import Config
from calendar_api.contract import argument_tables, validation
from calendar_api.contract.argument_tables import TableContext
from calendar_api.contract.validation import Checked
from calendar_api.database.models import Event
from calendar_api.domain import auth, text
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import (
    DatabaseUnavailable,
    EventPasswordRequired,
    InvalidParameters,
    TooManyAttempts,
)
from calendar_api.domain.feed_formats import LISTS
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.domain.translation import message
from calendar_api.representations import events as representation
from calendar_api.representations.archive import Page
from calendar_api.representations.documents import with_links
from calendar_api.representations.links import RenderContext
from calendar_api.representations.records import EventJson
from calendar_api.representations.rows import ListedEventRow
from calendar_api.resources import request_body
from calendar_api.resources.archive import Archive
from calendar_api.resources.base import Single, StoredResource
from calendar_api.resources.resource import Endpoints, Json, Query, RouteKey
from calendar_api.store import date_range, documents, event_filters, event_query, events, login_attempts
from calendar_api.store.event_filters import MASKED
from calendar_api.store.events import EventFields

_REPEATED_FILTERS = (
    "search", "geoloc", "geoloc_lat", "geoloc_lng", "geoloc_distance", "status", "post_parent", "include",
    "starts_before", "starts_after", "ends_before", "ends_after",
    "venue", "organizer", "featured", "categories", "tags", "ticketed", "strict_dates",
)  # fmt: skip

#: Bytes that the events of one page may have together: each shows up to 140 other records.
MAX_LIST = 16 * 2**20


_ONLY_BY_ID = message(
    "{name} can only be set by id: send it to the address that ends in the id of the event.", name="password"
)


class Protected(auth.Owned, Protocol):
    @property
    def password(self) -> str: ...


class EventRules(StoredResource[Event]):
    noun = "event"
    plural = "events"

    def problems(self, fields: Json, caller: Caller) -> dict[str, str]:
        return events.problems(fields, caller)

    def prepare(self, fields: Json) -> Json:
        return cast(Json, events.prepare(fields))

    def full_record(self, row: Event, caller: Caller) -> bytes:
        return representation.single(*documents.load_events([row], caller, self.site, more="json_ld"))

    def written_record(self, id: int, caller: Caller) -> tuple[bytes, bytes]:
        row = documents.find(Event, "id", id, caller)
        (event,) = documents.load_events([row], caller, self.site, more="json_ld")
        return representation.listed(event), representation.single(event)


class EventById(EventRules, Single[Event]):
    """`/events/{id}`"""

    def find(self, caller: Caller, **key: Unpack[RouteKey]) -> Event:
        return documents.find(Event, "id", key["id"], caller)

    def on_get(self, req: falcon.Request, resp: falcon.Response, **key: Unpack[RouteKey]) -> None:
        """Raises NotFound, InvalidParameters, EventPasswordRequired and TooManyAttempts."""
        caller: Caller = req.context.caller
        query = validation.parse_query("event", "read", request_body.query(req, self.config))
        password = query.get("password")
        if "password" not in query:
            req.context.cacheable = True

        def find() -> Event:
            row = self.find(caller, **key)
            self.allow(resp, write=self.may_edit(row, caller))
            return row

        def work() -> None:
            row = find()
            needs_none = is_open(row, caller)
            if not needs_none and row.password not in opened:
                raise EventPasswordRequired
            # The password opens the record, not what search engines read.
            (event,) = documents.load_events([row], caller, self.site, more="json_ld")
            record = representation.single(event, with_own_json_ld=needs_none)
            resp.media = with_links(record, req.context.site)

        opened = opened_by(str(password), database.run_read(find), caller) if password else ()
        database.run_read(work)

    def listed_record(self, row: Event, caller: Caller, fields: Container[str] | None = None) -> bytes:
        return representation.listed(*documents.load_events([row], caller, self.site, fields))

    def changed_fields(
        self, checked: Checked, given: Json, event: Event, caller: Caller, context: RenderContext
    ) -> Checked:
        """The address of the event's own page is no website: it means none."""
        changed = super().changed_fields(checked, given, event, caller, context)
        website = changed.fields.get("website")
        if website and context.links.is_page(website, "event", int(event.id), event.slug):
            changed = changed.without({"website"})
            if event.website is not None:
                changed.fields["website"] = ""
        return changed

    def change(self, event: Event, fields: Json, caller: Caller) -> None:
        events.update(event, cast(EventFields, fields), caller, self.site)

    def remove(self, event: Event, caller: Caller) -> bytes:
        events.remove(event, caller, self.site)
        return self.written_record(int(event.id), caller)[0]

    def read_arguments(self, context: TableContext) -> argument_tables.Table:
        return argument_tables.table("event", "read", context)


class EventBySlug(EventById):
    """`/events/by-slug/{slug}`"""

    key_name = "slug"
    refused = MappingProxyType({"password": _ONLY_BY_ID})

    def find(self, caller: Caller, **key: Unpack[RouteKey]) -> Event:
        return documents.find(Event, "slug", text.slug(key["slug"]), caller)

    def read_arguments(self, context: TableContext) -> argument_tables.Table:
        return {}

    def endpoints(self, context: TableContext) -> Endpoints:
        """In an update `slug` is the new one, so it is not required."""
        *reading, (methods, update) = super().endpoints(context)
        update = {name: rule for name, rule in update.items() if name not in self.refused}
        update["slug"] = {**update["slug"], "required": False}
        return [*reading, (methods, update)]


def unknown_records(query: Query, caller: Caller) -> dict[str, str]:
    """Problems of sound filters of a list that only the database can find."""
    return database.run_read(lambda: event_filters.problems(query, caller))


class Events(EventRules, Archive[Event]):
    path = "/events"
    formats = ("json", *LISTS)
    query_problems = staticmethod(unknown_records)

    def is_cacheable(self, query: Query) -> bool:
        return "password" not in query and date_range.absolute(query)

    def read_page(self, query: Query, caller: Caller) -> tuple[Page[ListedEventRow], list[bytes]]:
        query = with_opened(query, caller, self.config)
        page, found = _find(query, caller, self.site)
        masked = {event.id: event.password for event in found if not is_open(event, caller)}
        if masked and "password" in query:
            opened = query.get("opened") or opened_digests(query["password"], masked, caller)
            masked = {id: digest for id, digest in masked.items() if digest not in opened}
        records = representation.page(found, masked, MAX_LIST)
        if records is None:
            problem = message(
                "{name} must be smaller: these events have more than {limit} MiB together.",
                name="per_page",
                limit=MAX_LIST // 2**20,
            )
            raise InvalidParameters({"per_page": problem})
        return page, records

    def effective_filters(self, query: Query, caller: Caller) -> Json:
        written = date_range.in_links(query, self.site.zone, caller)
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
    query: Query,
    caller: Caller,
    site: SiteSettings,
    context: RenderContext,
    fields: Container[str] | None = None,
) -> tuple[Page[ListedEventRow], list[EventJson]]:
    """A page of events as objects, for feeds and pages; masked if a password protects them.

    `query` is a checked query of the list with `page` and `per_page`. With `fields`, related records may be
    left out that none of these fields shows. Raises InvalidParameters.
    """
    page, found = _find(query, caller, site, fields)
    masked = {event.id for event in found if not is_open(event, caller)}
    return page, representation.records(found, masked, context)


def _find(
    query: Query, caller: Caller, site: SiteSettings, fields: Container[str] | None = None
) -> tuple[Page[ListedEventRow], list[representation.Loaded]]:
    def work() -> tuple[Page[ListedEventRow], list[representation.Loaded]]:
        page = event_query.search(query, caller, site.zone)
        return page, documents.load_events(page.records, caller, site, fields)

    return database.run_read(work)


def with_opened(query: Query, caller: Caller, config: Config) -> Query:
    """The query with `opened`, if it has a password and filters by what a password masks.

    The password is tried on events that match the other filters: which ones must not tell what is masked.
    """
    if "password" not in query or MASKED.isdisjoint(query):
        return query
    zone, most = config.site.zone, config.per_page_max
    rows = database.run_read(lambda: event_query.protected(query, caller, zone, most))
    locked = {int(row.id): row.password for row in rows if not is_open(row, caller)}
    return {**query, "opened": opened_digests(query["password"], locked, caller)}


def opened_digests(password: str, protected: dict[int, str], caller: Caller) -> Container[str]:
    """Those digests of protected events, by id, that a password opens.

    Call it outside of a transaction: it takes long.
    """
    if protected:
        with suppress(TooManyAttempts, DatabaseUnavailable):
            return login_attempts.matching_digests(password, protected, caller.address, caller.now)
    return ()


def opened_by(password: str, event: Event, caller: Caller) -> Container[str]:
    """The digest of this event if the password opens it; () if it needs none.

    Call it outside of a transaction: it takes long. Raises TooManyAttempts and DatabaseUnavailable.
    """
    if is_open(event, caller):
        return ()
    protected = {int(event.id): event.password}
    return login_attempts.matching_digests(password, protected, caller.address, caller.now)


def is_open(event: Protected, caller: Caller) -> bool:
    """The author and those who may edit an event need no password (docs/interface.md#passwords)."""
    return not event.password or event.author_id == caller.id or auth.may_edit(caller, event)
