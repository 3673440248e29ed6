"""Categories and tags over HTTP."""

from typing import Any

import falcon

from calendar_api.contract.argument_tables import TableContext
from calendar_api.domain.auth import Caller
from calendar_api.representations import archive
from calendar_api.representations import terms as representation
from calendar_api.representations.render_context import RenderContext
from calendar_api.resources.base import Archive, Single
from calendar_api.resources.resource import Json, Stored
from calendar_api.store.terms import Terms, categories, published_counts, tags


class TermRules(Stored):
    """`store` is that of the taxonomy."""

    store: Terms

    def may_write(self, caller: Caller) -> bool:
        return caller.manages_terms(self.store.taxonomy)

    def problems(self, fields: Json, caller: Caller) -> dict[str, str]:
        return self.store.problems(fields)

    def whole(self, record: Any, caller: Caller, site: RenderContext) -> Json:
        allowed = list(TermById.methods) if self.may_write(caller) else ["GET"]
        links = representation.hypermedia(record, allowed, site.links)
        return {**self.record(record, caller, site), "_links": links}

    def written(self, record: Any, caller: Caller, site: RenderContext) -> tuple[Json, Json]:
        whole = self.whole(record, caller, site)
        return whole, whole

    def record(self, term: Any, caller: Caller, site: RenderContext) -> Json:
        counts = published_counts({int(term.id)}, caller.now)
        return representation.record(term, counts.get(int(term.id), 0), self.store.all_parents(), site.links)


class TermArchive(TermRules, Archive):
    ends_with_404 = False

    def search(self, query: Json, caller: Caller) -> Any:
        return self.store.search(query, caller)

    def in_effect(self, query: Json, caller: Caller) -> Json:
        """The filters that were sent, without the defaults: the plain list has a plain address."""
        defaults = {"page": 1, "per_page": self.config.per_page, "hide_empty": True}
        return {name: value for name, value in query.items() if defaults.get(name) != value}

    def shown(self, records: list[Any], query: Json, caller: Caller, site: RenderContext) -> list[Json]:
        if not query:
            return [self.whole(term, caller, site) for term in records]
        parents = self.store.all_parents()
        return [representation.record(term, term.published_count, parents, site.links) for term in records]

    def envelope(self, page: Any, records: list[Json], parameters: Json, site: RenderContext) -> Json:
        return archive.terms(
            self.plural, records, page.number, page.pages, page.total, parameters, site.links
        )

    def create(self, fields: Json, caller: Caller) -> Any:
        return self.store.create(fields)


class TermById(TermRules, Single):
    methods = ("GET", "POST", "PUT", "PATCH", "DELETE")

    def may_edit(self, record: Any, caller: Caller) -> bool:
        return self.may_write(caller)

    def endpoints(self, around: TableContext) -> list[tuple[tuple[str, ...], Json]]:
        reading, removing, updating = super().endpoints(around)
        return [reading, updating, removing]

    def find(self, caller: Caller, **key: Any) -> Any:
        return self.store.by_id(key["id"])

    def read(self, record: Any, req: falcon.Request, caller: Caller) -> Json:
        return self.whole(record, caller, req.context.site)

    def shown(self, record: Any, caller: Caller, site: RenderContext) -> Json:
        return self.whole(record, caller, site)

    def change(self, record: Any, fields: Json, caller: Caller) -> Any:
        return self.store.update(record, fields)

    def remove(self, record: Any, caller: Caller, site: RenderContext) -> Json:
        """The term as it was before; deleting is permanent (docs/interface.md#deleting)."""
        before = self.record(record, caller, site)
        self.store.remove(record)
        return before


class CategoryRules(TermRules):
    noun = "category"
    plural = "categories"
    store = categories


class Categories(CategoryRules, TermArchive):
    """`/categories`"""


class CategoryById(CategoryRules, TermById):
    """`/categories/{id}`"""


class TagRules(TermRules):
    noun = "tag"
    plural = "tags"
    store = tags


class Tags(TagRules, TermArchive):
    """`/tags`"""


class TagById(TagRules, TermById):
    """`/tags/{id}`"""
