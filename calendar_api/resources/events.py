"""Single events over HTTP, and what they share with lists."""

from collections.abc import Container
from dataclasses import replace
from typing import Any, cast

import falcon

from calendar_api import database
from calendar_api.contract import argument_tables, validation
from calendar_api.contract.argument_tables import TableContext
from calendar_api.contract.validation import Checked
from calendar_api.domain import auth
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import EventPasswordRequired
from calendar_api.domain.translation import message
from calendar_api.representations import events as representation
from calendar_api.representations.render_context import RenderContext
from calendar_api.resources import request_body
from calendar_api.resources.base import Single, StoredResource
from calendar_api.resources.resource import Endpoints, Json, mark_cacheable
from calendar_api.store import events, login_attempts, related_records
from calendar_api.store.events import EventDraft, EventFields


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


class EventById(EventRules, Single):
    """`/events/{id}`"""

    def find(self, caller: Caller, **key: Any) -> Any:
        return events.by_id(key["id"], caller)

    def on_get(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        caller: Caller = req.context.caller
        query = validation.parse_query("event", "read", request_body.query(req, self.config))
        password = query.get("password")
        if "password" not in query:
            mark_cacheable(req)

        def work(opened: Container[str]) -> None:
            event = self.find(caller, **key)
            self.allow(resp, write=self.may_edit(event, caller))
            opens = is_open(event, caller)
            if not opens and event.password not in opened:
                raise EventPasswordRequired({int(event.id): event.password})
            resp.media = self.full_record(event, caller, req.context.site)
            if not opens:  # the password opens the record, not what search engines read
                del resp.media["json_ld"]

        try:
            database.run_read(lambda: work(()))
            return
        except EventPasswordRequired as error:
            required = error
        # Outside of the handler: a database error in there would be reported as the one that is handled.
        opened = (
            login_attempts.matching_digests(str(password), required.protected, caller.address, caller.now)
            if password
            else set()
        )
        if not opened:
            raise required
        database.run_read(lambda: work(opened))

    on_head = on_get

    def shown_fields(self, event: Any, names: Json, caller: Caller, site: RenderContext) -> Json:
        nested = related_records.load([event], caller, names)
        return representation.fields(event, names, nested, site)

    def draft(self, fields: Json) -> EventDraft:
        return events.prepare(fields, new=False)

    def changed_fields(
        self, checked: Checked, given: Json, event: Any, caller: Caller, site: RenderContext
    ) -> Checked:
        """The address of the event's own page is no website: it means none."""
        changed = super().changed_fields(checked, given, event, caller, site)
        website = changed.fields.get("website")
        if site.links.is_page(website, "event", int(event.id), event.slug):
            changed = changed.without({"website"})
            if event.website is not None:
                changed.fields["website"] = ""
        return changed

    def change(self, event: Any, draft: EventDraft, fields: Json, caller: Caller) -> Any:
        ready = cast(EventFields, {name: value for name, value in draft.fields.items() if name in fields})
        if fields.get("website") == "":
            ready["website"] = ""
        folded = {name: text for name, text in draft.folded.items() if name in fields}
        changes = replace(draft, fields=ready, folded=folded)
        return events.update(event, changes, caller, self.zone, self.config.timezone)

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


def is_open(event: Any, caller: Caller) -> bool:
    """The author and those who may edit an event need no password (docs/interface.md#passwords)."""
    return not event.password or event.author_id == caller.id or auth.may_edit(caller, event)
