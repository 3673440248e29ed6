"""What the headers of a request decide about an answer: conditions, encodings, origins (pure)."""

import re
from functools import lru_cache

_TAG = re.compile(r'(?:W/)?("[^"]*")')
_ZIPPED = '-gzip"'

#: Headers that a 304 does not repeat, in lower case: they are about the body, or the same on every answer,
#: and whoever has the body has kept them with it (RFC 9110 §15.4.5).
OMITTED_FROM_304 = frozenset(
    {
        "content-type", "content-encoding", "content-length", "content-security-policy",
        "cross-origin-resource-policy", "referrer-policy", "x-content-type-options", "x-robots-tag",
        "access-control-allow-headers",
    }
)  # fmt: skip


def gzip_etag(etag: str) -> str:
    """The tag of the compressed form: a strong tag stands for bytes, these are others (RFC 9110 §8.8.3)."""
    return etag[:-1] + _ZIPPED


def matches(header: str | None, tag: str) -> bool:
    """Whether an If-Match or If-None-Match header names this tag, in either form; `*` names any."""
    if header is None:
        return False
    return header == tag or header.strip() == "*" or tag in _TAG.findall(header.replace(_ZIPPED, '"'))


def accepts_gzip(header: str | None) -> bool:
    """Whether an Accept-Encoding header asks for gzip by name and does not refuse it (RFC 9110 §12.5.3)."""
    return _takes_gzip((header or "")[:200])


@lru_cache(maxsize=64)
def _takes_gzip(header: str) -> bool:
    for part in header.lower().split(","):
        name, _, weight = part.partition(";")
        if name.strip() in ("gzip", "x-gzip"):
            return not re.fullmatch(r"\s*q\s*=\s*0(?:\.0*)?\s*", weight)
    return False
