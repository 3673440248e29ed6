"""Categories and tags over HTTP."""

from typing import Any

from calendar_api.contract.argument_tables import TableContext
from calendar_api.domain.auth import Caller
from calendar_api.representations import archive
from calendar_api.representations import terms as representation
from calendar_api.representations.render_context import RenderContext
from calendar_api.resources.base import Archive, Single, StoredResource
from calendar_api.resources.resource import Endpoints, Json
from calendar_api.store.paging import Page
from calendar_api.store.terms import Terms, categories, published_counts, tags


class TermRules(StoredResource):
    """`store` is that of the taxonomy."""

    store: Terms

    def may_write(self, caller: Caller) -> bool:
        return caller.manages_terms(self.store.taxonomy)

    def problems(self, fields: Json, caller: Caller) -> dict[str, str]:
        return self.store.problems(fields)

    def full_record(self, term: Any, caller: Caller, site: RenderContext) -> Json:
        allowed = list(TermById.methods) if self.may_write(caller) else ["GET"]
        links = representation.hypermedia(term, allowed, site.links)
        return {**self.record(term, caller, site), "_links": links}

    def write_response(self, term: Any, caller: Caller, site: RenderContext) -> tuple[Json, Json]:
        full = self.full_record(term, caller, site)
        return full, full

    def record(self, term: Any, caller: Caller, site: RenderContext) -> Json:
        count = published_counts({int(term.id)}, caller.now).get(int(term.id), 0)
        return representation.record(term, count, self.store.all_parents(), site.links)


class TermArchive(TermRules, Archive):
    missing_page_is_404 = False

    def search(self, query: Json, caller: Caller) -> Page[Any]:
        return self.store.search(query, caller)

    def effective_filters(self, query: Json, caller: Caller) -> Json:
        """The filters that were sent, without the defaults: the plain list has a plain address."""
        defaults = {"page": 1, "per_page": self.config.per_page, "hide_empty": True}
        return {name: value for name, value in query.items() if defaults.get(name) != value}

    def list_items(self, terms: list[Any], query: Json, caller: Caller, site: RenderContext) -> list[Json]:
        parents = self.store.all_parents()
        return [representation.record(term, term.published_count, parents, site.links) for term in terms]

    def envelope(self, page: Page[Any], records: list[Json], parameters: Json, site: RenderContext) -> Json:
        return archive.term_envelope(self.plural, records, page, parameters, site.links)

    def create(self, fields: Json, caller: Caller) -> Any:
        return self.store.create(fields)


class TermById(TermRules, Single):
    methods = ("GET", "POST", "PUT", "PATCH", "DELETE")

    def may_edit(self, record: Any, caller: Caller) -> bool:
        return self.may_write(caller)

    def endpoints(self, context: TableContext) -> Endpoints:
        reading, removing, updating = super().endpoints(context)
        return [reading, updating, removing]

    def find(self, caller: Caller, **key: Any) -> Any:
        return self.store.by_id(key["id"])

    def shown_fields(self, term: Any, names: Json, caller: Caller, site: RenderContext) -> Json:
        return self.record(term, caller, site)

    def change(self, term: Any, draft: Json, fields: Json, caller: Caller) -> Any:
        return self.store.update(term, fields)

    def remove(self, term: Any, caller: Caller, site: RenderContext) -> Json:
        """The term as it was before; deleting is permanent (docs/interface.md#deleting)."""
        before = self.record(term, caller, site)
        self.store.remove(term)
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
