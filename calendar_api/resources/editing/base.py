"""What every page of editing has: session, protection of its forms, rights, messages and audit lines.

See docs/editing.md#security. Other pages and the interface never read the cookie of a session.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import urlencode

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
from calendar_api.domain.translation import message, translated
from calendar_api.representations.archive import Page
from calendar_api.representations.links import with_query
from calendar_api.resources import pages, request_body
from calendar_api.resources.editing import protection
from calendar_api.resources.pages import View
from calendar_api.resources.resource import Json, ReadOnly
from calendar_api.store import sessions, submissions, users

#: Fields of a form that are about the request, and are not kept during a sign-in.
_TOKEN, _LOGIN, _PASSWORD = "token", "sign-in-login", "sign-in-password"
_NO_MATCH = message("Name and password do not match. Try again, or ask for a new link.")
#: Addresses to which signing in may lead, below the home page.
_NEXT = re.compile(r"/edit/[A-Za-z0-9/_~-]*(?:\?[A-Za-z0-9/_.~%&=+-]*)?")


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


class EditPage(ReadOnly, ABC):
    """A page for users with one of `roles`; subclasses say what it shows, and what its form does.

    `messages` maps the word of `?done=word` to the sentence that the page then shows. `is_open` pages need no
    session, and their forms no token.
    """

    methods: tuple[str, ...] = ("GET", "POST")
    roles: ClassVar[tuple[str, ...]] = ROLES
    messages: ClassVar[Mapping[str, str]] = {}
    is_open = False

    def on_get(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        path = req.context.page.path
        pages.set_private(resp)
        if not req.context.page.canonical:
            pages.redirect(req, resp, falcon.HTTP_301, path, req.query_string)
            return
        self._begin(req)
        if req.context.caller.anonymous and not self.is_open:
            query = f"?{req.query_string}" if req.query_string else ""
            pages.redirect(req, resp, falcon.HTTP_303, "/edit/sign-in/", urlencode({"next": path + query}))
            return
        self._require_role(req)
        self._send(req, resp, self.show(req, resp, **key))

    def on_post(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        pages.set_private(resp)
        protection.require_own_origin(req)
        form = Form(request_body.form(req, self.config))
        try:
            self._begin(req)
            view = self._act_for_user(req, resp, form, **key)
        except (DatabaseUnavailable, StorageFull) as error:
            view = _try_again_view(req, resp, form, error)
        self._send(req, resp, view)

    def _act_for_user(
        self, req: falcon.Request, resp: falcon.Response, form: Form, **key: Any
    ) -> View | None:
        act = self.act
        if not self.is_open and not protection.has_token(req, form.get(_TOKEN, "")):
            view = signed_in_by(req, resp, form)
            if view is not None:
                return view
            act = self.resume
        self._require_role(req)
        return act(req, resp, form, **key)

    @abstractmethod
    def show(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        """The page; None after a redirection. Raises ApiError."""

    def act(self, req: falcon.Request, resp: falcon.Response, form: Form, **key: Any) -> View | None:
        """Do what the form says: None after `done`, or the page with the problems. Raises ApiError."""
        raise falcon.HTTPMethodNotAllowed(["GET"])

    def resume(self, req: falcon.Request, resp: falcon.Response, form: Form, **key: Any) -> View | None:
        """Go on with a form whose session had ended, after signing in: show it again, or act at once."""
        return self.act(req, resp, form, **key)

    def _begin(self, req: falcon.Request) -> None:
        """Set the caller to the user of the session; credentials in headers do not count on these pages."""
        now, address = req.context.site.now, req.context.address
        req.context.session, req.context.caller = "", Caller(now, address=address)
        token = req.cookies.get(protection.cookie_name(req), "")
        found = sessions.find(token, address, now) if token else None
        if found is not None:
            req.context.session, req.context.caller = token, found

    def _require_role(self, req: falcon.Request) -> None:
        if not self.is_open and req.context.caller.role not in self.roles:
            raise Forbidden(message("Your role does not allow you to use this page."), anonymous=False)

    def _send(self, req: falcon.Request, resp: falcon.Response, view: View | None) -> None:
        if view is None:
            return
        caller: Caller = req.context.caller
        say = req.context.translate
        done = self.messages.get(form_params.last(req.query_string, "done") or "", "")
        view.path, view.indexed = view.path or req.context.page.path, False
        view.query = req.query_string if req.method == "GET" else ""
        data: Json = {
            "user": None if caller.anonymous else caller,
            "form_token": protection.form_token(req),
            "waiting": (database.try_read(submissions.waiting_count) or 0) if caller.edits_others else 0,
            "done": translated(done, say) if req.method == "GET" else "",
            "errors": {},
            "form": {},
        } | view.data
        view.data = data | {"errors": {name: translated(text, say) for name, text in data["errors"].items()}}
        if data["errors"]:
            resp.status = falcon.HTTP_400 if resp.status == falcon.HTTP_200 else resp.status
        pages.send(req, resp, view, self.config)


def signed_in_by(req: falcon.Request, resp: falcon.Response, form: Form) -> View | None:
    """Sign in with the fields of a form; the page with the sign-in form if they are missing or wrong.

    The page keeps all other fields, so that nothing is lost that was typed before the session ended.
    """
    errors: Json = {}
    login, now = form.text(_LOGIN), req.context.site.now
    if _PASSWORD in form:
        try:
            begin_session(req, resp, *sessions.sign_in(login, form[_PASSWORD], req.context.address, now))
            return None
        except (NotAuthenticated, TooManyAttempts) as error:
            is_wrong = isinstance(error, NotAuthenticated)
            resp.status = falcon.HTTP_403 if is_wrong else falcon.HTTP_429
            resp.set_headers({} if is_wrong else error.headers)
            errors = {_LOGIN: _NO_MATCH if is_wrong else error.message}
            req.context.error = error.code
        req.context.claimed = database.run_autocommit(lambda: users.known(login))
    elif form.pairs and req.context.page.path != "/edit/sign-in/":
        resp.status = falcon.HTTP_403
    return sign_in_view(req, login, errors, form)


def sign_in_view(req: falcon.Request, login: str, errors: Json, form: Form) -> View:
    """The form for name and password; it sends the other fields of `form` again."""
    kept = [(name, value) for name, value in _kept(form) if name not in (_TOKEN, _LOGIN)]
    say = req.context.translate
    data: Json = {
        "login": login,
        "errors": errors,
        "kept": kept,
        "is_kept": any(name != "next" for name, _ in kept),
        "is_unsafe": not protection.is_https(req) and not protection.is_loopback(req),
    }
    return View("edit/sign_in.html", say("Sign in"), data, indexed=False, cacheable=False)


def _try_again_view(req: falcon.Request, resp: falcon.Response, form: Form, error: ApiError) -> View:
    """The reason why nothing could be stored just now, and a button that sends the same form again."""
    resp.status = error.status
    resp.set_headers(error.headers)
    req.context.error = error.code
    say = req.context.translate
    data = {"message": translated(error.message, say), "kept": _kept(form), "request_id": req.context.id}
    return View("edit/try_again.html", say("This did not work"), data)


def _kept(form: Form) -> list[tuple[str, str]]:
    """The fields that a page sends back as hidden ones: all but passwords of people."""
    return [(name, value) for name, value in form.pairs if "-password" not in name]


def begin_session(req: falcon.Request, resp: falcon.Response, caller: Caller, token: str) -> None:
    """Make the rest of the request one of this session instead of another, and set its cookie."""
    req.context.caller, req.context.session = caller, token
    audit(req, "signed_in")
    protection.set_cookie(req, resp, token, sessions.HOURS * 3600)


def end_sessions(req: falcon.Request, resp: falcon.Response) -> None:
    """End the sessions of the user in all browsers."""
    audit(req, "signed_out")
    sessions.sign_out(req.context.caller.id)
    protection.set_cookie(req, resp, "", -1)


def done(req: falcon.Request, resp: falcon.Response, path: str, word: str = "", **query: Any) -> None:
    """Redirect to a page below the home page after a form; `word` names one of its `messages`."""
    given = {"done": word, **query} if word else query
    pages.redirect(req, resp, falcon.HTTP_303, path, urlencode(given))


def undo_trash(req: falcon.Request, path: str) -> Json | None:
    """The form that restores the record in `?id=`, at this path, with the status in `?was=`."""
    id, was = (form_params.last(req.query_string, name) for name in ("id", "was"))
    if not form_params.number(id) or was not in STATUSES:
        return None
    action = f"{req.context.site.links.home}{path}{id}/"
    return {"action": action, "fields": {"action": "restore", "status": was}}


def link_pages(view: View, page: Page[Any], address: str, query: Mapping[str, object]) -> None:
    """Link the pages before and after a page of a list at this address."""
    before, after = (with_query(address, {**query, "page": page.number + step}) for step in (-1, 1))
    view.previous = before if page.number > 1 else ""
    view.next = after if page.number < page.pages else ""


def audit(req: falcon.Request, change: str, **details: str | int | None) -> None:
    """Note a change for the log, such as `"event_changed", record=12`: one line after the response."""
    req.context.changes = [*(req.context.get("changes") or ()), {"audit": change, **details}]


def safe_next(path: str) -> str:
    """A page of editing below the home page, to go to after signing in; the first one for anything else."""
    return path if _NEXT.fullmatch(path) else "/edit/"
