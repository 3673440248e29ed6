"""Each request as one line of the log, and what an auditor asks for as lines of their own."""

import logging
import re
import time
from typing import Any
from urllib.parse import parse_qs

import falcon

from calendar_api import journal
from calendar_api.auth import STATUSES
from calendar_api.caching.front import VISIT, Visit
from calendar_api.config import Config
from calendar_api.peers import Proxies

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
        visit: Visit | None = req.env.get(VISIT)
        remembered = visit is not None and visit.lasting and succeeded
        if self.level == "off" and not remembered:
            return
        line: dict[str, journal.Value] = {
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
            journal.write(audit=what, **{**line, "user": line["user"] or known.get("claimed")})
        if self.level == "requests":
            line["ms"] = round((time.monotonic() - known.began) * 1000, 1)
            line["bytes"] = len(resp.data or b"") if req.method != "HEAD" else 0
            line["query"] = shown(req.query_string) or None
            journal.write(**line)


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
