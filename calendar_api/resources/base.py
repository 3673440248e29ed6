"""Stored records: what lists and single ones have in common, and single ones (see `archive` for lists)."""

import json
from abc import abstractmethod
from collections.abc import Callable, Container, Mapping
from contextlib import suppress
from functools import partial
from typing import Generic, NamedTuple, TypeVar, Unpack

import falcon

from calendar_api import database
from calendar_api.contract import argument_tables, validation
from calendar_api.contract.argument_tables import TableContext
from calendar_api.contract.validation import Checked
from calendar_api.database.models import Table
from calendar_api.domain import auth, etags
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import Forbidden, NotFound, PreconditionFailed
from calendar_api.domain.translation import message
from calendar_api.representations.documents import with_links
from calendar_api.representations.links import RenderContext
from calendar_api.resources import request_body
from calendar_api.resources.resource import Endpoints, Json, Resource, RouteKey

#: A row of the records of a resource.
Row = TypeVar("Row", bound=Table)
#: Why a role may not do something with the records of a resource.
REFUSED = {
    "create": message("Your role does not allow you to create records here."),
    "update": message("Your role does not allow you to change records here."),
    "remove": message("Your role does not allow you to delete records here."),
    "record": message("Your role does not allow you to change this record."),
}


class WriteAnswer(NamedTuple):
    """The answer to a write: the record as JSON with links, and headers."""

    body: bytes
    headers: dict[str, str]


class StoredResource(Resource, Generic[Row]):
    """A resource of stored records.

    What the methods of subclasses return as JSON is still
    without links (see `representations.documents`).
    """

    #: Fields that cannot be written here, each with the reason.
    refused: Mapping[str, str] = {}

    def may_write(self, caller: Caller) -> bool:
        """The right to write at all, checked before the body (docs/interface.md#order-of-checks)."""
        return caller.may_write

    def require_write(self, caller: Caller, action: str) -> None:
        """Raise Forbidden if the caller may not write here at all."""
        if not self.may_write(caller):
            raise Forbidden(REFUSED[action], anonymous=caller.anonymous)

    def read_body(self, req: falcon.Request, role: str) -> Json:
        """The fields of body and query string as they were sent; raises Forbidden before they are read."""
        self.require_write(req.context.caller, role)
        return request_body.fields(req, self.config, validation.list_names(self.noun, role))

    def check(self, role: str, given: Json) -> Checked:
        """The fields checked by the schema."""
        checked = validation.check(self.noun, role, given)
        checked.problems |= {name: reason for name, reason in self.refused.items() if name in given}
        return checked

    def refuse_invalid(self, checked: Checked, caller: Caller) -> None:
        """Raise InvalidParameters for all problems at once: those of the schema and of the database."""
        problems = self.problems(checked.sound, caller)
        if problems or not checked.valid:
            raise checked.error(problems)

    def prepare(self, fields: Json) -> Json:
        """Prepare sound fields for the write, before the transaction begins."""
        return fields

    def answer_to_write(self, id: int, caller: Caller, context: RenderContext) -> WriteAnswer:
        """The record as it is now, and the ETag of its GET."""
        shown, full = self.written_record(id, caller)
        return WriteAnswer(with_links(shown, context), {"ETag": etags.etag(with_links(full, context))})

    @abstractmethod
    def problems(self, fields: Json, caller: Caller) -> dict[str, str]:
        """Problems that only the database can find, by field."""

    @abstractmethod
    def full_record(self, row: Row, caller: Caller) -> bytes:
        """The record as a GET of it shows it to this caller; its ETag is made of this."""

    @abstractmethod
    def written_record(self, id: int, caller: Caller) -> tuple[bytes, bytes]:
        """The record as the answer to a write shows it, and `full_record`."""


class Single(StoredResource[Row]):
    """One record: read, update by POST, PUT or PATCH alike (docs/interface.md#updates), delete."""

    methods = ("GET", "DELETE", "POST", "PUT", "PATCH")
    key_name = "id"

    def allow(self, resp: falcon.Response, write: bool) -> None:
        """Set `Allow` to what the caller may do (docs/interface.md#head-and-options)."""
        resp.set_header("Allow", ", ".join(self.methods if write else ("GET",)))

    def on_get(self, req: falcon.Request, resp: falcon.Response, **key: Unpack[RouteKey]) -> None:
        caller: Caller = req.context.caller
        req.context.cacheable = True

        def work() -> None:
            row = self.find(caller, **key)
            self.allow(resp, write=self.may_edit(row, caller))
            resp.media = with_links(self.full_record(row, caller), req.context.site)

        database.run_read(work)

    def update(self, req: falcon.Request, resp: falcon.Response, **key: Unpack[RouteKey]) -> None:
        given = self.read_body(req, "update")
        caller, site, if_match = req.context.caller, req.context.site, req.get_header("If-Match")
        allow = partial(self.allow, resp)
        resp.media, headers = self.update_record(given, caller, site, if_match, allow, **key)
        resp.set_headers(headers)

    def update_record(
        self,
        given: Json,
        caller: Caller,
        context: RenderContext,
        if_match: str | None = None,
        found: Callable[[bool], object] = bool,
        problems: Mapping[str, str] | None = None,
        written: Callable[[int], object] = bool,
        **key: Unpack[RouteKey],
    ) -> WriteAnswer:
        """Write those of the fields, as they were sent, that change the record.

        `found` is called with the right to edit the record, `written` with its id after the write, in the
        transaction; `problems` were found before, by field. Raises NotFound, Forbidden, InvalidParameters,
        and PreconditionFailed if the record has an ETag that is not in `if_match`.
        """
        self.require_write(caller, "update")
        checked = self.check("update", given)
        checked.problems |= problems or {}

        def find() -> tuple[Row, Checked]:
            """The record, and the fields that change it; raises in docs/interface.md#order-of-checks."""
            try:
                row = self.find(caller, **key)
            except NotFound:
                self.refuse_invalid(checked, caller)
                raise
            # Only for those who may edit: a 400 must not tell others whether they guessed a value.
            sent, may_edit = checked, self.may_edit(row, caller)
            if may_edit:
                sent = self.changed_fields(checked, given, row, caller, context)
            self.refuse_invalid(sent, caller)
            found(may_edit)
            self.require_edit(row, caller, context, if_match, may_edit=may_edit)
            return row, sent

        def work() -> WriteAnswer:
            row, sent = find()
            if checked.fields:
                self.change(row, sent.fields, caller)
            written(int(row.id))
            return self.answer_to_write(int(row.id), caller, context)

        if not checked.valid:  # mostly refused, and then without waiting for the write lock
            database.run_read(find)
        checked.fields |= self.prepare(checked.sound)
        return database.run_write(work)

    on_post = on_put = on_patch = update

    def changed_fields(
        self, checked: Checked, given: Json, row: Row, caller: Caller, context: RenderContext
    ) -> Checked:
        """`checked` without the fields that say what a GET shows: they stay as they are."""
        shown = json.loads(with_links(self.listed_record(row, caller, given), context))
        return checked.without(validation.unchanged_fields(self.noun, given, shown))

    def on_options(self, req: falcon.Request, resp: falcon.Response, **key: Unpack[RouteKey]) -> None:
        super().on_options(req, resp)
        caller: Caller = req.context.caller
        with suppress(NotFound):
            found = database.run_read(lambda: self.find(caller, **key))
            self.allow(resp, write=self.may_edit(found, caller))

    def on_delete(self, req: falcon.Request, resp: falcon.Response, **key: Unpack[RouteKey]) -> None:
        caller, site, if_match = req.context.caller, req.context.site, req.get_header("If-Match")
        resp.media = self.remove_record(caller, site, if_match, partial(self.allow, resp), **key)

    def remove_record(
        self,
        caller: Caller,
        context: RenderContext,
        if_match: str | None = None,
        found: Callable[[bool], object] = bool,
        **key: Unpack[RouteKey],
    ) -> bytes:
        """Remove a record and return it as JSON; for `found` and errors see `update_record`."""
        self.require_write(caller, "remove")

        def work() -> bytes:
            row = self.find(caller, **key)
            may_edit = self.may_edit(row, caller)
            found(may_edit)
            self.require_edit(row, caller, context, if_match, may_edit=may_edit)
            return with_links(self.remove(row, caller), context)

        return database.run_write(work)

    def require_edit(
        self, row: Row, caller: Caller, context: RenderContext, if_match: str | None, *, may_edit: bool
    ) -> None:
        """Raise Forbidden, or PreconditionFailed (docs/interface.md#concurrency)."""
        if not may_edit:
            raise Forbidden(REFUSED["record"], anonymous=caller.anonymous)
        if if_match is not None:
            full = with_links(self.full_record(row, caller), context)
            if not etags.matches(if_match, etags.etag(full)):
                raise PreconditionFailed

    def may_edit(self, row: Row, caller: Caller) -> bool:
        return auth.may_edit(caller, row)

    @abstractmethod
    def find(self, caller: Caller, **key: Unpack[RouteKey]) -> Row:
        """The record with the `id` or `slug` of the path; raises NotFound if the caller may not read it."""

    @abstractmethod
    def listed_record(self, row: Row, caller: Caller, fields: Container[str] | None = None) -> bytes:
        """The record as lists show it; at least with these fields."""

    @abstractmethod
    def change(self, row: Row, fields: Json, caller: Caller) -> None:
        """Write prepared fields."""

    @abstractmethod
    def remove(self, row: Row, caller: Caller) -> bytes: ...

    def endpoints(self, context: TableContext) -> Endpoints:
        key = argument_tables.key(self.key_name, context.translate)
        reading = self.read_arguments(context)
        fields = argument_tables.table(self.noun, "update", context)
        update = key | reading | {name: rule for name, rule in fields.items() if name not in key}
        return [(("GET",), key | reading), (("DELETE",), key | reading), (("POST", "PUT", "PATCH"), update)]

    def read_arguments(self, context: TableContext) -> argument_tables.Table:
        """What GET takes beside the key."""
        return {}
