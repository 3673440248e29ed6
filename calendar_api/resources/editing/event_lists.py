"""Lists of events to edit: one's own, and for editors all, and what waits for approval."""

from typing import Any

import falcon

from calendar_api import database
from calendar_api.domain import form_params
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
_STATUSES = {"drafts": "draft", "waiting": "pending", "trash": "trash"}
_NEVER = "0002-01-01"
#: Fields that a list shows: no other records need to be loaded for them.
_SHOWN = frozenset({"title", "status", "start_date"})
_LONGEST = 2000
#: What can be done with an event -> its status, and the word for it afterwards.
_ACTIONS = {
    "publish": ("publish", "published"), "return": ("draft", "returned"), "trash": ("trash", "trashed"),
    "undo": ("pending", "waiting"),
}  # fmt: skip
_CHANGED = message("This event has been changed or decided on meanwhile: look at it again.")


class MyEvents(EditPage):
    """`/edit/`: events of the user.

    `?view=` is "upcoming", "past", or one of _STATUSES; `?search=` finds words in those not in the trash.
    """

    methods = ("GET",)
    heading = message("My events")
    nav, is_own = "mine", True

    def show(self) -> View | None:
        """Raises PageNotFound after the last page."""
        if not self.caller.may_write:
            self.done("/edit/account/")
            return None
        search, chosen = self.parameter("search").strip()[:200], self.parameter("view")
        if chosen not in ("upcoming", "past", *_STATUSES):
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


class Waiting(EditPage):
    """`/edit/waiting/`: a form for each event, with the ETag of what its reader has seen."""

    roles = ("administrator", "editor")

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
        """Raises InvalidParameters without an action, and what the write raises."""
        action, id = self.form.text("action"), form_params.number(self.form.text("id"))
        if action not in _ACTIONS:
            raise InvalidParameters({"action": message("Choose what to do with the event.")})
        try:
            self.decide(action, id)
        except PreconditionFailed:
            self.resp.status = falcon.HTTP_409
            return self.show(_CHANGED)
        word, can_undo = _ACTIONS[action][1], action != "undo"
        self.audit(f"event_{word}" if can_undo else "event_waits", record=id)
        self.done("/edit/waiting/", word, **({"id": id} if can_undo else {}))
        return None

    def decide(self, action: str, id: int) -> None:
        """Raises PreconditionFailed if the event is not as it was on the page."""
        events, caller, context = EventById(self.config), self.caller, self.site
        seen = None if action == "undo" else self.form.text("seen") or '""'
        if action == "trash":
            events.remove_record(caller, context, seen, id=id)
            return

        def written(id: int) -> None:
            if action == "return":
                submissions.add_review(id, caller.id, self.form.text("text")[:_LONGEST], caller.now)

        fields: Json = {"status": _ACTIONS[action][0]}
        events.update_record(fields, caller, context, seen, written=written, id=id)
