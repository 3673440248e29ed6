"""Venues and organizers as JSON (docs/interface.md#venue-keys, #organizer-keys)."""

from collections.abc import Sequence

from calendar_api.domain import dates, text
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.domain.text import inert
from calendar_api.representations import documents, json_ld
from calendar_api.representations.documents import LINKS
from calendar_api.representations.records import ImageJson
from calendar_api.representations.rows import Json, OrganizerRow, PublishedRow, VenueRow


def venue(
    row: VenueRow, fields: Sequence[str], site: SiteSettings, image: ImageJson | None
) -> dict[str, bytes]:
    """The documents of a venue; `fields` are its plain text fields (`PLAIN_FIELDS` of the model)."""
    record = _common("venue", row, (*fields, "stateprovince"), site, image)
    if row.geo_lat is not None:
        record |= {"geo_lat": row.geo_lat, "geo_lng": row.geo_lng}
    record |= {"show_map": bool(row.show_map), "show_map_link": bool(row.show_map_link)}
    return _documents(row, record, json_ld.place(row, image))


def organizer(
    row: OrganizerRow, fields: Sequence[str], site: SiteSettings, image: ImageJson | None
) -> dict[str, bytes]:
    record = _common("organizer", row, fields, site, image)
    return _documents(row, record, json_ld.person(row, image))


def _common(
    noun: str, row: PublishedRow, fields: Sequence[str], site: SiteSettings, image: ImageJson | None
) -> Json:
    """Keys without a value are left out; "0" counts as none, as in the reference."""
    record: Json = {
        "id": int(row.id),
        "author": str(row.author_id),
        "status": row.status,
        "date": dates.local(row.published_utc, site.zone),
        "date_utc": row.published_utc,
        "modified": dates.local(row.modified_utc, site.zone),
        "modified_utc": row.modified_utc,
        "url": LINKS.page(noun, int(row.id), row.slug, row.status),
        noun: text.escape(getattr(row, noun)),
        "description": text.paragraphs(row.description),
        "excerpt": text.paragraphs(row.excerpt),
        "slug": row.slug,
        "image": image,
        **{field: inert(getattr(row, field) or "") for field in fields},
    }
    return {key: value for key, value in record.items() if value and value != "0"}


def _documents(row: PublishedRow, record: Json, json_ld: Json) -> dict[str, bytes]:
    global_id = LINKS.global_id(int(row.id))
    record |= {"global_id": global_id, "global_id_lineage": [global_id]}
    return {"document": documents.encode(record), "json_ld": documents.encode(json_ld)}
