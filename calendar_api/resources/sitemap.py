"""`/robots.txt`, and the sitemap: an index of files with at most PER_FILE pages each."""

from typing import TypeAlias

import falcon

from calendar_api import database
from calendar_api.config import NAMESPACE
from calendar_api.representations import sitemap as representation
from calendar_api.representations import terms
from calendar_api.representations.links import Links
from calendar_api.representations.sitemap import PER_FILE
from calendar_api.resources.resource import ReadOnly
from calendar_api.resources.static_files import send
from calendar_api.store import sitemap
from calendar_api.store.terms import categories

_KINDS = {"events": "event", "venues": "venue", "organizers": "organizer"}
_XML = "application/xml; charset=utf-8"

#: Addresses of pages, each with the time of its last change or "".
Pages: TypeAlias = list[tuple[str, str]]


class Robots(ReadOnly):
    """`/robots.txt`"""

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        req.context.cacheable = True
        address = f"{req.context.site.links.site}/sitemap.xml"
        body = representation.robots((NAMESPACE, *self.config.aliases), address)
        send(resp, body, "text/plain; charset=utf-8")


class SitemapIndex(ReadOnly):
    """`/sitemap.xml`"""

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        req.context.cacheable = True
        now, links = req.context.site.now, req.context.site.links

        def work() -> dict[str, int]:
            totals = {kind: sitemap.total(noun, now) for kind, noun in _KINDS.items()}
            return totals | {"lists": len(_lists(links, now))}

        totals = database.run_read(work)
        files = (
            f"{links.home}/sitemap-{kind}-{number}.xml"
            for kind, total in totals.items()
            for number in range(1, -(-total // PER_FILE) + 1)
        )
        send(resp, representation.index(files), _XML)


class SitemapFile(ReadOnly):
    """`/sitemap-{kind}-{number}.xml`; not cached, because one would displace hundreds of lists."""

    def on_get(self, req: falcon.Request, resp: falcon.Response, kind: str, number: str) -> None:
        """Raises HTTPRouteNotFound for a file that is not in the index."""
        if not (number.isascii() and number.isdigit() and len(number) < 7):
            raise falcon.HTTPRouteNotFound
        now, links = req.context.site.now, req.context.site.links
        first = (int(number) - 1) * PER_FILE

        def work() -> Pages:
            if kind == "lists":
                return _lists(links, now)[first : first + PER_FILE]
            noun = _KINDS[kind]
            rows = sitemap.page(noun, first, PER_FILE, now)
            return [(links.page(noun, row.id, row.slug, "publish"), row.modified_utc) for row in rows]

        found = database.run_read(work) if first >= 0 and (kind in _KINDS or kind == "lists") else []
        if not found:
            raise falcon.HTTPRouteNotFound
        send(resp, representation.pages(found), _XML)


def _lists(links: Links, now: str) -> Pages:
    """The start page, and the categories that have upcoming events, themselves or below."""
    parents = categories.all_parents()
    found: set[int] = set()
    for term in sitemap.upcoming_terms(now):
        id: int | None = term if term in parents else None  # the others are tags
        while id is not None and id not in found:
            found.add(id)
            id = parents[id][1]
    pages = [links.category_page(terms.path(id, parents)) for id in sorted(found)]
    return [(address, "") for address in (f"{links.home}/events/", *pages)]
