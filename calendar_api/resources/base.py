"""Resources of stored records: a list with creation, and a single record."""

import json
from abc import abstractmethod
from collections.abc import Container
from contextlib import suppress
from typing import Any

import falcon

from calendar_api import database
from calendar_api.contract import argument_tables, validation
from calendar_api.contract.argument_tables import TableContext
from calendar_api.contract.validation import Checked
from calendar_api.domain import auth, etags, json_text
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import Forbidden, NotFound, PageNotFound, PreconditionFailed
from calendar_api.domain.translation import message
from calendar_api.representations import archive
from calendar_api.representations.documents import with_links
from calendar_api.representations.render_context import RenderContext
from calendar_api.resources import request_body
from calendar_api.resources.resource import Endpoints, Json, Resource, mark_cacheable
from calendar_api.store import idempotency
from calendar_api.store.paging import Page

_KEYS = {"id": "Id of the record.", "slug": "Slug of the record."}


class StoredResource(Resource):
    """A resource of stored records.

    A `row` is what the store returns for a record. What the methods of subclasses return as JSON is still
    without links (see `representations.documents`).
    """

    def read_body(self, req: falcon.Request, role: str) -> tuple[Json, Checked]:
        """The fields of body and query string as they were sent, and checked by the schema."""
        given = request_body.fields(req, self.config, validation.list_names(self.noun, role))
        return given, validation.check(self.noun, role, given)

    def refuse_invalid(self, checked: Checked, caller: Caller) -> None:
        """Raise InvalidParameters for all problems at once: those of the schema and of the database."""
        problems = self.problems(checked.sound, caller)
        if problems or not checked.valid:
            raise checked.error(problems)

    def draft(self, fields: Json) -> Any:
        """Prepare sound fields for the write, before the transaction begins."""
        return fields

    def answer_to_write(self, id: int, req: falcon.Request) -> tuple[bytes, str]:
        """The record as it is now, and the ETag of its GET."""
        shown, full = self.written_record(id, req.context.caller)
        return with_links(shown, req.context.site), json_text.etag(with_links(full, req.context.site))

    @abstractmethod
    def problems(self, fields: Json, caller: Caller) -> dict[str, str]:
        """Problems that only the database can find, by field."""

    @abstractmethod
    def full_record(self, row: Any, caller: Caller) -> bytes:
        """The record as a GET of it shows it to this caller; its ETag is made of this."""

    @abstractmethod
    def written_record(self, id: int, caller: Caller) -> tuple[bytes, bytes]:
        """The record as the answer to a write shows it, and `full_record`."""


class Archive(StoredResource):
    """A list, and creation."""

    methods = ("GET", "POST")
    missing_page_is_404 = True

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        caller: Caller = req.context.caller
        given = request_body.query(req, self.config, validation.list_names(self.noun, "query"))
        query: Json = validation.parse_query(self.noun, "query", given)
        query["per_page"] = min(query.get("per_page", self.config.per_page), self.config.per_page_max)
        if self.is_cacheable(query):
            mark_cacheable(req)
        page, records = self.read_page(query, caller)
        if page.past_the_end and self.missing_page_is_404:
            raise PageNotFound(self.noun)
        filters = self.effective_filters(query, caller)
        envelope = self.envelope(self.plural, page, filters, req.context.site.links)
        resp.set_headers(archive.total_headers(page))
        for link in archive.page_links(envelope):
            resp.append_header("Link", link)
        body = json_text.with_records(envelope, self.plural, records)
        resp.media = with_links(body, req.context.site)

    on_head = on_get

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        caller: Caller = req.context.caller
        if not self.may_write(caller):
            raise _forbidden(message("Your role does not allow you to create records here."), caller)
        _, checked = self.read_body(req, "create")
        key = request_body.idempotency_key(req)
        sent = [self.plural, checked.fields, sorted(checked.problems), checked.missing]
        request = idempotency.request_digest(key, sent, checked.fields.get("password")) if key else ""
        draft = self.draft(checked.fields) if checked.valid else None

        def work() -> None:
            first = idempotency.recall(key, request, caller) if key else None
            if first is not None:
                resp.media = first.body.encode()
                resp.set_headers(json.loads(first.headers))
                return
            self.refuse_invalid(checked, caller)
            id = self.create(draft, caller)
            resp.media, tag = self.answer_to_write(id, req)
            headers = {
                "Location": req.context.site.links.record(self.plural, id),
                "ETag": tag,
            }
            resp.set_headers(headers)
            if key:
                idempotency.remember(key, request, caller, resp.media.decode(), headers)

        (database.run_write if checked.valid or key else database.run_read)(work)
        resp.status = falcon.HTTP_201

    #: The JSON around the records.
    envelope = staticmethod(archive.envelope)

    def is_cacheable(self, query: Json) -> bool:
        """Whether the list stays the same until something is written."""
        return True

    def read_page(self, query: Json, caller: Caller) -> tuple[Page[Any], list[bytes]]:
        """The page, and its records as JSON."""

        def work() -> tuple[Page[Any], list[bytes]]:
            page = self.search(query, caller)
            return page, self.list_items(page.records, query, caller)

        return database.run_read(work)

    @abstractmethod
    def search(self, query: Json, caller: Caller) -> Page[Any]: ...

    @abstractmethod
    def effective_filters(self, query: Json, caller: Caller) -> Json:
        """The filters as the links of the list repeat them."""

    @abstractmethod
    def list_items(self, rows: list[Any], query: Json, caller: Caller) -> list[bytes]: ...

    @abstractmethod
    def create(self, draft: Any, caller: Caller) -> int:
        """Create a record and return its id."""

    def endpoints(self, context: TableContext) -> Endpoints:
        return [
            (("GET",), argument_tables.table(self.noun, "query", context)),
            (("POST",), argument_tables.table(self.noun, "create", context)),
        ]


class Single(StoredResource):
    """One record: read, update by POST, PUT or PATCH alike (docs/interface.md#updates), delete."""

    methods = ("GET", "DELETE", "POST", "PUT", "PATCH")
    key_name = "id"

    def on_get(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        caller: Caller = req.context.caller
        mark_cacheable(req)

        def work() -> None:
            row = self.find(caller, **key)
            self.allow(resp, write=self.may_edit(row, caller))
            resp.media = with_links(self.full_record(row, caller), req.context.site)

        database.run_read(work)

    on_head = on_get

    def update(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        caller: Caller = req.context.caller
        if not self.may_write(caller):
            raise _forbidden(message("Your role does not allow you to change records here."), caller)
        given, checked = self.read_body(req, "update")

        def find() -> tuple[Any, Checked]:
            """The record, and the fields that change it; raises in docs/interface.md#order-of-checks."""
            try:
                row = self.find(caller, **key)
            except NotFound:
                self.refuse_invalid(checked, caller)
                raise
            # Only for those who may edit: a 400 must not tell others whether they guessed a value.
            sent = checked
            if self.may_edit(row, caller):
                sent = self.changed_fields(checked, given, row, caller, req.context.site)
            self.refuse_invalid(sent, caller)
            self.require_edit(row, req, resp)
            return row, sent

        def work() -> None:
            row, sent = find()
            if checked.fields:
                self.change(row, draft, sent.fields, caller)
            resp.media, tag = self.answer_to_write(int(row.id), req)
            resp.set_header("ETag", tag)

        if not checked.valid:  # mostly refused, and then without waiting for the write lock
            database.run_read(find)
        draft = self.draft(checked.sound)
        database.run_write(work)

    on_post = on_put = on_patch = update

    def changed_fields(
        self, checked: Checked, given: Json, row: Any, caller: Caller, context: RenderContext
    ) -> Checked:
        """`checked` without the fields that say what a GET shows: they stay as they are."""
        shown = json.loads(with_links(self.listed_record(row, caller, given), context))
        return checked.without(validation.unchanged_fields(self.noun, given, shown))

    def on_options(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        super().on_options(req, resp)
        caller: Caller = req.context.caller
        with suppress(NotFound):
            found = database.run_read(lambda: self.find(caller, **key))
            self.allow(resp, write=self.may_edit(found, caller))

    def on_delete(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        caller: Caller = req.context.caller
        if not self.may_write(caller):
            raise _forbidden(message("Your role does not allow you to delete records here."), caller)

        def work() -> None:
            row = self.find(caller, **key)
            self.require_edit(row, req, resp)
            resp.media = with_links(self.remove(row, caller), req.context.site)

        database.run_write(work)

    def require_edit(self, row: Any, req: falcon.Request, resp: falcon.Response) -> None:
        """Raise Forbidden, or PreconditionFailed (docs/interface.md#concurrency)."""
        caller: Caller = req.context.caller
        self.allow(resp, write=self.may_edit(row, caller))
        if not self.may_edit(row, caller):
            raise _forbidden(message("Your role does not allow you to change this record."), caller)
        known = req.get_header("If-Match")
        if known is not None:
            full = with_links(self.full_record(row, caller), req.context.site)
            if not etags.matches(known, json_text.etag(full)):
                raise PreconditionFailed

    def may_edit(self, row: Any, caller: Caller) -> bool:
        return auth.may_edit(caller, row)

    @abstractmethod
    def find(self, caller: Caller, **key: Any) -> Any:
        """The record with the `id` or `slug` of the path; raises NotFound if the caller may not read it."""

    @abstractmethod
    def listed_record(self, row: Any, caller: Caller, fields: Container[str] | None = None) -> bytes:
        """The record as lists show it; at least with these fields."""

    @abstractmethod
    def change(self, row: Any, draft: Any, fields: Json, caller: Caller) -> None:
        """Write `fields`, whose prepared values are in `draft`."""

    @abstractmethod
    def remove(self, row: Any, caller: Caller) -> bytes: ...

    def endpoints(self, context: TableContext) -> Endpoints:
        key = argument_tables.key(self.key_name, _KEYS[self.key_name], context.translate)
        reading = self.read_arguments(context)
        fields = argument_tables.table(self.noun, "update", context)
        update = key | reading | {name: rule for name, rule in fields.items() if name not in key}
        return [(("GET",), key | reading), (("DELETE",), key | reading), (("POST", "PUT", "PATCH"), update)]

    def read_arguments(self, context: TableContext) -> Json:
        """What GET takes beside the key."""
        return {}


def _forbidden(reason: str, caller: Caller) -> Forbidden:
    return Forbidden(reason, anonymous=caller.anonymous)
