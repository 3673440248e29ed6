"""Events over HTTP."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import falcon

from calendar_api.contract import argument_tables, schemas, validation
from calendar_api.contract.argument_tables import TableContext
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
from calendar_api.representations import events as representation
from calendar_api.representations.events import mask_event
from calendar_api.representations.render_context import RenderContext
from calendar_api.resources import request_body
from calendar_api.resources.base import Archive, Single
from calendar_api.resources.resource import Json, Stored
from calendar_api.store import date_range, events, login_attempts, related_records

_ECHOED = (
    "search", "geoloc", "geoloc_lat", "geoloc_lng", "geoloc_distance", "status", "post_parent", "include",
    "starts_before", "starts_after", "ends_before", "ends_after",
    "venue", "organizer", "featured", "categories", "tags", "ticketed", "strict_dates",
)  # fmt: skip

#: Bytes that the events of a list may have together: each shows the descriptions of up to 140 other records.
MAX_LIST = 16 * 2**20


def _limited(records: Iterable[Rendered]) -> list[Rendered]:
    """The records, rendered one by one; raises InvalidParameters for more than MAX_LIST bytes.

    One event is always shown, so that a client can read every list with `per_page=1`.
    """
    found: list[Rendered] = []
    size = 0
    for record in records:
        size += len(record)
        if found and size > MAX_LIST:
            raise InvalidParameters(
                {
                    "per_page": message(
                        "{name} must be smaller: these events have more than {limit} MiB together.",
                        name="per_page",
                        limit=MAX_LIST // 2**20,
                    )
                }
            )
        found.append(record)
    return found


class EventRules(Stored):
    noun = "event"
    plural = "events"

    def problems(self, fields: Json, caller: Caller) -> dict[str, str]:
        return events.problems(fields, caller)

    def whole(self, record: Any, caller: Caller, site: RenderContext) -> Json:
        return self.record(record, caller, site, single=True)

    def written(self, record: Any, caller: Caller, site: RenderContext) -> tuple[Json, Json]:
        whole = self.whole(record, caller, site)
        return representation.without_json_ld(whole), whole

    def record(self, record: Any, caller: Caller, site: RenderContext, *, single: bool) -> Json:
        return representation.record(record, related_records.load([record], caller), site, single=single)


class Events(EventRules, Archive):
    """`/events`"""

    def search(self, query: Json, caller: Caller) -> Any:
        return events.search(query, caller, self.zone)

    def listed(self, records: list[int], query: Json, caller: Caller, site: RenderContext) -> list[Rendered]:
        """`records` are ids."""
        return self.shown(events.by_ids(records, caller), query, caller, site)

    def in_effect(self, query: Json, caller: Caller) -> Json:
        moments = date_range.bounds(query, self.zone, caller)
        written = {name: _written(moment) for name, moment in moments.items()}
        parameters: Json = {"page": query["page"], "per_page": query["per_page"]}
        parameters |= {name: written[name] for name in ("start_date", "end_date") if name in written}
        values: Json = {} if caller.writes else {"status": ["publish"]}
        values |= {
            name: query[name] for name in _ECHOED if name in query and name not in date_range.DATE_FILTERS
        }
        values |= written
        if not date_range.strict(query):
            values.pop("strict_dates", None)
        if "geoloc_lat" not in query:
            values.pop("geoloc_distance", None)
        return parameters | {name: values[name] for name in _ECHOED if name in values}

    def shown(self, records: list[Any], query: Json, caller: Caller, site: RenderContext) -> list[Rendered]:
        if not records:
            return []
        nested = related_records.load(records, caller)
        if "password" in query:
            query["read"] = records, nested
        return self.rendered(records, nested, caller, site, set())

    def rendered(
        self, records: list[Any], nested: Any, caller: Caller, site: RenderContext, opened: set[str]
    ) -> list[Rendered]:
        """Without what a password protects, unless its digest is in `opened`."""
        return _limited(
            json_text.rendered(
                representation.record(event, nested, site, single=False)
                if _open(event, caller) or event.password in opened
                else mask_event(representation.record(event, nested, site, single=False))
            )
            for event in records
        )

    def lasting(self, query: Json) -> bool:
        return "password" not in query and date_range.absolute(query)

    def unlocked(self, records: list[Any], query: Json, caller: Caller, site: RenderContext) -> list[Any]:
        read, nested = query.pop("read", ((), None))
        protected = {int(event.id): event.password for event in read if not _open(event, caller)}
        if "password" not in query or not protected:
            return records
        try:
            opened = login_attempts.opened(query["password"], protected, caller.address, caller.now)
        except (TooManyAttempts, DatabaseUnavailable):  # they stay masked
            return records
        return self.rendered(read, nested, caller, site, opened) if opened else records

    def draft(self, fields: Json) -> Any:
        return events.drafted(fields, new=True)

    def create(self, draft: Any, caller: Caller) -> Any:
        return events.create(draft, caller, self.zone, self.config.timezone)


class EventById(EventRules, Single):
    """`/events/{id}`"""

    def find(self, caller: Caller, **key: Any) -> Any:
        return events.by_id(key["id"], caller)

    def query(self, req: falcon.Request) -> Json:
        return validation.parse_query("event", "read", request_body.query(req, self.config))

    def on_get(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        try:
            super().on_get(req, resp, **key)
            return
        except EventPasswordRequired as error:
            password, required = req.context.query.get("password"), error
        if not password:
            raise required
        caller: Caller = req.context.caller
        opened = login_attempts.opened(password, required.protected, caller.address, caller.now)
        if not opened:
            raise required
        req.context.opened = opened
        super().on_get(req, resp, **key)

    on_head = on_get

    def read(self, record: Any, req: falcon.Request, caller: Caller) -> Json:
        opened = getattr(req.context, "opened", ())
        if not _open(record, caller) and record.password not in opened:
            raise EventPasswordRequired({int(record.id): record.password})
        body = self.whole(record, caller, req.context.site)
        if not _open(record, caller):  # a key opens the record, not what is told to search engines
            del body["json_ld"]
        return body

    def shown(self, record: Any, caller: Caller, site: RenderContext) -> Json:
        return self.record(record, caller, site, single=False)

    def draft(self, fields: Json) -> Any:
        return events.drafted(fields, new=False)

    def understood(self, given: Json, record: Any, site: RenderContext) -> Json:
        """The address of the event's own page is no website."""
        rule = schemas.schema("event", "update")["properties"]["website"]
        website = validation.cast(rule, given.get("website"))
        if not site.links.is_page(website, "event", int(record.id), record.slug):
            return given
        others = {name: value for name, value in given.items() if name != "website"}
        return others if record.website is None else {**others, "website": ""}

    def change(self, record: Any, draft: Any, caller: Caller) -> Any:
        return events.update(record, draft, caller, self.zone, self.config.timezone)

    def remove(self, record: Any, caller: Caller, site: RenderContext) -> Json:
        return self.shown(events.remove(record, caller), caller, site)

    def reading_arguments(self, around: TableContext) -> Json:
        return argument_tables.table("event", "read", around)


class EventBySlug(EventById):
    """`/events/by-slug/{slug}`"""

    def find(self, caller: Caller, **key: Any) -> Any:
        return events.by_slug(key["slug"], caller)

    def checked(self, given: Json, role: str) -> validation.Checked:
        checked = super().checked(given, role)
        if "password" in given:
            checked.problems["password"] = message(
                "{name} can only be set by id: send it to the address that ends in the id of the event.",
                name="password",
            )
        return checked

    def key_arguments(self, around: TableContext) -> Json:
        return argument_tables.key("slug", "Slug of the record.", around.translate)

    def reading_arguments(self, around: TableContext) -> Json:
        return {}

    def endpoints(self, around: TableContext) -> list[tuple[tuple[str, ...], Json]]:
        """In an update `slug` is the new one, so it is not required; there is no password."""
        *reading, (methods, update) = super().endpoints(around)
        update = {name: rule for name, rule in update.items() if name != "password"}
        update["slug"] = {**update["slug"], "required": False}
        return [*reading, (methods, update)]


def _written(moment: datetime) -> str:
    """A filter as links write it: with its offset where the wall clock shows the same time again."""
    again = moment.utcoffset() != moment.replace(fold=0).utcoffset()
    return moment.isoformat(" ", "seconds") if again else dates.text(moment)


def _open(event: Any, caller: Caller) -> bool:
    """Its author, and those who may edit it, read an event without its key (docs/interface.md#passwords)."""
    return not event.password or event.author_id == caller.id or auth.may_edit(caller, event)
