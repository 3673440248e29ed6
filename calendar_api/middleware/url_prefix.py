"""Split the URL into language, prefix and route, and determine the base URL of links.

See docs/interface.md#namespace, and #feeds-of-pages for the addresses of feeds.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache, cached_property
from typing import Any, NamedTuple
from urllib.parse import quote

import falcon
from falcon.routing import CompiledRouter

from calendar_api.config import NAMESPACE, Config
from calendar_api.domain import dates, form_params, translation
from calendar_api.domain.errors import ApiError
from calendar_api.domain.feed_formats import LISTS, MEDIA_TYPES
from calendar_api.domain.translation import LANGUAGES, message
from calendar_api.representations.links import Links, RenderContext

_SEGMENTS_OF_A_NAMESPACE = 3
_OVERRIDES = ("PUT", "PATCH", "DELETE")
_HOST = re.compile(r"([a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::([0-9]{1,5}))?", re.IGNORECASE)
_SUB_PATH = re.compile(r"(?:/[A-Za-z0-9._~-]{1,100}){1,8}/?")
_PORTS = range(1, 65_536)
#: Where the parameter `rest_route` counts.
_ROOTS = ("/", "/index.php")
_UNKNOWN_PATH = "/none"
#: Where the router has the pages for people; paths of the interface begin with its namespace.
PAGES = "/pages"
#: Where it has their feeds.
FEEDS = "/feeds"
_FEED_ROOTS = ("events", "event", "tag", "venue", "organizer")
_FEED_WORDS = {"ical": "ics", "feed": "rss", "rss": "rss", "rss2": "rss", "rdf": "rss", "atom": "atom"}
_FEED_PARAMETERS = ("ical", "outlook-ical")
#: Query parameters of pages that the interface does not have.
PAGE_PARAMETERS = frozenset({"embed", "p", "post_type", "ical", "event_ids"})


class Router(CompiledRouter):
    """Finds the resource of a path.

    Those of pages and their feeds are in a router that `make_pages` makes at the first request for one.
    """

    def __init__(self, make_pages: Callable[[], CompiledRouter]) -> None:
        super().__init__()
        self._make_pages = make_pages

    @cached_property
    def pages(self) -> CompiledRouter:
        return self._make_pages()

    def find(self, uri: str, req: Any = None) -> Any:
        if uri.startswith((PAGES, FEEDS)):
            return self.pages.find(uri, req)
        return super().find(uri, req)


class Address(NamedTuple):
    """A path split into its parts: `prefix` is the namespace or an alias, `route` the rest.

    `above` means the index above the namespace of an alias, such as `/wp-json`.
    """

    language: str
    prefix: str
    route: str
    above: bool = False

    @property
    def namespace(self) -> str:
        """The last three segments of the prefix."""
        return "/".join(self.prefix.split("/")[-_SEGMENTS_OF_A_NAMESPACE:])


class PagePath(NamedTuple):
    """The path of a page for people: `path` is what follows the language, in its canonical form.

    It has lower-case letters and a slash at the end, or a dot in its last segment, the name of a file.
    `canonical` says whether it was sent so.
    """

    language: str
    path: str
    canonical: bool


class FeedPath(NamedTuple):
    """The path of a page after the language, as segments, and the format of its feed."""

    language: str
    segments: list[str]
    format: str


class UrlPrefix:
    """Set method, path, language and `req.context.site` of a request."""

    def __init__(self, config: Config) -> None:
        self.config = config

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        _override_method(req)
        if req.path == "*":  # `OPTIONS *` is about the whole server (RFC 9110, section 9.3.7)
            req.path = f"/{NAMESPACE}"
        rest_route = req.get_param("rest_route") or None
        if rest_route is not None and parse_page(req.path).path not in _ROOTS:
            rest_route = None
        address = parse_path(req.path, rest_route, self.config.aliases)
        page = feed = None
        if address is None and rest_route is None:
            feed = parse_feed(req.path, req.query_string)
            page = parse_page(req.path) if feed is None and self.config.pages == "on" else None
        req.context.page, req.context.config = page, self.config
        shown = page or feed
        found = address or Address(shown.language if shown else "", self._prefix_of_pages(shown), "")
        req.context.language = found.language or self.config.language
        req.context.translate = translation.translator(req.context.language)
        site = self.config.base_url or self._base_url(req)
        req.context.namespace = found.namespace
        req.context.site = RenderContext(
            Links.of(site, found.language, found.prefix),
            dates.text(datetime.now(UTC)),
            req.context.translate("Free"),
        )
        # The router knows the canonical form only.
        if feed is not None:
            req.context.feed_format = feed.format
            req.path = "/".join([FEEDS, *feed.segments])
        elif page is not None:
            req.path = f"{PAGES}{page.path.rstrip('/')}"
        elif address is None:
            req.path = _UNKNOWN_PATH
        else:
            req.path = "/" if address.above else f"/{NAMESPACE}{address.route}{_suffix(req, address)}"

    def _prefix_of_pages(self, page: PagePath | FeedPath | None) -> str:
        """The prefix of the interface that a page names: an alias with an index above it, if there is one."""
        above = _index_above(self.config.aliases, None, "") if page else None
        return above.prefix if above else NAMESPACE

    def _base_url(self, req: falcon.Request) -> str:
        """Return scheme, host and sub-path from the request; raises ApiError for an unknown host."""
        scheme, host = req.env["wsgi.url_scheme"], req.get_header("Host") or ""
        sub_path = req.env.get("SCRIPT_NAME", "")
        if req.context.by_proxy:
            scheme = {"http": "http", "https": "https"}.get(req.get_header("X-Forwarded-Proto") or "", scheme)
            host = req.get_header("X-Forwarded-Host") or host
            prefix = req.get_header("X-Forwarded-Prefix") or ""
            sub_path = (prefix.rstrip("/") if _SUB_PATH.fullmatch(prefix) else "") + sub_path
        match = _HOST.fullmatch(host)
        if not match or match[1].lower() not in self.config.allowed_hosts or int(match[2] or 1) not in _PORTS:
            text = message(
                "Unknown host name. Set CALENDAR_BASE_URL or add the name to CALENDAR_ALLOWED_HOSTS."
            )
            raise ApiError(text, code="rest_unknown_host", status=400)
        # WSGI servers pass the bytes of a path as Latin-1 text.
        return f"{scheme}://{host.lower()}{quote(sub_path.rstrip('/').encode('latin-1'))}"


def _suffix(req: falcon.Request, address: Address) -> str:
    """`/events?format=ics` is `/events.ics`."""
    if address.route != "/events" or req.method not in ("GET", "HEAD"):
        return ""
    format = req.get_param("format")
    return f".{format}" if format in LISTS else ""


def _override_method(req: falcon.Request) -> None:
    """Replace POST by the method of the header or parameter, for clients that can send only POST."""
    if req.method != "POST":
        return
    method = req.get_header("X-HTTP-Method-Override") or req.get_param("_method") or ""
    if method.upper() in _OVERRIDES:
        req.method = method.upper()


def parse_path(path: str, rest_route: str | None, aliases: tuple[str, ...]) -> Address | None:
    """Return the parts of a path; None if it is not in the namespace or an alias.

    Letter case, double slashes and a trailing slash do not matter (docs/interface.md#path-matching).
    `rest_route` is the query parameter of the same name; it counts at the root only, for aliases that end in
    its namespace.
    """
    language, segments = _split(path)
    if rest_route is not None and segments in ([], ["index.php"]):
        return _parse_rest_route(rest_route, language, aliases)
    path = "/".join(segments)
    # One alias may be below another: try the longer one first.
    for prefix in _longest_first(aliases):
        if path == prefix or path.startswith(prefix + "/"):
            return Address(language, prefix, path.removeprefix(prefix))
    return _index_above(aliases, path, language)


@cache
def _longest_first(aliases: tuple[str, ...]) -> list[str]:
    return sorted((NAMESPACE, *aliases), key=len, reverse=True)


def parse_page(path: str) -> PagePath:
    """Return the parts of a path that is not of the interface."""
    language, segments = _split(path)
    page = _joined(segments)
    return PagePath(language, page, canonical=path == (f"/{language}{page}" if language else page))


def _split(path: str) -> tuple[str, list[str]]:
    """Return the language at the beginning of a path, or "", and the segments after it, in lower case."""
    segments = [segment for segment in path.lower().split("/") if segment]
    return (segments.pop(0) if segments and segments[0] in LANGUAGES else ""), segments


def _joined(segments: list[str]) -> str:
    path = "".join(f"/{segment}" for segment in segments)
    return path if segments and "." in segments[-1] else f"{path}/"


def _parse_rest_route(rest_route: str, language: str, aliases: tuple[str, ...]) -> Address | None:
    route = re.sub(r"/{2,}", "/", rest_route.lower()).strip("/")
    if not route:
        return _index_above(aliases, None, language) if rest_route else None
    for prefix in (*aliases, NAMESPACE):
        namespace = Address(language, prefix, "").namespace
        if route == namespace or route.startswith(namespace + "/"):
            return Address(language, prefix, route.removeprefix(namespace))
    return None


def _index_above(aliases: tuple[str, ...], path: str | None, language: str) -> Address | None:
    """Return the index at `path`, an alias without its namespace; None is the index of the first alias."""
    for alias in aliases:
        parent = "/".join(alias.split("/")[:-_SEGMENTS_OF_A_NAMESPACE])
        if parent and path in (None, parent):
            return Address(language, alias, "", above=True)
    return None


def parse_feed(path: str, query: str) -> FeedPath | None:
    """Return the page and the format that a path outside of the interface names; None if it is no feed.

    >>> parse_feed("/de/tag/jazz.ics", "")
    FeedPath(language='de', segments=['tag', 'jazz'], format='ics')
    >>> parse_feed("/events/feed/atom/", "")
    FeedPath(language='', segments=['events'], format='atom')
    """
    language, segments = _split(path)
    found = _by_suffix(segments) or _by_word(segments)
    # `/?p=12` is redirected to the page that has the feed.
    is_page = segments or form_params.last(query, "p") is None
    if found is None and is_page and any(form_params.last(query, name) == "1" for name in _FEED_PARAMETERS):
        found = segments or ["events"], "ics"
    if found is None or found[0][0] not in _FEED_ROOTS:
        return None
    page, format = found
    return FeedPath(language, page[1:] if page[:2] == ["events", "tag"] else page, format)


def _by_suffix(segments: list[str]) -> tuple[list[str], str] | None:
    name, _, format = segments[-1].rpartition(".") if segments else ("", "", "")
    return ([*segments[:-1], name], format) if name and format in MEDIA_TYPES else None


def _by_word(segments: list[str]) -> tuple[list[str], str] | None:
    """The addresses of the reference; the last segment of others may be a slug that is one of the words."""
    match segments:
        case [*page, "feed", ("rss" | "rss2" | "rdf" | "atom") as word] if _has_feed(page):
            return page, _FEED_WORDS[word]
        case [*page, ("ical" | "feed") as word] if _has_feed(page):
            return page, _FEED_WORDS[word]
        case ["events", ("rss" | "atom") as word]:
            return ["events"], word
    return None


def _has_feed(segments: list[str]) -> bool:
    return segments[:1] == ["events"] if len(segments) < 2 else segments != ["events", "category"]
