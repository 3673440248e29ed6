"""Which requests are the same request: those whose answer cannot differ (pure)."""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

Environ = dict[str, Any]

_SCHEME, _HOST, _PREFIX = "HTTP_X_FORWARDED_PROTO", "HTTP_X_FORWARDED_HOST", "HTTP_X_FORWARDED_PREFIX"
_PLAIN_NAME = re.compile(r"[a-z_]+")
#: More parameters than this may be too many for the service, which counts unknown ones as well.
_MOST = 30
#: Characters of a query, and of all that says where a request was sent to, that are worth remembering.
_LONGEST = 2000


class Keys:
    """`parameters` are the names of all that a read may be asked; others change no answer.

    `trusts` tells whether a peer is a proxy whose forwarded headers are believed.
    """

    def __init__(self, parameters: Iterable[str], trusts: Callable[[str], bool]) -> None:
        self._parameters = frozenset(parameters)
        self._trusts = trusts
        self._canonical = lru_cache(maxsize=256)(self._rewritten)

    def key(self, environ: Environ) -> tuple[Any, ...] | None:
        """None for a request that is not worth remembering.

        Beside the records and the query, an answer depends on how the caller addressed us, and who says so.
        """
        asked = environ.get
        query = asked("QUERY_STRING") or ""
        if query and (len(query) > _LONGEST or query.count("&") >= _MOST):
            return None
        scheme, host, prefix = asked(_SCHEME), asked(_HOST), asked(_PREFIX)
        forwarded: tuple[str | None, ...] | None = None
        if (scheme or host or prefix) is not None and self._trusts(asked("REMOTE_ADDR", "?")):
            forwarded = scheme, host, prefix
        path, folder, name = asked("PATH_INFO", ""), asked("SCRIPT_NAME", ""), asked("HTTP_HOST", "")
        if len(path) + len(folder) + len(name) + sum(map(len, filter(None, forwarded or ()))) > _LONGEST:
            return None
        return (query and self._canonical(query), path, folder, name, asked("wsgi.url_scheme"), forwarded)

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
