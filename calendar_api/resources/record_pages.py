"""Pages of venues, organizers, categories and tags, each with its events."""

import json
import re
from html import unescape
from typing import Any, ClassVar
from urllib.parse import quote

import falcon

from calendar_api import database
from calendar_api.config import Config
from calendar_api.domain.errors import NotFound
from calendar_api.representations import terms as representation
from calendar_api.representations.documents import with_links
from calendar_api.representations.event_fields import lead
from calendar_api.resources.event_pages import EventList, EventListPage, display, is_past
from calendar_api.resources.month_pages import MonthPage
from calendar_api.resources.pages import PageResource, View, redirect, redirect_former
from calendar_api.resources.resource import Json
from calendar_api.resources.venue_organizer import BySlug, OrganizerBySlug, VenueBySlug
from calendar_api.store.terms import Terms, categories, tags

_BELOW_A_TERM = re.compile(
    r"(?P<path>.+?)/(?P<view>(?P<month>month)/(?:(?P<when>[^/]+)/)?|list/(?:page/(?P<number>[0-9]{1,9})/)?)?"
)


class RecordPage(PageResource):
    """A venue or an organizer, and its events."""

    resource: ClassVar[type[BySlug]]

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.records, self.list = self.resource(config), EventListPage(config)

    def view(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        slug, number = key["slug"], key.get("number", 1)
        try:
            record = database.run_read(lambda: self.load(req, slug))
        except NotFound:
            redirect_former(req, resp, self.records.store.model, slug)
            return None
        noun = self.records.noun
        path = f"/{noun}/{record['slug']}/"
        name = unescape(record[noun])
        scope = EventList(
            f"{noun}.html", _titled(req, name), {"record": record, "heading": name}, path=path,
            numbered=f"{path}page/", filters={noun: [record["id"]]}, feed=path.rstrip("/"),
            description=lead({"excerpt": "", "description": "", **record}),
        )  # fmt: skip
        view = self.list.view(req, resp, number=number, scope=scope)
        if view is not None and view.path != req.context.page.path:
            redirect(req, resp, falcon.HTTP_301, view.path, req.query_string)
            return None
        return view

    def load(self, req: falcon.Request, slug: str) -> Json:
        row = self.records.find(req.context.caller, slug=slug)
        stored = self.records.records([row], single=False)[0]
        found: Json = json.loads(with_links(stored, req.context.site))
        return found


class VenuePage(RecordPage):
    """`/venue/{slug}/`"""

    resource = VenueBySlug


class OrganizerPage(RecordPage):
    """`/organizer/{slug}/`"""

    resource = OrganizerBySlug


class TermPage(PageResource):
    """The page of a term, and those below it: `month/`, `month/2026-11/`, `list/page/2/`."""

    store: ClassVar[Terms]
    plural: ClassVar[str]

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.list, self.month = EventListPage(config), MonthPage(config)

    def view(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        match = _BELOW_A_TERM.fullmatch(f"{key['path']}/")
        if match is None:
            raise NotFound(self.store.noun)
        term, path = database.run_read(lambda: self.find(req, match["path"].split("/")[-1]))
        address = f"{path}{match['view'] or ''}"
        if address != req.context.page.path:  # other categories above it, or another form of the slug
            redirect(req, resp, falcon.HTTP_301, address, req.query_string)
            return None
        data: Json = {"term": term, "heading": term.name}
        if self.store is categories:
            data["categories"] = []  # the form would replace the category by another one
        about = lead({"excerpt": "", "description": term.description})
        scope = EventList(
            "term.html", _titled(req, term.name), data, about, path=path, base=path, feed=path.rstrip("/"),
            numbered=f"{path}list/page/", filters={self.plural: [int(term.id)]}, nav="list",
            api=f"/events/?{self.plural}={quote(term.slug)}",
        )  # fmt: skip
        if match["month"] or (display(req) == "month" and not match["view"]):
            return self.month.view(req, resp, when=match["when"] or "", scope=scope)
        return self.list.view(req, resp, number=int(match["number"] or 1), scope=scope)

    def find(self, req: falcon.Request, slug: str) -> tuple[Any, str]:
        """The term and the path of its page; raises NotFound."""
        query = {"slug": slug, "hide_empty": False, "page": 1, "per_page": 1}
        for term in self.store.search(query, req.context.caller).records:
            return term, self.path(term)
        term = self.store.by_former_slug(slug)
        return term, self.path(term)

    def path(self, term: Any) -> str:
        return f"/tag/{term.slug}/"


class CategoryPage(TermPage):
    """`/events/category/{path}/`: the slugs of the category and of those above it."""

    store, plural = categories, "categories"

    def path(self, term: Any) -> str:
        slugs = representation.path(int(term.id), categories.all_parents())
        return f"/events/category/{'/'.join(slugs)}/"


class TagPage(TermPage):
    """`/tag/{path}/`"""

    store, plural = tags, "tags"


class TagAlias(PageResource):
    """`/events/tag/{path}/`, as in the reference"""

    def view(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        redirect(req, resp, falcon.HTTP_301, f"/tag/{key['path']}/", req.query_string)


def _titled(req: falcon.Request, name: str) -> str:
    return f"{name} – {req.context.translate('Past events')}" if is_past(req) else name
