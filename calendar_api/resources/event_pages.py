"""Pages of single events."""

from collections.abc import Container
from html import unescape

import falcon

from calendar_api import database
from calendar_api.contract import validation
from calendar_api.database.models import Event
from calendar_api.domain import text
from calendar_api.domain.errors import EventPasswordRequired, NotFound
from calendar_api.representations import events as representation
from calendar_api.representations import terms
from calendar_api.representations.event_fields import image_url, lead
from calendar_api.resources import request_body
from calendar_api.resources.events import is_open, opened_by
from calendar_api.resources.pages import View, WebPage, redirect_former, send
from calendar_api.resources.resource import Json
from calendar_api.store import documents, event_query
from calendar_api.store.terms import categories


class EventPage(WebPage):
    """`/event/{slug}/`: POST sends the password of a protected event, and is answered with the page."""

    methods = ("GET", "POST")

    def show(self) -> View | None:
        try:
            view = database.run_read(lambda: self.view_of(self.find()))
        except NotFound:
            redirect_former(self.req, self.resp, Event, self.params["slug"])
            return None
        if self.path == view.path:
            return view
        self.redirect(view.path, self.req.query_string)
        return None

    def post(self) -> None:
        caller = self.caller
        given = request_body.fields(self.req, self.config, ())
        password = validation.parse_query("event", "read", given).get("password", "")
        try:
            row = database.run_read(self.find)
        except NotFound:  # browsers send the form again
            redirect_former(self.req, self.resp, Event, self.params["slug"], status=falcon.HTTP_308)
            return
        opened = opened_by(str(password), row, caller) if password else ()
        view = database.run_read(lambda: self.view_of(self.find(), opened))
        view.indexed = view.cacheable = False
        if view.data["is_masked"]:
            self.resp.status, self.req.context.error = falcon.HTTP_403, EventPasswordRequired.code
            view.data["is_wrong"] = True
        send(self.req, self.resp, view, self.config)

    def find(self) -> Event:
        """The row of the event; raises NotFound."""
        return documents.find(Event, "slug", text.slug(self.params["slug"]), self.caller)

    def view_of(self, row: Event, opened: Container[str] = ()) -> View:
        """The page of a row as this caller may see it; `opened` are digests of known passwords."""
        caller, links = self.caller, self.site.links
        is_masked = not (is_open(row, caller) or row.password in opened)
        loaded = documents.load_events([row], caller, self.config.site)
        event = representation.records(loaded, {int(row.id)} if is_masked else (), self.site)[0]
        near = [
            one and {"title": one.title, "url": links.page("event", one.id, one.slug, "publish")}
            for one in event_query.neighbours(row, caller.now)
        ]
        parents = categories.all_parents() if event["categories"] else {}
        data: Json = {
            "event": event, "is_masked": is_masked, "is_wrong": False, "before": near[0], "after": near[1],
            "category_pages": {
                one["id"]: links.category_page(terms.path(one["id"], parents)) for one in event["categories"]
            },
            "has_json_ld": not row.password,
        }  # fmt: skip
        address = f"/events/{row.id}"
        return View(
            "event.html",
            unescape(event["title"]),
            data,
            description=lead(event),
            image=image_url(event),
            kind="article",
            path=f"/event/{event['slug']}/",
            feed="" if row.password else f"/event/{event['slug']}",
            json=address,
            api=address,
            previous=near[0]["url"] if near[0] else "",
            next=near[1]["url"] if near[1] else "",
            indexed=not (is_masked or event["hide_from_listings"]),
            cacheable=not row.password,
        )
