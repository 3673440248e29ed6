"""The JSON around the records of a page: totals, next and previous page (docs/interface.md#list-envelope)."""

from collections.abc import Mapping, Sequence

from calendar_api.representations.links import Links, pairs
from calendar_api.representations.rows import Json


def record(
    name: str,
    records: Sequence[object],
    page: int,
    pages: int,
    total: int,
    parameters: Mapping[str, object],
    links: Links,
) -> Json:
    """Events, venues and organizers: the records first; `parameters` are the filters in effect."""
    return {
        name: records,
        **_addresses(name, page, pages, parameters, links),
        "total": total,
        "total_pages": pages,
    }


def terms(
    name: str,
    records: Sequence[object],
    page: int,
    pages: int,
    total: int,
    parameters: Mapping[str, object],
    links: Links,
) -> Json:
    """Categories and tags: the same keys in another order."""
    addresses = _addresses(name, page, pages, parameters, links)
    return {
        "rest_url": addresses.pop("rest_url"),
        "total": total,
        "total_pages": pages,
        name: records,
        **addresses,
    }


def _addresses(
    name: str, page: int, pages: int, parameters: Mapping[str, object], links: Links
) -> dict[str, str]:
    given = pairs(parameters)
    rest = [pair for key, pair in given.items() if key != "page"]
    addresses = {"rest_url": links.list_of(name, given.values())}
    if page < pages:
        addresses["next_rest_url"] = links.list_of(name, [*rest, f"page={page + 1}"])
    if page == 2:
        addresses["previous_rest_url"] = links.list_of(name, rest)
    elif page > 2:
        addresses["previous_rest_url"] = links.list_of(name, [*rest, f"page={page - 1}"])
    return addresses
