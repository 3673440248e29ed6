"""Around every request: its id, the addresses it may echo, and who is asking."""

import base64
import binascii
import re
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import falcon

from calendar_api import addresses, database, dates, journal, languages, parameters, throttle, zones
from calendar_api.auth import Caller
from calendar_api.config import Config
from calendar_api.errors import ApiError, NotAuthenticated
from calendar_api.messages import message
from calendar_api.peers import Proxies
from calendar_api.representations.links import Links
from calendar_api.representations.site import Site
from calendar_api.store import users

_HOST = re.compile(r"([a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::([0-9]{1,5}))?", re.IGNORECASE)
_NO_ROUTE = "/none"
_PORTS = range(1, 65_536)
_FOLDER = re.compile(r"(?:/[A-Za-z0-9._~-]{1,100}){1,8}/?")


class RequestId:
    """Names each request, in the answer and in the log."""

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        req.context.id = journal.request_id()
        req.context.translate = str
        resp.set_header("X-Request-Id", req.context.id)


class Addressing:
    """Settles the route, the language, and the base of every URL in the answer.

    See docs/interface.md#namespace.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self.zone = zones.named(config.timezone)
        self.proxies = Proxies(config.trusted_proxies)

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        rest_route = parameters.last(req.query_string, "rest_route")
        address = addresses.settle(req.path, rest_route, self.config.aliases)
        language = (address.language if address else "") or self.config.language
        req.context.translate = languages.translator(language)
        site = self.config.base_url or self._from_request(req)
        found = address or addresses.Address("", addresses.NAMESPACE, "")
        req.context.namespace = found.namespace
        home = f"{site}/{found.language}" if found.language else site
        now = dates.text(datetime.now(UTC))
        links = Links(site, home, f"{site}/{found.path}")
        req.context.site = Site(
            links, self.zone, self.config.currency_symbol, now, req.context.translate("Free")
        )
        # The router knows the canonical form only.
        if address is None:
            req.path = _NO_ROUTE
        else:
            req.path = "/" if address.above else f"/{addresses.NAMESPACE}{address.route}"

    def _from_request(self, req: falcon.Request) -> str:
        """Scheme, host and sub-path of a host that is believed; raises ApiError for another."""
        scheme, host = req.env["wsgi.url_scheme"], req.get_header("Host") or ""
        folder = req.env.get("SCRIPT_NAME", "")
        if self.proxies.trusts(req.env.get("REMOTE_ADDR", "?")):
            scheme = {"http": "http", "https": "https"}.get(req.get_header("X-Forwarded-Proto") or "", scheme)
            host = req.get_header("X-Forwarded-Host") or host
            folder = _folder(req.get_header("X-Forwarded-Prefix") or "") + folder
        match = _HOST.fullmatch(host)
        if not match or match[1].lower() not in self.config.allowed_hosts or int(match[2] or 1) not in _PORTS:
            raise ApiError(
                message(
                    "This server does not know itself under this host name. Its operator can set "
                    "CALENDAR_BASE_URL, or add the name to CALENDAR_ALLOWED_HOSTS."
                ),
                code="rest_unknown_host",
                status=400,
            )
        # A server hands over the bytes of a path as Latin-1 text.
        return f"{scheme}://{host.lower()}{quote(folder.rstrip('/').encode('latin-1'))}"


class Authentication:
    """Puts the caller into the request; bad credentials fail on public routes too.

    See docs/interface.md#authentication.
    """

    def process_resource(
        self, req: falcon.Request, resp: falcon.Response, resource: Any, params: dict[str, Any]
    ) -> None:
        req.context.resource = resource
        now, address = req.context.site.now, req.context.address
        credentials = _credentials(req.get_header("Authorization") or "")
        if credentials is None:
            req.context.caller = Caller(now, address=address)
        else:
            user = self._user(req, *credentials)
            req.context.caller = Caller(now, int(user.id), user.login, user.role, address)
        resource.allow(resp, write=resource.may_write(req.context.caller))

    def _user(self, req: falcon.Request, login: str | None, secret: str) -> Any:
        """The user whose credentials these are; raises NotAuthenticated and TooManyAttempts."""
        now, address = req.context.site.now, req.context.address
        guesses = throttle.key(throttle.LOGIN, login or "", address)

        def work() -> tuple[Any, str | None]:
            found = users.authenticated(login, secret, guesses, now)
            # For the log, and asked of every failure, so that all of them take the same way.
            return found, users.known(login or "") if found is None else None

        user, req.context.claimed = database.asking(work)
        if user is None:
            throttle.wrong_login(login or "", address, now)
            raise NotAuthenticated
        return user


def _folder(prefix: str) -> str:
    """A forwarded sub-path, nothing unless it is a plain path."""
    return prefix.rstrip("/") if _FOLDER.fullmatch(prefix) else ""


def _credentials(header: str) -> tuple[str | None, str] | None:
    """Login and secret; None for a header that gives none, which counts as anonymous.

    See docs/interface.md#authentication.
    """
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
