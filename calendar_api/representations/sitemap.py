"""The sitemap of the pages (sitemaps.org protocol 0.9), and robots.txt (RFC 9309)."""

from collections.abc import Iterable
from html import escape

#: Most addresses in a file.
PER_FILE = 5000

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def index(addresses: Iterable[str]) -> bytes:
    """An index of the files at these addresses."""
    items = (f"<sitemap><loc>{escape(address)}</loc></sitemap>\n" for address in addresses)
    return f'{_HEAD}<sitemapindex xmlns="{_NAMESPACE}">\n{"".join(items)}</sitemapindex>\n'.encode()


def pages(addresses: Iterable[tuple[str, str]]) -> bytes:
    """A file of pages: address and time of the last change, UTC as `YYYY-MM-DD HH:MM:SS` or "" if unknown."""
    items = (f"<url><loc>{escape(address)}</loc>{_changed(utc)}</url>\n" for address, utc in addresses)
    return f'{_HEAD}<urlset xmlns="{_NAMESPACE}">\n{"".join(items)}</urlset>\n'.encode()


def robots(prefixes: Iterable[str], sitemap: str) -> bytes:
    """Allow all but the API below `prefixes`, in any language.

    Feeds stay allowed, because services that fetch calendars for their users also ask robots.txt.
    """
    lines = ["User-agent: *"]
    for prefix in prefixes:
        lines += [f"Disallow: /*{prefix}/", f"Allow: /*{prefix}/*ics"]
    return "\n".join([*lines, "", f"Sitemap: {sitemap}", ""]).encode()


def _changed(utc: str) -> str:
    return f"<lastmod>{utc.replace(' ', 'T')}Z</lastmod>" if utc else ""
