"""Resources of stored records: a list with creation, and a single record."""

import json
from abc import abstractmethod
from collections.abc import Callable, Container
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
from calendar_api.representations import archive
from calendar_api.representations.documents import with_links
from calendar_api.representations.render_context import RenderContext
from calendar_api.resources import request_body
from calendar_api.resources.resource import Endpoints, Json, mark_cacheable
from calendar_api.resources.stored_resource import REFUSED, StoredResource, WriteAnswer
from calendar_api.store import idempotency
from calendar_api.store.paging import Page

_KEYS = {"id": "Id of the record.", "slug": "Slug of the record."}


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
        resp.set_headers(archive.headers(envelope))
        body = json_text.with_records(envelope, self.plural, records)
        resp.media = with_links(body, req.context.site)

    on_head = on_get

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        given = self.read_body(req, "create")
        key = request_body.idempotency_key(req)
        resp.media, headers = self.create_record(given, req.context.caller, req.context.site, key)
        resp.set_headers(headers)
        resp.status = falcon.HTTP_201

    def create_record(
        self, given: Json, caller: Caller, context: RenderContext, key: str | None = None
    ) -> WriteAnswer:
        """Create a record from fields as they were sent; the same `key` gives the same answer again.

        Raises Forbidden, InvalidParameters, and ApiError (422) for the key of another request.
        """
        self.require_write(caller, "create")
        checked = self.check("create", given)
        sent = [self.plural, checked.fields, sorted(checked.problems), checked.missing]
        request = idempotency.request_digest(key, sent, checked.fields.get("password")) if key else ""
        fields = self.prepare(checked.fields) if checked.valid else {}

        def work() -> WriteAnswer:
            first = idempotency.recall(key, request, caller) if key else None
            if first is not None:
                return WriteAnswer(first.body.encode(), json.loads(first.headers))
            self.refuse_invalid(checked, caller)
            id = self.create(fields, caller)
            body, tag = self.answer_to_write(id, caller, context)
            headers = {"Location": context.links.record(self.plural, id), **tag}
            if key:
                idempotency.remember(key, request, caller, body.decode(), headers)
            return WriteAnswer(body, headers)

        return (database.run_write if checked.valid or key else database.run_read)(work)

    #: The JSON around the records.
    envelope = staticmethod(archive.envelope)

    def is_cacheable(self, query: Json) -> bool:
        """Whether the list stays the same until something is written."""
        return True

    @abstractmethod
    def read_page(self, query: Json, caller: Caller) -> tuple[Page[Any], list[bytes]]:
        """The page, and its records as JSON."""

    @abstractmethod
    def effective_filters(self, query: Json, caller: Caller) -> Json:
        """The filters as the links of the list repeat them."""

    @abstractmethod
    def create(self, fields: Json, caller: Caller) -> int:
        """Create a record of prepared fields and return its id."""

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
        given = self.read_body(req, "update")
        resp.media, headers = self.update_record(
            given,
            req.context.caller,
            req.context.site,
            req.get_header("If-Match"),
            lambda write: self.allow(resp, write=write),
            **key,
        )
        resp.set_headers(headers)

    def update_record(
        self,
        given: Json,
        caller: Caller,
        context: RenderContext,
        if_match: str | None = None,
        found: Callable[[bool], object] = bool,
        **key: Any,
    ) -> WriteAnswer:
        """Write those of the fields, as they were sent, that change the record.

        `found` is called with the right to edit the record. Raises NotFound, Forbidden, InvalidParameters,
        and PreconditionFailed if the record has an ETag that is not in `if_match`.
        """
        self.require_write(caller, "update")
        checked = self.check("update", given)

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
                sent = self.changed_fields(checked, given, row, caller, context)
            self.refuse_invalid(sent, caller)
            self.require_edit(row, caller, context, if_match, found)
            return row, sent

        def work() -> WriteAnswer:
            row, sent = find()
            if checked.fields:
                self.change(row, sent.fields, caller)
            return self.answer_to_write(int(row.id), caller, context)

        if not checked.valid:  # mostly refused, and then without waiting for the write lock
            database.run_read(find)
        checked.fields |= self.prepare(checked.sound)
        return database.run_write(work)

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
        resp.media = self.remove_record(
            req.context.caller,
            req.context.site,
            req.get_header("If-Match"),
            lambda write: self.allow(resp, write=write),
            **key,
        )

    def remove_record(
        self,
        caller: Caller,
        context: RenderContext,
        if_match: str | None = None,
        found: Callable[[bool], object] = bool,
        **key: Any,
    ) -> bytes:
        """Remove a record and return it as JSON; for `found` and errors see `update_record`."""
        self.require_write(caller, "remove")

        def work() -> bytes:
            row = self.find(caller, **key)
            self.require_edit(row, caller, context, if_match, found)
            return with_links(self.remove(row, caller), context)

        return database.run_write(work)

    def require_edit(
        self,
        row: Any,
        caller: Caller,
        context: RenderContext,
        if_match: str | None,
        found: Callable[[bool], object],
    ) -> None:
        """Raise Forbidden, or PreconditionFailed (docs/interface.md#concurrency)."""
        may_edit = self.may_edit(row, caller)
        found(may_edit)
        if not may_edit:
            raise Forbidden(REFUSED["record"], anonymous=caller.anonymous)
        if if_match is not None:
            full = with_links(self.full_record(row, caller), context)
            if not etags.matches(if_match, json_text.etag(full)):
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
    def change(self, row: Any, fields: Json, caller: Caller) -> None:
        """Write prepared fields."""

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
