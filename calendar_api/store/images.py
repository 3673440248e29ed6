"""Images by id or address; an address is recorded and never fetched (decisions §5)."""

import hashlib
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from calendar_api.auth import Caller
from calendar_api.messages import message
from calendar_api.models import Event, Image, Organizer, Record, Venue
from calendar_api.store.prepared import among_ids, prepared
from calendar_api.store.visibility import readable, unlocked


def problem(value: int | str | None, caller: Caller) -> str | None:
    """Why a checked value of the field `image` cannot be used, or None."""
    if value is None:
        return None
    if isinstance(value, int):
        if _known(value, caller):
            return None
        return message("{name} must be the id of a known image, or the http(s) address of one.", name="image")
    if not caller.uploads:
        return message(
            "{name} must be the id of a known image: your role does not allow you to add one.", name="image"
        )
    return None


def _known(id: int, caller: Caller) -> bool:
    """Whether there is such an image for this caller: ids can be guessed, and an address may tell a lot.

    Who may not edit everything knows the images of the records that they read in full.
    """
    if caller.edits_others:
        return bool(Image.select().where(Image.id == id).exists())
    return any(
        model.select().where(model.image == id, readable(model, caller), *more).exists()
        for model, more in ((Event, (unlocked(caller),)), (Venue, ()), (Organizer, ()))
    )


def id_of(value: int | str | None) -> int | None:
    """The id of an image, recorded now if its address is new; the same address keeps its id."""
    if value is None or isinstance(value, int):
        return value
    digest = hashlib.sha256(value.encode()).hexdigest()
    known = Image.get_or_none(Image.url_digest == digest)
    if known is not None:
        return int(known.id)
    record = Record.create(kind="image")
    Image.insert(id=record.id, url=value, url_digest=digest, extension=_extension(value)).execute()
    return int(record.id)


def by_ids(ids: set[int]) -> dict[int, Any]:
    """Images by id, in one statement whatever their number."""
    return {int(image.id): image for image in _by_ids().rows(ids=sorted(ids))} if ids else {}


@prepared
def _by_ids() -> Any:
    return Image.select().where(Image.id << among_ids())


def _extension(url: str) -> str:
    suffix = PurePosixPath(urlsplit(url).path).suffix.lstrip(".").lower()
    return suffix if suffix.isalnum() and len(suffix) <= 20 else ""
