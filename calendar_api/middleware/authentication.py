import base64
import binascii
from typing import Any

import falcon

from calendar_api import database
from calendar_api.database.models import User
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import NotAuthenticated
from calendar_api.store import login_attempts, users


class Authentication:
    """Set `req.context.caller`; wrong credentials fail on public routes too.

    See docs/interface.md#authentication.
    """

    def process_resource(
        self, req: falcon.Request, resp: falcon.Response, resource: Any, params: dict[str, object]
    ) -> None:
        req.context.resource = resource
        now, address = req.context.site.now, req.context.address
        credentials = _credentials(req.get_header("Authorization") or "")
        if credentials is None:
            req.context.caller = Caller(now, address=address)
        else:
            user = self._user(req, *credentials)
            req.context.caller = Caller(now, int(user.id), user.login, user.role, address)
        caller = req.context.caller
        methods = resource.methods if caller.may_write and resource.may_write(caller) else ("GET",)
        resp.set_header("Allow", ", ".join(methods))  # docs/interface.md#head-and-options

    def _user(self, req: falcon.Request, login: str | None, secret: str) -> User:
        """Return the user with these credentials; raises NotAuthenticated and TooManyAttempts."""
        now, address = req.context.site.now, req.context.address

        def work() -> tuple[User | None, str | None]:
            found = login_attempts.authenticated(login, secret, address, now)
            # For the log; queried for every failure, so that all of them take the same time.
            return found, users.known(login or "") if found is None else None

        user, req.context.claimed = database.run_autocommit(work)
        if user is None:
            login_attempts.wrong_login(login or "", address, now)
            raise NotAuthenticated
        return user


def _credentials(header: str) -> tuple[str | None, str] | None:
    """Return login and secret; None for a header without them, which means an anonymous caller."""
    scheme, _, value = header.strip().partition(" ")
    value = value.strip()
    if scheme.lower() == "bearer" and value:
        return None, value
    if scheme.lower() != "basic":
        return None
    try:
        login, colon, secret = base64.b64decode(value, validate=True).decode("utf-8").partition(":")
    except (binascii.Error, ValueError):
        return None
    return (login, secret) if colon and login and secret else None
