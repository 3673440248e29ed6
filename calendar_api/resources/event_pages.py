"""Pages of single events."""

from collections.abc import Container
from html import unescape
from typing import Any

import falcon

from calendar_api import database
from calendar_api.config import Config
from calendar_api.contract import validation
from calendar_api.database.models import Event
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import EventPasswordRequired, NotFound
from calendar_api.representations import events as representation
from calendar_api.representations import terms
from calendar_api.representations.event_fields import image_url, lead
from calendar_api.resources import request_body
from calendar_api.resources.events import EventBySlug, is_open
from calendar_api.resources.pages import PageResource, View, redirect, redirect_former, send
from calendar_api.resources.resource import Json
from calendar_api.store import event_query, login_attempts
from calendar_api.store.terms import categories


class EventPage(PageResource):
    """`/event/{slug}/`: POST sends the password of a protected event, and is answered with the page."""

    methods = ("GET", "POST")

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.events = EventBySlug(config)

    def view(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> View | None:
        try:
            view = database.run_read(lambda: self.page(req, key["slug"]))
        except NotFound:
            redirect_former(req, resp, Event, key["slug"])
            return None
        if req.context.page.path == view.path:
            return view
        redirect(req, resp, falcon.HTTP_301, view.path, req.query_string)
        return None

    def on_post(self, req: falcon.Request, resp: falcon.Response, slug: str) -> None:
        caller: Caller = req.context.caller
        given = request_body.fields(req, self.config, ())
        password = validation.parse_query("event", "read", given).get("password", "")
        try:
            row = database.run_read(lambda: self.events.find(caller, slug=slug))
        except NotFound:
            redirect_former(req, resp, Event, slug, status=falcon.HTTP_308)  # browsers send the form again
            return
        opened: Container[str] = ()
        if password and not is_open(row, caller):
            protected = {int(row.id): row.password}
            opened = login_attempts.matching_digests(str(password), protected, caller.address, caller.now)
        view = database.run_read(lambda: self.page(req, slug, opened))
        view.indexed = view.cacheable = False
        if view.data["is_masked"]:
            resp.status, req.context.error = falcon.HTTP_403, EventPasswordRequired.code
            view.data["is_wrong"] = True
        send(req, resp, view, self.config)

    def page(self, req: falcon.Request, slug: str, opened: Container[str] = ()) -> View:
        """The page as this caller may see it; raises NotFound. `opened` are digests of known passwords."""
        return self.view_of(req, self.events.find(req.context.caller, slug=slug), opened)

    def view_of(self, req: falcon.Request, row: Any, opened: Container[str] = ()) -> View:
        """The same of a row."""
        caller: Caller = req.context.caller
        links = req.context.site.links
        is_masked = not (is_open(row, caller) or row.password in opened)
        loaded, masked = self.events.load(row, caller), {int(row.id)} if is_masked else set()
        event: Json = representation.records([loaded], masked, req.context.site)[0]
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
