"""Events from visitors: the form, and the page of the secret link (docs/editing.md#submissions)."""

import re
from dataclasses import replace
from typing import Any, ClassVar, cast

import falcon

from calendar_api import database
from calendar_api.config import Config
from calendar_api.domain import form_params
from calendar_api.domain.auth import Caller, effective_status
from calendar_api.domain.errors import ApiError, Forbidden, InvalidParameters, NotFound, TooManyAttempts
from calendar_api.domain.translation import message, translated
from calendar_api.representations import event_form
from calendar_api.representations.event_form import FIELDS, LISTS
from calendar_api.resources.editing.base import Form, audit, done
from calendar_api.resources.editing.event_view import Inputs, Problems, StoredEvent
from calendar_api.resources.editing.events import (
    CHANGED_BY_OTHERS,
    EditConflict,
    EventForm,
    checked,
    with_label,
)
from calendar_api.resources.event_list import Events
from calendar_api.resources.events import EventById
from calendar_api.resources.pages import View
from calendar_api.resources.resource import Json
from calendar_api.store import sessions, submissions
from calendar_api.store.events import EventDraft, EventFields

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
_EMAIL = re.compile(r"[^@\s]{1,64}@[^@\s]{1,180}\.[^@\s]{1,10}")
_LONGEST = 255
_TOKEN = re.compile("[0-9a-f]{64}")
#: A field that only programs fill in.
_TRAP = "subject"
_FAST = message("Take a moment to check the form, then send it again.")
_OLD = message("This form was open for a long time. Check it, and send it again.")
_SENT_BEFORE = message(
    "You have sent this form before, with other contents: change the event with its link. Sending it again "
    "submits another event."
)
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

    def __init__(self, config: Config, token: str, inputs: Inputs, problems: Problems) -> None:
        super().__init__(config)
        self.token, self.inputs, self.problems_of_form = token, inputs, problems

    def create(self, draft: EventDraft, caller: Caller) -> int:
        if self.problems_of_form:
            raise InvalidParameters(self.problems_of_form)
        submissions.limit(caller.address, caller.now)
        id = super().create(_resolved(draft, 0, caller, self), caller)
        name, email = (str(self.inputs[field]) for field in _CONTACT)
        submissions.add(id, self.token, name, email, caller.now)
        return id


class SubmittedEvent(EventById):
    """The same for changes."""

    def change(self, event: Any, draft: EventDraft, fields: Json, caller: Caller) -> None:
        submissions.limit(caller.address, caller.now)
        super().change(event, _resolved(draft, int(event.id), caller, self), fields, caller)


def _resolved(draft: EventDraft, id: int, caller: Caller, resource: Any) -> EventDraft:
    linked = submissions.resolved(draft.fields, id, caller, resource.site)
    return replace(draft, fields=cast(EventFields, {**draft.fields, **linked}))


class SubmissionForm(EventForm):
    """What both pages share. They have no session: they neither read nor set a cookie."""

    is_open = True

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.one = SubmittedEvent(config)

    def _begin(self, req: falcon.Request) -> None:
        req.context.session, req.context.caller = (
            "",
            Caller(req.context.site.now, address=req.context.address),
        )

    def labels(self, req: falcon.Request, stored: StoredEvent | None) -> dict[str, dict[int, str]]:
        """What everybody may see: no venue of another submission."""
        own = req.context.caller
        req.context.caller = Caller(own.now)
        try:
            return super().labels(req, stored)
        finally:
            req.context.caller = own

    def ids(self, req: falcon.Request, stored: StoredEvent | None) -> dict[str, dict[str, int]]:
        """With a city, the name alone does not say which venue is meant."""
        found = super().ids(req, stored)
        return found | {"venue": {}} if req.context.get("names_city") else found

    def view(
        self,
        req: falcon.Request,
        inputs: Inputs,
        stored: StoredEvent | None,
        errors: Problems | None = None,
        *,
        copy: str = "",
    ) -> View:
        view = super().view(req, inputs, stored, errors)
        view.data |= {"fields": _SHOWN, "user": None, "trap": _TRAP}
        return View("edit/submit.html", req.context.translate("Submit an event"), view.data)

    def read(
        self, req: falcon.Request, form: Form, stored: StoredEvent | None
    ) -> tuple[Form, Inputs, Problems]:
        """The form without what visitors may not send, its inputs, and problems with them."""
        inputs = self.inputs_of(req, stored) if stored else event_form.blank(self.config.timezone)
        own = {
            noun: {str(one["id"]) for one in event_form.linked(stored.event, noun)} if stored else set()
            for noun in ("venue", "organizer")
        }
        for name in _INPUTS:
            inputs[name] = form.all(name) if name in LISTS else form.get(name, "")
        req.context.names_city = bool(form.text("venue_city"))
        for noun, ids in own.items():
            inputs[f"{noun}s"] = [id for id in form.all(f"{noun}s") if id in ids]
        kept = {*_INPUTS, *_CONTACT, "was", "stamp"}
        form = Form([(name, value) for name, value in form.pairs if name in kept])
        inputs |= {name: form.text(name)[:_LONGEST] for name in _CONTACT}
        problems = {name: text for name, text in _CONTACT.items() if not inputs[name]}
        if not _EMAIL.fullmatch(str(inputs["contributor_email"])):
            problems["contributor_email"] = _CONTACT["contributor_email"]
        return form, {**inputs, "stamp": form.get("stamp", "")}, problems

    def problems_of(self, error: ApiError, req: falcon.Request, resp: falcon.Response) -> Problems:
        """The problems that the form shows, by field; raises what is none of them."""
        req.context.error = error.code
        if isinstance(error, InvalidParameters):
            return {name: with_label(name, problem) for name, problem in error.problems.items()}
        if isinstance(error, NotFound):
            raise error
        resp.status = falcon.HTTP_409 if error.status == 422 else error.status
        resp.set_headers(error.headers)
        if isinstance(error, TooManyAttempts):
            return {"form": _TOO_MANY}
        return {"form": _SENT_BEFORE if error.status == 422 else error.message}


class SubmitPage(SubmissionForm):
    """`/submit/`; with `?done=<token>` it shows the secret link, whether there is such an event or not."""

    def show(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View:
        token = form_params.last(req.query_string, "done") or ""
        if _TOKEN.fullmatch(token):
            data = {"link": f"{req.context.site.links.home}/submit/{token}/", "user": None}
            return View("edit/submitted.html", req.context.translate("Thank you"), data)
        inputs = event_form.blank(self.config.timezone) | dict.fromkeys(_CONTACT, "")
        return self.view(req, {**inputs, "stamp": self.stamp(req)}, None)

    def key(self) -> str:
        return database.run_read(sessions.known_key) or database.run_write(lambda: sessions.state().key)

    def stamp(self, req: falcon.Request) -> str:
        return submissions.stamp(self.key(), req.context.site.now)

    def act(self, req: falcon.Request, resp: falcon.Response, form: Form, **key: Any) -> View | None:
        now, stamp = req.context.site.now, form.get("stamp", "")
        token = submissions.secret_of(self.key(), stamp)
        if form.text(_TRAP):
            audit(req, "submission_trapped")
            done(req, resp, "/submit/", token)
            return None
        caller = database.run_write(lambda: submissions.owner(now, req.context.address), revises=False)
        req.context.caller = caller
        form, inputs, wrong = self.read(req, form, None)
        age = submissions.age(self.key(), stamp, now)
        if age is None or age > submissions.LONGEST:
            wrong, inputs = {**wrong, "form": _OLD}, {**inputs, "stamp": self.stamp(req)}
        elif age < submissions.SHORTEST:
            wrong = {**wrong, "form": _FAST}
        given, problems = self.new_fields(req, form, inputs)
        given["status"] = "pending"
        archive = SubmittedEvents(self.config, token, inputs, wrong)
        try:
            checked(
                {**wrong, **problems},
                lambda: archive.create_record(given, caller, req.context.site, stamp),
            )
            if wrong:  # of a form that was sent before, which creates nothing
                raise InvalidParameters(wrong)
            name, email = (str(inputs[field]) for field in _CONTACT)
            database.run_write(lambda: submissions.change(token, name, email), revises=False)
        except ApiError as error:
            errors = self.problems_of(error, req, resp)
            if _SENT_BEFORE in errors.values():
                inputs["stamp"] = self.stamp(req)
            return self.again(req, form, inputs, None, errors)
        audit(req, "event_submitted")
        done(req, resp, "/submit/", token)
        return None


class SubmissionPage(SubmissionForm):
    """`/submit/{token}/`: changes an event until an editor has decided, then says how.

    An event that was returned is submitted again when it is saved.
    """

    messages: ClassVar = {"saved": message("Your changes are saved.")}

    def find(self, req: falcon.Request, token: str) -> tuple[Any, Any]:
        """The row of the event, and who has submitted it; raises NotFound. Sets the caller."""
        now, address = req.context.site.now, req.context.address

        def work() -> tuple[Any, Any]:
            found = submissions.find(token, now, address)
            if found is None:
                raise NotFound("event")
            submission, req.context.caller = found
            return self.one.find(req.context.caller, id=submission.event_id), submission

        return database.run_read(work)

    def show(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View:
        row, submission = self.find(req, key["token"])
        if row.status not in _OPEN:
            return self.decision(req, row)
        stored = self.stored(req, int(row.id))
        contact = {"contributor_name": submission.name, "contributor_email": submission.email}
        return self.view(req, {**self.inputs_of(req, stored), **contact}, stored)

    def decision(self, req: falcon.Request, row: Any) -> View:
        status, say = effective_status(row, req.context.caller.now), req.context.translate
        data: Json = {"decision": translated(_DECISIONS[status], say), "user": None}
        if status == "publish":
            data["url"] = req.context.site.links.page("event", int(row.id), row.slug, row.status)
        return View("edit/submitted.html", say("Your event"), data)

    def act(self, req: falcon.Request, resp: falcon.Response, form: Form, **key: Any) -> View | None:
        row, _ = self.find(req, key["token"])
        id = int(row.id)
        if row.status not in _OPEN:
            return self.decision(req, row)
        form, inputs, wrong = self.read(req, form, self.stored(req, id))
        if row.status == "draft":
            form = Form([*form.pairs, ("action", "submit")])
        errors: Problems = wrong
        try:
            if not wrong:
                self.save(req, form, inputs, id)
                name, email = (str(inputs[field]) for field in _CONTACT)
                database.run_write(lambda: submissions.change(key["token"], name, email), revises=False)
        except EditConflict as conflict:
            resp.status, inputs = falcon.HTTP_409, conflict.inputs
            errors = dict.fromkeys(conflict.fields, CHANGED_BY_OTHERS)
        except Forbidden:  # decided meanwhile
            return self.show(req, resp, **key)
        except ApiError as error:
            errors = self.problems_of(error, req, resp)
        if errors:
            return self.again(req, form, inputs, id, errors)
        audit(req, "submission_changed", record=id)
        done(req, resp, f"/submit/{key['token']}/", "saved")
        return None
