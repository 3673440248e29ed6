"""Every route of the service."""

import re
from collections.abc import Iterable
from typing import Any

import falcon
from falcon.routing import BaseConverter

from calendar_api.config import NAMESPACE, Config
from calendar_api.domain.feed_formats import CSV, LISTS, SINGLE
from calendar_api.resources import pages, sitemap, static_files, venue_organizer
from calendar_api.resources.docs import DocsFile, DocsPage, Documentation
from calendar_api.resources.editing import event_lists, events, submission, users
from calendar_api.resources.editing.records import MergePage, RecordForm, RecordList
from calendar_api.resources.event_pages import EventPage
from calendar_api.resources.events import EventById, EventBySlug, Events
from calendar_api.resources.feeds import EventFeed, EventFeedBySlug, SingleEventFeed
from calendar_api.resources.index import Index, RootIndex
from calendar_api.resources.list_pages import EventPages
from calendar_api.resources.page_feeds import PageFeed
from calendar_api.resources.pages import PageRoute, WebPage
from calendar_api.resources.resource import BaseResource, Resource
from calendar_api.resources.terms import Categories, CategoryById, TagById, Tags


def _suffix(words: Iterable[str]) -> str:
    """The variable of a template that stands for one of these words."""
    return f"{{format:one_of({','.join(map(repr, words))})}}"


ROUTES: tuple[tuple[str, type[Resource]], ...] = (
    ("/events", Events),
    ("/events/{id:record_id}", EventById),
    ("/events/by-slug/{slug}", EventBySlug),
    ("/venues", venue_organizer.Venues),
    ("/venues/{id:record_id}", venue_organizer.VenueById),
    ("/venues/by-slug/{slug}", venue_organizer.VenueBySlug),
    ("/organizers", venue_organizer.Organizers),
    ("/organizers/{id:record_id}", venue_organizer.OrganizerById),
    ("/organizers/by-slug/{slug}", venue_organizer.OrganizerBySlug),
    ("/categories", Categories),
    ("/categories/{id:record_id}", CategoryById),
    ("/tags", Tags),
    ("/tags/{id:record_id}", TagById),
)
#: The same records as feeds and files, which have no counterpart in the reference.
FEEDS: tuple[tuple[str, type[Resource]], ...] = (
    (f"/events.{_suffix(LISTS)}", EventFeed),
    (f"/events/{{id:record_id}}.{_suffix(SINGLE)}", SingleEventFeed),
    (f"/events/by-slug/{{slug}}.{_suffix(SINGLE)}", EventFeedBySlug),
    (f"/venues.{_suffix(CSV)}", venue_organizer.VenueFeed),
    (f"/organizers.{_suffix(CSV)}", venue_organizer.OrganizerFeed),
)
DESCRIBED = (*ROUTES, *FEEDS)
#: Files for machines beside the pages.
FILES: dict[str, type[BaseResource]] = {
    "/robots.txt": sitemap.Robots,
    "/sitemap.xml": sitemap.SitemapIndex,
    "/sitemap-{kind}-{number}.xml": sitemap.SitemapFile,
    "/embed.js": static_files.EmbedScript,
    "/static/{name}": static_files.StaticFiles,
}
#: Pages for people; see `middleware.url_prefix`.
PAGES: dict[str, type[WebPage]] = {
    "": pages.Home,
    "/events": EventPages,
    "/events/{path:path}": EventPages,
    "/tag/{path:path}": EventPages,
    "/venue/{path:path}": EventPages,
    "/organizer/{path:path}": EventPages,
    "/event/{slug}": EventPage,
}
#: Pages of editing, with CALENDAR_EDITING=on.
EDITING: dict[str, type[WebPage]] = {
    "/edit": event_lists.MyEvents,
    "/edit/events": event_lists.AllEvents,
    "/edit/event/new": events.EventForm,
    "/edit/event/{id:record_id}": events.EventForm,
    "/edit/waiting": event_lists.Waiting,
    "/edit/sign-in": users.SignIn,
    "/edit/sign-out": users.SignOut,
    "/edit/invitation": users.InvitationPage,
    "/edit/account": users.Account,
    "/edit/users": users.UserList,
    "/edit/users/{id:record_id}": users.UserPage,
}
for _plural in ("venues", "organizers", "categories", "tags"):
    EDITING |= {
        f"/edit/{_plural}": RecordList,
        f"/edit/{_plural}/new": RecordForm,
        f"/edit/{_plural}/{{id:record_id}}": RecordForm,
        f"/edit/{_plural}/{{id:record_id}}/merge": MergePage,
    }
#: With CALENDAR_SUBMISSIONS=on alone.
SUBMISSION: dict[str, type[WebPage]] = {
    "/submit": submission.SubmitPage,
    "/submit/{token}": submission.SubmissionPage,
}
_PATTERNS = {"{id:record_id}": r"(?P<id>\d+)", "{slug}": "(?P<slug>[^/]+)"}
_SUFFIX = re.compile(r"\.\{format:one_of\((.*)\)\}")
_LARGEST_ID = 2**63 - 1


class RecordId(BaseConverter):
    """A path segment of ASCII digits; a number too large for any id is 0, which no record has."""

    def convert(self, value: str) -> int | None:
        if not (value.isascii() and value.isdigit()):
            return None
        digits = value.lstrip("0")
        return int(digits) if 0 < len(digits) <= 19 and int(digits) <= _LARGEST_ID else 0


class OneOf(BaseConverter):
    """A part of a path segment that is one of these words."""

    def __init__(self, *words: str) -> None:
        self.words = words

    def convert(self, value: str) -> str | None:
        return value if value in self.words else None


def add(app: falcon.App[Any, Any], config: Config, documentation: Documentation) -> None:
    app.router_options.converters.update(record_id=RecordId, one_of=OneOf)
    root = f"/{NAMESPACE}"
    resources: dict[str, Resource] = {"/doc": documentation}
    resources |= {template: resource(config) for template, resource in DESCRIBED}
    for template, resource in resources.items():
        app.add_route(root + template, resource)
    app.add_route(f"{root}/docs", DocsPage(config))
    app.add_route(f"{root}/docs/{{name}}", DocsFile(config))
    # The pages for people are not part of the index and the OpenAPI document.
    index = Index({_as_pattern(template): resource for template, resource in resources.items()})
    app.add_route(root, index)
    app.add_route("/", RootIndex(index))
    app.add_route("/feeds/{path:path}", PageFeed(config))
    if config.pages == "on":
        for template, file in FILES.items():
            app.add_route(f"/pages{template}", file(config))
    shown = PAGES if config.pages == "on" else {}
    shown = shown | (EDITING if config.has_editing else {}) | (SUBMISSION if config.has_submissions else {})
    for template, page in shown.items():
        app.add_route(f"/pages{template}", PageRoute(config, page))


def _as_pattern(template: str) -> str:
    for variable, pattern in _PATTERNS.items():
        template = template.replace(variable, pattern)
    return _SUFFIX.sub(lambda match: rf"\.(?P<format>{match[1].replace(',', '|')})", template).replace(
        "'", ""
    )
