"""Signing in and out, and links to choose a password."""

from typing import ClassVar

import falcon

from calendar_api import database
from calendar_api.domain.translation import message
from calendar_api.resources.editing import protection
from calendar_api.resources.editing.base import EditPage, Form, safe_next
from calendar_api.resources.pages import View
from calendar_api.resources.resource import Json
from calendar_api.store import sessions


class SignIn(EditPage):
    """`/edit/sign-in/?next=…`"""

    is_open = True
    messages: ClassVar = {"signed-out": message("You are signed out.")}

    def show(self) -> View:
        next = self.parameter("next")
        self.form = Form([("next", next)] if next else [])
        return self.sign_in_view({})

    def act(self) -> View | None:
        view = self.sign_in()
        if view is None:
            path, _, query = safe_next(self.form.text("next")).partition("?")
            self.redirect(path, query, falcon.HTTP_303)
        return view


class SignOut(EditPage):
    """`/edit/sign-out/`, by a form alone; ends the sessions of the user in all browsers."""

    methods = ("POST",)

    def show(self) -> View | None:
        raise falcon.HTTPMethodNotAllowed(["POST"])

    def act(self) -> None:
        self.audit("signed_out")
        sessions.sign_out(self.caller.id)
        protection.set_cookie(self.req, self.resp, "", -1)
        self.done("/edit/sign-in/", "signed-out")

    def resume(self) -> None:
        """Who signs in once more does not want to sign out at once."""
        self.done("/edit/")


class InvitationPage(EditPage):
    """`/edit/invitation/?token=…`: to look at the page does not use up the link, as previews do."""

    is_open = True

    def show(self) -> View:
        return self.view(self.parameter("token"), {})

    def act(self) -> View | None:
        token = self.form.get("invitation", "")
        errors = new_password_errors(self.form)
        if errors:
            return self.view(token, errors)
        given = token, self.form["new-password"], self.req.context.address, self.site.now
        self.begin_session(*sessions.accept(*given))
        self.audit("password_chosen")
        self.done("/edit/")
        return None

    def view(self, token: str, errors: Json) -> View:
        user = database.run_read(lambda: sessions.invited(token, self.site.now))
        data: Json = {"login": user.login, "invitation": token, "errors": errors}
        return View("edit/invitation.html", self.say("Choose a password"), data)


def new_password_errors(form: Form) -> dict[str, str]:
    """What is wrong with the fields `new-password` and `new-password-again`."""
    shortest = sessions.SHORTEST_PASSWORD
    if len(form.get("new-password", "")) < shortest:
        text = message("The password must have at least {number} characters.", number=shortest)
        return {"new-password": text}
    if form["new-password"] != form.get("new-password-again", ""):
        return {"new-password-again": message("The two passwords are not the same.")}
    return {}
