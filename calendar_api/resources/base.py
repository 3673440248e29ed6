"""What the three shapes of a resource mean over HTTP: a list, a single record, a record by its slug."""

import json
from abc import abstractmethod
from contextlib import suppress
from typing import Any

import falcon

from calendar_api import database
from calendar_api.contract import argument_tables, validation
from calendar_api.contract.argument_tables import TableContext
from calendar_api.domain import auth, etags, json_text
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import NotFound, PageNotFound, PreconditionFailed
from calendar_api.domain.translation import message
from calendar_api.representations import archive
from calendar_api.representations.render_context import RenderContext
from calendar_api.resources import request_body
from calendar_api.resources.resource import Json, Stored, mark_cacheable
from calendar_api.store import idempotency

WRITE_METHODS = ("DELETE", "POST", "PUT", "PATCH")


def page_links(envelope: Json) -> list[str]:
    """The pages before and after as values of the header Link (RFC 8288)."""
    pages = (("next", "next_rest_url"), ("prev", "previous_rest_url"))
    return [f'<{envelope[key]}>; rel="{rel}"' for rel, key in pages if key in envelope]


class Archive(Stored):
    """A list, and creation."""

    methods = ("GET", "POST")
    ends_with_404 = True

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        caller: Caller = req.context.caller
        given = request_body.query(req, self.config, validation.list_names(self.noun, "query"))
        query = validation.parse_query(self.noun, "query", given)
        query["per_page"] = min(query.get("per_page", self.config.per_page), self.config.per_page_max)

        def work() -> tuple[Any, list[Any]]:
            page = self.search(query, caller)
            if page.past_the_end and self.ends_with_404:
                raise PageNotFound(self.noun)
            return page, self.listed(page.records, query, caller, req.context.site)

        if self.lasting(query):
            mark_cacheable(req)
        page, records = database.run_read(work)
        records = self.unlocked(records, query, caller, req.context.site)
        parameters = self.in_effect(query, caller)
        envelope = self.envelope(page, records, parameters, req.context.site)
        resp.set_headers(self.counted(page))
        for link in page_links(envelope):
            resp.append_header("Link", link)
        resp.media = envelope

    on_head = on_get

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        caller: Caller = req.context.caller
        self.allow(resp, write=self.may_write(caller))
        auth.require(
            self.may_write(caller), caller, message("Your role does not allow you to create records here.")
        )
        checked = self.checked(self.given(req, "create"), "create")
        key = request_body.idempotency_key(req)
        asked = [self.plural, checked.fields, sorted(checked.problems), checked.missing]
        request = idempotency.request_digest(key, asked, checked.fields.get("password")) if key else ""
        draft = self.draft(checked.fields) if checked.valid else None

        def work() -> Json | None:
            """What the ETag is about, unless it is told already."""
            first = idempotency.recall(key, request, caller) if key else None
            if first is not None:
                resp.media = json.loads(first.body)
                resp.set_headers(json.loads(first.headers))
                return None
            self.refuse_invalid(checked, caller)
            record = self.create(draft, caller)
            resp.media, whole = self.written(record, caller, req.context.site)
            resp.set_header("Location", req.context.site.links.record(self.plural, int(record.id)))
            if not key:
                return whole
            resp.set_header("ETag", json_text.etag(whole))
            headers = {name: str(resp.get_header(name)) for name in ("Location", "ETag")}
            idempotency.remember(key, request, caller, json.dumps(resp.media), headers)
            return None

        run = database.run_write if checked.valid or key else database.run_read
        whole = run(work)
        if whole is not None:
            resp.set_header("ETag", json_text.etag(whole))
        resp.status = falcon.HTTP_201

    def envelope(self, page: Any, records: list[Any], parameters: Json, site: RenderContext) -> Json:
        return archive.record(
            self.plural, records, page.number, page.pages, page.total, parameters, site.links
        )

    def counted(self, page: Any) -> dict[str, str]:
        return {"X-TEC-Total": str(page.total), "X-TEC-TotalPages": str(page.pages)}

    def lasting(self, query: Json) -> bool:
        """Whether the list is the same a second later, if nothing is written; an answer like that cached."""
        return True

    def unlocked(self, records: list[Any], query: Json, caller: Caller, site: RenderContext) -> list[Any]:
        """The records of a page after it was read, with what a password in the query opens."""
        return records

    # -- filled in for each noun

    @abstractmethod
    def search(self, query: Json, caller: Caller) -> Any: ...

    def listed(self, records: list[Any], query: Json, caller: Caller, site: RenderContext) -> list[Any]:
        """The records of a page as they go out; some may be JSON text already."""
        return self.shown(records, query, caller, site)

    @abstractmethod
    def in_effect(self, query: Json, caller: Caller) -> Json:
        """The filters as the links of the list repeat them."""

    @abstractmethod
    def shown(self, records: list[Any], query: Json, caller: Caller, site: RenderContext) -> list[Any]: ...

    @abstractmethod
    def create(self, draft: Any, caller: Caller) -> Any: ...

    def description(self, req: falcon.Request) -> Json:
        """With its address, which the routes with a variable do not have."""
        address = {"href": req.context.site.links.archive(self.plural)}
        return {**super().description(req), "_links": {"self": [address]}}

    def endpoints(self, around: TableContext) -> list[tuple[tuple[str, ...], Json]]:
        return [
            (("GET",), argument_tables.table(self.noun, "query", around)),
            (("POST",), argument_tables.table(self.noun, "create", around)),
        ]


class Single(Stored):
    """One record: read, update by POST, PUT or PATCH alike (docs/interface.md#updates), delete."""

    methods = ("GET", *WRITE_METHODS)

    def on_get(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        caller: Caller = req.context.caller
        req.context.query = self.query(req)
        if "password" not in req.context.query:
            mark_cacheable(req)

        def work() -> None:
            record = self.find(caller, **key)
            self.allow(resp, write=self.may_edit(record, caller))
            resp.media = self.read(record, req, caller)

        database.run_read(work)

    on_head = on_get

    def update(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        caller: Caller = req.context.caller
        auth.require(
            self.may_write(caller), caller, message("Your role does not allow you to change records here.")
        )
        given = self.given(req, "update")
        news = database.run_read(lambda: self.news(given, caller, req.context.site, **key))
        checked = self.checked(news, "update")
        touched = bool(checked.fields) or len(news) < len(given)
        draft = self.draft(checked.fields) if checked.valid else None

        def work() -> Json:
            self.refuse_invalid(checked, caller)
            record = self.find(caller, **key)
            self.require_edit(record, req, resp)
            updated = self.change(record, draft, caller) if touched else record
            resp.media, whole = self.written(updated, caller, req.context.site)
            return whole

        run = database.run_write if checked.valid else database.run_read
        resp.set_header("ETag", json_text.etag(run(work)))

    on_post = on_put = on_patch = update

    def news(self, given: Json, caller: Caller, site: RenderContext, **key: Any) -> Json:
        """What was sent without the fields that say what a GET shows, which stay as they are.

        For those who may edit the record only: nobody else learns what it holds from what is wrong with it.
        """
        try:
            record = self.find(caller, **key)
        except NotFound:
            return given
        if not self.may_edit(record, caller):
            return given
        given = self.understood(given, record, site)
        same = validation.unchanged(self.noun, given, self.shown(record, caller, site))
        return {name: value for name, value in given.items() if name not in same}

    def understood(self, given: Json, record: Any, site: RenderContext) -> Json:
        """What was sent, with what it means for this record where that is something else."""
        return given

    def on_options(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        super().on_options(req, resp)
        caller: Caller = req.context.caller
        with suppress(NotFound):
            found = database.run_read(lambda: self.find(caller, **key))
            self.allow(resp, write=self.may_edit(found, caller))

    def on_delete(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        caller: Caller = req.context.caller
        auth.require(
            self.may_write(caller), caller, message("Your role does not allow you to delete records here.")
        )

        def work() -> None:
            record = self.find(caller, **key)
            self.require_edit(record, req, resp)
            resp.media = self.remove(record, caller, req.context.site)

        database.run_write(work)

    def require_edit(self, record: Any, req: falcon.Request, resp: falcon.Response) -> None:
        """The right on this record, and then the version that the caller knows.

        See docs/interface.md#concurrency.
        """
        caller: Caller = req.context.caller
        allowed = self.may_edit(record, caller)
        self.allow(resp, write=allowed)
        auth.require(allowed, caller, message("Your role does not allow you to change this record."))
        known = req.get_header("If-Match")
        if known is not None and not etags.matches(
            known, json_text.etag(self.whole(record, caller, req.context.site))
        ):
            raise PreconditionFailed

    def may_edit(self, record: Any, caller: Caller) -> bool:
        return auth.may_edit(caller, record)

    # -- filled in for each noun

    def query(self, req: falcon.Request) -> Json:
        """What a read takes from the query string, looked at before the record is.

        See docs/interface.md#order-of-checks.
        """
        return {}

    @abstractmethod
    def find(self, caller: Caller, **key: Any) -> Any:
        """The record that `id` or `slug` of the path names, if the caller may read it; raises NotFound."""

    @abstractmethod
    def read(self, record: Any, req: falcon.Request, caller: Caller) -> Json: ...

    @abstractmethod
    def shown(self, record: Any, caller: Caller, site: RenderContext) -> Json: ...

    @abstractmethod
    def change(self, record: Any, draft: Any, caller: Caller) -> Any: ...

    @abstractmethod
    def remove(self, record: Any, caller: Caller, site: RenderContext) -> Json: ...

    def endpoints(self, around: TableContext) -> list[tuple[tuple[str, ...], Json]]:
        key, reading = self.key_arguments(around), self.reading_arguments(around)
        fields = argument_tables.table(self.noun, "update", around)
        update = key | reading | {name: rule for name, rule in fields.items() if name not in key}
        return [(("GET",), key | reading), (("DELETE",), key | reading), (("POST", "PUT", "PATCH"), update)]

    def key_arguments(self, around: TableContext) -> Json:
        return argument_tables.key("id", "Id of the record.", around.translate)

    def reading_arguments(self, around: TableContext) -> Json:
        """What reading takes beside the key."""
        return {}
