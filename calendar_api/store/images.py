"""Images by id or address; an address is recorded and never fetched (docs/interface.md#images)."""

import hashlib
from pathlib import PurePosixPath
from typing import TypeAlias
from urllib.parse import urlsplit

from peewee import ModelSelect

from calendar_api.database.models import Event, Image, Organizer, PublishedRecord, Venue
from calendar_api.domain.auth import Caller
from calendar_api.domain.translation import Message, message
from calendar_api.store import compiled_queries
from calendar_api.store.compiled_queries import CompiledQuery, Param
from calendar_api.store.identifiers import next_id
from calendar_api.store.visibility import parameter_caller, readable, unlocked

#: A checked value of the field `image`.
ImageField: TypeAlias = int | str | None


def problem(value: ImageField, caller: Caller) -> Message | None:
    """Why this value cannot be used, or None."""
    if value is None:
        return None
    if isinstance(value, int):
        if _is_known(value, caller):
            return None
        return message("{name} must be the id of a known image, or the http(s) address of one.", name="image")
    if caller.uploads:
        return None
    return message(
        "{name} must be the id of a known image: your role does not allow you to add one.", name="image"
    )


def _is_known(id: int, caller: Caller) -> bool:
    """Whether the caller may know this image: ids can be guessed, and an address may be confidential.

    Editors know all images, others those of records that they read in full.
    """
    if caller.edits_others:
        return bool(_by_id.rows(id=id))
    models: tuple[type[PublishedRecord], ...] = (Event, Venue, Organizer)
    return any(_used.rows(model, caller.role, id=id, now=caller.now, me=caller.id) for model in models)


def id_of(value: ImageField) -> int | None:
    """The id of an image. A new address is recorded; a known one keeps its id."""
    if not isinstance(value, str):
        return value
    digest = hashlib.sha256(value.encode()).hexdigest()
    for (id,) in _by_digest.rows(digest=digest):
        return int(id)
    id = next_id("image")
    row = {"id": id, "url": value, "url_digest": digest, "extension": _extension(value)}
    compiled_queries.insert(Image, [row])
    return id


@CompiledQuery
def _by_id(*, id: Param) -> ModelSelect:
    return Image.select(Image.id).where(Image.id == id)


@CompiledQuery
def _used(model: type[PublishedRecord], role: str, *, id: Param, now: Param, me: Param) -> ModelSelect:
    caller = parameter_caller(role, now, me)
    more = (unlocked(caller),) if model is Event else ()
    return model.select(model.image).where(model.image == id, readable(model, caller), *more).limit(1)


@CompiledQuery
def _by_digest(*, digest: Param) -> ModelSelect:
    return Image.select(Image.id).where(Image.url_digest == digest)


def _extension(url: str) -> str:
    suffix = PurePosixPath(urlsplit(url).path).suffix.lstrip(".").lower()
    return suffix if suffix.isalnum() and len(suffix) <= 20 else ""
