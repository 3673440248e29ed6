"""JSON lines: records as in POST requests, one on each line.

A line is an event, or with the key `noun` a record of any noun that other lines of the file may name: venues,
organizers and terms by their slug, events by their uid (docs/moving-in.md#json-lines).
"""

import codecs
import hashlib
import json
from collections.abc import Iterator
from typing import Any, BinaryIO, get_args

from calendar_api.commands.sources.items import Found, Item, Notice, Noun, Options, Problem, Reference
from calendar_api.commands.sources.site_records import NAMES
from calendar_api.contract.schemas import schema
from calendar_api.domain.translation import message

_NOUNS: tuple[Noun, ...] = get_args(Noun)
#: Fields that name other records -> their noun.
REFERENCES: dict[str, Noun] = {
    "venue": "venue", "organizer": "organizer", "categories": "category", "tags": "tag",
    "post_parent": "event", "parent": "category",
}  # fmt: skip
_IDENTIFIERS = {"id", "uid", "slug"}
_MOST_UNKNOWN, _LONGEST_KEY = 50, 60
_LONGEST = 4 * 2**20  # bytes of a line
_sorted = json.JSONEncoder(sort_keys=True).encode


def read(stream: BinaryIO, options: Options) -> Iterator[Found]:
    number, unknown = 0, set[str]()
    while line := stream.readline(_LONGEST):
        number += 1
        place = f"line {number}"
        if not line.endswith(b"\n") and len(line) == _LONGEST:
            while (rest := stream.readline(_LONGEST)) and not rest.endswith(b"\n"):
                pass
            yield Problem(place, f"line must have at most {_LONGEST} bytes.", field="line")
        elif line := line.removeprefix(codecs.BOM_UTF8).strip():
            found = _found(line, place, options)
            if isinstance(found, Item) and len(unknown) < _MOST_UNKNOWN:
                unknown |= (
                    found.fields.keys() - schema(found.noun, "create")["properties"].keys() - _IDENTIFIERS
                )
            yield found
    if unknown:
        names = ", ".join(name[:_LONGEST_KEY] for name in sorted(unknown)[:_MOST_UNKNOWN])
        yield Notice(f"Keys that are not known are left out: {names}.")


def _found(line: bytes, place: str, options: Options) -> Found:
    try:
        # Bytes that are not UTF-8 become surrogates, which the validation of texts rejects.
        payload = json.loads(line.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError) as error:
        reason, near = str(error), ""
        if isinstance(error, json.JSONDecodeError):
            reason = error.msg.removesuffix(" starting at")
            near = f"column {error.colno}: {error.doc[max(error.pos - 30, 0) : error.pos + 30]}"
        reason = message("{name} must be valid JSON: {reason}.", name="line", reason=reason)
        return Problem(place, reason, field="line", value=near)
    if not isinstance(payload, dict):
        reason = message("{name} must be a JSON object with the fields of an event.", name="line")
        return Problem(place, reason, field="line", value=json.dumps(payload)[:60])
    noun = payload.pop("noun", None)
    if noun not in (None, *_NOUNS):
        return Problem(place, f"noun must be one of {', '.join(_NOUNS)}.", field="noun")
    shown: Noun = noun or "event"
    if shown == "event" and not payload.get("timezone"):
        payload["timezone"] = options.timezone
    title = payload.get(NAMES[shown])
    foreign_id = _foreign_id(shown, payload)
    if noun:
        names = schema(noun, "create")["properties"].keys() & REFERENCES.keys() & payload.keys()
        for name in names - {noun}:  # the field of that name is its own name
            payload[name] = _referring(payload[name], REFERENCES[name])
    return Item(shown, foreign_id, payload, place, title if isinstance(title, str) else "")


def _foreign_id(noun: Noun, payload: dict[str, Any]) -> str:
    """The uid or slug; without one the line is known by title, start and venue, or by name and place."""
    own = payload.get("uid" if noun == "event" else "slug")
    if own and isinstance(own, str):
        return own.strip()
    others = ("start_date", "timezone", "venue") if noun == "event" else ("address", "city", "parent")
    names = (NAMES[noun], *others)
    text = _sorted([payload.get(name) for name in names])
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _referring(value: object, noun: Noun) -> object:
    """Slugs, or the uid, as references; ids, names of new records and objects stay."""
    if isinstance(value, list):
        return [_referring(one, noun) for one in value]
    return Reference(noun, value) if isinstance(value, str) and value else value
