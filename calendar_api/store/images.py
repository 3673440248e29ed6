"""Images by id or address; an address is recorded and never fetched (docs/interface.md#images)."""

import hashlib
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from calendar_api.database.models import Event, Image, Organizer, PublishedRecord, Venue
from calendar_api.domain.auth import Caller
from calendar_api.domain.translation import message
from calendar_api.store import compiled_queries
from calendar_api.store.compiled_queries import CompiledQuery
from calendar_api.store.ids import next_ids
from calendar_api.store.visibility import columns, readable, unlocked

Given = int | str | None


def problem(value: Given, caller: Caller) -> str | None:
    """Why a checked value of the field `image` cannot be used, or None."""
    return problems([value], caller)[0]


def problems(values: list[Given], caller: Caller) -> list[str | None]:
    """The same for each of several values, with no more statements than for one."""
    known = _known({value for value in values if isinstance(value, int)}, caller)
    return [_problem(value, known, caller) for value in values]


def _problem(value: Given, known: set[int], caller: Caller) -> str | None:
    if value is None or value in known:
        return None
    if isinstance(value, int):
        return message("{name} must be the id of a known image, or the http(s) address of one.", name="image")
    if not caller.uploads:
        return message(
            "{name} must be the id of a known image: your role does not allow you to add one.", name="image"
        )
    return None


def _known(ids: set[int], caller: Caller) -> set[int]:
    """Those that are images for this caller: ids can be guessed, and an address may tell a lot.

    Who may not edit everything knows the images of the records that they read in full.
    """
    if not ids:
        return set()
    if caller.edits_others:
        return {int(id) for (id,) in _THERE.rows(ids=compiled_queries.padded(ids))}
    given = {"ids": compiled_queries.padded(ids), "now": caller.now, "me": caller.id}
    models: tuple[type[PublishedRecord], ...] = (Event, Venue, Organizer)
    return {int(id) for model in models for (id,) in _SHOWN.rows(model, caller.role, **given)}


def id_of(value: Given) -> int | None:
    """The id of an image, recorded now if its address is new; the same address keeps its id."""
    return ids_of([value])[0]


def ids_of(values: list[Given]) -> list[int | None]:
    """The same for each of several values, with no more statements than for one."""
    digests = {value: _digest(value) for value in values if isinstance(value, str)}
    known: dict[str, int] = {}
    if digests:
        rows = _DIGESTS.rows(digests=compiled_queries.padded(digests.values()))
        known = {digest: int(id) for digest, id in rows}
    new = [url for url, digest in digests.items() if digest not in known]
    ids = next_ids("image", len(new))
    compiled_queries.insert(
        Image,
        [
            {"id": id, "url": url, "url_digest": digests[url], "extension": _extension(url)}
            for id, url in zip(ids, new, strict=True)
        ],
    )
    known |= {digests[url]: id for id, url in zip(ids, new, strict=True)}
    return [known[digests[value]] if isinstance(value, str) else value for value in values]


def _digest(url: str) -> str:
    return hashlib.sha256(url.encode()).hexdigest()


def by_ids(ids: set[int]) -> dict[int, Any]:
    """Images by id, in one statement whatever their number."""
    if not ids:
        return {}
    return {int(image.id): image for image in _BY_IDS.objects(ids=compiled_queries.padded(sorted(ids)))}


def _by_ids(*, ids: list[Any]) -> Any:
    return Image.select(*columns(Image)).where(Image.id.in_(ids))


def _there(*, ids: list[Any]) -> Any:
    return Image.select(Image.id).where(Image.id.in_(ids))


def _shown(model: Any, role: str, *, ids: list[Any], now: Any, me: Any) -> Any:
    caller = Caller(now, me, role=role)
    more = (unlocked(caller),) if model is Event else ()
    return model.select(model.image).where(model.image.in_(ids), readable(model, caller), *more)


def _by_digest(*, digests: list[Any]) -> Any:
    return Image.select(Image.url_digest, Image.id).where(Image.url_digest.in_(digests))


_BY_IDS = CompiledQuery(_by_ids)
_THERE = CompiledQuery(_there)
_SHOWN = CompiledQuery(_shown)
_DIGESTS = CompiledQuery(_by_digest)


def _extension(url: str) -> str:
    suffix = PurePosixPath(urlsplit(url).path).suffix.lstrip(".").lower()
    return suffix if suffix.isalnum() and len(suffix) <= 20 else ""
