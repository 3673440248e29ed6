"""Which requests are the same request: those whose answer cannot differ (pure)."""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

Environ = dict[str, Any]

_FORWARDED = ("HTTP_X_FORWARDED_PROTO", "HTTP_X_FORWARDED_HOST", "HTTP_X_FORWARDED_PREFIX")
#: What an answer depends on beside the records and the query: how the caller addressed us, and who says so.
_ADDRESS = ("PATH_INFO", "SCRIPT_NAME", "HTTP_HOST", "wsgi.url_scheme", *_FORWARDED)
_PLAIN_NAME = re.compile(r"[a-z_]+")
#: More parameters than this may be too many for the service, which counts unknown ones as well.
_MOST = 30
_LONGEST = 2000


class Keys:
    """`parameters` are the names of all that a read may be asked; others change no answer.

    `trusts` tells whether a peer is a proxy whose forwarded headers are believed.
    """

    def __init__(self, parameters: Iterable[str], trusts: Callable[[str], bool]) -> None:
        self._parameters = frozenset(parameters)
        self._trusts = trusts
        self._canonical = lru_cache(maxsize=1024)(self._rewritten)

    def key(self, environ: Environ) -> tuple[Any, ...] | None:
        """None for a request that is not worth remembering."""
        query = environ.get("QUERY_STRING") or ""
        if len(query) > _LONGEST or query.count("&") >= _MOST:
            return None
        forwarded = any(name in environ for name in _FORWARDED)
        believed = forwarded and self._trusts(environ.get("REMOTE_ADDR", "?"))
        return (self._canonical(query), believed, *map(environ.get, _ADDRESS))

    def _rewritten(self, query: str) -> str:
        """Without what no read knows, in the order of the names; one name keeps the order of its values.

        Names that are spelled in another way, or with brackets, may mean any of the others: then the query
        stays as it is.
        """
        parts = [part for part in query.split("&") if part]
        names = [part.partition("=")[0] for part in parts]
        if not all(map(_PLAIN_NAME.fullmatch, names)):
            return query
        kept = [(name, part) for name, part in zip(names, parts, strict=True) if name in self._parameters]
        return "&".join(part for _, part in sorted(kept, key=lambda pair: pair[0]))
