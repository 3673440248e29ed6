"""What writing an event, a venue and an organizer have in common: ids, authors, dates, statuses, trash."""

from datetime import UTC, datetime, tzinfo
from types import SimpleNamespace
from typing import Any

from calendar_api.database.models import Event, Organizer, PublishedRecord, SearchText, Venue
from calendar_api.domain import auth, dates, text
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import InvalidParameters, NotFound
from calendar_api.domain.translation import message
from calendar_api.store import compiled_queries, images, slugs, users
from calendar_api.store.compiled_queries import CompiledQuery
from calendar_api.store.ids import next_ids
from calendar_api.store.visibility import readable

Fields = dict[str, Any]
NOUNS: dict[type[PublishedRecord], str] = {Event: "event", Venue: "venue", Organizer: "organizer"}


def by_id(model: type[PublishedRecord], id: int, caller: Caller) -> Any:
    """The record if the caller may read it; raises NotFound."""
    return _only(model, "id", id, caller)


def by_slug(model: type[PublishedRecord], slug: str, caller: Caller) -> Any:
    """The same by the name in its address, which may be anything that becomes this slug."""
    return _only(model, "slug", text.slug(slug), caller)


def _only(model: type[PublishedRecord], name: str, key: Any, caller: Caller) -> Any:
    found = _ONLY.objects(model, name, caller.role, key=key, now=caller.now, me=caller.id)
    if not found:
        raise NotFound(NOUNS[model])
    return found[0]


def _with_key(model: Any, name: str, role: str, *, key: Any, now: Any, me: Any) -> Any:
    caller = Caller(now, me, role=role)
    return model.select().where(getattr(model, name) == key, readable(model, caller))


_ONLY = CompiledQuery(_with_key)


def as_row(model: type[PublishedRecord], columns: Fields, before: Any = None) -> Any:
    """The record as it can be read when these columns of it have been written."""
    names = _names(model)
    same = {} if before is None else {name: getattr(before, name) for name in names.values()}
    return SimpleNamespace(**same | {names[name]: value for name, value in columns.items()})


def _names(model: type[PublishedRecord]) -> dict[str, str]:
    """What the columns are called in the model, and what in the table: `author` and `author_id`."""
    return {name: field.column_name for name, field in model._meta.fields.items()}


def problems(fields: Fields, caller: Caller) -> dict[str, str]:
    """What only the database can tell about the fields that all three have."""
    return problems_of([fields], caller)[0]


def problems_of(items: list[Fields], caller: Caller) -> list[dict[str, str]]:
    """The same for each of several, with no more statements than for one."""
    authors = {item["author"] for item in items if "author" in item} if caller.edits_others else set()
    unknown = authors - users.known_ids(authors)
    found: list[dict[str, str]] = []
    pictures = images.problems([item.get("image") for item in items], caller)
    for item, image in zip(items, pictures, strict=True):
        wrong: dict[str, str] = {}
        if "author" in item and item["author"] in unknown:
            wrong["author"] = message("{name} must be the id of a user.", name="author")
        if image:
            wrong["image"] = image
        found.append(wrong)
    return found


def require_author_right(fields: Fields, caller: Caller, record: Any = None) -> None:
    """Only those who may edit others' records may set another author (docs/interface.md#authors)."""
    author = caller.id if record is None else record.author_id
    auth.require(
        caller.edits_others or fields.get("author", author) == author,
        caller,
        message("Your role does not allow you to set another author."),
    )


def created(model: type[PublishedRecord], fields: Fields, caller: Caller, zone: tzinfo, slug: str) -> Fields:
    """The columns that a new record of any of the three gets; gives it its id."""
    return all_created(model, [(fields, slug)], caller, zone)[0]


def all_created(
    model: type[PublishedRecord], new: list[tuple[Fields, str]], caller: Caller, zone: tzinfo
) -> list[Fields]:
    """The same for several new records and the slugs that they want, with no more statements than for one.

    Who wants none is called by the id.
    """
    statuses = [auth.granted_status(caller, fields.get("status")) for fields, _ in new]
    ids = next_ids(NOUNS[model], len(new))
    pictures = images.ids_of([fields.get("image") for fields, _ in new])
    wanted = {
        id: slug or str(id)
        for id, (fields, slug), status in zip(ids, new, statuses, strict=True)
        # An event that is not published yet may still be renamed; the others are addressed at once.
        if fields.get("slug") or model is not Event or status not in ("draft", "pending")
    }
    free = dict(zip(wanted, slugs.free_all(model, list(wanted.values())), strict=True))
    return [
        _row(id, fields, caller, zone, status, picture, free.get(id))
        for id, (fields, _), status, picture in zip(ids, new, statuses, pictures, strict=True)
    ]


def _row(
    id: int, fields: Fields, caller: Caller, zone: tzinfo, status: str, image: int | None, slug: str | None
) -> Fields:
    in_trash = status == "trash"
    return {
        "id": id,
        "author": fields.get("author", caller.id),
        "published_utc": published(fields, caller, zone) or caller.now,
        "modified_utc": caller.now,
        "description": fields.get("description") or "",
        "excerpt": fields.get("excerpt") or "",
        "image": image,
        "version": 1,
        "status": status,
        "slug": slug,
        "slug_before_trash": slug if in_trash else None,
        "trashed_utc": caller.now if in_trash else None,
    }


def changed(
    model: type[PublishedRecord], record: Any, fields: Fields, caller: Caller, zone: tzinfo, title: str
) -> Fields:
    """The columns of an update for the fields that all three have: only what was sent."""
    row: Fields = {"modified_utc": caller.now, "version": record.version + 1}
    for name in ("description", "excerpt"):
        if name in fields:
            row[name] = fields[name] or ""
    if "author" in fields:
        row["author"] = fields["author"]
    if "image" in fields:
        row["image"] = images.id_of(fields["image"])
    sent = published(fields, caller, zone, record.published_utc)
    if sent:
        row["published_utc"] = sent
    elif fields.get("status") == "publish" and auth.effective_status(record, caller.now) == "future":
        # asking to publish what is scheduled means now (docs/interface.md#scheduled-records)
        row["published_utc"] = caller.now
    status = auth.granted_status(caller, fields["status"]) if "status" in fields else record.status
    slug, before = record.slug, record.slug_before_trash
    if fields.get("slug"):
        wanted = slugs.wanted(fields["slug"], title, record.id)
        if record.status == "trash":
            before = wanted
        else:
            slug = slugs.free(model, wanted, record.id)
    if slug is None and status not in ("draft", "pending", "trash"):
        slug = slugs.free(model, slugs.wanted(title, record.id), record.id)
    return {**row, **status_change(model, int(record.id), slug, before, record.status, status, caller.now)}


def status_change(
    model: type[PublishedRecord], id: int, slug: str | None, before: str | None, old: str, new: str, now: str
) -> Fields:
    """Status and slug after a change of status, into the trash and out of it (docs/interface.md#deleting)."""
    if new == "trash" and old != "trash":
        trashed = (
            slugs.free(model, slug[: slugs.LONGEST - len(slugs.TRASHED)] + slugs.TRASHED, id)
            if slug
            else None
        )
        return {"status": new, "slug": trashed, "slug_before_trash": slug, "trashed_utc": now}
    if old == "trash" and new != "trash":
        restored = slugs.free(model, before, id) if before else slug
        return {"status": new, "slug": restored, "slug_before_trash": None, "trashed_utc": None}
    return {"status": new, "slug": slug, "slug_before_trash": before}


def trashed(model: type[PublishedRecord], record: Any, now: str) -> Any:
    """Move a record to the trash and return it as it is now."""
    columns = status_change(model, int(record.id), record.slug, None, record.status, "trash", now)
    return save(
        model,
        record,
        {**columns, "version": record.version + 1, "modified_utc": now},
    )


def save(model: type[PublishedRecord], record: Any, columns: Fields) -> Any:
    """Write what changes of these columns, and return the record as it is now.

    A column that is written costs each of its indexes the same whether its value is another one or not.
    """
    now = as_row(model, columns, record)
    names = _names(model)
    changed = {
        name: value
        for name, value in columns.items()
        if getattr(record, names[name]) != getattr(now, names[name])
    }
    if changed:
        compiled_queries.update(model, int(record.id), changed)
    return now


def published(fields: Fields, caller: Caller, zone: tzinfo, known: str | None = None) -> str | None:
    """The publication date that was sent, in UTC; `date` is read in the zone of the site.

    The wall time of the one that is `known` already means that one, also in an hour that comes twice.
    """
    sent = None
    for name, its_zone in (("date", zone), ("date_utc", UTC)):
        if name not in fields or (sent is not None and sent != known):
            continue
        if known is not None and is_wall_time(fields[name], _wall_time(known, its_zone)):
            sent = known
        else:
            sent = dates.text(moment(name, fields[name], its_zone, caller).astimezone(UTC))
    return sent


def _wall_time(utc: str, zone: tzinfo) -> str:
    return dates.text(dates.to_local(dates.from_text(utc), zone))


def is_wall_time(value: str | int, known: str) -> bool:
    """Whether `value` is this wall time, as we write it or as ISO 8601 without an offset."""
    try:
        return datetime.fromisoformat(str(value)) == dates.from_text(known)
    except ValueError:
        return False


def moment(
    name: str, value: str | int, zone: tzinfo, caller: Caller, parse: dates.Parse = dates.parse
) -> datetime:
    """A date that was sent, in its zone; raises InvalidParameters for one that this zone does not have.

    The schema has checked it already, but in UTC: near the ends of the calendar, and for words such as
    "fifth friday of this month", another zone can disagree.
    """
    try:
        return parse(value, zone, caller.at)
    except ValueError as error:
        raise InvalidParameters(
            {name: message("{name} {reason}.", name=name, reason=message(str(error)))}
        ) from error


def write_search_text(id: int, folded: dict[str, str]) -> None:
    """Replace what a search looks through, a row for each field that has any text.

    Texts that stay as they are cost an index nothing.
    """
    before = {name: _read(value) for name, value in _TEXTS.rows(id=id)}
    gone = [name for name, value in before.items() if folded.get(name) != value]
    if gone:
        _WITHOUT_TEXTS.run(id=id, names=compiled_queries.padded(gone))
    add_search_texts({id: {name: value for name, value in folded.items() if before.get(name) != value}})


def add_search_texts(folded: dict[int, dict[str, str]]) -> None:
    """The same for new records, by their ids."""
    compiled_queries.insert(
        SearchText,
        [
            {"record": id, "field": name, "folded": value}
            for id, texts in folded.items()
            for name, value in texts.items()
            if value
        ],
    )


def _read(folded: str | bytes) -> str:
    """A server keeps texts to look through as bytes."""
    return folded.decode() if isinstance(folded, bytes) else folded


def _texts(*, id: Any) -> Any:
    return SearchText.select(SearchText.field, SearchText.folded).where(SearchText.record == id)


def _without_texts(*, id: Any, names: list[Any]) -> Any:
    return SearchText.delete().where(SearchText.record == id, SearchText.field.in_(names))


_TEXTS = CompiledQuery(_texts)
_WITHOUT_TEXTS = CompiledQuery(_without_texts)
