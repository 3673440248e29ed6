"""Documents as JSON text."""

import json
from collections.abc import Iterator

#: Return compact JSON. Documents are trees, so that circles need no check.
encode = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False
).encode

#: Return a text as JSON, as `encode` would, but faster.
quoted = json.encoder.encode_basestring


def strings(value: object) -> Iterator[str]:
    """All texts in a JSON value, at any depth; also the keys of objects."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value if isinstance(value, list) else (*value, *value.values()):
            yield from strings(item)
