"""Venues and organizers over HTTP: what both have in common."""

import json
from collections.abc import Container, Sequence
from itertools import chain
from typing import ClassVar, Unpack

import falcon

from calendar_api import database
from calendar_api.domain import text
from calendar_api.domain.auth import Caller
from calendar_api.domain.feed_formats import CSV
from calendar_api.representations import csv_files
from calendar_api.representations.archive import Page
from calendar_api.representations.documents import with_links
from calendar_api.representations.links import with_query
from calendar_api.representations.rows import StoredRow
from calendar_api.resources.archive import Archive
from calendar_api.resources.base import Single, StoredResource
from calendar_api.resources.feeds import MOST, FeedResource
from calendar_api.resources.resource import Json, Query, RouteKey
from calendar_api.store import documents, venue_organizer_query
from calendar_api.store.event_query import CHUNK
from calendar_api.store.venue_organizer import Row, VenueOrganizerStore, organizers, venues

_REPEATED_FILTERS = (
    "page", "per_page", "event", "has_events", "status", "search", "only_with_upcoming",
)  # fmt: skip


class VenueOrganizerRules(StoredResource[Row]):
    """`store` is that of the noun."""

    store: ClassVar[VenueOrganizerStore]

    def problems(self, fields: Json, caller: Caller) -> dict[str, str]:
        return self.store.problems(fields, caller)

    def full_record(self, row: Row, caller: Caller) -> bytes:
        return self.records([row], single=True)[0]

    def written_record(self, id: int, caller: Caller) -> tuple[bytes, bytes]:
        row = documents.find(self.store.model, "id", id, caller)
        listed, full = (self.records([row], single=single)[0] for single in (False, True))
        return listed, full

    def records(self, rows: Sequence[StoredRow], *, single: bool) -> list[bytes]:
        """`single` adds `json_ld`."""
        return documents.venues_or_organizers(self.store.model, rows, self.site, single=single)


class VenueOrganizerList(VenueOrganizerRules, Archive[Row]):
    #: Whether creating a record of a name that exists finds that one (docs/interface.md#duplicates).
    finds_existing = True

    def read_page(self, query: Query, caller: Caller) -> tuple[Page[StoredRow], list[bytes]]:
        def work() -> tuple[Page[StoredRow], list[bytes]]:
            page = venue_organizer_query.search(self.store, query, caller)
            return page, self.records(page.records, single=False)

        return database.run_read(work)

    def is_cacheable(self, query: Query) -> bool:
        return "only_with_upcoming" not in query

    def effective_filters(self, query: Query, caller: Caller) -> Json:
        values = {**({} if caller.may_write else {"status": ["publish"]}), **query}
        return {name: values[name] for name in _REPEATED_FILTERS if name in values}

    def create(self, fields: Json, caller: Caller) -> int:
        create = self.store.find_or_create if self.finds_existing else self.store.create
        return create(fields, caller, self.site)


class VenueOrganizerById(VenueOrganizerRules, Single[Row]):
    def find(self, caller: Caller, **key: Unpack[RouteKey]) -> Row:
        return documents.find(self.store.model, "id", key["id"], caller)

    def listed_record(self, row: Row, caller: Caller, fields: Container[str] | None = None) -> bytes:
        return self.records([row], single=False)[0]

    def change(self, row: Row, fields: Json, caller: Caller) -> None:
        self.store.update(row, fields, caller, self.site)

    def remove(self, row: Row, caller: Caller) -> bytes:
        self.store.remove(row, caller, self.site)
        return self.written_record(int(row.id), caller)[0]


class VenueOrganizerBySlug(VenueOrganizerById):
    key_name = "slug"

    def find(self, caller: Caller, **key: Unpack[RouteKey]) -> Row:
        return documents.find(self.store.model, "slug", text.slug(key["slug"]), caller)


class VenueOrganizerFeed(FeedResource, VenueOrganizerRules):
    """All venues, or all organizers, of a list as a file."""

    formats = CSV

    def on_get(self, req: falcon.Request, resp: falcon.Response, format: str) -> None:
        links, caller = req.context.site.links, req.context.caller
        query, sent = self.read_query(req)
        if "only_with_upcoming" not in query:
            req.context.cacheable = True
        address = with_query(f"{links.root}/{self.plural}.{format}", sent)
        feed = self.feed(req, address, "", links.listing(self.plural, sent))

        def work() -> tuple[Page[StoredRow], bytes]:
            first = self.search(query, 1, caller)
            numbers = range(2, min(first.pages, MOST // CHUNK) + 1)
            pages = chain([first], (self.search(query, number, caller) for number in numbers))
            stored = (self.records(page.records, single=False) for page in pages)
            records = (json.loads(with_links(one, req.context.site)) for one in chain.from_iterable(stored))
            write = csv_files.venues if self.noun == "venue" else csv_files.organizers
            return Page([], first.total, 1, MOST), write(records)

        page, body = database.run_read(work)
        self.respond(req, resp, format, body, feed, f"{feed.name} {self.plural}", page)

    def search(self, query: Query, number: int, caller: Caller) -> Page[StoredRow]:
        return venue_organizer_query.search(self.store, {**query, "page": number, "per_page": CHUNK}, caller)


class VenueRules(VenueOrganizerRules):
    noun = "venue"
    plural = "venues"
    store = venues


class Venues(VenueRules, VenueOrganizerList):
    path = "/venues"


class VenueById(VenueRules, VenueOrganizerById):
    """`/venues/{id}`"""


class VenueBySlug(VenueRules, VenueOrganizerBySlug):
    """`/venues/by-slug/{slug}`"""


class VenueFeed(VenueOrganizerFeed, VenueRules):
    """`/venues.csv`"""


class OrganizerRules(VenueOrganizerRules):
    noun = "organizer"
    plural = "organizers"
    store = organizers


class Organizers(OrganizerRules, VenueOrganizerList):
    path = "/organizers"


class OrganizerById(OrganizerRules, VenueOrganizerById):
    """`/organizers/{id}`"""


class OrganizerBySlug(OrganizerRules, VenueOrganizerBySlug):
    """`/organizers/by-slug/{slug}`"""


class OrganizerFeed(VenueOrganizerFeed, OrganizerRules):
    """`/organizers.csv`"""
