"""A list of stored records, and the creation of one."""

import json
from abc import abstractmethod
from collections.abc import Callable, Mapping

import falcon

from calendar_api import database
from calendar_api.contract import argument_tables, validation
from calendar_api.contract.argument_tables import TableContext
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import PageNotFound
from calendar_api.representations import archive
from calendar_api.representations.archive import Page
from calendar_api.representations.documents import all_with_links
from calendar_api.representations.links import RenderContext
from calendar_api.resources import request_body
from calendar_api.resources.base import Row, StoredResource, WriteAnswer
from calendar_api.resources.resource import Endpoints, Json, Query
from calendar_api.store import idempotency


def no_problems(query: Query, caller: Caller) -> dict[str, str]:
    """Problems of sound parameters that only the database can find, by their names."""
    return {}


class Archive(StoredResource[Row]):
    """A list, and creation."""

    methods = ("GET", "POST")
    is_of_terms = False
    query_problems = staticmethod(no_problems)

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Raises InvalidParameters, and PageNotFound after the last page."""
        caller: Caller = req.context.caller
        given = request_body.query(req, self.config, validation.list_names(self.noun, "query"))
        query: Query = validation.parse_query(
            self.noun, "query", given, lambda sound: self.query_problems(sound, caller)
        )
        query["per_page"] = min(query.get("per_page", self.config.per_page), self.config.per_page_max)
        if self.is_cacheable(query):
            req.context.cacheable = True
        page, records = self.read_page(query, caller)
        if page.past_the_end and not self.is_of_terms:
            raise PageNotFound(self.noun)
        filters = self.effective_filters(query, caller)
        links = req.context.site.links
        envelope = archive.envelope(self.plural, page, filters, links, of_terms=self.is_of_terms)
        resp.set_headers(archive.headers(envelope))
        records = all_with_links(records, req.context.site)
        resp.media = archive.with_records(envelope, self.plural, records)

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        given = self.read_body(req, "create")
        key = request_body.idempotency_key(req)
        resp.media, headers = self.create_record(given, req.context.caller, req.context.site, key)
        resp.set_headers(headers)
        resp.status = falcon.HTTP_201

    def create_record(
        self,
        given: Json,
        caller: Caller,
        context: RenderContext,
        key: str | None = None,
        form: Mapping[str, object] | None = None,
        problems: Mapping[str, str] | None = None,
        written: Callable[[int], object] = bool,
    ) -> WriteAnswer:
        """Create a record from fields as they were sent; the same `key` gives the same answer again.

        `form` has the inputs that `given` was made of: the same ones can mean other fields once the record
        was created. `problems` were found before, by field. `written` is called with the id of a new record,
        in the transaction. Raises Forbidden, InvalidParameters, and ApiError (422) for the key of another
        request.
        """
        self.require_write(caller, "create")
        checked = self.check("create", given)
        sent = (self.plural, form or checked.fields, sorted(checked.problems), checked.missing)
        request = idempotency.request_digest(key, sent, checked.fields.get("password")) if key else ""
        checked.problems |= problems or {}
        valid = checked.valid
        fields = self.prepare(checked.fields) if valid else {}

        def work() -> WriteAnswer:
            first = idempotency.recall(key, request, caller) if key else None
            if first is not None:
                return WriteAnswer(first.body.encode(), json.loads(first.headers))
            self.refuse_invalid(checked, caller)
            id = self.create(fields, caller)
            written(id)
            body, tag = self.answer_to_write(id, caller, context)
            headers = {"Location": context.links.record(self.plural, id), **tag}
            if key:
                idempotency.remember(key, request, caller, body.decode(), headers)
            return WriteAnswer(body, headers)

        return (database.run_write if valid or key else database.run_read)(work)

    def is_cacheable(self, query: Query) -> bool:
        """Whether the list stays the same until something is written."""
        return True

    @abstractmethod
    def read_page(self, query: Query, caller: Caller) -> tuple[Page[object], list[bytes]]:
        """The page, and its records as JSON; raises InvalidParameters."""

    @abstractmethod
    def effective_filters(self, query: Query, caller: Caller) -> Json:
        """The filters as the links of the list repeat them."""

    @abstractmethod
    def create(self, fields: Json, caller: Caller) -> int:
        """Create a record of prepared fields and return its id."""

    def endpoints(self, context: TableContext) -> Endpoints:
        return [
            (("GET",), argument_tables.table(self.noun, "query", context)),
            (("POST",), argument_tables.table(self.noun, "create", context)),
        ]
