"""Lists of events to edit: one's own, and for editors all."""

from datetime import timedelta
from typing import Any, ClassVar

import falcon

from calendar_api import database
from calendar_api.domain import form_params
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import PageNotFound
from calendar_api.domain.translation import message, translated
from calendar_api.resources import pages
from calendar_api.resources.editing.base import EditPage, link_pages, undo_trash
from calendar_api.resources.events import find_records
from calendar_api.resources.list_pages import BEGINNING, today
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
    path, nav = "/edit/", "mine"

    def show(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        if not req.context.caller.may_write:
            pages.redirect(req, resp, falcon.HTTP_303, "/edit/account/")
            return None
        say = req.context.translate
        given = {name: form_params.last(req.query_string, name) or "" for name in ("view", "search", "page")}
        search = given["search"].strip()[:200]
        chosen = given["view"] if given["view"] in _VIEWS else "" if search else "upcoming"
        number = max(form_params.number(given["page"]), 1)
        query = self.query(req, chosen) | {"page": number, "per_page": PER_PAGE}
        if search:
            query["search"] = search
        page, events = find_records(query, req.context.caller, self.site, req.context.site, _SHOWN)
        if page.past_the_end:
            raise PageNotFound("event")
        if query.get("newest_first"):
            events.reverse()
        drafts = [event["id"] for event in events if event["status"] == "draft"]
        home = req.context.site.links.home
        data: Json = {
            "events": events, "view": chosen, "search": search, "total": page.total,
            "address": home + self.path,
            "views": {name: translated(label, say) for name, label in _VIEWS.items()},
            "statuses": {name: translated(label, say) for name, label in STATUS_NAMES.items()},
            "returned": database.run_autocommit(lambda: submissions.latest_reviews(drafts)),
            "undo": undo_trash(req, "/edit/event/"),
        }  # fmt: skip
        view = View("edit/events.html", translated(self.heading, say), data, nav=self.nav)
        link_pages(view, page, home + self.path, {"view": chosen, "search": search})
        return view

    def query(self, req: falcon.Request, view: str) -> Json:
        """The query of the list in the store."""
        caller: Caller = req.context.caller
        day = today(req, self.config)
        query: Json = {"with_hidden": True, "author": caller.id}
        if view == "upcoming":
            return query | {"ends_after": str(day - timedelta(days=1))}
        query["newest_first"] = True
        if view == "past":
            return query | {"start_date": BEGINNING, "end_date": str(day - timedelta(days=1))}
        query["ends_after"] = _NEVER
        return query | {"status": [_STATUSES[view]]} if view in _STATUSES else query


class AllEvents(MyEvents):
    """`/edit/events/`, for editors."""

    roles = ("administrator", "editor")
    heading = message("All events")
    path, nav = "/edit/events/", "all"

    def query(self, req: falcon.Request, view: str) -> Json:
        query = super().query(req, view)
        del query["author"]
        return query
