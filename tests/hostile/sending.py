"""Sends hostile requests to the application, in this process, and says what is wrong with an answer."""

import json
import time
from collections import Counter
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any
from urllib.parse import quote

from tests import figures, wsgi
from tests.processor_time import reading
from tests.wsgi import App, Environ, octets

Json = dict[str, Any]

ROOT = "/calendar/events/v1"
#: Seconds of processor time that a request may take. Processors that share a core and its caches slow each
#: other down: beside other tests only what is far too slow counts; the long form, which is alone, is strict.
LIMIT = (8 if figures.LONG else 30) * reading()


@dataclass
class Answer:
    status: int
    headers: list[tuple[str, str]]
    body: bytes
    seconds: float


@dataclass
class Tally:
    """What was seen: statuses, the slowest, and everything that is wrong, with an example of each."""

    statuses: Counter[int] = field(default_factory=Counter)
    wrong: dict[str, str] = field(default_factory=dict)
    slowest: float = 0.0
    slowest_what: str = ""

    @property
    def total(self) -> int:
        return sum(self.statuses.values())

    def figures(self) -> Json:
        return {
            "requests": self.total,
            "statuses": dict(sorted(self.statuses.items())),
            "slowest_ms": round(self.slowest * 1000),
            "slowest": self.slowest_what,
            "wrong": self.wrong,
        }


def environ(
    method: str, path: str, query: str = "", headers: dict[str, str] | None = None, body: bytes = b""
) -> Environ:
    """A request; `path` is below the root, or a whole one that begins with "//", and percent-encoded."""
    return wsgi.environ(method, path if path.startswith("//") else ROOT + path, query, headers, body)


def percent(value: str, safe: str = "") -> str:
    return quote(octets(value), safe=safe)


def call(app: App, asked: Environ) -> Answer:
    """The answer of the application; one that raises counts as a 599."""
    environment = {**asked, "wsgi.input": BytesIO(asked["wsgi.input"].getvalue())}
    before = time.thread_time()
    try:
        status, headers, body = wsgi.call(app, environment)
    except Exception as error:
        status, headers, body = 599, [], repr(error).encode()
    return Answer(status, headers, body, time.thread_time() - before)


def faults(asked: Environ, answer: Answer) -> list[str]:
    """What the contract forbids in any answer."""
    found = []
    if answer.status >= 500:
        found.append(f"status {answer.status}: {answer.body[:300]!r}")
    for name, value in answer.headers:
        if any(character in name + value for character in "\r\n\x00"):
            found.append(f"a line end in the header {name}")
        if not (name + value).isascii():
            found.append(f"the header {name} is not ASCII")
    if answer.seconds > LIMIT:
        found.append(f"more than {LIMIT:.1f} s")
    return found + _body_faults(asked, answer)


def _body_faults(asked: Environ, answer: Answer) -> list[str]:
    if asked["REQUEST_METHOD"] == "HEAD" or answer.status in (204, 304):
        return ["a body where there is none"] if answer.body and answer.status == 304 else []
    kind = dict(answer.headers).get("content-type") or dict(answer.headers).get("Content-Type", "")
    if _page(asked, answer):
        return ["a script in a page"] if answer.status >= 400 and b"<script" in answer.body else []
    if not kind.startswith("application/json"):
        return [f"the content type {kind!r}"]
    try:
        document = json.loads(answer.body.decode())
    except ValueError as error:
        return [f"a body that is not JSON: {error}"]
    if answer.status < 400:
        return []
    data = document.get("data") if isinstance(document, dict) else None
    whole = isinstance(data, dict) and {"code", "message"} <= document.keys()
    found = [] if whole and data["status"] == answer.status else ["an error without its shape"]
    return found + (["a trace"] if b"Traceback" in answer.body else [])


def _page(asked: Environ, answer: Answer) -> bool:
    """Pages for people are no JSON: the documents, and all that is outside of the interface."""
    where = f"{asked['PATH_INFO']} {asked['QUERY_STRING']}".lower()
    if answer.status < 400 and "docs" in where:
        return True
    policy = {name.lower(): value for name, value in answer.headers}.get("content-security-policy", "")
    return not asked["PATH_INFO"].startswith(ROOT) and "script-src 'none'" in policy


def send(app: App, asked: Environ, what: str, tally: Tally) -> Answer:
    """Send it and note what is wrong; what was slow is asked again, because the machine may have been."""
    answer = call(app, asked)
    for _ in range(4):
        if answer.seconds > LIMIT:
            answer.seconds = min(answer.seconds, call(app, asked).seconds)
    tally.statuses[answer.status] += 1
    if answer.seconds > tally.slowest:
        tally.slowest, tally.slowest_what = answer.seconds, what
    for fault in faults(asked, answer):
        tally.wrong.setdefault(f"{what.split(' = ')[0]}: {fault}"[:500], what[:300])
    return answer
