"""Signing in and out, and sessions."""

from typing import Any, ClassVar

import falcon

from calendar_api import database
from calendar_api.domain import form_params
from calendar_api.domain.translation import message
from calendar_api.resources import pages
from calendar_api.resources.editing import base
from calendar_api.resources.editing.base import EditPage, Form
from calendar_api.resources.pages import View
from calendar_api.resources.resource import Json
from calendar_api.store import sessions


class SignIn(EditPage):
    """`/edit/sign-in/?next=…`"""

    is_open = True
    messages: ClassVar = {"signed-out": message("You are signed out.")}

    def show(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        next = form_params.last(req.query_string, "next")
        return base.sign_in_view(req, "", {}, Form([("next", next)] if next else []))

    def act(self, req: falcon.Request, resp: falcon.Response, form: Form, **key: Any) -> View | None:
        view = base.signed_in_by(req, resp, form)
        if view is None:
            path, _, query = base.safe_next(form.text("next")).partition("?")
            pages.redirect(req, resp, falcon.HTTP_303, path, query)
        return view


class SignOut(EditPage):
    """`/edit/sign-out/`, by a form alone."""

    methods = ("POST",)

    def show(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        raise falcon.HTTPMethodNotAllowed(["POST"])

    def act(self, req: falcon.Request, resp: falcon.Response, form: Form, **key: Any) -> View | None:
        base.end_sessions(req, resp)
        base.done(req, resp, "/edit/sign-in/", "signed-out")
        return None

    def resume(self, req: falcon.Request, resp: falcon.Response, form: Form, **key: Any) -> View | None:
        """Who signs in once more does not want to sign out at once."""
        base.done(req, resp, "/edit/")
        return None


class InvitationPage(EditPage):
    """`/edit/invitation/?token=…`: to look at the page does not use up the link, as previews do."""

    is_open = True

    def show(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        return self.form(req, form_params.last(req.query_string, "token") or "", {})

    def act(self, req: falcon.Request, resp: falcon.Response, form: Form, **key: Any) -> View | None:
        token = form.get("invitation", "")
        errors = new_password_errors(form)
        if errors:
            return self.form(req, token, errors)
        given = token, form["new-password"], req.context.address, req.context.site.now
        base.begin_session(req, resp, *sessions.accept(*given))
        base.audit(req, "password_chosen")
        base.done(req, resp, "/edit/")
        return None

    def form(self, req: falcon.Request, token: str, errors: Json) -> View:
        user = database.run_read(lambda: sessions.invited(token, req.context.site.now))
        data: Json = {"login": user.login, "invitation": token, "errors": errors}
        return View("edit/invitation.html", req.context.translate("Choose a password"), data)


def new_password_errors(form: Form) -> dict[str, str]:
    """What is wrong with the fields `new-password` and `new-password-again`."""
    if len(form.get("new-password", "")) < sessions.SHORTEST_PASSWORD:
        text = message(
            "The password must have at least {number} characters.", number=sessions.SHORTEST_PASSWORD
        )
        return {"new-password": text}
    if form["new-password"] != form.get("new-password-again", ""):
        return {"new-password-again": message("The two passwords are not the same.")}
    return {}
