"""Events over HTTP."""

from collections.abc import Container, Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

import falcon

from calendar_api import database
from calendar_api.config import Config
from calendar_api.contract import argument_tables, schemas, validation
from calendar_api.contract.argument_tables import TableContext
from calendar_api.contract.validation import Checked
from calendar_api.domain import auth, dates, json_text
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import (
    DatabaseUnavailable,
    EventPasswordRequired,
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
from calendar_api.representations import events as representation
from calendar_api.representations.render_context import RenderContext
from calendar_api.resources import request_body
from calendar_api.resources.base import (
    Archive,
    Endpoints,
    Json,
    Single,
    StoredResource,
    mark_cacheable,
)
from calendar_api.resources.repeated_list import RepeatedList
from calendar_api.store import date_range, events, login_attempts, related_records
from calendar_api.store.event_query import Totals
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


class EventRules(StoredResource):
    noun = "event"
    plural = "events"

    def problems(self, fields: Json, caller: Caller) -> dict[str, str]:
        return events.problems(fields, caller)

    def full_record(self, event: Any, caller: Caller, site: RenderContext) -> Json:
        nested = related_records.load([event], caller)
        return representation.record(event, nested, site, single=True)

    def write_response(self, event: Any, caller: Caller, site: RenderContext) -> tuple[Json, Json]:
        full = self.full_record(event, caller, site)
        return representation.without_json_ld(full), full


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
        protected = {int(event.id): event.password for event in found if not _is_open(event, caller)}
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
            if _is_open(event, caller) or event.password in opened
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


class EventById(EventRules, Single):
    """`/events/{id}`"""

    def find(self, caller: Caller, **key: Any) -> Any:
        return events.by_id(key["id"], caller)

    def on_get(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        caller: Caller = req.context.caller
        query = validation.parse_query("event", "read", request_body.query(req, self.config))
        password = query.get("password")
        hint = mark_cacheable(req) if "password" not in query else None

        def work(opened: Container[str]) -> None:
            event = self.find(caller, **key)
            self.allow(resp, write=self.may_edit(event, caller))
            if hint is not None:
                hint.shows = frozenset((int(event.id),))
            is_open = _is_open(event, caller)
            if not is_open and event.password not in opened:
                raise EventPasswordRequired({int(event.id): event.password})
            resp.media = self.full_record(event, caller, req.context.site)
            if not is_open:  # the password opens the record, not what search engines read
                del resp.media["json_ld"]

        try:
            database.run_read(lambda: work(()))
        except EventPasswordRequired as error:
            opened = (
                login_attempts.opened(password, error.protected, caller.address, caller.now)
                if password
                else set()
            )
            if not opened:
                raise
            database.run_read(lambda: work(opened))

    on_head = on_get

    def shown_fields(self, event: Any, names: Json, caller: Caller, site: RenderContext) -> Json:
        related = not representation.RELATED_FIELDS.isdisjoint(names)
        nested = related_records.load([event], caller) if related else RelatedRecords()
        return representation.fields(event, names, nested, site)

    def draft(self, fields: Json) -> EventDraft:
        return events.drafted(fields, new=False)

    def changed_fields(
        self, checked: Checked, given: Json, event: Any, caller: Caller, site: RenderContext
    ) -> Checked:
        """The address of the event's own page is no website: it means none."""
        changed = super().changed_fields(checked, given, event, caller, site)
        if "website" in changed.fields:
            rule = schemas.schema("event", "update")["properties"]["website"]
            website = validation.cast(rule, given["website"])
            if site.links.is_page(website, "event", int(event.id), event.slug):
                changed = changed.without({"website"})
                if event.website is not None:
                    changed.fields["website"] = ""
        return changed

    def change(self, event: Any, draft: EventDraft, fields: Json, caller: Caller) -> Any:
        ready = {name: draft.fields[name] for name in fields if name in draft.fields}
        if fields.get("website") == "":
            ready["website"] = ""
        folded = {name: text for name, text in draft.folded.items() if name in fields}
        updated = events.update(
            event, replace(draft, fields=ready, folded=folded), caller, self.zone, self.config.timezone
        )
        if events.only_texts(fields, event, updated):
            database.only_texts_of(int(event.id))
        return updated

    def remove(self, event: Any, caller: Caller, site: RenderContext) -> Json:
        removed = events.remove(event, caller)
        return representation.record(removed, related_records.load([removed], caller), site, single=False)

    def read_arguments(self, context: TableContext) -> Json:
        return argument_tables.table("event", "read", context)


class EventBySlug(EventById):
    """`/events/by-slug/{slug}`"""

    key_name = "slug"

    def find(self, caller: Caller, **key: Any) -> Any:
        return events.by_slug(key["slug"], caller)

    def read_body(self, req: falcon.Request, role: str) -> tuple[Json, Checked]:
        given, checked = super().read_body(req, role)
        if "password" in given:
            checked.problems["password"] = message(
                "{name} can only be set by id: send it to the address that ends in the id of the event.",
                name="password",
            )
        return given, checked

    def read_arguments(self, context: TableContext) -> Json:
        return {}

    def endpoints(self, context: TableContext) -> Endpoints:
        """In an update `slug` is the new one, so it is not required; there is no password."""
        *reading, (methods, update) = super().endpoints(context)
        update = {name: rule for name, rule in update.items() if name != "password"}
        update["slug"] = {**update["slug"], "required": False}
        return [*reading, (methods, update)]


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


def _is_open(event: Any, caller: Caller) -> bool:
    """The author and those who may edit an event need no password (docs/interface.md#passwords)."""
    return not event.password or event.author_id == caller.id or auth.may_edit(caller, event)
