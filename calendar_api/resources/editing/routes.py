"""The pages of editing; see `resources.routes`."""

from collections.abc import Callable

from calendar_api.config import Config
from calendar_api.resources.editing import sign_in, users

EDITING: dict[str, Callable[[Config], object]] = {
    "/edit": sign_in.EditHome,
    "/edit/sign-in": sign_in.SignIn,
    "/edit/sign-out": sign_in.SignOut,
    "/edit/invitation": sign_in.InvitationPage,
    "/edit/account": users.Account,
    "/edit/users": users.UserList,
    "/edit/users/{id:record_id}": users.UserPage,
}
#: With CALENDAR_SUBMISSIONS=on alone.
SUBMISSION: dict[str, Callable[[Config], object]] = {}
