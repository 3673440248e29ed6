"""Documents as JSON text."""

import json

#: Return compact JSON. Documents are trees, so that circles need no check.
encode = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False
).encode

#: Return a text as JSON, as `encode` would, but faster.
quoted = json.encoder.encode_basestring
