"""Users, and the passwords of each."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, ClassVar

import falcon

from calendar_api import database
from calendar_api.domain import form_params
from calendar_api.domain.auth import ROLES
from calendar_api.domain.errors import NotAuthenticated, TooManyAttempts
from calendar_api.domain.translation import message
from calendar_api.resources.editing.base import EditPage, Form, audit, begin_session, done
from calendar_api.resources.editing.sign_in import new_password_errors
from calendar_api.resources.pages import View
from calendar_api.resources.resource import Json
from calendar_api.store import documents, sessions, users
from calendar_api.store.users import UserError

_REVOKED = message("The application password is revoked.")


class Account(EditPage):
    """`/edit/account/`: one's own passwords; the button `do` names one of the `actions`."""

    messages: ClassVar[Mapping[str, str]] = {
        "revoked": _REVOKED,
        "password": message("The password is changed. You are signed out everywhere else."),
    }
    actions: ClassVar[tuple[str, ...]] = ("change", "add", "revoke")
    #: The fields beside which a problem with an action is shown, if they have another name.
    problem_fields: ClassVar[Mapping[str, str]] = {"add": "name", "remove": "heir"}

    def show(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        return self.view(req, self.find(req, **key))

    def act(self, req: falcon.Request, resp: falcon.Response, form: Form, **key: Any) -> View | None:
        user, action = self.find(req, **key), form.get("do", "")
        if action not in self.actions:
            return self.view(req, user)
        try:
            view: View | None = getattr(self, action)(req, resp, form, user)
        except UserError as error:
            field = self.problem_fields.get(action, action)
            return self.view(req, user, errors={field: error.args[0]}, form=form)
        return view

    def find(self, req: falcon.Request, **key: Any) -> Any:
        return database.run_read(lambda: users.by_id(key.get("id", req.context.caller.id)))

    def change(self, req: falcon.Request, resp: falcon.Response, form: Form, user: Any) -> View | None:
        errors, old = new_password_errors(form), form.get("old-password", "")
        if errors:
            return self.view(req, user, errors=errors)
        try:
            token = sessions.change_password(req.context.caller, old, form["new-password"])
        except (NotAuthenticated, TooManyAttempts) as error:
            req.context.error = error.code
            is_wrong = isinstance(error, NotAuthenticated)
            text = message("This is not your password.") if is_wrong else error.message
            return self.view(req, user, errors={"old-password": text})
        begin_session(req, resp, req.context.caller, token)
        audit(req, "password_changed")
        done(req, resp, req.context.page.path, "password")
        return None

    def add(self, req: falcon.Request, resp: falcon.Response, form: Form, user: Any) -> View | None:
        """The page shows the secret in the answer to the form, and never again."""
        name, now = form.text("name"), req.context.site.now
        secret = database.run_write(lambda: users.add_password(user, name, now), revises=False)
        audit(req, "password_added", login=user.login)
        return self.view(req, user, secret=secret)

    def revoke(self, req: falcon.Request, resp: falcon.Response, form: Form, user: Any) -> View | None:
        id = form_params.number(form.get("number"))
        with suppress(UserError):  # revoked already
            database.run_write(lambda: users.revoke_password(user, id), revises=False)
            audit(req, "password_revoked", login=user.login, number=id)
        done(req, resp, req.context.page.path, "revoked")
        return None

    def view(self, req: falcon.Request, user: Any, errors: Json | None = None, **more: Any) -> View:
        """The page; `more` are variables of its template."""
        data: Json = {
            "record": user,
            "is_own": user.id == req.context.caller.id,
            "passwords": database.run_read(lambda: users.passwords_of(user)),
            "errors": errors or {},
            **more,
        }
        return View("edit/user.html", req.context.translate("My account"), data, nav="account")


class UserPage(Account):
    """`/edit/users/{id}/`, for administrators."""

    roles = ("administrator",)
    messages: ClassVar[Mapping[str, str]] = {
        "revoked": _REVOKED,
        "role": message("The role is changed. Sessions of this user have ended."),
    }
    actions = ("add", "revoke", "role", "invite", "remove")

    def role(self, req: falcon.Request, resp: falcon.Response, form: Form, user: Any) -> View | None:
        role = form.get("role", "")
        database.run_write(lambda: users.set_role(user.login, role))
        audit(req, "role_changed", login=user.login, role=role)
        done(req, resp, req.context.page.path, "role")
        return None

    def invite(self, req: falcon.Request, resp: falcon.Response, form: Form, user: Any) -> View | None:
        token = database.run_write(lambda: sessions.invite(user, req.context.site.now), revises=False)
        audit(req, "user_invited", login=user.login)
        return self.view(req, user, link=sessions.link(req.context.site.links.home, token))

    def remove(self, req: falcon.Request, resp: falcon.Response, form: Form, user: Any) -> View | None:
        heir = form.get("heir") or None

        def work() -> None:
            if heir is None and users.has_records(user):
                raise UserError(message("Choose the new owner of this user’s records."))
            users.remove(user.login, heir)

        database.run_write(work)
        documents.rewrite(self.site)
        audit(req, "user_removed", login=user.login, heir=heir)
        done(req, resp, "/edit/users/", "removed")
        return None

    def view(self, req: falcon.Request, user: Any, errors: Json | None = None, **more: Any) -> View:
        others = [one.login for one in database.run_read(users.every) if one.id != user.id]
        none = ("", req.context.translate("None: this user has no records"))
        heirs = [none, *zip(others, others, strict=True)]
        view = super().view(req, user, errors, roles=role_names(req), heirs=heirs, **more)
        view.title, view.nav = user.login, "users"
        return view


class UserList(EditPage):
    """`/edit/users/`, for administrators: all users, and a form for a new one."""

    roles = ("administrator",)
    messages: ClassVar[Mapping[str, str]] = {"removed": message("The user is removed.")}

    def show(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        return self.view(req)

    def act(self, req: falcon.Request, resp: falcon.Response, form: Form, **key: Any) -> View | None:
        login, role, now = form.text("login"), form.get("role", ""), req.context.site.now
        try:
            token = database.run_write(lambda: sessions.invite(users.add(login, role, now), now))
        except UserError as error:
            return self.view(req, errors={"login": error.args[0]}, form=form)
        audit(req, "user_added", login=login, role=role)
        return self.view(req, login=login, link=sessions.link(req.context.site.links.home, token))

    def view(self, req: falcon.Request, **more: Any) -> View:
        roles = role_names(req)
        data: Json = {
            "users": database.run_read(users.every),
            "roles": roles,
            "roles_of": {role: name.partition(":")[0].strip() for role, name in roles},
            **more,
        }
        return View("edit/users.html", req.context.translate("Users"), data, nav="users")


def role_names(req: falcon.Request) -> list[tuple[str, str]]:
    """The roles with what they may do, for a choice."""
    say = req.context.translate
    names = (
        say("Administrator: everything, and users"),
        say("Editor: all events, and approval"),
        say("Author: own events, published at once"),
        say("Contributor: own events, published after approval"),
        say("Subscriber: reads only"),
    )
    return list(zip(ROLES, names, strict=True))
