"""Whether the service can serve requests: `GET /health`, and 503 until the database is migrated."""

import json
import logging

import falcon

from calendar_api import database
from calendar_api.database import migrate
from calendar_api.domain.errors import ApiError, MethodNotAllowed
from calendar_api.domain.translation import message

PATH = "/health"
METHODS = ("GET", "HEAD")

#: Instructions for the operator; everybody may read them, so they name no file and no table.
WHAT_TO_DO = {
    "not_initialised": "There is no database. Run `calendar-api migrate`, or restore a backup.",
    "rest_schema_outdated": "The database is older than this release. Run `calendar-api migrate`.",
    "rest_schema_unknown": "The database was made by a newer release. Install that release again.",
    "schema_damaged": "The database lacks tables or columns. Run `calendar-api check`; restore a backup.",
    "damaged": "The database is damaged. Run `calendar-api check`, then restore a backup.",
    "missing": "There is no database file. Put it back, or restore a backup.",
    "read_only": "The database cannot be written. Check the file system, permissions and server settings.",
    "disk_full": "The disk is full. Make room.",
    "disk_low": "The disk is nearly full. Make room.",
    "not_in_cluster": "The database server is not in the majority of its cluster. Start the other nodes.",
}
OTHERWISE = "See the log of the service and run `calendar-api check`."

log = logging.getLogger("calendar_api")


class Health:
    """Answer `GET /health` before host name, credentials and database are checked; write nothing.

    200 with the status `ok` or `degraded` while requests can be served, 503 with `down` otherwise.
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
        status, reason = state()
        answer = {"status": status, "reason": reason}
        if reason:
            answer["message"] = WHAT_TO_DO.get(reason, OTHERWISE)
        if status == "down":
            resp.status = falcon.HTTP_503
            resp.set_header("Retry-After", "5")
        resp.set_header("Cache-Control", "no-store")
        resp.content_type = "application/json; charset=UTF-8"
        resp.data = json.dumps(answer).encode()
        resp.complete = True


class RequireMigrated:
    """Answer 503 with the command to run while the database is missing or not migrated.

    A database that replaces the one that was checked, as after a restore, is checked again.
    """

    def __init__(self) -> None:
        self.checked: object = None

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        identity = database.identity()
        if self.checked is not None and identity in (self.checked, None):
            return
        error = migrate.unavailable_reason()
        if error is not None:
            raise error
        self.checked = identity


def state() -> tuple[str, str]:
    """Return "ok", "degraded" or "down", and a code for the reason; the log has the details."""
    try:
        found = migrate.unavailable_reason()
        if found is not None:
            cause = found.__cause__
            if isinstance(cause, migrate.Misconfigured):
                log.error("health: %s", cause)
                return "down", cause.word
            return "down", found.code
        findings = database.run_read(lambda: database.diagnose("health"))
    except ApiError as error:
        log.error("health: %s", error.__cause__ or error.message)
        return "down", error.code
    if not findings:
        return "ok", ""
    return ("down" if findings[0].critical else "degraded"), findings[0].reason
