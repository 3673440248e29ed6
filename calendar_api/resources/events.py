"""Single events over HTTP, and what they share with lists."""

from collections.abc import Container
from typing import Any, cast

import falcon

from calendar_api import database
from calendar_api.contract import argument_tables, validation
from calendar_api.contract.argument_tables import TableContext
from calendar_api.contract.validation import Checked
from calendar_api.database.models import Event
from calendar_api.domain import auth, text
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import EventPasswordRequired
from calendar_api.domain.translation import message
from calendar_api.representations import events as representation
from calendar_api.representations.documents import with_links
from calendar_api.representations.render_context import RenderContext
from calendar_api.resources import request_body
from calendar_api.resources.base import Single
from calendar_api.resources.resource import Endpoints, Json, mark_cacheable
from calendar_api.resources.stored_resource import StoredResource
from calendar_api.store import documents, events, login_attempts
from calendar_api.store.events import EventFields


class EventRules(StoredResource):
    noun = "event"
    plural = "events"

    def problems(self, fields: Json, caller: Caller) -> dict[str, str]:
        return events.problems(fields, caller)

    def prepare(self, fields: Json) -> Json:
        return cast(Json, events.prepare(fields))

    def full_record(self, row: Any, caller: Caller) -> bytes:
        return representation.single(self.load(row, caller))

    def written_record(self, id: int, caller: Caller) -> tuple[bytes, bytes]:
        event = self.load(documents.find(Event, "id", id, caller), caller)
        return representation.listed(event), representation.single(event)

    def load(self, row: Any, caller: Caller, fields: Container[str] | None = None) -> representation.Loaded:
        return documents.load_events([row], caller, self.site, fields)[0]


class EventById(EventRules, Single):
    """`/events/{id}`"""

    def find(self, caller: Caller, **key: Any) -> Any:
        return documents.find(Event, "id", key["id"], caller)

    def on_get(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        caller: Caller = req.context.caller
        query = validation.parse_query("event", "read", request_body.query(req, self.config))
        password = query.get("password")
        if "password" not in query:
            mark_cacheable(req)

        def work(opened: Container[str]) -> None:
            row = self.find(caller, **key)
            self.allow(resp, write=self.may_edit(row, caller))
            needs_none = is_open(row, caller)
            if not needs_none and row.password not in opened:
                raise EventPasswordRequired({int(row.id): row.password})
            # The password opens the record, not what search engines read.
            event = self.load(row, caller)
            record = representation.single(event, with_own_json_ld=needs_none)
            resp.media = with_links(record, req.context.site)

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

    def listed_record(self, row: Any, caller: Caller, fields: Container[str] | None = None) -> bytes:
        return representation.listed(self.load(row, caller, fields))

    def changed_fields(
        self, checked: Checked, given: Json, event: Any, caller: Caller, context: RenderContext
    ) -> Checked:
        """The address of the event's own page is no website: it means none."""
        changed = super().changed_fields(checked, given, event, caller, context)
        website = changed.fields.get("website")
        if website and context.links.is_page(website, "event", int(event.id), event.slug):
            changed = changed.without({"website"})
            if event.website is not None:
                changed.fields["website"] = ""
        return changed

    def change(self, event: Any, fields: Json, caller: Caller) -> None:
        events.update(event, cast(EventFields, fields), caller, self.site)

    def remove(self, event: Any, caller: Caller) -> bytes:
        events.remove(event, caller, self.site)
        return self.written_record(int(event.id), caller)[0]

    def read_arguments(self, context: TableContext) -> Json:
        return argument_tables.table("event", "read", context)


class EventBySlug(EventById):
    """`/events/by-slug/{slug}`"""

    key_name = "slug"

    def find(self, caller: Caller, **key: Any) -> Any:
        return documents.find(Event, "slug", text.slug(key["slug"]), caller)

    def check(self, role: str, given: Json) -> Checked:
        checked = super().check(role, given)
        if "password" in given:
            checked.problems["password"] = message(
                "{name} can only be set by id: send it to the address that ends in the id of the event.",
                name="password",
            )
        return checked

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
