"""Venues and organizers over HTTP: what both have in common."""

from collections.abc import Callable
from typing import Any, ClassVar

from calendar_api.domain.auth import Caller
from calendar_api.representations import venue_organizer as representation
from calendar_api.representations.render_context import RenderContext
from calendar_api.resources.base import Archive, Single, StoredResource
from calendar_api.resources.resource import Json
from calendar_api.store import images
from calendar_api.store.organizers import organizers
from calendar_api.store.paging import Page
from calendar_api.store.venue_organizer import VenueOrganizerStore
from calendar_api.store.venues import venues

_REPEATED_FILTERS = (
    "page", "per_page", "event", "has_events", "status", "search", "only_with_upcoming",
)  # fmt: skip


class Rules(StoredResource):
    """`store` and `render` are those of the noun."""

    store: ClassVar[VenueOrganizerStore]
    render: ClassVar[Callable[..., Json]]

    def problems(self, fields: Json, caller: Caller) -> dict[str, str]:
        return self.store.problems(fields, caller)

    def full_record(self, record: Any, caller: Caller, site: RenderContext) -> Json:
        return self.records([record], site, single=True)[0]

    def write_response(self, record: Any, caller: Caller, site: RenderContext) -> tuple[Json, Json]:
        full = self.full_record(record, caller, site)
        return representation.without_json_ld(full), full

    def records(self, records: list[Any], site: RenderContext, *, single: bool) -> list[Json]:
        """`single` adds `json_ld`."""
        known = images.by_ids({record.image_id for record in records if record.image_id})
        fields, render = self.store.model.PLAIN_FIELDS, type(self).render
        return [render(record, fields, known.get(record.image_id), site, single=single) for record in records]


class List(Rules, Archive):
    def search(self, query: Json, caller: Caller) -> Page[Any]:
        return self.store.search(query, caller)

    def is_cacheable(self, query: Json) -> bool:
        return "only_with_upcoming" not in query

    def effective_filters(self, query: Json, caller: Caller) -> Json:
        values = {**({} if caller.may_write else {"status": ["publish"]}), **query}
        return {name: values[name] for name in _REPEATED_FILTERS if name in values}

    def list_items(self, records: list[Any], query: Json, caller: Caller, site: RenderContext) -> list[Json]:
        return self.records(records, site, single=False)

    def create(self, fields: Json, caller: Caller) -> Any:
        return self.store.create(fields, caller, self.zone)


class ById(Rules, Single):
    def find(self, caller: Caller, **key: Any) -> Any:
        return self.store.by_id(key["id"], caller)

    def shown_fields(self, record: Any, names: Json, caller: Caller, site: RenderContext) -> Json:
        return self.records([record], site, single=False)[0]

    def change(self, record: Any, draft: Json, fields: Json, caller: Caller) -> Any:
        return self.store.update(record, fields, caller, self.zone)

    def remove(self, record: Any, caller: Caller, site: RenderContext) -> Json:
        return self.records([self.store.remove(record, caller)], site, single=False)[0]


class BySlug(ById):
    key_name = "slug"

    def find(self, caller: Caller, **key: Any) -> Any:
        return self.store.by_slug(key["slug"], caller)


class VenueRules(Rules):
    noun = "venue"
    plural = "venues"
    store = venues
    render = representation.venue


class Venues(VenueRules, List):
    path = "/venues"


class VenueById(VenueRules, ById):
    """`/venues/{id}`"""


class VenueBySlug(VenueRules, BySlug):
    """`/venues/by-slug/{slug}`"""


class OrganizerRules(Rules):
    noun = "organizer"
    plural = "organizers"
    store = organizers
    render = representation.organizer


class Organizers(OrganizerRules, List):
    path = "/organizers"


class OrganizerById(OrganizerRules, ById):
    """`/organizers/{id}`"""


class OrganizerBySlug(OrganizerRules, BySlug):
    """`/organizers/by-slug/{slug}`"""
