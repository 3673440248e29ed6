"""Categories and tags over HTTP."""

from collections.abc import Container
from typing import Unpack, cast

from calendar_api import database
from calendar_api.contract.argument_tables import TableContext
from calendar_api.database.models import Term
from calendar_api.domain.auth import Caller
from calendar_api.representations import terms as representation
from calendar_api.representations.archive import Page
from calendar_api.representations.documents import encode
from calendar_api.representations.rows import CountedTermRow
from calendar_api.resources.archive import Archive
from calendar_api.resources.base import Single, StoredResource
from calendar_api.resources.resource import Endpoints, Json, Query, RouteKey
from calendar_api.store import term_query
from calendar_api.store.terms import TermFields, Terms, categories, tags


class TermRules(StoredResource[Term]):
    """`store` is that of the taxonomy."""

    store: Terms

    def may_write(self, caller: Caller) -> bool:
        return caller.manages_terms(self.store.taxonomy)

    def problems(self, fields: Json, caller: Caller) -> dict[str, str]:
        return self.store.problems(cast(TermFields, fields))

    def full_record(self, term: Term, caller: Caller) -> bytes:
        allowed = list(TermById.methods) if self.may_write(caller) else ["GET"]
        links = representation.hypermedia(term, allowed)
        return encode({**self.record(term, caller), "_links": links})

    def written_record(self, id: int, caller: Caller) -> tuple[bytes, bytes]:
        full = self.full_record(self.store.by_id(id), caller)
        return full, full

    def record(self, term: Term, caller: Caller) -> Json:
        count = term_query.published_count(int(term.id), caller.now)
        return representation.record(term, count, self.store.all_parents())


class TermArchive(TermRules, Archive[Term]):
    is_of_terms = True

    def read_page(self, query: Query, caller: Caller) -> tuple[Page[CountedTermRow], list[bytes]]:
        def work() -> tuple[Page[CountedTermRow], list[bytes]]:
            page, parents = term_query.search(self.store, query, caller), self.store.all_parents()
            records = [representation.record(one, one.published_count, parents) for one in page.records]
            return page, list(map(encode, records))

        return database.run_read(work)

    def effective_filters(self, query: Query, caller: Caller) -> Json:
        """The filters that were sent, without the defaults: the plain list has a plain address."""
        defaults = {"page": 1, "per_page": self.config.per_page, "hide_empty": True}
        return {name: value for name, value in query.items() if defaults.get(name) != value}

    def create(self, fields: Json, caller: Caller) -> int:
        return int(self.store.create(cast(TermFields, fields), self.site).id)


class TermById(TermRules, Single[Term]):
    methods = ("GET", "POST", "PUT", "PATCH", "DELETE")

    def may_edit(self, record: Term, caller: Caller) -> bool:
        return self.may_write(caller)

    def endpoints(self, context: TableContext) -> Endpoints:
        reading, removing, updating = super().endpoints(context)
        return [reading, updating, removing]

    def find(self, caller: Caller, **key: Unpack[RouteKey]) -> Term:
        return self.store.by_id(key["id"])

    def listed_record(self, term: Term, caller: Caller, fields: Container[str] | None = None) -> bytes:
        return encode(self.record(term, caller))

    def change(self, term: Term, fields: Json, caller: Caller) -> None:
        self.store.update(term, cast(TermFields, fields), self.site)

    def remove(self, term: Term, caller: Caller) -> bytes:
        """The term as it was before; deleting is permanent (docs/interface.md#deleting)."""
        before = self.listed_record(term, caller)
        self.store.remove(term, self.site)
        return before


class CategoryRules(TermRules):
    noun = "category"
    plural = "categories"
    store = categories


class Categories(CategoryRules, TermArchive):
    path = "/categories"


class CategoryById(CategoryRules, TermById):
    """`/categories/{id}`"""


class TagRules(TermRules):
    noun = "tag"
    plural = "tags"
    store = tags


class Tags(TagRules, TermArchive):
    path = "/tags"


class TagById(TagRules, TermById):
    """`/tags/{id}`"""
