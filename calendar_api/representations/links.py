"""Every URL in an answer, built from one checked base (docs/interface.md#base-url)."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from urllib.parse import quote, quote_plus, urlsplit

from calendar_api.domain.translation import LANGUAGES

_POST_TYPES = {"event": "tribe_events", "venue": "tribe_venue", "organizer": "tribe_organizer"}
_WITHOUT_PAGE = ("draft", "pending", "future", "trash")
_PLAIN = re.compile("[a-z0-9-]+")
_DATE = re.compile("[0-9 :-]+")


@dataclass(frozen=True, slots=True)
class Links:
    """Without a slash at the end: `site` is scheme, host and sub-path, `home` the same in the caller's
    language, `root` the namespace as the caller wrote it. `host` is host without port, and sub-path."""

    site: str
    home: str
    root: str
    host: str

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, site: str, language: str, prefix: str) -> "Links":
        """Links to `site` in the language and under the prefix of a request; "" is no language."""
        parts = urlsplit(site)
        home = f"{site}/{language}" if language else site
        return cls(site, home, f"{home}/{prefix}", f"{parts.hostname or ''}{parts.path}")

    def record(self, archive: str, id: int) -> str:
        return f"{self.root}/{archive}/{id}"

    def archive(self, name: str) -> str:
        return f"{self.root}/{name}"

    def page(self, noun: str, id: int, slug: str | None, status: str) -> str:
        """The public page; by type and id if it has none yet (docs/interface.md#record-conventions)."""
        if not slug or status in _WITHOUT_PAGE:
            return f"{self.home}/?post_type={_POST_TYPES[noun]}&p={id}"
        return f"{self.home}/{noun}/{_quoted(slug)}/"

    def is_page(self, address: object, noun: str, id: int, slug: str | None) -> bool:
        """Whether this is the address of the record's page, published or not, in any language."""
        homes = (self.site, *(f"{self.site}/{language}" for language in LANGUAGES))
        return isinstance(address, str) and address in {
            replace(self, home=home).page(noun, id, slug, status)
            for home in homes
            for status in ("publish", "draft")
        }

    def discovery(self, start: str = "") -> dict[str, str]:
        """Headers of pages and feeds that say where the interface is (docs/interface.md#discovery-headers).

        `start` is the address of the list or record that the page is about, "" for the namespace.
        """
        return {
            "X-TEC-API-VERSION": "v1",
            "X-TEC-API-ROOT": start or f"{self.root}/",
            "X-TEC-API-ORIGIN": self.site,
        }

    def category_page(self, slugs: list[str]) -> str:
        """`slugs` from the top of the tree downwards."""
        return f"{self.home}/events/category/{'/'.join(_quoted(slug) for slug in slugs)}/"

    def tag_page(self, slug: str) -> str:
        return f"{self.home}/tag/{_quoted(slug)}/"

    def global_id(self, id: int) -> str:
        """Host without port, sub-path if any, and the id (docs/interface.md#record-conventions)."""
        return f"{self.host}?id={id}"

    def listing(self, name: str, parameters: Mapping[str, object]) -> str:
        """The address of a list with all its filters (docs/interface.md#totals-and-links)."""
        return self.list_of(name, pairs(parameters).values())

    def list_of(self, name: str, pairs: Iterable[str]) -> str:
        """The same from encoded `name=value` pairs."""
        query = "&".join(pairs)
        return f"{self.root}/{name}/?{query}" if query else f"{self.root}/{name}/"


@dataclass(frozen=True, slots=True)
class RenderContext:
    """What a response depends on beside records and settings: the request.

    `now` is UTC as text, `free` the word for a cost of nothing in the language of the request.
    """

    links: Links
    now: str
    free: str = "Free"


def pairs(parameters: Mapping[str, object]) -> dict[str, str]:
    """`name=value`, percent-encoded, by name."""
    return {key: f"{key}={_encoded(as_text(value))}" for key, value in parameters.items()}


def with_query(address: str, parameters: Mapping[str, object]) -> str:
    """The address with these parameters as its query string."""
    return f"{address}?{'&'.join(pairs(parameters).values())}" if parameters else address


def _quoted(slug: str) -> str:
    """Percent-encode a slug; checking first is faster, because most need no encoding."""
    return slug if _PLAIN.fullmatch(slug) else quote(slug)


def _encoded(value: str) -> str:
    """Percent-encode a value; the checks are faster, because most are words, numbers and dates."""
    if _PLAIN.fullmatch(value):
        return value
    if _DATE.fullmatch(value):
        return value.replace(" ", "+").replace(":", "%3A")
    return quote_plus(value, safe=",")


def as_text(value: object) -> str:
    """A parameter as links repeat it."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, list | tuple):
        return ",".join(str(item) for item in value)
    return str(value)
