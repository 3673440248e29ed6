"""The form for an event: new, changed, previewed, and copied."""

from functools import partial
from html import unescape
from typing import Unpack

import falcon

from calendar_api import database
from calendar_api.config import Config
from calendar_api.contract import validation
from calendar_api.database.models import Event
from calendar_api.domain import form_params, time_zones
from calendar_api.domain.auth import Caller
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.domain.translation import Message, message
from calendar_api.representations import event_fields, event_form, form_fields
from calendar_api.representations.event_form import FIELDS
from calendar_api.representations.form_fields import Filled, Inputs
from calendar_api.resources.editing.forms import STATUS_OF_BUTTON, FormPage, Problems, StoredRecord
from calendar_api.resources.event_pages import EventPage
from calendar_api.resources.events import EventById, Events, is_open
from calendar_api.resources.pages import View
from calendar_api.resources.resource import Json, RouteKey
from calendar_api.store import documents, submissions, term_query, venue_organizer_query
from calendar_api.store.events import ENDS_BEFORE_START
from calendar_api.store.terms import categories
from calendar_api.store.venue_organizer import Fields, organizers, venues

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
_ENDS_EARLY = message("The end is before the start. If it is on another day, enter that as the last day.")
STORES = (venues, organizers)
_WEEK = 7
_CHOICES = 200
_CATEGORIES = 500


class Previewed(Exception):
    """Carries the page of an event as a form would make it out of a transaction, which is rolled back."""

    def __init__(self, view: View) -> None:
        self.view = view


def _with_described(fields: Fields, caller: Caller, site: SiteSettings) -> Json:
    """The fields with ids for venues and organizers that are entered with more than a name.

    Another address means another venue, which is made; the interface compares names and descriptions only.
    """
    found = dict(fields)
    for store in STORES:
        items: list[int | Json] = [*(found.get(store.noun) or ())]
        for at, item in enumerate(items):
            if isinstance(item, dict) and len(item) > 1:
                items[at] = store.described(item, caller) or store.create(item, caller, site)
        if items:
            found[store.noun] = items
    return found


class EnteredEvents(Events):
    """Creates events from the form; see `_with_described`."""

    def create(self, fields: Json, caller: Caller) -> int:
        return super().create(_with_described(fields, caller, self.site), caller)


class EnteredEvent(EventById):
    """Changes an event from the form; see `_with_described`."""

    def change(self, event: Event, fields: Json, caller: Caller) -> None:
        super().change(event, _with_described(fields, caller, self.site), caller)


class EventForm(FormPage):
    """`/edit/event/new/` and `/edit/event/<id>/`; `?copy=<id>` begins with a copy, a week later."""

    roles = ("administrator", "editor", "author", "contributor")
    fields, field_names = FIELDS, LABELS
    record_path, list_path = "/edit/event/", "/edit/"

    def __init__(
        self, config: Config, req: falcon.Request, resp: falcon.Response, **params: Unpack[RouteKey]
    ) -> None:
        super().__init__(config, req, resp, **params)
        self.archive, self.single = EnteredEvents(config), EnteredEvent(config)

    def show(self) -> View | None:
        stored = self.origin()
        inputs = self.inputs_of(stored)
        if stored is not None and stored.is_copied:
            new = {"status": "draft", "event_status": "scheduled", "event_status_reason": ""}
            inputs = {**event_form.shifted(inputs, _WEEK), **new}
        return self.view(inputs, stored)

    def origin(self) -> StoredRecord | None:
        is_sent = self.req.method == "POST"
        copied = self.form.text("copy") if is_sent else self.parameter("copy")
        if self.id is not None or not copied:
            return super().origin()
        return self.stored(form_params.number(copied), is_open)._replace(is_copied=True)

    # -- fields

    def inputs_of(self, stored: StoredRecord | None) -> Filled:
        if stored is None:
            return event_form.blank(self.config.timezone)
        labels = self.labels(stored)
        return event_form.inputs_of(stored.record, labels["venue"] | labels["organizer"])

    def labels(self, stored: StoredRecord | None) -> dict[str, dict[int, str]]:
        """Texts that mean venues and organizers, by noun and id: the newest, and those of the event."""
        found: dict[str, dict[int, str]] = {}
        for store in STORES:
            choices = partial(venue_organizer_query.choices, store, self.chooser(), _CHOICES)
            rows = database.run_read(choices)
            known = {id for id, _, _ in rows}
            for one in event_form.linked(stored.record, store.noun) if stored else ():
                if one["id"] not in known:
                    name = event_fields.names([one], store.noun)[0]
                    rows.append((one["id"], name, event_fields.plain(one, "city")))
            found[store.noun] = event_form.labels(rows)
        return found

    def chooser(self) -> Caller:
        """The user whose venues and organizers can be chosen."""
        return self.caller

    def payload(self, inputs: Inputs, names: set[str], stored: StoredRecord | None) -> tuple[Json, Problems]:
        labels = {
            noun: {label: id for id, label in some.items()} for noun, some in self.labels(stored).items()
        }
        for store in STORES:  # with an address, a label is a mere name
            id = labels[store.noun].get(form_fields.text(inputs, store.noun))
            if id and event_form.details(inputs, store.noun):
                row = database.run_read(partial(documents.find, store.model, "id", id, self.caller))
                inputs, labels[store.noun] = {**inputs, store.noun: getattr(row, store.noun)}, {}
        return event_form.payload(inputs, names, labels, stored.record if stored else None)

    def labelled(self, name: str, problem: str) -> str:
        if isinstance(problem, Message) and problem.template == ENDS_BEFORE_START.template:
            return _ENDS_EARLY
        return super().labelled(name, problem)

    def texts(self, stored: StoredRecord) -> dict[str, str]:
        return event_form.linked_texts(stored.record)

    # -- saving

    def act(self) -> View | None:
        try:
            return super().act()
        except Previewed as preview:
            return preview.view

    def written(self, id: int) -> None:
        """A preview shows the page of the event, and takes back what it was made of."""
        if self.action != "preview":
            return
        view = EventPage(self.config, self.req, self.resp).view_of(self.single.find(self.caller, id=id))
        shown = {"before": None, "after": None, "has_json_ld": False, "kept": self.form.pairs}
        raise Previewed(View("edit/preview.html", view.title, view.data | shown))

    def new_fields(self, inputs: Filled) -> tuple[Json, Problems]:
        source = self.origin()
        names = FIELDS.changed(inputs, self.form.text("was"))
        if source is not None and (day := event_form.moved_end(source.record, inputs, names)):
            inputs = {**inputs, "end_day": day}
        given, problems = self.payload(inputs, names | event_form.WHEN | {"title"}, source)
        given["status"] = STATUS_OF_BUTTON.get(self.action, "draft")
        if source is None:
            return given, problems
        copied = event_form.copied(source.record, source.row.cost, may_publish=self.caller.may_publish)
        return copied | given, problems

    # -- showing

    def page(self, inputs: Inputs, stored: StoredRecord | None) -> View:
        caller, row = self.caller, stored.row if stored and not stored.is_copied else None
        event, labels = stored.record if stored else {"categories": []}, self.labels(stored)
        shown = [
            name for name in FIELDS
            if (name != "featured" or caller.may_publish) and (name != "image" or caller.uploads)
        ]  # fmt: skip
        query = validation.parse_query("category", "query", {"hide_empty": "0"}) | {"per_page": _CATEGORIES}
        known = database.run_read(lambda: term_query.search(categories, query, caller).records)
        returned = database.run_autocommit(lambda: submissions.latest_reviews([int(row.id)])) if row else {}
        data: Json = {
            "fields": shown,
            "copy": str(stored.row.id) if stored and stored.is_copied else "",
            "status": event["status"] if row else "draft",
            "url": event["url"] if row else "",
            "has_password": bool(row and row.password),
            "returned": returned.get(int(row.id)) if row and row.status == "draft" else None,
            "labels": {noun: sorted(some.values()) for noun, some in labels.items()},
            "linked": {noun: event_form.linked(stored.record, noun) if stored else [] for noun in labels},
            "categories": {str(one.id): one.name for one in known}
            | {str(one["id"]): unescape(one["name"]) for one in event["categories"]},
            "zones": time_zones.names(),
        }  # fmt: skip
        return View("edit/event.html", unescape(event["title"]) if row else self.say("New event"), data)
