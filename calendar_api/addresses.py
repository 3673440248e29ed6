"""Which part of a path is prefix, language and route (docs/interface.md#namespace, pure)."""

import re
from dataclasses import dataclass

from calendar_api.languages import LANGUAGES

NAMESPACE = "calendar/events/v1"
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


def settle(path: str, rest_route: str | None, aliases: tuple[str, ...]) -> Address | None:
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
