"""The routes of the interface; those of pages are in `page_routes`."""

import re
from collections.abc import Iterable
from importlib import import_module

from falcon.routing import BaseConverter, CompiledRouter

from calendar_api.config import NAMESPACE, Config
from calendar_api.domain.feed_formats import CSV, LISTS, SINGLE
from calendar_api.resources import venue_organizer
from calendar_api.resources.docs import DocsFile, DocsPage, Documentation
from calendar_api.resources.events import EventById, EventBySlug, Events
from calendar_api.resources.feeds import EventFeed, EventFeedBySlug, SingleEventFeed
from calendar_api.resources.index import Index, RootIndex
from calendar_api.resources.resource import Resource
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


def add(router: CompiledRouter, config: Config, documentation: Documentation) -> None:
    """Add the routes of the interface."""
    router.options.converters.update(record_id=RecordId, one_of=OneOf)
    resources: dict[str, Resource] = {"/doc": documentation}
    resources |= {template: resource(config) for template, resource in DESCRIBED}
    root = f"/{NAMESPACE}"
    for template, resource in resources.items():
        router.add_route(root + template, resource)
    router.add_route(f"{root}/docs", DocsPage(config))
    router.add_route(f"{root}/docs/{{name}}", DocsFile(config))
    index = Index({_as_pattern(template): resource for template, resource in resources.items()})
    router.add_route(root, index)
    router.add_route("/", RootIndex(index))


def pages(config: Config) -> CompiledRouter:
    """A router of the pages and their feeds; imports their modules, which an interface never needs."""
    router = CompiledRouter()
    router.options.converters.update(record_id=RecordId)
    for template, resource in import_module("calendar_api.resources.page_routes").resources(config):
        router.add_route(template, resource)
    return router


def _as_pattern(template: str) -> str:
    for variable, pattern in _PATTERNS.items():
        template = template.replace(variable, pattern)
    return _SUFFIX.sub(lambda match: rf"\.(?P<format>{match[1].replace(',', '|')})", template).replace(
        "'", ""
    )
