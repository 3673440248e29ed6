"""What venues and organizers have in common over HTTP."""

from typing import Any

import falcon

from calendar_api.contract import argument_tables
from calendar_api.contract.argument_tables import TableContext
from calendar_api.domain.auth import Caller
from calendar_api.representations import venue_organizer as representation
from calendar_api.representations.render_context import RenderContext
from calendar_api.resources.base import Archive, Single
from calendar_api.resources.resource import Json, Stored
from calendar_api.store import images
from calendar_api.store.venue_organizer import VenueOrganizerStore

_ECHOED = ("event", "has_events", "status", "search", "only_with_upcoming")


class VenueOrganizerRules(Stored):
    """`store` and `representation` are those of the noun."""

    store: VenueOrganizerStore
    representation: Any

    def problems(self, fields: Json, caller: Caller) -> dict[str, str]:
        return self.store.problems(fields, caller)

    def whole(self, record: Any, caller: Caller, site: RenderContext) -> Json:
        return self.records([record], site, single=True)[0]

    def written(self, record: Any, caller: Caller, site: RenderContext) -> tuple[Json, Json]:
        whole = self.whole(record, caller, site)
        return representation.plain(whole), whole

    def records(self, records: list[Any], site: RenderContext, *, single: bool) -> list[Json]:
        known = images.by_ids({record.image_id for record in records if record.image_id})
        return [
            self.representation.record(record, known.get(record.image_id), site, single=single)
            for record in records
        ]


class VenueOrganizerArchive(VenueOrganizerRules, Archive):
    def search(self, query: Json, caller: Caller) -> Any:
        return self.store.search(query, caller)

    def lasting(self, query: Json) -> bool:
        return "only_with_upcoming" not in query

    def in_effect(self, query: Json, caller: Caller) -> Json:
        values = {**({} if caller.writes else {"status": ["publish"]}), **query}
        return {name: values[name] for name in ("page", "per_page", *_ECHOED) if name in values}

    def shown(self, records: list[Any], query: Json, caller: Caller, site: RenderContext) -> list[Json]:
        return self.records(records, site, single=False)

    def create(self, fields: Json, caller: Caller) -> Any:
        return self.store.create(fields, caller, self.zone)


class VenueOrganizerById(VenueOrganizerRules, Single):
    def find(self, caller: Caller, **key: Any) -> Any:
        return self.store.by_id(key["id"], caller)

    def read(self, record: Any, req: falcon.Request, caller: Caller) -> Json:
        return self.whole(record, caller, req.context.site)

    def shown(self, record: Any, caller: Caller, site: RenderContext) -> Json:
        return self.records([record], site, single=False)[0]

    def change(self, record: Any, fields: Json, caller: Caller) -> Any:
        return self.store.update(record, fields, caller, self.zone)

    def remove(self, record: Any, caller: Caller, site: RenderContext) -> Json:
        return self.shown(self.store.remove(record, caller), caller, site)


class VenueOrganizerBySlug(VenueOrganizerById):
    def find(self, caller: Caller, **key: Any) -> Any:
        return self.store.by_slug(key["slug"], caller)

    def key_arguments(self, around: TableContext) -> Json:
        return argument_tables.key("slug", "Slug of the record.", around.translate)
