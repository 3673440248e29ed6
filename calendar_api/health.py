"""`GET /health`: whether the service can do its work. Writes nothing and tells no secrets."""

import json
import logging

import falcon

from calendar_api import database, schema_state
from calendar_api.errors import ApiError, MethodNotAllowed
from calendar_api.messages import message

PATH = "/health"
METHODS = ("GET", "HEAD")

log = logging.getLogger("calendar_api")


class Health:
    """Answers before anything looks at the host name, the credentials or the state of the database.

    The answer has a status, and one word for what is the matter: 200 while requests can be served, which
    `degraded` still allows, and 503 when writes, or everything, cannot work.
    """

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        if req.path.rstrip("/") != PATH:
            return
        req.context.template = PATH
        if req.method not in METHODS:
            methods = ", ".join(METHODS)
            raise MethodNotAllowed(
                message("This address takes {methods}.", methods=methods), headers={"Allow": methods}
            )
        resp.complete = True
        resp.content_type = "application/json; charset=UTF-8"
        resp.set_header("Cache-Control", "no-store")
        status, reason = state()
        resp.status = falcon.HTTP_503 if status == "down" else falcon.HTTP_200
        if status == "down":
            resp.set_header("Retry-After", "5")
        resp.data = json.dumps({"status": status, "reason": reason}).encode()


def state() -> tuple[str, str]:
    """ "ok", "degraded" or "down", and why, as a word; the log has the details."""
    try:
        found = schema_state.trouble()
        if found is not None:
            return "down", found.code
        hindrance = database.reading(database.hindrance)
    except ApiError as error:
        log.error("health: %s", error.__cause__ or error.message)
        return "down", error.code
    if hindrance is None:
        return "ok", ""
    return ("down" if hindrance.total else "degraded"), hindrance.word
