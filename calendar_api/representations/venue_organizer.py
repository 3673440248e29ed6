"""What venues and organizers have in common on the way out."""

from typing import Any

from calendar_api.domain import auth, html, text
from calendar_api.representations import values
from calendar_api.representations.render_context import RenderContext

Json = dict[str, Any]


def head(noun: str, record: Any, image: Any, site: RenderContext) -> Json:
    """The first keys of both, in wire order, empty ones left out.

    See docs/interface.md#venue-keys, #organizer-keys.
    """
    status = auth.effective_status(record, site.now)
    return without_empty(
        {
            "id": int(record.id),
            "author": str(record.author_id),
            "status": status,
            "date": site.local(record.published_utc),
            "date_utc": record.published_utc,
            "modified": site.local(record.modified_utc),
            "modified_utc": record.modified_utc,
            "url": site.links.page(noun, int(record.id), record.slug, status),
            noun: text.escape(getattr(record, noun)),
            "description": html.paragraphs(record.description),
            "excerpt": html.paragraphs(record.excerpt),
            "slug": record.slug,
            "image": values.image(image) if image is not None else None,
        }
    )


def tail(record: Any, site: RenderContext) -> Json:
    global_id = site.links.global_id(int(record.id))
    return {"global_id": global_id, "global_id_lineage": [global_id]}


def plain(body: Json) -> Json:
    """What lists show of it."""
    return {key: value for key, value in body.items() if key != "json_ld"}


def without_empty(record: Json) -> Json:
    """Keys without a value are left out; "0" counts as none, as in the reference."""
    return {key: value for key, value in record.items() if value and value != "0"}
