"""Cache whole responses of anonymous reads (docs/interface.md#caching, docs/decisions/0011)."""

import gzip
import re
import threading
import time
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from operator import itemgetter
from sys import getsizeof
from typing import Any, NamedTuple

from calendar_api.config import NAMESPACE, Config
from calendar_api.domain import dates, etags, time_zones
from calendar_api.domain.trusted_proxies import Proxies
from calendar_api.middleware import access_log, response_headers
from calendar_api.middleware.access_log import CACHE_LINE, Value
from calendar_api.middleware.arrival import arrival

Environ = dict[str, Any]
Headers = list[tuple[str, str]]
StartResponse = Callable[..., Any]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]
Line = dict[str, Value]
Revision = tuple[object, int]  # the database, and the number of writes to it

_ENTRY = 300  # bytes of a cached response beside its parts, about
_MIN_GZIP = 1024  # bytes; compressing less saves no packet
_GZIP_LEVEL = 6
_MAX_KEY = 2000  # characters of the query; as many again for the rest of the address
_MAX_PARAMETERS = 30  # the service counts unknown parameters as well, and refuses too many
_ADDRESSES = 2**14  # addresses that are known to have been requested
_PLAIN_NAME = re.compile(r"[a-z_]+")
_OF_ONE_REQUEST = ("x-request-id", "access-control-allow-origin", "access-control-allow-methods")


class CachedResponse(NamedTuple):
    """A response with status 200 in one encoding; `line` has the fields of its log line."""

    headers: Headers
    body: bytes
    etag: str  # of the plain form
    line: Line

    @classmethod
    def of(cls, headers: Headers, body: bytes, line: Line, *, zipped: bool) -> "CachedResponse":
        """`headers` are those of Falcon, with names in lower case."""
        kept = dict(headers)
        tag = kept["etag"]
        if zipped and len(body) >= _MIN_GZIP:
            # Without a timestamp, so that equal responses stay equal.
            body = gzip.compress(body, _GZIP_LEVEL, mtime=0)
            kept |= {"content-encoding": "gzip", "etag": etags.gzip_etag(tag)}
        kept["content-length"] = str(len(body))
        for name in _OF_ONE_REQUEST:
            kept.pop(name, None)
        return cls(list(kept.items()), body, tag, line)

    @property
    def size(self) -> int:
        """Bytes of body, headers and log line."""
        return sum(map(getsizeof, [*self, *self.line.values(), *self.headers, *chain(*self.headers)]))


class Snapshot:
    """The responses of one revision of the database, valid from `since` to `until` (seconds since 1970).

    They take at most `limit` bytes; the least recently used ones are dropped. Thread-safe.
    `read_at` is when a read of the revision began that has found this one (`time.monotonic`).
    """

    def __init__(self, revision: Revision, since: float, until: float, limit: int) -> None:
        self.revision, self.since, self.until, self.limit = revision, since, until, limit
        self.read_at = 0.0
        self.size = 0
        self._entries: OrderedDict[bytes, tuple[CachedResponse, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: bytes) -> CachedResponse | None:
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: bytes, response: CachedResponse) -> None:
        """Add or replace a response; one that exceeds the limit is not stored."""
        size = response.size + _ENTRY
        with self._lock:
            self.size -= self._entries.pop(key, (None, 0))[1]
            if size > self.limit:
                return
            self._entries[key] = response, size
            self.size += size
            while self.size > self.limit:
                self.size -= self._entries.popitem(last=False)[1][1]


class ResponseCache:
    """A WSGI application that answers repeated anonymous reads without calling `application`.

    A resource sets `req.context.cacheable` if its response stays the same until the next write.
    `parameters` are the query parameters that can change a response. `revision` is called before the data is
    read, so that cached data may be newer than its revision, never older; it returns None if the database is
    unavailable. `next_publication` returns the UTC time (text) of the next scheduled publication.
    """

    def __init__(
        self,
        application: Application,
        config: Config,
        parameters: Iterable[str],
        revision: Callable[[], Revision | None],
        next_publication: Callable[[str], str | None],
    ) -> None:
        self.application = application
        self.log = access_log.write if config.log == "requests" else None
        self.budget = config.cache * 2**20
        self._base_url = config.base_url
        self._has_pages = config.pages == "on"
        self._of_interface = re.compile("|".join(map(re.escape, (NAMESPACE, *config.aliases)))).search
        self._zone = time_zones.named(config.timezone)
        self._proxies = Proxies(config.trusted_proxies)
        self._parameters = frozenset(parameters)
        self._revision = revision
        self._next_publication = next_publication
        self._snapshot: Snapshot | None = None
        self._requested = array("q", bytes(8 * _ADDRESSES))
        self._digest = lru_cache(maxsize=128)(self._digest_of)

    def __call__(self, environ: Environ, start: StartResponse) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] != "GET" or "HTTP_AUTHORIZATION" in environ:
            return self.application(environ, start)
        began = time.monotonic()
        key = self.key(environ) if self.budget else None
        if key is None or not self._is_repeated(key):
            return self._forward(environ, start, None, b"", began)
        snapshot = self.current()  # takes longer than all other work here
        response = None if snapshot is None else snapshot.get(key)
        if response is None:
            return self._forward(environ, start, snapshot, key, began)
        return self._send(environ, start, response, access_log.request_id(), began)

    def current(self) -> Snapshot | None:
        """Return the snapshot of the current revision; None if the database is unavailable.

        Requests that wait for a thread at the same time share one read of the revision: a read that began
        after a request had arrived knows every write that was acknowledged before the request was sent.
        """
        known, now, read_at = self._snapshot, time.time(), time.monotonic()
        if known is not None and not known.since <= now < known.until:
            known = None
        if known is not None and known.read_at > arrival.time:
            return known
        revision = self._revision()
        if revision is None:
            return None
        if known is None or known.revision != revision:
            # Threads that still read for the old revision store into the old snapshot.
            self._snapshot = known = Snapshot(revision, now, self._end(now), self.budget)
        known.read_at = read_at
        return known

    def clear(self) -> None:
        """Drop everything; needed if the database is replaced by one of the same revision."""
        self._snapshot = None

    def key(self, environ: Environ) -> bytes | None:
        """Return a digest of all that a response depends on beside the records; None: do not cache."""
        query = environ.get("QUERY_STRING") or ""
        if query and (len(query) > _MAX_KEY or query.count("&") >= _MAX_PARAMETERS):
            return None
        parts = [environ.get("PATH_INFO", "")]
        if not self._base_url:
            names = ["SCRIPT_NAME", "HTTP_HOST", "wsgi.url_scheme"]
            if self._proxies.trusts(environ.get("REMOTE_ADDR", "?")):
                names += ["HTTP_X_FORWARDED_PROTO", "HTTP_X_FORWARDED_HOST", "HTTP_X_FORWARDED_PREFIX"]
            parts += [environ.get(name) or "" for name in names]
        if sum(map(len, parts)) > _MAX_KEY:
            return None
        return self._digest(etags.accepts_gzip(environ.get("HTTP_ACCEPT_ENCODING")), query, *parts)

    def _digest_of(self, zipped: bool, query: str, path: str, *origin: str) -> bytes:
        lowered = path.lower()
        # Pages are redirected to one spelling of their address.
        is_page = self._has_pages and not self._of_interface(lowered)
        text = repr((zipped, self._normalise(query), path if is_page else lowered.rstrip("/"), *origin))
        return blake2b(text.encode("ascii", "backslashreplace"), digest_size=16).digest()

    def _normalise(self, query: str) -> str:
        """Remove unknown parameters and sort by name; the values of one name keep their order.

        A query with encoded or bracketed names stays unchanged: these may mean any other name.
        """
        known = []
        for part in query.split("&"):
            name = part.partition("=")[0]
            if name in self._parameters:
                known.append((name, part))
            elif part and not _PLAIN_NAME.fullmatch(name):
                return query
        return "&".join(part for _, part in sorted(known, key=itemgetter(0)))

    def _is_repeated(self, key: bytes) -> bool:
        """Return whether the address was requested before; crawlers request each one once.

        Another address may have taken its slot: then its response is looked for in the last snapshot.
        """
        digest = int.from_bytes(key[:8], signed=True)
        slot, last = digest % _ADDRESSES, self._snapshot
        repeated = self._requested[slot] == digest
        self._requested[slot] = digest
        return repeated or (last is not None and last.get(key) is not None)

    def _forward(
        self, environ: Environ, start: StartResponse, snapshot: Snapshot | None, key: bytes, began: float
    ) -> Iterable[bytes]:
        """Call the application, and store its response if that is cacheable and there is a snapshot."""
        line: Line = {}
        environ[CACHE_LINE] = line
        head: list[Any] = []

        def keep_head(status: str, headers: Headers, *rest: Any) -> Any:
            head[:] = [status, headers, *rest]
            return head.append

        content = self.application(environ, keep_head)
        status, headers, *rest = head
        if not line or not status.startswith("200"):
            start(status, headers, *rest)
            return content
        request = str(line.pop("request"))
        zipped = etags.accepts_gzip(environ.get("HTTP_ACCEPT_ENCODING"))
        response = CachedResponse.of(headers, b"".join(content), line, zipped=zipped)
        if snapshot is not None:
            snapshot.put(key, response)
        return self._send(environ, start, response, request, began)

    def _send(
        self, environ: Environ, start: StartResponse, response: CachedResponse, request: str, began: float
    ) -> Iterable[bytes]:
        status, headers, body = "200 OK", response.headers, response.body
        if etags.matches(environ.get("HTTP_IF_NONE_MATCH"), response.etag):
            status, body = "304 Not Modified", b""
            headers = [pair for pair in headers if pair[0] not in etags.OMITTED_FROM_304]
        origin = environ.get("HTTP_ORIGIN")
        cors = response_headers.cors_headers(origin) if origin else ()
        start(status, [*headers, ("x-request-id", request), *cors])
        if self.log is not None:
            peer, forwarded = environ.get("REMOTE_ADDR", ""), environ.get("HTTP_X_FORWARDED_FOR")
            line = {**response.line, "address": self._proxies.client(peer, forwarded) or None}
            line["status"] = int(status[:3])
            self.log(request=request, **line, ms=round((time.monotonic() - began) * 1000, 1), bytes=len(body))
        return (body,)

    def _end(self, now: float) -> float:
        """Return when time alone changes a response: a publication, or midnight in UTC or the site's zone.

        The default window of the event list moves at both midnights.
        """
        at = datetime.fromtimestamp(int(now), UTC)
        days = [dates.day_end(at), dates.day_end(at.astimezone(self._zone))]
        ends = [(day.astimezone(UTC) + timedelta(seconds=1)).timestamp() for day in days]
        scheduled = self._next_publication(dates.text(at))
        if scheduled is not None:
            ends.append(dates.from_text(scheduled).replace(tzinfo=UTC).timestamp())
        return min(ends)
