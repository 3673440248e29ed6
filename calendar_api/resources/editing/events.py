"""The form for an event: new, changed, previewed, copied, moved to the trash and back."""

import json
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar

import falcon

from calendar_api.domain import form_params
from calendar_api.domain.auth import STATUSES
from calendar_api.domain.errors import (
    AlreadyInTrash,
    ApiError,
    DatabaseUnavailable,
    InvalidParameters,
    NotFound,
    PreconditionFailed,
)
from calendar_api.domain.translation import Message, message
from calendar_api.representations import event_copy, event_form
from calendar_api.representations.event_form import FIELDS, LISTS
from calendar_api.resources.editing.base import Form, audit, done
from calendar_api.resources.editing.event_view import EventFormPage, Inputs, Problems
from calendar_api.resources.editing.preview import Previewed, PreviewedChange, PreviewedEvent
from calendar_api.resources.pages import View
from calendar_api.resources.resource import Json
from calendar_api.resources.stored_resource import WriteAnswer
from calendar_api.store.events import ENDS_BEFORE_START

#: Names of fields in messages.
LABELS = {
    "title": message("Title"), "start_date": message("Start"), "end_date": message("End"),
    "all_day": message("All day"), "timezone": message("Time zone"), "venue": message("Venue"),
    "organizer": message("Organizer"), "categories": message("Categories"), "tags": message("Tags"),
    "cost": message("Cost"), "website": message("Website"), "image": message("Image address"),
    "description": message("Description"), "featured": message("Featured"),
    "event_status": message("Takes place"), "event_status_reason": message("Reason"),
    "password": message("Password"), "status": message("Status"),
}  # fmt: skip
#: The status that a button sets.
_TARGETS = {"draft": "draft", "submit": "pending", "publish": "publish"}
CHANGED_BY_OTHERS = message("Another user has changed this meanwhile: both versions are shown.")
_SAVED_BEFORE = message(
    "This form was saved before with other contents. You find that event in your list; saving again creates "
    "another one."
)
_ENDS_EARLY = message("The end is before the start. If it is on another day, enter that as the last day.")
_WEEK = 7
_TRIES = 3


class EditConflict(Exception):
    """Fields that two people have changed; `inputs` are those of the form with what only others changed."""

    def __init__(self, fields: set[str], inputs: Inputs) -> None:
        self.fields, self.inputs = fields, inputs


class EventForm(EventFormPage):
    """`/edit/event/new/` and `/edit/event/<id>/`; `?copy=<id>` begins with a copy, a week later."""

    messages: ClassVar = {
        "draft": message("The draft is saved."),
        "submit": message("The event waits for review: an editor looks at it before it is published."),
        "publish": message("The event is published."),
        "save": message("Your changes are saved."),
        "restored": message("The event is back."),
    }

    def show(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        if "id" in key:
            stored = self.stored(req, key["id"])
            return self.view(req, self.inputs_of(req, stored), stored)
        copy = form_params.last(req.query_string, "copy") or ""
        if not copy:
            return self.view(req, event_form.blank(self.config.timezone), None)
        source = self.source(req, copy)
        inputs = event_copy.shifted(self.inputs_of(req, source), _WEEK)
        new = {"status": "draft", "event_status": "scheduled", "event_status_reason": ""}
        return self.view(req, {**inputs, **new}, source, copy=copy)

    def act(self, req: falcon.Request, resp: falcon.Response, form: Form, **key: Any) -> View | None:
        id, action = key.get("id"), form.text("action")
        if id is not None and action in ("trash", "restore"):
            self.move(req, resp, form, id)
            return None
        inputs = _inputs(form)
        errors: Problems = {}
        if action == "edit":  # back from the preview
            return self.again(req, form, inputs, id)
        try:
            written = self.save(req, form, inputs, id)
        except Previewed as preview:
            preview.view.data["kept"] = form.pairs
            return preview.view
        except EditConflict as conflict:
            resp.status, inputs = falcon.HTTP_409, conflict.inputs
            errors = dict.fromkeys(conflict.fields, CHANGED_BY_OTHERS)
        except InvalidParameters as error:
            errors = {name: with_label(name, problem) for name, problem in error.problems.items()}
        except (NotFound, DatabaseUnavailable):
            raise
        except ApiError as error:
            reused = error.code == "rest_idempotency_key_reused"
            resp.status, errors = error.status, {"form": _SAVED_BEFORE if reused else error.message}
        else:
            audit(req, "event_created" if id is None else "event_changed", record=written)
            done(req, resp, f"/edit/event/{written}/", action if action in _TARGETS else "save")
            return None
        return self.again(req, form, inputs, id, errors)

    def resume(self, req: falcon.Request, resp: falcon.Response, form: Form, **key: Any) -> View | None:
        if "title" not in form:
            return self.act(req, resp, form, **key)
        return self.again(req, form, _inputs(form), key.get("id"))

    def save(self, req: falcon.Request, form: Form, inputs: Inputs, id: int | None) -> int:
        """Write what has changed and return the id of the event.

        Raises Previewed, EditConflict, and what the interface raises.
        """
        caller, context = req.context.caller, req.context.site
        preview, status = form.text("action") == "preview", _TARGETS.get(form.text("action"))
        if id is None:
            given, problems = self.new_fields(req, form, inputs)
            given["status"] = status or "draft"
            archive = PreviewedEvent(self.config, req) if preview else self.all
            key = None if preview else form.text("key") or None
            answer = checked(problems, lambda: archive.create_record(given, caller, context, key))
            return int(json.loads(answer.body)["id"])
        single = PreviewedChange(self.config, req) if preview else self.one
        for _ in range(_TRIES):
            stored = self.stored(req, id)
            theirs = self.inputs_of(req, stored)
            mine = {**inputs, "status": status or inputs["status"]}
            merged, both = event_form.merged(mine, theirs, form.text("was"))
            if status and theirs["status"] not in (inputs["status"], status):
                both.add("status")
            if both:
                raise EditConflict(both, {**merged, "status": theirs["status"]})
            names = event_form.changed(merged, event_form.digests(theirs))
            given, problems = event_form.payload(merged, names, self.ids(req, stored), stored.event)
            if not given and not preview:
                return id
            with suppress(PreconditionFailed):  # changed since it was read
                checked(problems, partial(single.update_record, given, caller, context, stored.etag, id=id))
                return id
        raise PreconditionFailed

    def new_fields(self, req: falcon.Request, form: Form, inputs: Inputs) -> tuple[Json, Problems]:
        """The fields of a new event, which may be a copy, and problems of the form."""
        source = self.source(req, form.text("copy")) if form.text("copy") else None
        names = event_form.changed(inputs, form.text("was")) | event_form.WHEN | {"title"}
        event = source.event if source else None
        given, problems = event_form.payload(inputs, names, self.ids(req, source), event)
        if event is None:
            return given, problems
        free, publishes = req.context.site.free, req.context.caller.may_publish
        return event_copy.copied(event, free, may_publish=publishes) | given, problems

    def move(self, req: falcon.Request, resp: falcon.Response, form: Form, id: int) -> None:
        """Move the event to the trash, or restore it."""
        caller, context = req.context.caller, req.context.site
        was = self.stored(req, id).event["status"]
        if form.text("action") == "trash":
            with suppress(AlreadyInTrash):  # a form that was sent twice
                self.one.remove_record(caller, context, id=id)
                audit(req, "event_trashed", record=id)
            done(req, resp, "/edit/", "trashed", id=id, was=was)
            return
        status = form.text("status")
        wanted = status if status in STATUSES and status != "trash" else "draft"
        self.one.update_record({"status": wanted}, caller, context, id=id)
        audit(req, "event_restored", record=id)
        done(req, resp, f"/edit/event/{id}/", "restored")

    def again(
        self, req: falcon.Request, form: Form, inputs: Inputs, id: int | None, errors: Problems | None = None
    ) -> View:
        """The form with what was entered; after a conflict, with the stored values beside it."""
        copy = form.text("copy")
        stored = self.source(req, copy) if copy else None if id is None else self.stored(req, id)
        view = self.view(req, inputs, stored, errors, copy=copy)
        view.data["changed"] = True
        if CHANGED_BY_OTHERS in (errors or {}).values() and stored is not None:
            view.data["theirs"] = event_form.texts(stored.event, self.inputs_of(req, stored), errors or ())
        elif form.text("was"):
            view.data["was"] = form.text("was")
        if form.text("key") and _SAVED_BEFORE not in (errors or {}).values():
            view.data["key"] = form.text("key")
        return view


def _inputs(form: Form) -> Inputs:
    names = [name for names in FIELDS.values() for name in names]
    return {name: form.all(name) if name in LISTS else form.get(name, "") for name in names}


def checked(problems: Problems, write: Callable[[], WriteAnswer]) -> WriteAnswer:
    """Write; all problems of the form and of the interface are in one InvalidParameters."""
    try:
        return write()
    except InvalidParameters as error:
        raise InvalidParameters({**error.problems, **problems}) from error


def with_label(name: str, problem: str) -> str:
    """A problem with the name of the field as people know it."""
    if isinstance(problem, Message) and problem.template == ENDS_BEFORE_START.template:
        return _ENDS_EARLY
    if not isinstance(problem, Message) or problem.values.get("name") != name or name not in LABELS:
        return problem
    return message(problem.template, **{**problem.values, "name": LABELS[name]})
