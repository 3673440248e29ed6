"""Categories and tags as JSON: alone, and nested in an event (docs/interface.md#term-keys)."""

from collections.abc import Mapping

from calendar_api.domain import text
from calendar_api.representations import documents
from calendar_api.representations.documents import INSERTED, LINKS
from calendar_api.representations.rows import Json, TermRow

Parents = Mapping[int, tuple[str, int | None]]

ARCHIVES = {"tribe_events_cat": "categories", "post_tag": "tags"}


def record(term: TermRow, count: int, parents: Parents) -> Json:
    """`parents` maps the id of every category to its slug and parent, for the address of the page."""
    hierarchical = term.taxonomy == "tribe_events_cat"
    page = LINKS.category_page(path(int(term.id), parents)) if hierarchical else LINKS.tag_page(term.slug)
    return {
        "id": int(term.id),
        "count": count,
        "description": term.description,
        "name": text.escape_amp(term.name),
        "slug": term.slug,
        "taxonomy": term.taxonomy,
        **({"parent": int(term.parent_id or 0)} if hierarchical else {}),
        "meta": [],
        "url": page,
        "urls": urls(term),
    }


def hypermedia(term: TermRow, allowed: list[str]) -> Json:
    """`_links` of a single term, which repeats the addresses where WordPress clients look for them."""
    archive = ARCHIVES[term.taxonomy]
    own = {"href": LINKS.record(archive, int(term.id)), "targetHints": {"allow": allowed}}
    found: Json = {
        "self": [own],
        "collection": [{"href": LINKS.archive(archive)}],
        "about": [{"href": LINKS.root}],
    }
    if term.parent_id:
        found["up"] = [{"embeddable": True, "href": LINKS.record(archive, int(term.parent_id))}]
    found["wp:post_type"] = [{"href": LINKS.listing("events", {archive: int(term.id)})}]
    found["curies"] = [{"name": "wp", "href": "https://api.w.org/{rel}", "templated": True}]
    return found


def document(term: TermRow) -> bytes:
    """The document of a term: as events show it, with its count to be inserted."""
    record: Json = {
        "name": text.escape_amp(term.name),
        "slug": term.slug,
        "term_group": 0,
        "term_taxonomy_id": int(term.id),
        "taxonomy": term.taxonomy,
        "description": term.description,
        "parent": int(term.parent_id or 0),
        "count": INSERTED,
        "filter": "raw",
        "id": int(term.id),
        "urls": urls(term),
    }
    return documents.encode(record)


def urls(term: TermRow) -> Json:
    archive = ARCHIVES[term.taxonomy]
    addresses: Json = {"self": LINKS.record(archive, int(term.id)), "collection": LINKS.archive(archive)}
    if term.parent_id:
        addresses["up"] = LINKS.record(archive, int(term.parent_id))
    return addresses


def path(id: int, parents: Parents) -> list[str]:
    """The slugs of a category, from the top of the tree downwards."""
    slugs: list[str] = []
    here: int | None = id
    while here is not None:
        slug, here = parents[here]
        slugs.insert(0, slug)
    return slugs
