"""Signing in and out, and the first page."""

from typing import Any, ClassVar

import falcon

from calendar_api.domain import form_params
from calendar_api.domain.translation import message
from calendar_api.resources import pages
from calendar_api.resources.editing.base import (
    EditPage,
    Form,
    done,
    end_session,
    safe_next,
    sign_in_view,
    signed_in_by,
)
from calendar_api.resources.pages import View


class EditHome(EditPage):
    """`/edit/`"""

    methods = ("GET",)

    def show(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        return View("edit/base.html", req.context.translate("My events"), nav="mine")


class SignIn(EditPage):
    """`/edit/sign-in/?next=…`"""

    is_open = True
    messages: ClassVar = {"signed-out": message("You are signed out.")}

    def show(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        next = form_params.last(req.query_string, "next")
        return sign_in_view(req, "", {}, Form([("next", next)] if next else []))

    def act(self, req: falcon.Request, resp: falcon.Response, form: Form, **key: Any) -> View | None:
        view = signed_in_by(req, resp, form)
        if view is None:
            path, _, query = safe_next(form.text("next")).partition("?")
            pages.redirect(req, resp, falcon.HTTP_303, path, query)
        return view


class SignOut(EditPage):
    """`/edit/sign-out/`, by a form alone."""

    methods = ("POST",)

    def show(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        raise falcon.HTTPMethodNotAllowed(["POST"])

    def act(self, req: falcon.Request, resp: falcon.Response, form: Form, **key: Any) -> View | None:
        end_session(req, resp)
        done(req, resp, "/edit/sign-in/", "signed-out")
        return None
