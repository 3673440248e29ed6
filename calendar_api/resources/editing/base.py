"""What every page of editing has: session, protection of its forms, rights, messages and audit lines.

See docs/editing.md#security. Other pages and the interface never read the cookie of a session.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from typing import ClassVar
from urllib.parse import urlencode, urlsplit

import falcon

from calendar_api import database
from calendar_api.domain import form_params
from calendar_api.domain.auth import ROLES, STATUSES, Caller
from calendar_api.domain.errors import (
    ApiError,
    DatabaseUnavailable,
    Forbidden,
    NotAuthenticated,
    StorageFull,
    TooManyAttempts,
)
from calendar_api.domain.translation import message
from calendar_api.representations.archive import Page
from calendar_api.representations.links import with_query
from calendar_api.resources import pages, request_body
from calendar_api.resources.pages import View, WebPage
from calendar_api.resources.resource import Json
from calendar_api.store import sessions, submissions, users

#: Fields of a form that are about the request, and are not kept during a sign-in.
_TOKEN, _LOGIN, _PASSWORD = "token", "sign-in-login", "sign-in-password"
_COOKIE = "calendar-session"
_LOOPBACK = re.compile(r"[a-z]+://(?:localhost|127\.[0-9.]+|\[::1\])(?::[0-9]+)?(?:/|$)")
_NO_MATCH = message("Name and password do not match. Try again, or ask for a new link.")


class Form(dict[str, str]):
    """The fields of a submitted form; of equal names the last counts. Lines end with a line feed."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        self.pairs = [(name, value.replace("\r\n", "\n")) for name, value in pairs]
        super().__init__(self.pairs)

    def all(self, name: str) -> list[str]:
        """The values of a name, of several boxes for example."""
        return [value for key, value in self.pairs if key == name]

    def text(self, name: str) -> str:
        """The value without spaces around it; "" if it was not sent."""
        return self.get(name, "").strip()

    def kept(self) -> list[tuple[str, str]]:
        """The fields that a page sends back as hidden ones: all but passwords of people."""
        return [(name, value) for name, value in self.pairs if "-password" not in name]

    def has_passwords(self) -> bool:
        """Whether `kept` leaves out passwords beside that of a sign-in."""
        return any("-password" in name and name != _PASSWORD for name in self)


class EditPage(WebPage):
    """A page for users with one of `roles`; subclasses say what it shows, and what its form does.

    `form` is what was sent; `?done=word` makes the page say what was done. `is_open` pages need no session,
    and their forms no token.
    """

    methods: tuple[str, ...] = ("GET", "POST")
    roles: ClassVar[tuple[str, ...]] = ROLES
    is_open = False
    form = Form([])

    def act(self) -> View | None:
        """Do what the form says: None after `done`, or the page with the problems. Raises ApiError."""
        raise falcon.HTTPMethodNotAllowed(["GET"])

    def resume(self) -> View | None:
        """Go on with a form whose session had ended, after signing in: show it again, or act at once."""
        return self.act()

    # -- requests

    def get(self) -> None:
        pages.set_private(self.resp)
        query = self.req.query_string
        if not self.req.context.page.canonical:
            self.redirect(self.path, query)
            return
        self.identify()
        if self.caller.anonymous and not self.is_open:
            self.done("/edit/sign-in/", next=f"{self.path}?{query}" if query else self.path)
            return
        self.require_role()
        self._send(self.show())

    def post(self) -> None:
        pages.set_private(self.resp)
        self.require_own_origin()
        self.form = Form(request_body.form(self.req, self.config))
        try:
            self.identify()
            view, act = None, self.act
            if not self.is_open and not self.has_token():
                view, act = self.sign_in(), self.resume
            if view is None:
                self.require_role()
                view = act()
        except (DatabaseUnavailable, StorageFull) as error:
            view = self._try_again(error)
        self._send(view)

    def require_role(self) -> None:
        """Raises Forbidden."""
        if not self.is_open and self.caller.role not in self.roles:
            raise Forbidden(message("Your role does not allow you to use this page."), anonymous=False)

    def _try_again(self, error: ApiError) -> View:
        """The reason why nothing could be stored just now, and a button that sends the same form again."""
        self.answer_with(error)
        data = {
            "message": error.message, "kept": self.form.kept(), "has_passwords": self.form.has_passwords(),
            "request_id": self.req.context.id,
        }  # fmt: skip
        return View("edit/try_again.html", self.say("This did not work"), data)

    def _send(self, view: View | None) -> None:
        if view is None:
            return
        caller, is_get = self.caller, self.req.method == "GET"
        view.path, view.indexed = view.path or self.path, False
        view.query = self.req.query_string if is_get else ""
        data: Json = {
            "user": None if caller.anonymous else caller,
            "form_token": self.form_token(),
            "waiting": (database.try_read(submissions.waiting_count) or 0) if caller.edits_others else 0,
            "done": self.parameter("done") if is_get else "",
            "errors": {},
            "form": {},
        } | view.data
        view.data = data
        if data["errors"] and self.resp.status == falcon.HTTP_200:
            self.resp.status = falcon.HTTP_400
        pages.send(self.req, self.resp, view, self.config)

    # -- sessions

    def identify(self) -> None:
        """Set the caller to the user of the session; credentials in headers do not count on these pages."""
        context, now = self.req.context, self.site.now
        context.session, context.caller = "", Caller(now, address=context.address)
        token = self.req.cookies.get(self.cookie_name(), "")
        found = sessions.find(token, context.address, now) if token else None
        if found is not None:
            context.session, context.caller = token, found

    def sign_in(self) -> View | None:
        """Sign in with the fields of the form; the page with the sign-in form if they are missing or wrong.

        The page keeps all other fields, so that nothing is lost that was typed before the session ended.
        """
        context, errors, login = self.req.context, {}, self.form.text(_LOGIN)
        if _PASSWORD in self.form:
            try:
                given = login, self.form[_PASSWORD], context.address, self.site.now
                self.begin_session(*sessions.sign_in(*given))
                return None
            except TooManyAttempts as error:
                self.answer_with(error)
                errors = {_LOGIN: error.message}
            except NotAuthenticated as error:
                self.resp.status, context.error = falcon.HTTP_403, error.code
                errors = {_LOGIN: _NO_MATCH}
            context.claimed = database.run_autocommit(lambda: users.known(login))
        elif self.form.pairs and self.path != "/edit/sign-in/":
            self.resp.status = falcon.HTTP_403
        return self.sign_in_view(errors)

    def sign_in_view(self, errors: Mapping[str, str]) -> View:
        """The form for name and password; it sends the other fields of the form again."""
        kept = [(name, value) for name, value in self.form.kept() if name not in (_TOKEN, _LOGIN)]
        data: Json = {
            "login": self.form.text(_LOGIN),
            "errors": errors,
            "kept": kept,
            "is_kept": any(name != "next" for name, _ in kept),
            "has_passwords": self.form.has_passwords(),
            "is_unsafe": not (self.is_https or _LOOPBACK.match(self.site.links.site)),
        }
        return View("edit/sign_in.html", self.say("Sign in"), data, indexed=False, cacheable=False)

    def begin_session(self, caller: Caller, token: str) -> None:
        """Make the rest of the request one of this session instead of another, and set its cookie."""
        self.req.context.caller, self.req.context.session = caller, token
        self.audit("signed_in")
        self.set_cookie(token, sessions.HOURS * 3600)

    @property
    def is_https(self) -> bool:
        return self.site.links.site.startswith("https:")

    def cookie_name(self) -> str:
        """Browsers refuse the prefix without https, and with it any path but `/`.

        A cookie is for all ports of a host. So the name tells calendars apart that share a host.
        """
        site = urlsplit(self.site.links.site)
        place = f"{site.port or ''}{site.path}"
        suffix = f"-{hashlib.sha256(place.encode()).hexdigest()[:8]}" if place else ""
        return f"{'__Host-' if self.is_https else ''}{_COOKIE}{suffix}"

    def set_cookie(self, value: str, seconds: int) -> None:
        """Negative `seconds` delete it; Falcon leaves out a Max-Age of 0."""
        self.resp.set_cookie(
            self.cookie_name(), value, max_age=seconds, path="/", secure=self.is_https, http_only=True,
            same_site="Lax",
        )  # fmt: skip

    # -- what tells our forms from those of other sites

    def form_token(self) -> str:
        """The token of the forms of this session; "" without one."""
        token = self.req.context.session
        return hmac.digest(token.encode(), b"form", hashlib.sha256).hex() if token else ""

    def has_token(self) -> bool:
        """Whether the form has sent the token of this session."""
        expected, sent = self.form_token(), self.form.get(_TOKEN, "")
        return bool(expected) and hmac.compare_digest(expected.encode(), sent.encode())

    def require_own_origin(self) -> None:
        """Raise Forbidden for a form that another site has sent."""
        site = self.req.get_header("Sec-Fetch-Site")
        own = "/".join(self.site.links.site.split("/")[:3])
        if not (site in ("same-origin", "none") if site else self.req.get_header("Origin") == own):
            text = message("This form was not sent from {site}. Open the page there and try again.", site=own)
            raise Forbidden(text, anonymous=False)

    # -- what subclasses use

    def done(self, path: str, word: str = "", **query: object) -> None:
        """Lead to a page below the home page; `word` says what was done."""
        given = {"done": word, **query} if word else query
        self.redirect(path, urlencode(given), falcon.HTTP_303)

    def answer_with(self, error: ApiError) -> None:
        """Set status and headers of an error that the page shows."""
        self.resp.status, self.req.context.error = error.status, error.code
        self.resp.set_headers(error.headers)

    def audit(self, change: str, **details: str | int | None) -> None:
        """Note a change for the log, such as `"event_changed", record=12`: one line after the response."""
        context = self.req.context
        context.changes = [*(context.get("changes") or ()), {"audit": change, **details}]

    def undo_trash(self, path: str) -> Json | None:
        """The form that restores the record in `?id=`, at this path, with the status in `?was=`."""
        id, was = self.parameter("id"), self.parameter("was")
        if not form_params.number(id) or was not in STATUSES:
            return None
        return {"action": f"{self.home}{path}{id}/", "fields": {"action": "restore", "status": was}}


def link_pages(view: View, page: Page[object], address: str, query: Mapping[str, object]) -> None:
    """Link the pages before and after a page of a list at this address."""
    before, after = (with_query(address, {**query, "page": page.number + step}) for step in (-1, 1))
    view.previous = before if page.number > 1 else ""
    view.next = after if page.number < page.pages else ""
