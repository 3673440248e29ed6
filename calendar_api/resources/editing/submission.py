"""Events from visitors: the form, and the page of the secret link (docs/editing.md#submissions)."""

import re
from importlib import import_module
from typing import Any

from calendar_api import database
from calendar_api.database.models import Event
from calendar_api.database.tables import Submission
from calendar_api.domain import text
from calendar_api.domain.auth import Caller, effective_status
from calendar_api.domain.errors import ApiError, Forbidden, InvalidParameters, NotFound, TooManyAttempts
from calendar_api.domain.translation import message
from calendar_api.representations import event_form
from calendar_api.representations.event_form import FIELDS
from calendar_api.representations.form_fields import Filled, Inputs
from calendar_api.resources.editing.base import Form
from calendar_api.resources.editing.events import EventForm
from calendar_api.resources.editing.forms import Problems, StoredRecord
from calendar_api.resources.events import EventById, Events
from calendar_api.resources.pages import View
from calendar_api.resources.resource import Json
from calendar_api.store import submissions

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


class SubmittedEvents(Events):
    """Counts a new event, and makes venues and organizers that wait with it."""

    def create(self, fields: Json, caller: Caller) -> int:
        submissions.limit(caller.address, caller.now)
        return super().create(fields | submissions.resolved(fields, 0, caller, self.site), caller)


class SubmittedEvent(EventById):
    """The same for changes."""

    def change(self, event: Event, fields: Json, caller: Caller) -> None:
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
    outdated = (_OLD,)

    def identify(self) -> None:
        self.req.context.session = ""
        self.req.context.caller = Caller(self.site.now, address=self.req.context.address)

    def chooser(self) -> Caller:
        """Anonymous: no venue of another submission can be chosen."""
        return Caller(self.site.now)

    def inputs_of(self, stored: StoredRecord | None) -> Filled:
        return {**dict.fromkeys(_CONTACT, ""), **super().inputs_of(stored)}

    def page(self, inputs: Inputs, stored: StoredRecord | None) -> View:
        data = super().page(inputs, stored).data
        data |= {"fields": (*_SHOWN, "status"), "user": None, "trap": _HONEYPOT}
        return View("edit/submit.html", self.say("Submit an event"), data)

    def act(self) -> View | None:
        sent = [(name, value) for name, value in self.form.pairs if name in _SENT]
        self.form = Form([*sent, ("action", "submit")])
        return super().act()

    def read(self) -> Filled:
        """The stored inputs with those that visitors may send; only own records stay linked."""
        stored = self.origin()
        typed = super().read()
        inputs = self.inputs_of(stored) | {name: typed[name] for name in _INPUTS}
        for noun in ("venue", "organizer"):
            own = {str(one["id"]) for one in event_form.linked(stored.record, noun)} if stored else set()
            inputs[f"{noun}s"] = [id for id in self.form.all(f"{noun}s") if id in own]
        return inputs

    def view(self, inputs: Inputs, stored: StoredRecord | None, errors: Problems | None = None) -> View:
        """The form with name and e-mail address as they were sent, also after a conflict."""
        sent = {name: self.form.text(name)[:_LONGEST] for name in _CONTACT if name in self.form}
        return super().view({**inputs, **sent}, stored, errors)

    def contact(self) -> tuple[str, str]:
        """Name and e-mail address of a visitor, without characters that change the order of others."""
        name, email = (text.plain(self.form.text(field)[:_LONGEST]) for field in _CONTACT)
        return name, email

    def payload(self, inputs: Inputs, names: set[str], stored: StoredRecord | None) -> tuple[Json, Problems]:
        given, problems = super().payload(inputs, names, stored)
        return given, {**problems, **self.wrong()}

    def save(self, inputs: Filled) -> int:
        """Raises InvalidParameters, and what saving an event raises."""
        written = super().save(inputs)
        if wrong := self.wrong():  # of a form that was sent before, which stores nothing
            raise InvalidParameters(wrong)
        database.run_write(lambda: submissions.change(written, *self.contact()), revises=False)
        return written

    def wrong(self) -> dict[str, str]:
        """Problems with what is not stored in the event."""
        formats = import_module("calendar_api.contract.formats")  # late: it loads jsonschema
        kinds = zip(_CONTACT, self.contact(), ("visible-text", "mail-address"), strict=True)
        return {
            field: _CONTACT[field]
            for field, value, kind in kinds
            if not (value and formats.checker.conforms(value, kind))
        }

    def problems_of(self, error: ApiError) -> Problems:
        found = super().problems_of(error)
        return {"form": _TOO_MANY} if isinstance(error, TooManyAttempts) else found


class SubmitPage(SubmissionForm):
    """`/submit/`; with `?done=<secret>` it shows the secret link, whether there is such an event or not."""

    def show(self) -> View | None:
        secret = self.parameter("done")
        if _SECRET.fullmatch(secret):
            data = {"link": f"{self.home}/submit/{secret}/", "user": None}
            return View("edit/submitted.html", self.say("Thank you"), data)
        return self.view(self.inputs_of(None), None)

    def new_key(self) -> str:
        return submissions.stamp(self.site.now)

    def secret(self) -> str:
        return submissions.secret_of(self.form.text("key"))

    def act(self) -> View | None:
        if self.form.text(_HONEYPOT):
            self.audit("submission_trapped")
            self.done("/submit/", self.secret())
            return None
        now, address = self.site.now, self.req.context.address
        owner = database.run_write(lambda: submissions.owner(now, address), revises=False)
        self.req.context.caller = owner
        self.archive = SubmittedEvents(self.config)
        return super().act()

    def written(self, id: int) -> None:
        submissions.add(id, self.secret(), *self.contact(), self.site.now)

    def wrong(self) -> dict[str, str]:
        age = submissions.age(self.form.text("key"), self.site.now)
        if age is None or age > submissions.LONGEST:
            return {**super().wrong(), "form": _OLD}
        return super().wrong() | ({"form": _FAST} if age < submissions.SHORTEST else {})

    def saved(self, id: int) -> None:
        self.audit("event_submitted")
        self.done("/submit/", self.secret())


class SubmissionPage(SubmissionForm):
    """`/submit/{token}/`: changes an event until an editor has decided, then says how.

    An event that was returned is submitted again when it is saved.
    """

    def find(self) -> tuple[Any, Any]:
        """The row of the event, and who has submitted it; raises NotFound. Sets the caller, and the id."""
        now, context = self.site.now, self.req.context

        def work() -> tuple[Event, Submission]:
            found = submissions.find(self.params["token"], now, context.address)
            if found is None:
                raise NotFound("event")
            submission, context.caller = found
            return self.single.find(self.caller, id=submission.event_id), submission

        row, submission = database.run_read(work)
        self.params["id"] = int(row.id)
        return row, submission

    def show(self) -> View | None:
        row, submission = self.find()
        if row.status not in _OPEN:
            return self.decision(row)
        stored = self.origin()
        who = {"contributor_name": submission.name, "contributor_email": submission.email}
        return self.view({**self.inputs_of(stored), **who}, stored)

    def decision(self, row: Event) -> View:
        status = effective_status(row, self.caller.now)
        data: Json = {"status": status, "user": None}
        if status == "publish":
            data["url"] = self.site.links.page("event", int(row.id), row.slug, row.status)
        return View("edit/submitted.html", self.say("Your event"), data)

    def act(self) -> View | None:
        row, _ = self.find()
        if row.status not in _OPEN:
            return self.decision(row)
        self.single = SubmittedEvent(self.config)
        try:
            return super().act()
        except Forbidden:  # decided meanwhile
            return self.show()

    def saved(self, id: int) -> None:
        self.audit("submission_changed", record=id)
        self.done(self.path, "changed")
