"""Documents as JSON text, and the entity tags of these (pure)."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

_LISTS = ("events", "venues", "organizers", "categories", "tags")


class Written(str):
    """A value inside a record that is JSON text already."""


class Rendered(bytes):
    """A record that is JSON text already, with the digest of that text."""

    digest: bytes


# Our documents are trees, so nobody has to look for circles in them.
_encode = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False
).encode


def rendered(record: dict[str, Any]) -> Rendered:
    """`record` may hold values that are `Written`, itself and not in what it holds."""
    made = Rendered(_text(record).encode())
    made.digest = hashlib.sha256(made).digest()
    return made


def written(value: Any) -> Written:
    return Written(_encode(value))


def listed(values: Iterable[Written]) -> Written:
    return Written(f"[{','.join(values)}]")


def _text(record: dict[str, Any]) -> str:
    """What stands between two written values is written at once."""
    if Written not in map(type, record.values()):
        return _encode(record)
    parts: list[str] = []
    between: dict[str, Any] = {}
    for key, value in record.items():
        if type(value) is not Written:
            between[key] = value
            continue
        if between:
            parts.append(_encode(between)[1:-1])
            between = {}
        parts.append(f"{_encode(key)}:{value}")
    if between:
        parts.append(_encode(between)[1:-1])
    return f"{{{','.join(parts)}}}"


def dumps(document: Any) -> bytes:
    """As compact as JSON goes, in UTF-8; a list in it may be of `Rendered` records."""
    name = _list_of(document)
    if name is None or not document[name] or not isinstance(document[name][0], Rendered):
        return _encode(document).encode()
    pairs = (
        _encode(key).encode() + b":" + (joined(value) if key == name else _encode(value).encode())
        for key, value in document.items()
    )
    return b"{" + b",".join(pairs) + b"}"


def joined(records: Iterable[Rendered]) -> bytes:
    return b"[" + b",".join(records) + b"]"


def etag(document: Any) -> str:
    """A strong entity tag: a digest of all that this caller sees.

    That of a list is made of the digests of its records, which may be known already.
    """
    name = _list_of(document)
    if name is None:
        return _tag(hashlib.sha256(_encode(document).encode()))
    rest = {key: value for key, value in document.items() if key != name}
    return list_etag(_encode(rest).encode(), map(_as_rendered, document[name]))


def tagged(document: Any) -> tuple[bytes, str]:
    """What `dumps` and `etag` make of it; a single record is written only once for both."""
    if _list_of(document) is not None:
        return dumps(document), etag(document)
    body = _encode(document).encode()
    return body, _tag(hashlib.sha256(body))


def list_etag(rest: bytes, records: Iterable[Rendered]) -> str:
    """The tag of a list: `rest` is the text of all but its records."""
    return _tag(hashlib.sha256(rest + b"".join(record.digest for record in records)))


def unrendered(document: Any) -> Any:
    """The same without JSON text in it, to choose fields from."""
    name = _list_of(document)
    if name is None:
        return document
    return {
        **document,
        name: [json.loads(one) if isinstance(one, Rendered) else one for one in document[name]],
    }


def as_rendered(document: Any) -> Any:
    """The same with its records as JSON text, so that each is written once only."""
    name = _list_of(document)
    return document if name is None else {**document, name: list(map(_as_rendered, document[name]))}


def _as_rendered(record: Any) -> Rendered:
    return record if isinstance(record, Rendered) else rendered(record)


def _list_of(document: Any) -> str | None:
    """Where the records of a list are."""
    if not isinstance(document, dict) or "total" not in document:
        return None
    return next((name for name in _LISTS if isinstance(document.get(name), list)), None)


def _tag(digest: Any) -> str:
    return f'"{digest.hexdigest()[:32]}"'
