"""Documents as JSON text, and their entity tags."""

import hashlib
import json
from collections.abc import Mapping, Sequence

#: Return compact JSON. Documents are trees, so that circles need no check.
encode = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False
).encode

#: Return a text as JSON, as `encode` would, but faster.
quoted = json.encoder.encode_basestring


def with_records(document: Mapping[str, object], name: str, records: Sequence[bytes]) -> bytes:
    """Return `document`, whose key `name` is an empty list, with these records in it."""
    key = encode(name).encode()
    return encode(document).encode().replace(key + b":[]", b"%b:[%b]" % (key, b",".join(records)), 1)


def etag(body: bytes) -> str:
    """Return a strong entity tag."""
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'
