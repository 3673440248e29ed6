"""Lists of events to edit: one's own, and for editors all."""

from typing import ClassVar

from calendar_api import database
from calendar_api.domain import form_params
from calendar_api.domain.errors import PageNotFound
from calendar_api.domain.translation import message
from calendar_api.resources.editing.base import EditPage, link_pages
from calendar_api.resources.events import find_records
from calendar_api.resources.list_addresses import BEGINNING, ONE_DAY, today
from calendar_api.resources.pages import View
from calendar_api.resources.resource import Json
from calendar_api.store import submissions

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
TRASHED = message("The event is in the trash.")


class MyEvents(EditPage):
    """`/edit/`: events of the user.

    `?view=` is one of _VIEWS; `?search=` finds words in those not in the trash.
    """

    methods = ("GET",)
    messages: ClassVar = {"trashed": TRASHED}
    heading = message("My events")
    nav = "mine"

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
        query: Json = {"with_hidden": True, "author": self.caller.id}
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
    nav = "all"

    def query(self, view: str) -> Json:
        query = super().query(view)
        del query["author"]
        return query
