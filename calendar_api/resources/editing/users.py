"""Users: signing in and out, links to choose a password, passwords, roles."""

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import ClassVar

import falcon

from calendar_api import database
from calendar_api.database.models import User
from calendar_api.domain import form_params
from calendar_api.domain.errors import NotAuthenticated, TooManyAttempts
from calendar_api.domain.translation import message
from calendar_api.resources.editing.base import EditPage, Form
from calendar_api.resources.pages import View
from calendar_api.resources.resource import Json
from calendar_api.store import document_upkeep, sessions, users
from calendar_api.store.users import UserError

#: Addresses to which signing in may lead, below the home page: pages of editing.
_NEXT = re.compile(r"(/edit/[A-Za-z0-9/_~-]*)(?:\?([A-Za-z0-9/_.~%&=+-]*))?")


class SignIn(EditPage):
    """`/edit/sign-in/?next=…`"""

    is_open = True

    def show(self) -> View:
        next = self.parameter("next")
        self.form = Form([("next", next)] if next else [])
        return self.sign_in_view({})

    def act(self) -> View | None:
        view = self.sign_in()
        if view is None:
            next = _NEXT.fullmatch(self.form.text("next"))
            path, query = next.groups("") if next else ("/edit/", "")
            self.redirect(path, query, falcon.HTTP_303)
        return view


class SignOut(EditPage):
    """`/edit/sign-out/`, by a form alone; ends the sessions of the user in all browsers."""

    methods = ("POST",)

    def show(self) -> View | None:
        """Raises HTTPMethodNotAllowed: there is nothing to see."""
        raise falcon.HTTPMethodNotAllowed(["POST"])

    def act(self) -> None:
        self.audit("signed_out")
        sessions.sign_out(self.caller.id)
        self.set_cookie("", -1)
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
        if errors is not None:
            return self.view(token, errors)
        given = token, self.form["new-password"], self.req.context.address, self.site.now
        self.begin_session(*sessions.accept(*given))
        self.audit("password_chosen")
        self.done("/edit/")
        return None

    def view(self, token: str, errors: Mapping[str, str]) -> View:
        user = database.run_read(lambda: sessions.invited(token, self.site.now))
        data: Json = {"login": user.login, "invitation": token, "errors": errors}
        return View("edit/invitation.html", self.say("Choose a password"), data)


def new_password_errors(form: Form) -> dict[str, str] | None:
    """What is wrong with the fields `new-password` and `new-password-again`; None for nothing.

    It is empty for a form that is sent again by `try_again.html`, which does not keep passwords.
    """
    shortest = sessions.SHORTEST_PASSWORD
    if "new-password" not in form:
        return {}
    if len(form["new-password"]) < shortest:
        text = message("The password must have at least {number} characters.", number=shortest)
        return {"new-password": text}
    if form["new-password"] != form.get("new-password-again", ""):
        return {"new-password-again": message("The two passwords are not the same.")}
    return None


class Account(EditPage):
    """`/edit/account/`: one's own passwords; the button `do` names one of the `actions`.

    These are methods, each with the field beside which a problem with it is shown.
    """

    actions: ClassVar[Mapping[str, str]] = {"change": "old-password", "add": "name", "revoke": "number"}

    def show(self) -> View:
        return self.view(self.find())

    def act(self) -> View | None:
        user, action = self.find(), self.form.get("do", "")
        if action not in self.actions:
            return self.view(user)
        try:
            view: View | None = getattr(self, action)(user)
        except UserError as error:
            view = self.view(user, errors={self.actions[action]: error.args[0]}, form=self.form)
        return view

    def find(self) -> User:
        id = self.params.get("id", self.caller.id)
        return database.run_read(lambda: users.by_id(id or 0))

    def change(self, user: User) -> View | None:
        errors, old = new_password_errors(self.form), self.form.get("old-password", "")
        if errors is not None:
            return self.view(user, errors=errors)
        try:
            token = sessions.change_password(self.caller, old, self.form["new-password"])
        except (NotAuthenticated, TooManyAttempts) as error:
            self.req.context.error = error.code
            is_wrong = isinstance(error, NotAuthenticated)
            text = message("This is not your password.") if is_wrong else error.message
            return self.view(user, errors={"old-password": text})
        self.begin_session(self.caller, token)
        self.audit("password_changed")
        self.done(self.path, "password")
        return None

    def add(self, user: User) -> View:
        """The page shows the secret in the answer to the form, and never again."""
        name, now = self.form.text("name"), self.site.now
        secret = database.run_write(lambda: users.add_password(user, name, now), revises=False)
        self.audit("password_added", login=user.login)
        return self.view(user, secret=secret)

    def revoke(self, user: User) -> None:
        id = form_params.number(self.form.get("number"))
        with suppress(UserError):  # revoked already
            database.run_write(lambda: users.revoke_password(user, id), revises=False)
            self.audit("password_revoked", login=user.login, number=id)
        self.done(self.path, "revoked")

    def view(self, user: User, **more: object) -> View:
        """The page; `more` are variables of its template."""
        passwords = database.run_read(lambda: users.passwords_of(user))
        data: Json = {"record": user, "is_own": user.id == self.caller.id, "passwords": passwords, **more}
        return View("edit/user.html", self.say("My account"), data, nav="account")


class UserPage(Account):
    """`/edit/users/{id}/`, for administrators."""

    roles = ("administrator",)
    actions: ClassVar[Mapping[str, str]] = {
        "add": "name", "revoke": "number", "role": "role", "invite": "role", "remove": "heir",
    }  # fmt: skip

    def role(self, user: User) -> None:
        role = self.form.get("role", "")
        database.run_write(lambda: users.set_role(user.login, role))
        self.audit("role_changed", login=user.login, role=role)
        self.done(self.path, "role")

    def invite(self, user: User) -> View:
        token = database.run_write(lambda: sessions.invite(user, self.site.now), revises=False)
        self.audit("user_invited", login=user.login)
        return self.view(user, link=sessions.link(self.home, token))

    def remove(self, user: User) -> None:
        heir = self.form.get("heir") or None

        def work() -> None:
            if heir is None and users.has_records(user):
                raise UserError(message("Choose the new owner of this user’s records."))
            users.remove(user.login, heir)

        database.run_write(work)
        document_upkeep.rewrite(self.config.site)
        self.audit("user_removed", login=user.login, heir=heir)
        self.done("/edit/users/", "removed")

    def view(self, user: User, **more: object) -> View:
        others = [(one.login, one.login) for one in database.run_read(users.every) if one.id != user.id]
        view = super().view(user, heirs=others, **more)
        view.title, view.nav = user.login, "users"
        return view


class UserList(EditPage):
    """`/edit/users/`, for administrators: all users, and a form for a new one."""

    roles = ("administrator",)

    def show(self, **more: object) -> View:
        data: Json = {"users": database.run_read(users.every), **more}
        return View("edit/users.html", self.say("Users"), data, nav="users")

    def act(self) -> View:
        login, role, now = self.form.text("login"), self.form.get("role", ""), self.site.now
        try:
            token = database.run_write(lambda: sessions.invite(users.add(login, role, now), now))
        except UserError as error:
            return self.show(errors={"login": error.args[0]}, form=self.form)
        self.audit("user_added", login=login, role=role)
        return self.show(login=login, link=sessions.link(self.home, token))
