"""Categories and tags on the way out: alone, and nested in an event (docs/interface.md#term-keys)."""

from collections.abc import Mapping
from typing import Any

from calendar_api.domain import text
from calendar_api.representations.links import Links

Json = dict[str, Any]
Parents = Mapping[int, tuple[str, int | None]]

ARCHIVES = {"tribe_events_cat": "categories", "post_tag": "tags"}


def record(term: Any, count: int, parents: Parents, links: Links) -> Json:
    """`parents` gives slug and parent of every category, for the address of the page."""
    hierarchical = term.taxonomy == "tribe_events_cat"
    return {
        "id": int(term.id),
        "count": count,
        "description": term.description,
        "name": text.escape_amp(term.name),
        "slug": term.slug,
        "taxonomy": term.taxonomy,
        **({"parent": int(term.parent_id or 0)} if hierarchical else {}),
        "meta": [],
        "url": links.category_page(_path(int(term.id), parents))
        if hierarchical
        else links.tag_page(term.slug),
        "urls": urls(term, links),
    }


def hypermedia(term: Any, allowed: list[str], links: Links) -> Json:
    """`_links` of a term by itself: the same addresses once more, where other clients look for them."""
    archive = ARCHIVES[term.taxonomy]
    own = {"href": links.record(archive, int(term.id)), "targetHints": {"allow": allowed}}
    found: Json = {
        "self": [own],
        "collection": [{"href": links.archive(archive)}],
        "about": [{"href": links.root}],
    }
    if term.parent_id:
        found["up"] = [{"embeddable": True, "href": links.record(archive, int(term.parent_id))}]
    found["wp:post_type"] = [{"href": links.listing("events", {archive: int(term.id)})}]
    found["curies"] = [{"name": "wp", "href": "https://api.w.org/{rel}", "templated": True}]
    return found


def nested(term: Any, count: int, links: Links) -> Json:
    return {
        "name": text.escape_amp(term.name),
        "slug": term.slug,
        "term_group": 0,
        "term_taxonomy_id": int(term.id),
        "taxonomy": term.taxonomy,
        "description": term.description,
        "parent": int(term.parent_id or 0),
        "count": count,
        "filter": "raw",
        "id": int(term.id),
        "urls": urls(term, links),
    }


def urls(term: Any, links: Links) -> Json:
    archive = ARCHIVES[term.taxonomy]
    addresses = {"self": links.record(archive, int(term.id)), "collection": links.archive(archive)}
    if term.parent_id:
        addresses["up"] = links.record(archive, int(term.parent_id))
    return addresses


def _path(id: int, parents: Parents) -> list[str]:
    slugs: list[str] = []
    here: int | None = id
    while here is not None:
        slug, here = parents[here]
        slugs.insert(0, slug)
    return slugs
