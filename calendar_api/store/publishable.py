"""What writing events, venues and organizers has in common: ids, authors, dates, statuses, trash."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import TypeAlias, TypedDict, TypeVar

from peewee import ModelDelete

from calendar_api.database.models import Event, PublishedRecord, SearchText
from calendar_api.domain import auth, dates
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import AlreadyInTrash, Forbidden, InvalidParameters
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.domain.translation import message
from calendar_api.store import compiled_queries, documents, identifiers, images, users
from calendar_api.store.compiled_queries import Columns, CompiledQuery, Param, Value, as_row
from calendar_api.store.identifiers import next_id
from calendar_api.store.images import ImageField

#: A date as it is sent.
DateField: TypeAlias = str | int
#: A row with the columns of the model, as attributes.
Record = TypeVar("Record", bound=PublishedRecord)


class PublishedFields(TypedDict, total=False):
    """The checked fields that events, venues and organizers share; only those that were sent."""

    author: int
    date: DateField
    date_utc: DateField
    description: str | None
    excerpt: str | None
    image: ImageField
    status: str
    slug: str | None
    modified_utc: str  # of a copy, never of a request


def problems(fields: PublishedFields, caller: Caller) -> dict[str, str]:
    """Problems with common fields that only the database can tell, by field."""
    found: dict[str, str] = {}
    if "author" in fields and caller.edits_others and not users.known_ids({fields["author"]}):
        found["author"] = message("{name} must be the id of a user.", name="author")
    image = images.problem(fields["image"], caller) if fields.get("image") is not None else None
    if image:
        found["image"] = image
    return found


def require_author_right(
    fields: PublishedFields, caller: Caller, record: PublishedRecord | None = None
) -> None:
    """Only roles that edit others' records may set another author; raises Forbidden.

    See docs/interface.md#authors.
    """
    author = caller.id if record is None else record.author_id
    if fields.get("author", author) != author and not caller.edits_others:
        reason = message("Your role does not allow you to set another author.")
        raise Forbidden(reason, anonymous=caller.anonymous)


def created(
    model: type[PublishedRecord], fields: PublishedFields, caller: Caller, site: SiteSettings, slug: str
) -> dict[str, Value]:
    """The common columns of a new record, with a new id; without a wanted `slug` the id is the slug."""
    status = auth.granted_status(caller, fields.get("status"))
    id = next_id(documents.NOUNS[model])
    free = None
    # An event that is not published yet gets its slug later, from its title at that time.
    if fields.get("slug") or model is not Event or status not in ("draft", "pending"):
        free = identifiers.free_slug(model, slug or str(id))
    in_trash = status == "trash"
    return {
        "id": id,
        "author": fields.get("author", caller.id),
        "published_utc": published(fields, caller, site.zone) or caller.now,
        "modified_utc": fields.get("modified_utc") or caller.now,
        "description": fields.get("description") or "",
        "excerpt": fields.get("excerpt") or "",
        "image": images.id_of(fields["image"]) if fields.get("image") else None,
        "version": 1,
        "status": status,
        "slug": free,
        "slug_before_trash": free if in_trash else None,
        "trashed_utc": caller.now if in_trash else None,
    }


def changed(
    model: type[PublishedRecord],
    record: PublishedRecord,
    fields: PublishedFields,
    caller: Caller,
    site: SiteSettings,
    title: str,
) -> dict[str, Value]:
    """The common columns of an update: of the fields that were sent, and those that always change."""
    row: dict[str, Value] = {"modified_utc": caller.now, "version": record.version + 1}
    if "description" in fields:
        row["description"] = fields["description"] or ""
    if "excerpt" in fields:
        row["excerpt"] = fields["excerpt"] or ""
    if "author" in fields:
        row["author"] = fields["author"]
    if "image" in fields:
        row["image"] = images.id_of(fields["image"])
    sent = published(fields, caller, site.zone, record.published_utc)
    if sent:
        row["published_utc"] = sent
    elif fields.get("status") == "publish" and auth.effective_status(record, caller.now) == "future":
        # To publish a scheduled record means now (docs/interface.md#scheduled-records).
        row["published_utc"] = caller.now
    status = auth.granted_status(caller, fields["status"]) if "status" in fields else record.status
    slug, before = record.slug, record.slug_before_trash
    if fields.get("slug"):
        wanted = identifiers.wanted_slug(fields["slug"], title, record.id)
        if record.status == "trash":
            before = wanted
        else:
            slug = identifiers.free_slug(model, wanted, record.id)
    if slug is None and status not in ("draft", "pending", "trash"):
        slug = identifiers.free_slug(model, identifiers.wanted_slug(title, record.id), record.id)
    return {**row, **status_change(model, int(record.id), slug, before, record.status, status, caller.now)}


def status_change(
    model: type[PublishedRecord], id: int, slug: str | None, before: str | None, old: str, new: str, now: str
) -> dict[str, Value]:
    """Status and slug after a change of status, into the trash and out of it (docs/interface.md#deleting)."""
    if new == "trash" and old != "trash":
        trashed = slug and identifiers.free_slug(model, identifiers.trashed_slug(slug), id)
        return {"status": new, "slug": trashed, "slug_before_trash": slug, "trashed_utc": now}
    if old == "trash" and new != "trash":
        restored = identifiers.free_slug(model, before, id) if before else slug
        return {"status": new, "slug": restored, "slug_before_trash": None, "trashed_utc": None}
    return {"status": new, "slug": slug, "slug_before_trash": before}


def trashed(model: type[Record], record: Record, now: str, site: SiteSettings) -> Record:
    """Move a record to the trash and return it as it is now; raises AlreadyInTrash."""
    if record.status == "trash":
        raise AlreadyInTrash(documents.NOUNS[model])
    columns = status_change(model, int(record.id), record.slug, None, record.status, "trash", now)
    return save(model, record, {**columns, "version": record.version + 1, "modified_utc": now}, site)


def save(model: type[Record], record: Record, columns: Columns, site: SiteSettings) -> Record:
    """Write those of the columns that differ, the document and a former slug; return the record as it is now.

    Writing the same value again would still update the indexes of the column.
    """
    now = as_row(model, columns, record)
    columns = {**columns, **documents.render(model, now, site)}
    differing = {
        name: value
        for name, value in columns.items()
        if getattr(record, model._meta.fields[name].column_name) != value
    }
    compiled_queries.update(model, int(record.id), differing)
    before, after = (row.slug_before_trash if row.status == "trash" else row.slug for row in (record, now))
    if before != after:
        identifiers.change_slug(documents.NOUNS[model], int(record.id), before, after)
    return now


def insert(model: type[Record], rows: Sequence[Columns], site: SiteSettings) -> list[Record]:
    """Insert rows with the same columns and their documents, and return the records."""
    records = [as_row(model, row) for row in rows]
    rendered = documents.render_all(model, records, site)
    complete = [{**row, **more} for row, more in zip(rows, rendered, strict=True)]
    compiled_queries.insert(model, complete)
    return records


def published(fields: PublishedFields, caller: Caller, zone: tzinfo, known: str | None = None) -> str | None:
    """The publication date that was sent, in UTC; `date` is in the zone of the site.

    The wall time of the `known` date means that date, also in an hour that occurs twice.
    """
    sent = None
    for value, its_zone, name in (
        (fields.get("date"), zone, "date"),
        (fields.get("date_utc"), UTC, "date_utc"),
    ):
        if value is None or (sent is not None and sent != known):
            continue
        if known is not None and is_wall_time(value, _wall_time(known, its_zone)):
            sent = known
        else:
            sent = dates.text(moment(name, value, its_zone, caller).astimezone(UTC))
    return sent


def _wall_time(utc: str, zone: tzinfo) -> str:
    return dates.text(dates.to_local(dates.from_text(utc), zone))


def is_wall_time(value: DateField, known: str) -> bool:
    """Whether `value` is this wall time, in the stored form or in ISO 8601 without an offset."""
    try:
        return datetime.fromisoformat(str(value)) == dates.from_text(known)
    except ValueError:
        return False


def moment(
    name: str, value: DateField, zone: tzinfo, caller: Caller, parse: dates.Parse = dates.parse
) -> datetime:
    """A date that was sent, in its zone; raises InvalidParameters for one that this zone does not have.

    The schema has checked it in UTC: near the ends of the calendar, and for words such as "fifth friday of
    this month", another zone can differ.
    """
    try:
        return parse(value, zone, caller.at)
    except ValueError as error:
        raise InvalidParameters(
            {name: message("{name} {reason}.", name=name, reason=message(str(error)))}
        ) from error


def write_search_text(id: int, folded: Mapping[str, str]) -> None:
    """Replace the folded texts of these fields of a record; an empty one is deleted."""
    for name, value in folded.items():
        if value:
            row = {"record": id, "field": name, "folded": value}
            compiled_queries.upsert(SearchText, ("record", "field"), row)
        else:
            _without_text.run(id=id, name=name)


def add_search_texts(folded: Mapping[int, Mapping[str, str]]) -> None:
    """Insert the folded texts of new records, by id and field."""
    texts = [(id, name, text) for id, own in folded.items() for name, text in own.items() if text]
    rows = [{"record": id, "field": name, "folded": text} for id, name, text in texts]
    compiled_queries.insert(SearchText, rows)


@CompiledQuery
def _without_text(*, id: Param, name: Param) -> ModelDelete:
    return SearchText.delete().where(SearchText.record == id, SearchText.field == name)
