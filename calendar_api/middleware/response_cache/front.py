"""Answers reads that it remembers, before the application is asked (docs/interface.md#caching,
docs/decisions/0011).
"""

import time
from collections.abc import Callable, Iterable
from typing import Any

from calendar_api.domain import etags
from calendar_api.middleware import access_log, response_headers
from calendar_api.middleware.response_cache.answers import CachedResponse, Headers
from calendar_api.middleware.response_cache.generations import Draft, Generation, Generations
from calendar_api.middleware.response_cache.hint import CACHE_HINT, Again, CacheHint
from calendar_api.middleware.response_cache.keys import Keys

Environ = dict[str, Any]
Application = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]


class ResponseCache:
    """A WSGI application around ours.

    `address_of` tells which address asks, `glance` runs reads outside of a transaction, `log` writes a line.

    Only reads without credentials are looked at: whoever signs in is answered by the application itself.
    """

    def __init__(
        self,
        application: Application,
        generations: Generations,
        keys: Keys,
        *,
        address_of: Callable[[str, str | None], str],
        glance: Callable[[Callable[[], Any]], Any],
        log: Callable[..., None] | None,
    ) -> None:
        self.application = application
        self.generations = generations
        self.keys = keys
        self.address_of = address_of
        self.glance = glance
        self.log = log

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] != "GET" or "HTTP_AUTHORIZATION" in environ:
            return self.application(environ, start_response)
        began = time.monotonic()
        generation = self.generations.current()
        key = self.keys.key(environ) if generation is not None else None
        if generation is None or key is None:
            return self._ask(environ, start_response, None, None, began)
        answer = generation.answers.get(key) or self._again(generation, key)
        if answer is None:
            return self._ask(environ, start_response, generation, key, began)
        line = {**answer.line, "request": access_log.request_id()}
        if self.log is not None:
            line["address"] = self._address(environ)
        return self._send(environ, start_response, answer, line, began, generation, key)

    def _ask(
        self,
        environ: Environ,
        start_response: Callable[..., Any],
        generation: Generation | None,
        key: Any,
        began: float,
    ) -> Iterable[bytes]:
        """Have the application answer, and remember what it says if that lasts."""
        visit = environ[CACHE_HINT] = CacheHint(self.generations)
        head: list[Any] = []

        def begin(status: str, headers: Headers, *rest: Any) -> Any:
            head[:] = [status, headers, *rest]
            return head.append

        content = self.application(environ, begin)
        status, headers, *rest = head
        if not visit.lasting or not status.startswith("200") or visit.line is None:
            start_response(status, headers, *rest)
            return content
        line = visit.line
        answer = CachedResponse(
            headers, b"".join(content), {**line, "request": None, "address": None}, visit.shows
        )
        if generation is not None and key:
            generation.answers.put(key, answer, answer.size)
            if visit.again is not None:
                generation.requests.put(key, (visit.again, answer.emptied()), 10_000)
        return self._send(environ, start_response, answer, line, began, generation, key)

    def _again(self, generation: Generation, key: Any) -> CachedResponse | None:
        """The answer to a request that was understood before; None if anything was written meanwhile."""
        known: tuple[Again, CachedResponse] | None = generation.requests.get(key)
        if known is None:
            return None
        again, before = known
        draft = Draft(generation)
        found = self.glance(lambda: again(draft))
        if found is None or self.generations.current() is not generation:
            return None
        draft.keep()
        answer = before.changed(*found)
        generation.answers.put(key, answer, answer.size)
        return answer

    def _send(
        self,
        environ: Environ,
        start_response: Callable[..., Any],
        answer: CachedResponse,
        line: dict[str, Any],
        began: float,
        generation: Generation | None,
        key: Any,
    ) -> Iterable[bytes]:
        form = answer.plain
        if answer.worth_zipping and etags.accepts_gzip(environ.get("HTTP_ACCEPT_ENCODING")):
            if not answer.zipped_already and generation is not None:
                generation.answers.grow(key, len(answer.zipped.body))
            form = answer.zipped
        known = environ.get("HTTP_IF_NONE_MATCH")
        if known is not None and etags.matches(known, answer.etag):
            status, headers, body = "304 Not Modified", form.unchanged, b""
        else:
            status, headers, body = "200 OK", form.headers, form.body
        headers = [*headers, ("x-request-id", line["request"])]
        origin = environ.get("HTTP_ORIGIN")
        if origin:
            headers += response_headers.cors_headers(origin)
        start_response(status, headers)
        if self.log is not None:
            line["status"] = int(status[:3])
            self.log(**line, ms=round((time.monotonic() - began) * 1000, 1), bytes=len(body))
        return (body,)

    def _address(self, environ: Environ) -> str | None:
        return self.address_of(environ.get("REMOTE_ADDR", ""), environ.get("HTTP_X_FORWARDED_FOR")) or None
