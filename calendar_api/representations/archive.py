"""Pages of lists, and the JSON around their records (docs/interface.md#list-envelope)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from calendar_api.domain.json_text import encode
from calendar_api.representations.links import Links, pairs
from calendar_api.representations.rows import Json

Row = TypeVar("Row", covariant=True)


@dataclass(frozen=True)
class Page(Generic[Row]):
    """`records` of page `number`, out of `total` records at `size` a page."""

    records: list[Row]
    total: int
    number: int
    size: int

    @property
    def pages(self) -> int:
        return -(-self.total // self.size)

    @property
    def bounds(self) -> tuple[int, int]:
        """The positions of the first record and of the one after the last."""
        return (self.number - 1) * self.size, min(self.number * self.size, self.total)

    @property
    def past_the_end(self) -> bool:
        return self.number > 1 and self.number > self.pages


def envelope(
    name: str, page: Page[Row], parameters: Mapping[str, object], links: Links, *, of_terms: bool
) -> Json:
    """The keys around the records, in another order for terms; `parameters` are the filters in effect."""
    totals = {"total": page.total, "total_pages": page.pages}
    found = {name: [], **_addresses(name, page, totals["total_pages"], parameters, links), **totals}
    order = ("rest_url", "total", "total_pages", name) if of_terms else ()
    return {key: found.pop(key) for key in order} | found


def with_records(document: Mapping[str, object], name: str, records: Sequence[bytes]) -> bytes:
    """Return `document`, whose key `name` is an empty list, with these records in it."""
    key = encode(name).encode()
    before, _, after = encode(document).encode().partition(key + b":[]")
    return b"".join((before, key, b":[", b",".join(records), b"]", after))


def headers(envelope: Json) -> dict[str, str]:
    """The totals, and the next and the previous page (RFC 8288)."""
    found = {"X-TEC-Total": str(envelope["total"]), "X-TEC-TotalPages": str(envelope["total_pages"])}
    pages = (("next", "next_rest_url"), ("prev", "previous_rest_url"))
    links = [f'<{envelope[key]}>; rel="{rel}"' for rel, key in pages if key in envelope]
    return found | {"Link": ", ".join(links)} if links else found


def total_headers(page: Page[Row]) -> dict[str, str]:
    return {"X-TEC-Total": str(page.total), "X-TEC-TotalPages": str(page.pages)}


def _addresses(
    name: str, page: Page[Row], pages: int, parameters: Mapping[str, object], links: Links
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
