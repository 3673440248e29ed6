"""The pages of editing; see `resources.routes`."""

from collections.abc import Callable
from functools import partial

from calendar_api.config import Config
from calendar_api.resources.editing import event_lists, events, moderation, sign_in, submission, users
from calendar_api.resources.editing.merging import MergePage
from calendar_api.resources.editing.records import RecordForm, RecordList

EDITING: dict[str, Callable[[Config], object]] = {
    "/edit": event_lists.MyEvents,
    "/edit/events": event_lists.AllEvents,
    "/edit/event/new": events.EventForm,
    "/edit/event/{id:record_id}": events.EventForm,
    "/edit/waiting": moderation.Waiting,
    "/edit/sign-in": sign_in.SignIn,
    "/edit/sign-out": sign_in.SignOut,
    "/edit/invitation": sign_in.InvitationPage,
    "/edit/account": users.Account,
    "/edit/users": users.UserList,
    "/edit/users/{id:record_id}": users.UserPage,
}
for _plural in ("venues", "organizers", "categories", "tags"):
    EDITING |= {
        f"/edit/{_plural}": partial(RecordList, plural=_plural),
        f"/edit/{_plural}/new": partial(RecordForm, plural=_plural),
        f"/edit/{_plural}/{{id:record_id}}": partial(RecordForm, plural=_plural),
        f"/edit/{_plural}/{{id:record_id}}/merge": partial(MergePage, plural=_plural),
    }
#: With CALENDAR_SUBMISSIONS=on alone.
SUBMISSION: dict[str, Callable[[Config], object]] = {
    "/submit": submission.SubmitPage,
    "/submit/{token}": submission.SubmissionPage,
}
