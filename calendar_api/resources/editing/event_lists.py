"""Lists of events to edit: one's own, and for editors all, and what waits for approval."""

from typing import Any, ClassVar

import falcon

from calendar_api import database
from calendar_api.config import Config
from calendar_api.database.models import Event
from calendar_api.domain import form_params
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import InvalidParameters, PageNotFound, PreconditionFailed
from calendar_api.domain.etags import etag
from calendar_api.domain.translation import message
from calendar_api.representations import events as representation
from calendar_api.representations.documents import with_links
from calendar_api.resources.editing.base import EditPage, link_pages
from calendar_api.resources.events import EventById, find_records
from calendar_api.resources.list_addresses import BEGINNING, ONE_DAY, today
from calendar_api.resources.pages import View
from calendar_api.resources.resource import Json, Query
from calendar_api.store import documents, event_query, submissions, users

PER_PAGE = 50
STATUS_NAMES = {
    "publish": message("Published"), "future": message("Scheduled"), "draft": message("Draft"),
    "pending": message("Waiting for review"), "private": message("Private"), "trash": message("In the trash"),
}  # fmt: skip
_VIEWS = {
    "upcoming": message("Upcoming"), "past": message("Past"), "drafts": message("Drafts"),
    "waiting": message("Waiting for review"), "trash": message("Trash"),
}  # fmt: skip
_STATUSES = {"drafts": "draft", "waiting": "pending", "trash": "trash"}
_NEVER = "0002-01-01"
#: Fields that a list shows: no other records need to be loaded for them.
_SHOWN = frozenset({"title", "status", "start_date"})
_LONGEST = 2000
#: What can be done with an event -> the word for it afterwards.
_ACTIONS = {"publish": "published", "return": "returned", "trash": "trashed", "undo": "waiting"}
_CHANGED = message("This event has been changed or decided on meanwhile: look at it again.")
_TRASHED = message("The event is in the trash.")


class MyEvents(EditPage):
    """`/edit/`: events of the user.

    `?view=` is one of _VIEWS; `?search=` finds words in those not in the trash.
    """

    methods = ("GET",)
    messages: ClassVar = {"trashed": _TRASHED}
    heading = message("My events")
    nav, is_own = "mine", True

    def show(self) -> View | None:
        if not self.caller.may_write:
            self.done("/edit/account/")
            return None
        search, chosen = self.parameter("search").strip()[:200], self.parameter("view")
        if chosen not in _VIEWS:
            chosen = "" if search else "upcoming"
        number = max(form_params.number(self.parameter("page")), 1)
        query = self.query(chosen) | {"page": number, "per_page": PER_PAGE}
        if search:
            query["search"] = search
        page, events = find_records(query, self.caller, self.config.site, self.site, _SHOWN)
        if page.past_the_end:
            raise PageNotFound("event")
        if query.get("newest_first"):
            events.reverse()
        drafts = [event["id"] for event in events if event["status"] == "draft"]
        address = self.home + self.path
        data: Json = {
            "events": events, "view": chosen, "search": search, "total": page.total, "address": address,
            "views": _VIEWS, "statuses": STATUS_NAMES,
            "returned": database.run_autocommit(lambda: submissions.latest_reviews(drafts)),
            "undo": self.undo_trash("/edit/event/"),
        }  # fmt: skip
        view = View("edit/events.html", self.say(self.heading), data, nav=self.nav)
        link_pages(view, page, address, {"view": chosen, "search": search})
        return view

    def query(self, view: str) -> Json:
        """The query of the list in the store."""
        day = today(self.caller, self.config)
        query: Query = {"with_hidden": True}
        if self.is_own:
            query["author"] = self.caller.id
        if view == "upcoming":
            return query | {"ends_after": str(day - ONE_DAY)}
        query["newest_first"] = True
        if view == "past":
            return query | {"start_date": BEGINNING, "end_date": str(day - ONE_DAY)}
        query["ends_after"] = _NEVER
        return query | {"status": [_STATUSES[view]]} if view in _STATUSES else query


class AllEvents(MyEvents):
    """`/edit/events/`, for editors."""

    roles = ("administrator", "editor")
    heading = message("All events")
    nav, is_own = "all", False


class ReturnedEvent(EventById):
    """Stores a message in the transaction that returns the event."""

    def __init__(self, config: Config, text: str) -> None:
        super().__init__(config)
        self.text = text

    def change(self, event: Event, fields: Json, caller: Caller) -> None:
        super().change(event, fields, caller)
        submissions.add_review(int(event.id), caller.id, self.text, caller.now)


class Waiting(EditPage):
    """`/edit/waiting/`: a form for each event, with the ETag of what its reader has seen."""

    roles = ("administrator", "editor")
    messages: ClassVar = {
        "published": message("The event is published."),
        "returned": message("The event is returned to its author."),
        "trashed": _TRASHED,
        "waiting": message("The event waits again."),
    }

    def show(self, error: str = "") -> View:
        caller, site = self.caller, self.config.site

        def work() -> tuple[list[representation.Loaded], Any, dict[int, str]]:
            ids = submissions.waiting(caller, PER_PAGE)
            rows = event_query.rows_of(ids, caller, "json_ld") if ids else []
            loaded = documents.load_events(rows, caller, site, more="json_ld")
            logins = users.logins({event.author_id for event in loaded})
            return sorted(loaded, key=lambda event: ids.index(event.id)), submissions.submitters(ids), logins

        loaded, visitors, logins = database.run_read(work)
        id = form_params.number(self.parameter("id"))
        undo = {"action": f"{self.home}/edit/waiting/", "fields": {"id": id, "action": "undo"}}
        data: Json = {
            "events": representation.records(loaded, (), self.site), "visitors": visitors, "logins": logins,
            "undo": undo if id else None, "entered": self.form, "errors": {"waiting": error} if error else {},
            "seen": {one.id: etag(with_links(representation.single(one), self.site)) for one in loaded},
        }  # fmt: skip
        return View("edit/waiting.html", self.say("Waiting for review"), data, nav="waiting")

    def act(self) -> View | None:
        action, id = self.form.text("action"), form_params.number(self.form.text("id"))
        if action not in _ACTIONS:
            raise InvalidParameters({"action": message("Choose what to do with the event.")})
        try:
            self.decide(action, id)
        except PreconditionFailed:
            self.resp.status = falcon.HTTP_409
            return self.show(_CHANGED)
        if action == "undo":
            self.audit("event_waits", record=id)
            self.done("/edit/waiting/", "waiting")
        else:
            self.audit(f"event_{_ACTIONS[action]}", record=id)
            self.done("/edit/waiting/", _ACTIONS[action], id=id)
        return None

    def decide(self, action: str, id: int) -> None:
        """Raises PreconditionFailed if the event is not as it was on the page."""
        events, caller, context = EventById(self.config), self.caller, self.site
        seen = self.form.text("seen") or '""'
        if action == "undo":
            events.update_record({"status": "pending"}, caller, context, id=id)
        elif action == "trash":
            events.remove_record(caller, context, seen, id=id)
        elif action == "publish":
            events.update_record({"status": "publish"}, caller, context, seen, id=id)
        else:
            returned = ReturnedEvent(self.config, self.form.text("text")[:_LONGEST])
            returned.update_record({"status": "draft"}, caller, context, seen, id=id)
