"""Events that wait for approval: published, returned to their authors, or moved to the trash."""

from typing import Any, ClassVar

import falcon

from calendar_api import database
from calendar_api.config import Config
from calendar_api.domain import form_params
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import InvalidParameters, PreconditionFailed
from calendar_api.domain.etags import etag
from calendar_api.domain.translation import message
from calendar_api.representations import events as representation
from calendar_api.representations.documents import with_links
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

    def change(self, event: Any, fields: Json, caller: Caller) -> None:
        super().change(event, fields, caller)
        submissions.add_review(int(event.id), caller.id, self.text, caller.now)


class Waiting(EditPage):
    """`/edit/waiting/`: a form for each event, with the ETag of what its reader has seen."""

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
        loaded, context = self.load(req, ids), req.context.site
        events = representation.records(loaded, (), context)
        authors = {event.author_id for event in loaded}
        visitors, logins = database.run_read(lambda: (submissions.submitters(ids), users.logins(authors)))
        id = form_params.number(form_params.last(req.query_string, "id"))
        action = req.context.site.links.home + "/edit/waiting/"
        undo = {"action": action, "fields": {"id": id, "action": "undo"}} if id else None
        data: Json = {
            "events": events, "visitors": visitors, "logins": logins, "undo": undo,
            "seen": {event.id: etag(with_links(representation.single(event), context)) for event in loaded},
            "entered": entered or {}, "errors": {"waiting": error} if error else {},
        }  # fmt: skip
        return View("edit/waiting.html", say("Waiting for review"), data, nav="waiting")

    def load(self, req: falcon.Request, ids: list[int]) -> list[representation.Loaded]:
        """The events with these ids, in this order."""
        caller: Caller = req.context.caller

        def work() -> list[representation.Loaded]:
            return documents.load_events(event_query.rows_of(ids, caller), caller, self.site) if ids else []

        return sorted(database.run_read(work), key=lambda event: ids.index(event.id))

    def act(self, req: falcon.Request, resp: falcon.Response, form: Form, **key: Any) -> View | None:
        caller, context, action = req.context.caller, req.context.site, form.text("action")
        if action not in _ACTIONS:
            raise InvalidParameters({"action": message("Choose what to do with the event.")})
        id = form_params.number(form.text("id"))
        if action == "undo":
            EventById(self.config).update_record({"status": "pending"}, caller, context, id=id)
            audit(req, "event_waits", record=id)
            done(req, resp, "/edit/waiting/", "waiting")
            return None
        seen = form.text("seen") or '""'
        try:
            if action == "return":
                resource = ReturnedEvent(self.config, form.text("text")[:_LONGEST])
                resource.update_record({"status": "draft"}, caller, context, seen, id=id)
            elif action == "trash":
                EventById(self.config).remove_record(caller, context, seen, id=id)
            else:
                EventById(self.config).update_record({"status": "publish"}, caller, context, seen, id=id)
        except PreconditionFailed:
            resp.status = falcon.HTTP_409
            return self.view(req, form, _CHANGED)
        audit(req, f"event_{_ACTIONS[action]}", record=id)
        done(req, resp, "/edit/waiting/", _ACTIONS[action], id=id)
        return None
