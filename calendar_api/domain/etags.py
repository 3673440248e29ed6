"""Entity tags, If-Match, If-None-Match and Accept-Encoding."""

import hashlib
import re
from functools import lru_cache

_TAG = re.compile(r'(?:W/)?("[^"]*")')
_ZIPPED = '-gzip"'

#: Headers that a 304 omits, in lower case: the client has them with the body (RFC 9110 §15.4.5).
OMITTED_FROM_304 = frozenset(
    {
        "content-type", "content-disposition", "content-encoding", "content-length",
        "content-security-policy",
        "cross-origin-resource-policy", "referrer-policy", "x-content-type-options", "x-robots-tag",
        "access-control-allow-headers",
    }
)  # fmt: skip


def etag(body: bytes) -> str:
    """Return a strong entity tag."""
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'


def gzip_etag(etag: str) -> str:
    """Return the tag of the gzip form: other bytes need another strong tag (RFC 9110 §8.8.3)."""
    return etag[:-1] + _ZIPPED


def matches(header: str | None, tag: str) -> bool:
    """Return whether If-Match or If-None-Match contains this tag or its gzip form, or is `*`."""
    if header is None:
        return False
    return header == tag or header.strip() == "*" or tag in _TAG.findall(header.replace(_ZIPPED, '"'))


def accepts_gzip(header: str | None) -> bool:
    """Return whether Accept-Encoding names gzip without q=0 (RFC 9110 §12.5.3)."""
    return _names_gzip((header or "")[:200])


@lru_cache(maxsize=64)
def _names_gzip(header: str) -> bool:
    for part in header.lower().split(","):
        name, _, weight = part.partition(";")
        if name.strip() in ("gzip", "x-gzip"):
            return not re.fullmatch(r"\s*q\s*=\s*0(?:\.0*)?\s*", weight)
    return False
