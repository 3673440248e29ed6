"""Documents as JSON text."""

import json

#: Return compact JSON. Documents are trees, so that circles need no check.
encode = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False
).encode

#: Return a text as JSON, as `encode` would, but faster.
quoted = json.encoder.encode_basestring


def strings(value: object) -> list[str]:
    """All texts in a JSON value, at any depth; also the keys of objects."""
    found, waiting = [], [value]
    for one in waiting:  # grows
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            waiting += (*one, *one.values())
    return found
