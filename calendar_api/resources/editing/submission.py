"""Events from visitors: the form, and the page of the secret link (docs/editing.md#submissions)."""

import re
from importlib import import_module
from typing import Any, ClassVar

import falcon

from calendar_api import database
from calendar_api.config import Config
from calendar_api.domain import form_params, text
from calendar_api.domain.auth import Caller, effective_status
from calendar_api.domain.errors import ApiError, Forbidden, InvalidParameters, NotFound, TooManyAttempts
from calendar_api.domain.translation import message, translated
from calendar_api.representations import event_form
from calendar_api.representations.event_form import FIELDS, LISTS
from calendar_api.representations.form_fields import Filled, Inputs
from calendar_api.resources.archive import Archive
from calendar_api.resources.base import Single
from calendar_api.resources.editing.base import Form, audit, done
from calendar_api.resources.editing.events import EventForm
from calendar_api.resources.editing.forms import Problems, StoredRecord
from calendar_api.resources.events import EventById, Events
from calendar_api.resources.pages import View
from calendar_api.resources.resource import Json
from calendar_api.store import sessions, submissions

#: The fields of an event that visitors fill in.
_SHOWN = (
    "title", "start_date", "end_date", "all_day", "venue", "organizer", "description", "categories", "cost",
    "website",
)  # fmt: skip
_INPUTS = frozenset({name for field in _SHOWN for name in FIELDS[field]} - {"organizer_email"})
_CONTACT = {
    "contributor_name": message("Enter your name."),
    "contributor_email": message("Enter your e-mail address, such as name@example.org."),
}
_LONGEST = 255
_SECRET = re.compile("[0-9a-f]{64}")
#: A field that only programs fill in.
_HONEYPOT = "subject"
#: What a form may send.
_SENT = {*_INPUTS, *_CONTACT, "was", "key"}
_FAST = message("Take a moment to check the form, then send it again.")
_OLD = message("This form was open for a long time. Check it, and send it again.")
_TOO_MANY = message("Too many events were submitted lately. Try again in an hour.")
#: Statuses in which a visitor may change the event; a draft was returned by an editor.
_OPEN = ("pending", "draft")
_DECISIONS = {
    "publish": message("The event was published."),
    "future": message("The event was accepted and will be published later."),
    "private": message("The event was accepted."),
    "trash": message("The event was declined."),
}


class SubmittedEvents(Events):
    """Stores what belongs to a submission in the transaction that creates its event."""

    def __init__(self, config: Config, secret: str, inputs: Inputs, wrong: Problems) -> None:
        super().__init__(config)
        self.secret, self.inputs, self.wrong = secret, inputs, wrong

    def create(self, fields: Json, caller: Caller) -> int:
        if self.wrong:
            raise InvalidParameters(self.wrong)
        submissions.limit(caller.address, caller.now)
        id = super().create(fields | submissions.resolved(fields, 0, caller, self.site), caller)
        submissions.add(id, self.secret, *contact(self.inputs), caller.now)
        return id


class SubmittedEvent(EventById):
    """The same for changes."""

    def change(self, event: Any, fields: Json, caller: Caller) -> None:
        submissions.limit(caller.address, caller.now)
        linked = submissions.resolved(fields, int(event.id), caller, self.site)
        super().change(event, fields | linked, caller)


class SubmissionForm(EventForm):
    """What both pages share. They have no session: they neither read nor set a cookie."""

    is_open = True
    sent_before = message(
        "You have sent this form before, with other contents: change the event with its link. Sending it "
        "again submits another event."
    )

    def _begin(self, req: falcon.Request) -> None:
        now, address = req.context.site.now, req.context.address
        req.context.session, req.context.caller = "", Caller(now, address=address)

    def chooser(self, req: falcon.Request) -> Caller:
        """Anonymous: no venue of another submission can be chosen."""
        return Caller(req.context.site.now)

    def ids(
        self, req: falcon.Request, inputs: Inputs, stored: StoredRecord | None
    ) -> dict[str, dict[str, int]]:
        """With a city, the name alone does not say which venue is meant."""
        found = super().ids(req, inputs, stored)
        return found | {"venue": {}} if inputs["venue_city"] else found

    def inputs_of(self, req: falcon.Request, stored: StoredRecord | None) -> Filled:
        return {**dict.fromkeys(_CONTACT, ""), **super().inputs_of(req, stored)}

    def page(self, req: falcon.Request, inputs: Inputs, stored: StoredRecord | None) -> View:
        data = super().page(req, inputs, stored).data
        data |= {"fields": (*_SHOWN, "status"), "user": None, "trap": _HONEYPOT}
        return View("edit/submit.html", req.context.translate("Submit an event"), data)

    def act(self, req: falcon.Request, resp: falcon.Response, form: Form, **key: Any) -> View | None:
        sent = [(name, value) for name, value in form.pairs if name in _SENT]
        return super().act(req, resp, Form([*sent, ("action", "submit")]), **key)

    def read(self, req: falcon.Request, form: Form, id: int | None) -> Filled:
        """The stored inputs with those that visitors may send; only own records stay linked."""
        stored = self.origin(req, form, id)
        inputs = self.inputs_of(req, stored)
        for name in _INPUTS:
            inputs[name] = form.all(name) if name in LISTS else form.get(name, "")
        for noun in ("venue", "organizer"):
            own = {str(one["id"]) for one in event_form.linked(stored.record, noun)} if stored else set()
            inputs[f"{noun}s"] = [id for id in form.all(f"{noun}s") if id in own]
        return inputs | {name: form.text(name)[:_LONGEST] for name in _CONTACT}

    def problems_of(self, req: falcon.Request, resp: falcon.Response, error: ApiError) -> Problems:
        found = super().problems_of(req, resp, error)
        return {"form": _TOO_MANY} if isinstance(error, TooManyAttempts) else found


def contact(inputs: Inputs) -> tuple[str, str]:
    """Name and e-mail address of a visitor, without characters that change the order of others."""
    name, email = (text.plain(str(inputs[field])) for field in _CONTACT)
    return name, email


def wrong_contact(inputs: Inputs) -> dict[str, str]:
    formats = import_module("calendar_api.contract.formats")  # late: it loads jsonschema

    name, email = contact(inputs)
    is_right = {
        "contributor_name": formats.checker.conforms(name, "visible-text"),
        "contributor_email": email and formats.checker.conforms(email, "mail-address"),
    }
    return {field: problem for field, problem in _CONTACT.items() if not is_right[field]}


class SubmitPage(SubmissionForm):
    """`/submit/`; with `?done=<secret>` it shows the secret link, whether there is such an event or not."""

    def show(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        secret = form_params.last(req.query_string, "done") or ""
        if _SECRET.fullmatch(secret):
            data = {"link": f"{req.context.site.links.home}/submit/{secret}/", "user": None}
            return View("edit/submitted.html", req.context.translate("Thank you"), data)
        return self.view(req, self.inputs_of(req, None), None)

    def signing_key(self) -> str:
        return database.run_read(sessions.known_key) or database.run_write(lambda: sessions.state().key)

    def new_key(self, req: falcon.Request) -> str:
        return submissions.stamp(self.signing_key(), req.context.site.now)

    def act(self, req: falcon.Request, resp: falcon.Response, form: Form, **key: Any) -> View | None:
        if form.text(_HONEYPOT):
            audit(req, "submission_trapped")
            done(req, resp, "/submit/", submissions.secret_of(self.signing_key(), form.text("key")))
            return None
        now, address = req.context.site.now, req.context.address
        req.context.caller = database.run_write(lambda: submissions.owner(now, address), revises=False)
        return super().act(req, resp, form, **key)

    def resources(self, req: falcon.Request, form: Form, inputs: Filled) -> tuple[Archive, Single]:
        secret = submissions.secret_of(self.signing_key(), form.text("key"))
        return SubmittedEvents(self.config, secret, inputs, self.wrong(req, form, inputs)), self.single

    def wrong(self, req: falcon.Request, form: Form, inputs: Inputs) -> Problems:
        age = submissions.age(self.signing_key(), form.text("key"), req.context.site.now)
        if age is None or age > submissions.LONGEST:
            return {**wrong_contact(inputs), "form": _OLD}
        return wrong_contact(inputs) | ({"form": _FAST} if age < submissions.SHORTEST else {})

    def new_fields(self, req: falcon.Request, form: Form, inputs: Filled) -> tuple[Json, Problems]:
        given, problems = super().new_fields(req, form, inputs)
        return given, {**self.wrong(req, form, inputs), **problems}

    def save(self, req: falcon.Request, form: Form, inputs: Filled, id: int | None) -> int:
        written = super().save(req, form, inputs, id)
        if wrong := self.wrong(req, form, inputs):  # of a form that was sent before, which creates nothing
            raise InvalidParameters(wrong)
        database.run_write(lambda: submissions.change(written, *contact(inputs)), revises=False)
        return written

    def saved(self, req: falcon.Request, resp: falcon.Response, form: Form, id: int, *, is_new: bool) -> None:
        audit(req, "event_submitted")
        done(req, resp, "/submit/", submissions.secret_of(self.signing_key(), form.text("key")))

    def again(
        self, req: falcon.Request, form: Form, inputs: Inputs, id: int | None, errors: Problems
    ) -> View:
        view = super().again(req, form, inputs, id, errors)
        if _OLD in errors.values():
            view.data["key"] = self.new_key(req)
        return view


class SubmissionPage(SubmissionForm):
    """`/submit/{token}/`: changes an event until an editor has decided, then says how.

    An event that was returned is submitted again when it is saved.
    """

    messages: ClassVar = {"saved": message("Your changes are saved.")}

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.single = SubmittedEvent(config)

    def find(self, req: falcon.Request, secret: str) -> tuple[Any, Any]:
        """The row of the event, and who has submitted it; raises NotFound. Sets the caller."""
        now, address = req.context.site.now, req.context.address

        def work() -> tuple[Any, Any]:
            found = submissions.find(secret, now, address)
            if found is None:
                raise NotFound("event")
            submission, req.context.caller = found
            return self.single.find(req.context.caller, id=submission.event_id), submission

        return database.run_read(work)

    def show(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        row, submission = self.find(req, key["token"])
        if row.status not in _OPEN:
            return self.decision(req, row)
        stored = self.stored(req, int(row.id))
        who = {"contributor_name": submission.name, "contributor_email": submission.email}
        return self.view(req, {**self.inputs_of(req, stored), **who}, stored)

    def decision(self, req: falcon.Request, row: Any) -> View:
        status, say = effective_status(row, req.context.caller.now), req.context.translate
        data: Json = {"decision": translated(_DECISIONS[status], say), "user": None}
        if status == "publish":
            data["url"] = req.context.site.links.page("event", int(row.id), row.slug, row.status)
        return View("edit/submitted.html", say("Your event"), data)

    def act(self, req: falcon.Request, resp: falcon.Response, form: Form, **key: Any) -> View | None:
        row, _ = self.find(req, key["token"])
        if row.status not in _OPEN:
            return self.decision(req, row)
        try:
            return super().act(req, resp, form, id=int(row.id))
        except Forbidden:  # decided meanwhile
            return self.show(req, resp, **key)

    def save(self, req: falcon.Request, form: Form, inputs: Filled, id: int | None) -> int:
        if wrong := wrong_contact(inputs):
            raise InvalidParameters(wrong)
        written = super().save(req, form, inputs, id)
        database.run_write(lambda: submissions.change(written, *contact(inputs)), revises=False)
        return written

    def saved(self, req: falcon.Request, resp: falcon.Response, form: Form, id: int, *, is_new: bool) -> None:
        audit(req, "submission_changed", record=id)
        done(req, resp, req.context.page.path, "saved")
