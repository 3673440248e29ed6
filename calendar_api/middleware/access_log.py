"""The log: one JSON object a line on standard error, without anything that could be a secret.

Writing it never fails and never waits: a line that nobody takes is lost, and the request goes on.
"""

import getpass
import json
import logging
import os
import random
import re
import select
import sys
import threading
import time
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qs

import falcon

from calendar_api.config import Config
from calendar_api.domain.auth import STATUSES
from calendar_api.domain.trusted_proxies import Proxies
from calendar_api.middleware.response_cache.hint import CACHE_HINT, CacheHint


class RequestId:
    """Names each request, in the answer and in the log."""

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        req.context.id = request_id()
        req.context.translate = str
        resp.set_header("X-Request-Id", req.context.id)


_STREAM = 2
_LONGEST = 3500  # below what a pipe takes in one piece, so that the lines of two processes do not mix
_LONGEST_VALUE = 200
_lock = threading.Lock()
_compact = json.JSONEncoder(separators=(",", ":")).encode
_quoted = json.encoder.encode_basestring_ascii

Value = str | int | float | None | dict[str, str]


def write(**fields: Value) -> None:
    """Write one line; it begins with the time, and what is None is left out."""
    if sys.stderr is None:  # it was closed at the start: the number may by now be another file's
        return
    members = [f'"{name}":{_json(value)}' for name, value in fields.items() if value is not None]
    line = ",".join((f'{{"time":"{_now()}"', *members)) + "}"
    content = line[:_LONGEST].encode() + b"\n"
    try:
        with _lock:
            if select.select([], [_STREAM], [], 0)[1]:
                os.write(_STREAM, content)
    except (OSError, ValueError):
        pass


def request_id() -> str:
    """16 hexadecimal digits by which a request is found again in the log; no secret.

    Numbers from the system would take a system call each. A process that was forked goes on from another
    number by itself.
    """
    return f"{random.getrandbits(64):016x}"


def audit_command(level: str, what: str, **details: Value) -> None:
    """An audit line of a command, with the account of whoever runs it."""
    if level == "off":
        return
    try:
        account = getpass.getuser()
    except (KeyError, OSError):  # an account without a name
        account = str(os.getuid())
    write(audit=what, account=account, **details)


def _json(value: Value) -> str:
    """As the library writes it, and several times as fast: a line is written for every request."""
    if type(value) is str:
        return _quoted(value[:_LONGEST_VALUE])
    return str(value) if type(value) is int else _compact(value)


def _now() -> str:
    now = time.time()
    return f"{_second(int(now))}.{int(now % 1 * 1000):03}Z"


@lru_cache(maxsize=2)
def _second(number: int) -> str:
    return datetime.fromtimestamp(number, UTC).strftime("%Y-%m-%dT%H:%M:%S")


#: By what a value may be as well as by name: a secret in the wrong place is one all the same.
_NUMBER, _STATUS = "[0-9]{1,9}", f"(?:{'|'.join(STATUSES)})"
_SHOWN = {
    "page": re.compile(_NUMBER),
    "per_page": re.compile(_NUMBER),
    "orderby": re.compile("id|name|slug|count|include|term_group|description|date|title"),
    "order": re.compile("asc|desc", re.IGNORECASE),
    "status": re.compile(f"{_STATUS}(?:,{_STATUS})*"),
}
_QUOTING = re.compile(r"Invalid request from ip=[^ ]*: [A-Za-z ]*|Error handling request")
_WRITES = ("DELETE", "POST", "PUT", "PATCH")
_AUDITED = {
    "rest_not_authenticated": "login_failed",
    "rest_too_many_attempts": "throttled",
    "event-password-protected": "event_password_failed",
}


class RequestLog:
    """The first to see a request and the last to see its answer; knows the address that asks."""

    def __init__(self, config: Config) -> None:
        self.level = config.log
        self.proxies = Proxies(config.trusted_proxies)
        quieten_gunicorn()

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        req.context.began = time.monotonic()
        req.context.address = self.proxies.client(
            req.env.get("REMOTE_ADDR", ""), req.get_header("X-Forwarded-For")
        )

    def process_response(
        self, req: falcon.Request, resp: falcon.Response, resource: Any, succeeded: bool
    ) -> None:
        known = req.context
        visit: CacheHint | None = req.env.get(CACHE_HINT)
        remembered = visit is not None and visit.lasting and succeeded
        if self.level == "off" and not remembered:
            return
        line: dict[str, Value] = {
            "request": known.get("id"),
            "method": req.method[:20],
            "route": _template(req),
            "status": resp.status_code,
            "user": getattr(known.get("caller"), "login", "") or None,
            "address": known.get("address") or None,
            "error": known.get("error"),
        }
        if remembered and visit is not None:  # whoever sends it knows what becomes of it, and writes the line
            visit.line = {**line, "query": shown(req.query_string) or None}
            return
        what = audited(req)
        if what is not None:
            # Only the name of a user there is: what else stands there may be a secret in the wrong place.
            write(audit=what, **{**line, "user": line["user"] or known.get("claimed")})
        if self.level == "requests":
            line["ms"] = round((time.monotonic() - known.began) * 1000, 1)
            line["bytes"] = len(resp.data or b"") if req.method != "HEAD" else 0
            line["query"] = shown(req.query_string) or None
            write(**line)


def audited(req: falcon.Request) -> str | None:
    """What an auditor calls the failure of this request; None when nothing of that kind happened."""
    error = req.context.get("error")
    if error == "rest_forbidden":
        return "denied" if req.method in _WRITES else None
    if error == "event-password-protected" and "password" not in parse_qs(req.query_string):
        return None
    return _AUDITED.get(error or "")


def shown(query: str) -> dict[str, str]:
    """The parameters that are harmless by name and by what they hold."""
    given = parse_qs(query[:2000])
    values = {name: given[name][-1] for name in _SHOWN if name in given}
    return {name: value for name, value in values.items() if _SHOWN[name].fullmatch(value)}


def _template(req: falcon.Request) -> str | None:
    """The route as `routes.py` has it, never what stood in the path."""
    found: str | None = req.context.get("template") or req.uri_template
    return re.sub(r":\w+\}", "}", found) if found else None


class WithoutRequest(logging.Filter):
    """Takes out of gunicorn's lines what it quotes of a request that it cannot read."""

    def filter(self, record: logging.LogRecord) -> bool:
        said = _QUOTING.match(record.getMessage())
        if said is not None:
            record.msg, record.args = said[0].rstrip(), ()
        return True


def quieten_gunicorn() -> None:
    logger = logging.getLogger("gunicorn.error")
    if not any(isinstance(one, WithoutRequest) for one in logger.filters):
        logger.addFilter(WithoutRequest())
