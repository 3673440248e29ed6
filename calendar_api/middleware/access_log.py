"""The log on standard error: one JSON object per line, or a short text on a terminal. It holds no secrets.

Writing it never fails and never blocks: a line that cannot be written is lost, and the request continues.
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
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from calendar_api.config import Config
from calendar_api.domain.auth import STATUSES
from calendar_api.domain.trusted_proxies import Proxies

if TYPE_CHECKING:  # commands write lines, too, and need no framework
    from falcon import Request, Response

Value = str | int | float | None | dict[str, str]

#: Key of the WSGI environment: the dict that the response cache wants filled instead of a line written.
CACHE_LINE = "calendar_api.cache_line"

_STDERR = 2
_MAX_LINE = 3500  # bytes; a pipe takes up to 4096 at once, so that lines of two processes do not mix
_MAX_VALUE = 200
_MAX_VALUES = {"message": 1000, "traceback": 2000}
_WRITES = ("DELETE", "POST", "PUT", "PATCH")

#: Parameters that are logged if they match: a secret may be sent in the wrong parameter.
_NUMBER, _STATUS = "[0-9]{1,9}", f"(?:{'|'.join(STATUSES)})"
_LOGGED_PARAMETERS = {
    "page": re.compile(_NUMBER),
    "per_page": re.compile(_NUMBER),
    "orderby": re.compile("id|name|slug|count|include|term_group|description|date|title"),
    "order": re.compile("asc|desc", re.IGNORECASE),
    "status": re.compile(f"{_STATUS}(?:,{_STATUS})*"),
}
#: Error codes with an audit line -> its name.
_AUDITED = {
    "rest_not_authenticated": "login_failed",
    "rest_too_many_attempts": "throttled",
    "event-password-protected": "event_password_failed",
}
#: Messages of gunicorn that quote a request after this.
_QUOTES_REQUEST = re.compile(r"Invalid request from ip=[^ ]*: [A-Za-z ]*|Error handling request")

#: Fields in a line for a terminal, in this order.
_SHOWN = ("level", "message", "audit", "status", "method", "route", "ms", "user", "error")

_lock = threading.Lock()
_compact = json.JSONEncoder(separators=(",", ":")).encode
_encode_text = json.encoder.encode_basestring_ascii


class AccessLog:
    """The outermost middleware: gives each request an id and a client address, and logs its response.

    `req.context.by_proxy` says whether the other forwarded headers are trusted, too.
    """

    def __init__(self, config: Config) -> None:
        self.level = config.log
        self.proxies = Proxies(config.trusted_proxies)
        configure_logging()

    def process_request(self, req: "Request", resp: "Response") -> None:
        req.context.began = time.monotonic()
        req.context.id = request_id()
        req.context.translate = str
        req.context.address = self.proxies.client(
            req.env.get("REMOTE_ADDR", ""), req.get_header("X-Forwarded-For")
        )
        req.context.by_proxy = self.proxies.trusts(req.env.get("REMOTE_ADDR", "?"))
        resp.set_header("X-Request-Id", req.context.id)

    def process_response(self, req: "Request", resp: "Response", resource: object, succeeded: bool) -> None:
        context = req.context
        cached = req.env.get(CACHE_LINE) if succeeded and context.get("cacheable") else None
        if self.level == "off" and cached is None:
            return
        line: dict[str, Value] = {
            "request": context.id,
            "method": req.method[:20],
            "route": _route(context.get("template") or req.uri_template or ""),
            "status": resp.status_code,
            "user": getattr(context.get("caller"), "login", "") or None,
            "address": context.address or None,
            "error": context.get("error"),
        }
        query = logged_parameters(req.query_string) or None if self.level == "requests" else None
        if cached is not None:  # the response cache sends the response and writes the line
            cached.update(line, query=query)
            return
        event = audit_event(req)
        if event is not None:
            # Only names of existing users are logged: a client may send a secret as its login.
            write(audit=event, **{**line, "user": line["user"] or context.get("claimed")})
        for change in (context.get("changes") or ()) if succeeded else ():
            write(**{**change, **line})
        if self.level == "requests":
            ms = round((time.monotonic() - context.began) * 1000, 1)
            write(**line, ms=ms, bytes=len(resp.data or b"") if req.method != "HEAD" else 0, query=query)


class HideRequest(logging.Filter):
    """Remove requests that gunicorn quotes in its messages."""

    def filter(self, record: logging.LogRecord) -> bool:
        message = _QUOTES_REQUEST.match(record.getMessage())
        if message is not None:
            record.msg, record.args = message[0].rstrip(), ()
        return True


class LogHandler(logging.Handler):
    """Write records of `logging` like the lines of requests: `level`, `message` and `traceback`."""

    def emit(self, record: logging.LogRecord) -> None:
        trace = logging.Formatter().formatException(record.exc_info) if record.exc_info else None
        if trace and not on_terminal():  # the last frames; as ASCII its length is known
            trace = trace[-_MAX_VALUES["traceback"] :].encode("ascii", "replace").decode()
        write(level=record.levelname.lower(), message=record.getMessage(), traceback=trace)


def configure_logging() -> None:
    """Send what gunicorn and this package log on standard error to LogHandler. It may be called again."""
    package, server = logging.getLogger("calendar_api"), logging.getLogger("gunicorn.error")
    if not package.hasHandlers():
        package.addHandler(LogHandler())
    for handler in [one for one in server.handlers if type(one) is logging.StreamHandler]:
        server.removeHandler(handler)
        server.addHandler(LogHandler())
    if not any(isinstance(one, HideRequest) for one in server.filters):
        server.addFilter(HideRequest())


@cache
def on_terminal() -> bool:
    return os.isatty(_STDERR)


def write(**fields: Value) -> None:
    """Write one line: the time, then `fields` without those that are None."""
    if sys.stderr is None:  # closed at the start: the descriptor may belong to another file now
        return
    now = datetime.now(UTC)
    content = (readable(now, fields) if on_terminal() else _as_json(now, fields)).encode() + b"\n"
    try:
        with _lock:
            if select.select([], [_STDERR], [], 0)[1]:
                os.write(_STDERR, content)
    except (OSError, ValueError):
        pass


def readable(now: datetime, fields: Mapping[str, Value]) -> str:
    """Return a line for a terminal: local time, the most important values, a traceback below it."""
    shown = {name: fields[name] for name in _SHOWN if fields.get(name) is not None}
    if "route" in shown:
        shown["route"] = str(shown["route"]).removeprefix("/pages") or "/"
    if "ms" in shown:
        shown["ms"] = f"{shown['ms']} ms"
    text = " ".join((f"{now.astimezone():%H:%M:%S}", *map(str, shown.values())))
    lines = [text, *str(fields.get("traceback") or "").splitlines()]
    return "\n".join("".join(one if one.isprintable() else "?" for one in line) for line in lines)


def _as_json(now: datetime, fields: Mapping[str, Value]) -> str:
    stamp = now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    members = [f'"{name}":{_json(name, value)}' for name, value in fields.items() if value is not None]
    return (",".join((f'{{"time":"{stamp}"', *members)) + "}")[:_MAX_LINE]


def request_id() -> str:
    """Return 16 hexadecimal digits; `random` needs no system call, and reseeds itself after a fork."""
    return f"{random.getrandbits(64):016x}"


def audit_command(level: str, event: str, **details: Value) -> None:
    """Write an audit line for a command, with the operating system account that runs it; on no terminal."""
    if level == "off" or os.isatty(_STDERR):
        return
    try:
        account = getpass.getuser()
    except (KeyError, OSError):  # an account without a name
        account = str(os.getuid())
    write(audit=event, account=account, **details)


def audit_event(req: "Request") -> str | None:
    """Return the name of the audit line for a failed request; None if it needs none."""
    error = req.context.get("error")
    if error == "rest_forbidden":
        return "denied" if req.method in _WRITES else None
    is_guess = req.method == "POST" or "password" in parse_qs(req.query_string)
    if error == "event-password-protected" and not is_guess:
        return None
    return _AUDITED.get(error or "")


def logged_parameters(query: str) -> dict[str, str]:
    """Return the parameters whose name and value are known to be harmless."""
    given = parse_qs(query[:2000])
    values = {name: given[name][-1] for name in _LOGGED_PARAMETERS if name in given}
    return {name: value for name, value in values.items() if _LOGGED_PARAMETERS[name].fullmatch(value)}


@cache
def _route(template: str) -> str | None:
    """Return a URI template without converters; None if the request has none, and never its path."""
    return re.sub(r":[^}]+\}", "}", template) or None


def _json(name: str, value: Value) -> str:
    """Encode like `json`, several times as fast."""
    if type(value) is str:
        return _encode_text(value[: _MAX_VALUES.get(name, _MAX_VALUE)])
    return str(value) if type(value) is int else _compact(value)
