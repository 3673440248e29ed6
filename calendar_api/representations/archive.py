"""The JSON around the records of a page: totals, next and previous page (docs/interface.md#list-envelope)."""

from collections.abc import Mapping
from typing import Protocol

from calendar_api.representations.links import Links, pairs
from calendar_api.representations.rows import Json


class PageNumbers(Protocol):
    @property
    def number(self) -> int: ...
    @property
    def pages(self) -> int: ...
    @property
    def total(self) -> int: ...


def envelope(name: str, page: PageNumbers, parameters: Mapping[str, object], links: Links) -> Json:
    """Events, venues and organizers: the records first, still without any of them.

    `parameters` are the filters in effect.
    """
    totals = {"total": page.total, "total_pages": page.pages}
    return {name: [], **_addresses(name, page, totals["total_pages"], parameters, links), **totals}


def term_envelope(name: str, page: PageNumbers, parameters: Mapping[str, object], links: Links) -> Json:
    """Categories and tags: the same keys in another order."""
    found = envelope(name, page, parameters, links)
    order = ("rest_url", "total", "total_pages", name)
    return {key: found.pop(key) for key in order} | found


def headers(envelope: Json) -> dict[str, str]:
    """The totals, and the next and the previous page (RFC 8288)."""
    found = {"X-TEC-Total": str(envelope["total"]), "X-TEC-TotalPages": str(envelope["total_pages"])}
    pages = (("next", "next_rest_url"), ("prev", "previous_rest_url"))
    links = [f'<{envelope[key]}>; rel="{rel}"' for rel, key in pages if key in envelope]
    return found | {"Link": ", ".join(links)} if links else found


def total_headers(page: PageNumbers) -> dict[str, str]:
    return {"X-TEC-Total": str(page.total), "X-TEC-TotalPages": str(page.pages)}


def _addresses(
    name: str, page: PageNumbers, pages: int, parameters: Mapping[str, object], links: Links
) -> dict[str, str]:
    given = pairs(parameters)
    rest = [pair for key, pair in given.items() if key != "page"]
    addresses = {"rest_url": links.list_of(name, given.values())}
    if page.number < pages:
        addresses["next_rest_url"] = links.list_of(name, [*rest, f"page={page.number + 1}"])
    if page.number > 1:
        before = [f"page={page.number - 1}"] if page.number > 2 else []
        addresses["previous_rest_url"] = links.list_of(name, [*rest, *before])
    return addresses
