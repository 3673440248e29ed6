"""Pages of venues, organizers, categories and tags, each with its events."""

import json
import re
from html import unescape
from typing import Any, ClassVar
from urllib.parse import quote

import falcon

from calendar_api import database
from calendar_api.config import Config
from calendar_api.database.models import Organizer, Venue
from calendar_api.domain.errors import NotFound
from calendar_api.representations import terms as representation
from calendar_api.representations.documents import with_links
from calendar_api.representations.event_fields import lead
from calendar_api.resources.event_pages import EventListPage, Scope, is_past
from calendar_api.resources.month_pages import MonthPage
from calendar_api.resources.pages import PageResource, View, page_of_former, redirect
from calendar_api.resources.resource import Json
from calendar_api.resources.venue_organizer import BySlug, OrganizerBySlug, VenueBySlug
from calendar_api.store.terms import Terms, categories, tags

_BELOW_A_TERM = re.compile(
    r"(?P<path>.+?)(?P<view>/month(?:/(?P<when>[^/]+))?|/list(?:/page/(?P<number>[0-9]{1,9}))?)?"
)


class RecordPage(EventListPage):
    """A venue or an organizer, and its events."""

    model: ClassVar[type[Venue] | type[Organizer]]
    resource: ClassVar[type[BySlug]]

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.stored = self.resource(config)

    def view(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        try:
            view = super().view(req, resp, **key)
        except NotFound:
            resp.location = database.run_read(lambda: page_of_former(key["slug"], req, self.model))
            resp.status = falcon.HTTP_301
            return None
        if view is not None and view.path != req.context.page.path:
            redirect(req, resp, falcon.HTTP_301, view.path, req.query_string)
            return None
        return view

    def scope(self, req: falcon.Request, **key: Any) -> Scope:
        noun, caller = self.stored.noun, req.context.caller

        def load() -> Json:
            row = self.stored.find(caller, **key)
            stored = self.stored.records([row], caller, single=False)[0]
            found: Json = json.loads(with_links(stored, req.context.site))
            return found

        record = database.run_read(load)
        name, path = unescape(record[noun]), f"/{noun}/{record['slug']}/"
        return Scope(
            f"{name} – {req.context.translate('Past events')}" if is_past(req) else name,
            path,
            f"{path}page/",
            filters={noun: [record["id"]]},
            template=f"{noun}.html",
            description=lead({"excerpt": "", "description": "", **record}),
            feed=path.rstrip("/"),
            data={"record": record, "heading": name},
        )


class VenuePage(RecordPage):
    """`/venue/{slug}/`"""

    model, resource = Venue, VenueBySlug


class OrganizerPage(RecordPage):
    """`/organizer/{slug}/`"""

    model, resource = Organizer, OrganizerBySlug


class TermScope(EventListPage):
    """Narrows a page to the events of a term, whose own page is at `path`."""

    def scope(self, req: falcon.Request, **key: Any) -> Scope:
        term, path, kind = key["term"], key["path"], key["kind"]
        data: Json = {"term": term, "heading": term.name}
        if kind == "categories":
            data["categories"] = []  # the form would replace the category by another one
        return Scope(
            f"{term.name} – {req.context.translate('Past events')}" if is_past(req) else term.name,
            path,
            f"{path}list/page/",
            path,
            {kind: [int(term.id)]},
            "term.html",
            lead({"excerpt": "", "description": term.description}),
            path.rstrip("/"),
            f"/events/?{kind}={quote(term.slug)}",
            "list",
            data,
        )


class TermList(TermScope):
    """The events of a term by day."""


class TermMonth(TermScope, MonthPage):
    """The events of a term in a month."""


class TermPage(PageResource):
    """The page of a term, and those below it: `month/`, `month/2026-11/`, `list/page/2/`."""

    store: ClassVar[Terms]
    kind: ClassVar[str]

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.list, self.month = TermList(config), TermMonth(config)

    def view(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        match = _BELOW_A_TERM.fullmatch(key["path"])
        if match is None:
            raise NotFound(self.store.noun)
        term, path = database.run_read(lambda: self.find(req, match["path"].split("/")[-1]))
        below = f"{path}{(match['view'] or '').lstrip('/')}"
        address = below if below.endswith("/") else f"{below}/"
        if address != req.context.page.path:  # other categories above it, or another form of the slug
            redirect(req, resp, falcon.HTTP_301, address, req.query_string)
            return None
        given = {"term": term, "path": path, "kind": self.kind}
        if (match["view"] or "").startswith("/month"):
            return self.month.view(req, resp, when=match["when"] or "", **given)
        return self.list.view(req, resp, number=int(match["number"] or 1), **given)

    def find(self, req: falcon.Request, slug: str) -> tuple[Any, str]:
        """The term and the path of its page; raises NotFound."""
        query = {"slug": slug, "hide_empty": False, "page": 1, "per_page": 1}
        found = self.store.search(query, req.context.caller).records
        if not found:
            raise NotFound(self.store.noun)
        return found[0], self.path(found[0])

    def path(self, term: Any) -> str:
        return f"/tag/{term.slug}/"


class CategoryPage(TermPage):
    """`/events/category/{path}/`: the slugs of the category and of those above it."""

    store, kind = categories, "categories"

    def path(self, term: Any) -> str:
        slugs = representation.path(int(term.id), categories.all_parents())
        return f"/events/category/{'/'.join(slugs)}/"


class TagPage(TermPage):
    """`/tag/{path}/`"""

    store, kind = tags, "tags"


class TagAlias(PageResource):
    """`/events/tag/{path}/`, as in the reference"""

    def view(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        redirect(req, resp, falcon.HTTP_301, f"/tag/{key['path']}/", req.query_string)
