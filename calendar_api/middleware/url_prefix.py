"""Which part of a path is prefix, language and route (docs/interface.md#namespace, pure)."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote

import falcon

from calendar_api import config
from calendar_api.config import NAMESPACE, Config
from calendar_api.domain import dates, form_params, time_zones, translation
from calendar_api.domain.errors import ApiError
from calendar_api.domain.translation import LANGUAGES, message
from calendar_api.domain.trusted_proxies import Proxies
from calendar_api.representations.links import Links
from calendar_api.representations.render_context import RenderContext

_SEGMENTS_OF_A_NAMESPACE = 3


@dataclass(frozen=True, slots=True)
class Address:
    """How a caller addressed us: `prefix` is the namespace or an alias, `route` what stands below it.

    `above` means the index above the namespace of the alias, such as `/wp-json`.
    """

    language: str
    prefix: str
    route: str
    above: bool = False

    @property
    def namespace(self) -> str:
        """The namespace as this caller knows it: the last three segments of the prefix."""
        return "/".join(self.prefix.split("/")[-_SEGMENTS_OF_A_NAMESPACE:])

    @property
    def path(self) -> str:
        """What our links put between the site and the route: language segment and prefix."""
        return f"{self.language}/{self.prefix}" if self.language else self.prefix


def parse_path(path: str, rest_route: str | None, aliases: tuple[str, ...]) -> Address | None:
    """The address that a path means, None when it is none of ours.

    Letter case, doubled slashes and one at the end make no difference (docs/interface.md#path-matching).
    `rest_route` is the query parameter of the same name; it counts at the root only, for aliases that end in
    its namespace.
    """
    segments = [segment for segment in path.lower().split("/") if segment]
    language = segments.pop(0) if segments and segments[0] in LANGUAGES else ""
    if rest_route is not None and segments in ([], ["index.php"]):
        return _by_rest_route(rest_route, language, aliases)
    # Of two aliases, one below the other, the longer one is meant.
    prefixes = sorted((NAMESPACE, *aliases), key=len, reverse=True)
    path = "/".join(segments)
    return _below(prefixes, path, language) or _above(aliases, path, language)


def _by_rest_route(rest_route: str, language: str, aliases: tuple[str, ...]) -> Address | None:
    wanted = re.sub(r"/{2,}", "/", rest_route.lower()).strip("/")
    if not wanted:
        return _above(aliases, None, language) if rest_route else None
    for prefix in (*aliases, NAMESPACE):
        namespace = "/".join(prefix.split("/")[-_SEGMENTS_OF_A_NAMESPACE:])
        if wanted == namespace or wanted.startswith(namespace + "/"):
            return Address(language, prefix, wanted[len(namespace) :])
    return None


def _below(prefixes: list[str], path: str, language: str) -> Address | None:
    for prefix in prefixes:
        if path == prefix or path.startswith(prefix + "/"):
            return Address(language, prefix, path[len(prefix) :])
    return None


def _above(aliases: tuple[str, ...], path: str | None, language: str) -> Address | None:
    """The index at `path`, an alias without its namespace; without a path, the index of the first alias."""
    for alias in aliases:
        folder = "/".join(alias.split("/")[:-_SEGMENTS_OF_A_NAMESPACE])
        if folder and path in (None, folder):
            return Address(language, alias, "", above=True)
    return None


_HOST = re.compile(r"([a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::([0-9]{1,5}))?", re.IGNORECASE)
_NO_ROUTE = "/none"
_PORTS = range(1, 65_536)
_FOLDER = re.compile(r"(?:/[A-Za-z0-9._~-]{1,100}){1,8}/?")


class UrlPrefix:
    """Settles the route, the language, and the base of every URL in the answer.

    See docs/interface.md#namespace.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self.zone = time_zones.named(config.timezone)
        self.proxies = Proxies(config.trusted_proxies)

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        rest_route = form_params.last(req.query_string, "rest_route")
        address = parse_path(req.path, rest_route, self.config.aliases)
        language = (address.language if address else "") or self.config.language
        req.context.translate = translation.translator(language)
        site = self.config.base_url or self._from_request(req)
        found = address or Address("", config.NAMESPACE, "")
        req.context.namespace = found.namespace
        home = f"{site}/{found.language}" if found.language else site
        now = dates.text(datetime.now(UTC))
        links = Links(site, home, f"{site}/{found.path}")
        req.context.site = RenderContext(
            links, self.zone, self.config.currency_symbol, now, req.context.translate("Free")
        )
        # The router knows the canonical form only.
        if address is None:
            req.path = _NO_ROUTE
        else:
            req.path = "/" if address.above else f"/{config.NAMESPACE}{address.route}"

    def _from_request(self, req: falcon.Request) -> str:
        """Scheme, host and sub-path of a host that is believed; raises ApiError for another."""
        scheme, host = req.env["wsgi.url_scheme"], req.get_header("Host") or ""
        folder = req.env.get("SCRIPT_NAME", "")
        if self.proxies.trusts(req.env.get("REMOTE_ADDR", "?")):
            scheme = {"http": "http", "https": "https"}.get(req.get_header("X-Forwarded-Proto") or "", scheme)
            host = req.get_header("X-Forwarded-Host") or host
            folder = _folder(req.get_header("X-Forwarded-Prefix") or "") + folder
        match = _HOST.fullmatch(host)
        if not match or match[1].lower() not in self.config.allowed_hosts or int(match[2] or 1) not in _PORTS:
            raise ApiError(
                message(
                    "This server does not know itself under this host name. Its operator can set "
                    "CALENDAR_BASE_URL, or add the name to CALENDAR_ALLOWED_HOSTS."
                ),
                code="rest_unknown_host",
                status=400,
            )
        # A server hands over the bytes of a path as Latin-1 text.
        return f"{scheme}://{host.lower()}{quote(folder.rstrip('/').encode('latin-1'))}"


def _folder(prefix: str) -> str:
    """A forwarded sub-path, nothing unless it is a plain path."""
    return prefix.rstrip("/") if _FOLDER.fullmatch(prefix) else ""
