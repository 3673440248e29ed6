"""Answers reads that it remembers, before the application is asked (docs/interface.md#caching,
docs/decisions/0011).
"""

import time
from collections.abc import Callable, Iterable
from typing import Any

from calendar_api import conditional, journal
from calendar_api.caching.answers import Answer, Headers, Shown
from calendar_api.caching.generations import Draft, Generation, Generations, Kept
from calendar_api.caching.keys import Keys

Environ = dict[str, Any]
Application = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]

#: Where the application finds the `Visit` of a request that may be remembered.
VISIT = "calendar_api.visit"


#: Answers a request once more: the body, its tag, the headers that change, by names in lower case, and whose
#: texts it shows.
Again = Callable[[Kept], tuple[bytes, str, dict[str, str], Shown] | None]


class Visit:
    """One request on its way through the application, which may say here that the answer lasts.

    And how long: `shows` are the events whose texts it depends on, None for any.
    """

    __slots__ = ("again", "generations", "lasting", "line", "shows")

    def __init__(self, generations: Generations) -> None:
        self.generations = generations
        self.lasting = False
        self.again: Again | None = None
        self.shows: Shown = None
        self.line: dict[str, Any] | None = None

    def generation(self) -> Generation | None:
        """Inside the transaction of a read, before anything else is read."""
        return self.generations.current(snapshot=True)


class Front:
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
        line = {**answer.line, "request": journal.request_id()}
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
        visit = environ[VISIT] = Visit(self.generations)
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
        answer = Answer(headers, b"".join(content), {**line, "request": None, "address": None}, visit.shows)
        if generation is not None and key:
            generation.answers.put(key, answer, answer.size)
            if visit.again is not None:
                generation.requests.put(key, (visit.again, answer.emptied()), 10_000)
        return self._send(environ, start_response, answer, line, began, generation, key)

    def _again(self, generation: Generation, key: Any) -> Answer | None:
        """The answer to a request that was understood before; None if anything was written meanwhile."""
        known: tuple[Again, Answer] | None = generation.requests.get(key)
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
        answer: Answer,
        line: dict[str, Any],
        began: float,
        generation: Generation | None,
        key: Any,
    ) -> Iterable[bytes]:
        form = answer.plain
        if answer.worth_zipping and conditional.takes_gzip(environ.get("HTTP_ACCEPT_ENCODING")):
            if not answer.zipped_already and generation is not None:
                generation.answers.grow(key, len(answer.zipped.body))
            form = answer.zipped
        known = environ.get("HTTP_IF_NONE_MATCH")
        if known is not None and conditional.names(known, answer.etag):
            status, headers, body = "304 Not Modified", form.unchanged, b""
        else:
            status, headers, body = "200 OK", form.headers, form.body
        headers = [*headers, ("x-request-id", line["request"])]
        origin = environ.get("HTTP_ORIGIN")
        if origin:
            headers += conditional.cross_origin(origin)
        start_response(status, headers)
        if self.log is not None:
            line["status"] = int(status[:3])
            self.log(**line, ms=round((time.monotonic() - began) * 1000, 1), bytes=len(body))
        return (body,)

    def _address(self, environ: Environ) -> str | None:
        return self.address_of(environ.get("REMOTE_ADDR", ""), environ.get("HTTP_X_FORWARDED_FOR")) or None
