"""The cookie of a session, and what tells our forms from those of other sites (docs/editing.md#security)."""

import hashlib
import hmac
import re
from urllib.parse import urlsplit

import falcon

from calendar_api.domain.errors import Forbidden
from calendar_api.domain.translation import message

_COOKIE = "calendar-session"


def form_token(req: falcon.Request) -> str:
    """The token of the forms of this session; "" without one."""
    token = req.context.session
    return hmac.digest(token.encode(), b"form", hashlib.sha256).hex() if token else ""


def has_token(req: falcon.Request, sent: str) -> bool:
    """Whether a form has sent the token of this session."""
    expected = form_token(req)
    return bool(expected) and hmac.compare_digest(expected.encode(), sent.encode())


def require_own_origin(req: falcon.Request) -> None:
    """Raise Forbidden for a form that another site has sent."""
    site = req.get_header("Sec-Fetch-Site")
    own = "/".join(req.context.site.links.site.split("/")[:3])
    if site in ("same-origin", "none") if site else req.get_header("Origin") == own:
        return
    text = message("This form was not sent from {site}. Open the page there and try again.", site=own)
    raise Forbidden(text, anonymous=False)


def is_https(req: falcon.Request) -> bool:
    return bool(req.context.site.links.site.startswith("https:"))


def is_loopback(req: falcon.Request) -> bool:
    host = req.context.site.links.site.split("/")[2]
    return bool(re.fullmatch(r"(?:localhost|127\.[0-9.]+|\[::1\])(?::[0-9]+)?", host))


def cookie_name(req: falcon.Request) -> str:
    """Browsers refuse the prefix without https, and with it any path but `/`.

    A cookie is for all ports of a host. So the name tells calendars apart that share a host.
    """
    site = urlsplit(req.context.site.links.site)
    place = f"{site.port or ''}{site.path}"
    suffix = f"-{hashlib.sha256(place.encode()).hexdigest()[:8]}" if place else ""
    return f"{'__Host-' if is_https(req) else ''}{_COOKIE}{suffix}"


def set_cookie(req: falcon.Request, resp: falcon.Response, value: str, seconds: int) -> None:
    """Negative `seconds` delete it; Falcon leaves out a Max-Age of 0."""
    resp.set_cookie(
        cookie_name(req), value, max_age=seconds, path="/", secure=is_https(req), http_only=True,
        same_site="Lax",
    )  # fmt: skip
