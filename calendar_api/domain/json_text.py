"""Documents as JSON text, and their entity tags."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

_LISTS = ("events", "venues", "organizers", "categories", "tags")

# Documents are trees, so that circles need no check.
_encode = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False
).encode


class Rendered(bytes):
    """A record as JSON text, with the digest of that text."""

    digest: bytes


def rendered(record: Mapping[str, Any]) -> Rendered:
    made = Rendered(_encode(record).encode())
    made.digest = hashlib.sha256(made).digest()
    return made


def dumps(document: Any) -> bytes:
    """Return compact JSON in UTF-8; the records of a list may be `Rendered`."""
    name = _list_of(document)
    if name is None or not document[name] or not isinstance(document[name][0], Rendered):
        return _encode(document).encode()
    texts = {key: _encode(value).encode() for key, value in document.items() if key != name}
    texts[name] = b"[" + b",".join(document[name]) + b"]"
    return b"{" + b",".join(_encode(key).encode() + b":" + texts[key] for key in document) + b"}"


def etag(document: Any) -> str:
    """Return a strong entity tag; that of a list is made of the digests of its records."""
    name = _list_of(document)
    if name is None:
        return _tag(_encode(document).encode())
    rest = {key: value for key, value in document.items() if key != name}
    return _tag(_encode(rest).encode() + b"".join(_as_rendered(record).digest for record in document[name]))


def tagged(document: Any) -> tuple[bytes, str]:
    """Return `dumps` and `etag`; a single record is encoded once for both."""
    if _list_of(document) is not None:
        return dumps(document), etag(document)
    body = _encode(document).encode()
    return body, _tag(body)


def unrendered(document: Any) -> Any:
    """Return the document with its `Rendered` records decoded, to select fields from."""
    name = _list_of(document)
    if name is None:
        return document
    return {
        **document,
        name: [json.loads(record) if isinstance(record, Rendered) else record for record in document[name]],
    }


def as_rendered(document: Any) -> Any:
    """Return the document with its records `Rendered`, so that each is encoded once for body and tag."""
    name = _list_of(document)
    return document if name is None else {**document, name: list(map(_as_rendered, document[name]))}


def _as_rendered(record: Any) -> Rendered:
    return record if isinstance(record, Rendered) else rendered(record)


def _list_of(document: Any) -> str | None:
    """Return the key of the records in the document of a list."""
    if not isinstance(document, dict) or "total" not in document:
        return None
    return next((name for name in _LISTS if isinstance(document.get(name), list)), None)


def _tag(content: bytes) -> str:
    return f'"{hashlib.sha256(content).hexdigest()[:32]}"'
