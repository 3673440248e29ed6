"""Events that wait for approval: published, returned to their authors, or moved to the trash."""

import hashlib
import json
from contextlib import suppress
from typing import Any, ClassVar

import falcon

from calendar_api import database
from calendar_api.config import Config
from calendar_api.domain import form_params
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import AlreadyInTrash, InvalidParameters, NotFound
from calendar_api.domain.translation import message
from calendar_api.representations import events as representation
from calendar_api.resources.editing.base import EditPage, Form, audit, done
from calendar_api.resources.editing.event_lists import TRASHED
from calendar_api.resources.events import EventById
from calendar_api.resources.pages import View
from calendar_api.resources.resource import Json
from calendar_api.store import documents, event_query, submissions, users

PER_PAGE = 50
_LONGEST = 2000
#: What can be done with an event -> the word for it afterwards.
_ACTIONS = {"publish": "published", "return": "returned", "trash": "trashed", "undo": "waiting"}
_CHANGED = message("This event has been changed or decided on meanwhile: look at it again.")


class ReturnedEvent(EventById):
    """Stores a message in the transaction that returns the event."""

    def __init__(self, config: Config, text: str) -> None:
        super().__init__(config)
        self.text = text

    def change(self, event: Any, draft: Any, fields: Json, caller: Caller) -> None:
        super().change(event, draft, fields, caller)
        submissions.add_review(int(event.id), caller.id, self.text, caller.now)


class Waiting(EditPage):
    """`/edit/waiting/`: a form for each event, with the digest of what its reader has seen."""

    roles = ("administrator", "editor")
    messages: ClassVar = {
        "published": message("The event is published."),
        "returned": message("The event is returned to its author."),
        "trashed": TRASHED,
        "waiting": message("The event waits again."),
    }

    def show(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        return self.view(req)

    def view(self, req: falcon.Request, entered: Form | None = None, error: str = "") -> View:
        caller, say = req.context.caller, req.context.translate
        ids = database.run_read(lambda: submissions.waiting(caller, PER_PAGE))
        events = self.events(req, ids)
        authors = {int(event["author"]) for event in events}
        visitors, logins = database.run_read(lambda: (submissions.submitters(ids), users.logins(authors)))
        undo = None
        id = form_params.last(req.query_string, "id") or ""
        if id.isascii() and id.isdigit():
            undo = {
                "action": req.context.site.links.home + "/edit/waiting/",
                "fields": {"id": id, "action": "undo"},
            }
        data: Json = {
            "events": events, "visitors": visitors, "logins": logins, "undo": undo,
            "seen": {event["id"]: digest(event) for event in events},
            "entered": entered or {}, "errors": {"waiting": error} if error else {},
        }  # fmt: skip
        return View("edit/waiting.html", say("Waiting for review"), data, nav="waiting")

    def events(self, req: falcon.Request, ids: list[int]) -> list[Json]:
        """The events with these ids, in this order."""
        caller: Caller = req.context.caller

        def work() -> list[representation.Loaded]:
            return documents.load_events(event_query.rows_of(ids, caller), caller, self.site) if ids else []

        found = representation.records(database.run_read(work), (), req.context.site)
        return sorted(found, key=lambda event: ids.index(event["id"]))

    def act(self, req: falcon.Request, resp: falcon.Response, form: Form, **key: Any) -> View | None:
        caller, context, action = req.context.caller, req.context.site, form.text("action")
        if action not in _ACTIONS:
            raise InvalidParameters({"action": message("Choose what to do with the event.")})
        id = int(form.text("id")) if form.text("id").isdecimal() and len(form.text("id")) < 19 else 0
        event = next(iter(self.events(req, [id])), None)
        if event is None:
            raise NotFound("event")
        if action == "undo":
            EventById(self.config).update_record({"status": "pending"}, caller, context, id=id)
            audit(req, "event_waits", record=id)
            done(req, resp, "/edit/waiting/", "waiting")
            return None
        if event["status"] != "pending" or form.text("seen") != digest(event):
            resp.status = falcon.HTTP_409
            return self.view(req, form, _CHANGED)
        text = form.text("text")[:_LONGEST]
        if action == "return":
            ReturnedEvent(self.config, text).update_record({"status": "draft"}, caller, context, id=id)
        elif action == "trash":
            with suppress(AlreadyInTrash):
                EventById(self.config).remove_record(caller, context, id=id)
        else:
            EventById(self.config).update_record({"status": "publish"}, caller, context, id=id)
        audit(req, f"event_{_ACTIONS[action]}", record=id)
        done(req, resp, "/edit/waiting/", _ACTIONS[action], id=id)
        return None


def digest(event: Json) -> str:
    """What tells whether an event is still the one that an editor has read."""
    return hashlib.sha256(json.dumps(event, sort_keys=True).encode()).hexdigest()[:32]
