"""Venues and organizers as JSON (docs/interface.md#venue-keys, #organizer-keys)."""

from collections.abc import Sequence

from calendar_api.domain import auth, html, text
from calendar_api.representations import json_ld
from calendar_api.representations.render_context import RenderContext, inert
from calendar_api.representations.rows import ImageRow, Json, OrganizerRow, PublishedRow, VenueRow


def venue(
    row: VenueRow, fields: Sequence[str], image: ImageRow | None, site: RenderContext, *, single: bool
) -> Json:
    """`fields` are the plain text fields (`PLAIN_FIELDS` of the model); `single` adds `json_ld`."""
    body = _head("venue", row.venue, row, image, site)
    body |= _plain_fields(row, (*fields, "stateprovince"))
    if row.geo_lat is not None:
        body |= {"geo_lat": row.geo_lat, "geo_lng": row.geo_lng}
    if single:
        body["json_ld"] = json_ld.place(row, image.url if image is not None else None)
    body |= {"show_map": bool(row.show_map), "show_map_link": bool(row.show_map_link)}
    return body | _global_id(row, site)


def organizer(
    row: OrganizerRow, fields: Sequence[str], image: ImageRow | None, site: RenderContext, *, single: bool
) -> Json:
    body = _head("organizer", row.organizer, row, image, site) | _plain_fields(row, fields)
    if single:
        body["json_ld"] = json_ld.person(row, image.url if image is not None else None)
    return body | _global_id(row, site)


def without_json_ld(body: Json) -> Json:
    """The record as lists show it."""
    return {key: value for key, value in body.items() if key != "json_ld"}


def image_record(image: ImageRow) -> Json:
    """Sizes only when they are known (docs/interface.md#parts-of-records)."""
    sizes = {name: getattr(image, name) for name in ("width", "height", "filesize")}
    known = {name: size for name, size in sizes.items() if size is not None}
    return {"url": image.url, "id": int(image.id), "extension": image.extension, **known}


def _head(noun: str, name: str, row: PublishedRow, image: ImageRow | None, site: RenderContext) -> Json:
    status = auth.effective_status(row, site.now)
    return _without_empty(
        {
            "id": int(row.id),
            "author": str(row.author_id),
            "status": status,
            "date": site.local(row.published_utc),
            "date_utc": row.published_utc,
            "modified": site.local(row.modified_utc),
            "modified_utc": row.modified_utc,
            "url": site.links.page(noun, int(row.id), row.slug, status),
            noun: text.escape(name),
            "description": html.paragraphs(row.description),
            "excerpt": html.paragraphs(row.excerpt),
            "slug": row.slug,
            "image": image_record(image) if image is not None else None,
        }
    )


def _plain_fields(row: PublishedRow, fields: Sequence[str]) -> Json:
    return _without_empty({name: inert(getattr(row, name) or "") for name in fields})


def _global_id(row: PublishedRow, site: RenderContext) -> Json:
    global_id = site.links.global_id(int(row.id))
    return {"global_id": global_id, "global_id_lineage": [global_id]}


def _without_empty(record: Json) -> Json:
    """Leave out keys without a value; "0" counts as none, as in the reference."""
    return {key: value for key, value in record.items() if value and value != "0"}
