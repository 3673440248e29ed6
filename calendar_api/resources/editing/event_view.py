"""What the form for an event shows: the event as it is stored, and what there is to choose from."""

import secrets
from collections.abc import Mapping
from functools import partial
from html import unescape
from typing import Any, NamedTuple

import falcon

from calendar_api import database
from calendar_api.config import Config
from calendar_api.contract import validation
from calendar_api.domain import json_text, time_zones
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import Forbidden, NotFound
from calendar_api.domain.translation import Translate, translated
from calendar_api.representations import event_fields, event_form
from calendar_api.representations import events as representation
from calendar_api.representations.documents import with_links
from calendar_api.representations.event_form import FIELDS
from calendar_api.resources.editing.base import EditPage
from calendar_api.resources.editing.event_lists import STATUS_NAMES
from calendar_api.resources.events import EventById, Events, is_open
from calendar_api.resources.pages import View
from calendar_api.resources.resource import Json
from calendar_api.resources.stored_resource import REFUSED
from calendar_api.store import reviews, venue_organizer_query
from calendar_api.store.terms import categories
from calendar_api.store.venue_organizer import organizers, venues

Inputs = dict[str, str | list[str]]
#: Messages by the names of the fields.
Problems = Mapping[str, str]

_NOUNS = ("venue", "organizer")
_CHOICES = 200
_CATEGORIES = 500


class StoredEvent(NamedTuple):
    """An event: its row, its JSON, and the ETag of its GET."""

    row: Any
    event: Json
    etag: str


class EventFormPage(EditPage):
    """A page with the form for an event."""

    roles = ("administrator", "editor", "author", "contributor")

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.one, self.all = EventById(config), Events(config)

    def stored(self, req: falcon.Request, id: int, *, to_copy: bool = False) -> StoredEvent:
        """Raises NotFound, and Forbidden for an event that the user may not change, or not read in full."""
        caller: Caller = req.context.caller

        def work() -> StoredEvent:
            row = self.one.find(caller, id=id)
            if not (is_open(row, caller) if to_copy else self.one.may_edit(row, caller)):
                raise Forbidden(REFUSED["record"], anonymous=caller.anonymous)
            loaded = self.one.load(row, caller)
            full = with_links(representation.single(loaded), req.context.site)
            event = representation.records([loaded], (), req.context.site)[0]
            return StoredEvent(row, event, json_text.etag(full))

        return database.run_read(work)

    def source(self, req: falcon.Request, id: str) -> StoredEvent:
        """The event to copy. Raises NotFound and Forbidden."""
        if not (id.isascii() and id.isdigit() and len(id) < 19):
            raise NotFound("event")
        return self.stored(req, int(id), to_copy=True)

    def labels(self, req: falcon.Request, stored: StoredEvent | None) -> dict[str, dict[int, str]]:
        """Texts that mean venues and organizers, by noun and id: the newest, and those of the event."""
        found: dict[str, dict[int, str]] = {}
        for store in (venues, organizers):
            rows = database.run_read(
                partial(venue_organizer_query.choices, store, req.context.caller, _CHOICES)
            )
            known = {id for id, _, _ in rows}
            for one in event_form.linked(stored.event, store.noun) if stored else ():
                if one["id"] not in known:
                    rows.append((one["id"], unescape(one[store.noun]), event_fields.plain(one, "city")))
            found[store.noun] = event_form.labels(rows)
        return found

    def ids(self, req: falcon.Request, stored: StoredEvent | None) -> dict[str, dict[str, int]]:
        labels = self.labels(req, stored)
        return {noun: {label: id for id, label in some.items()} for noun, some in labels.items()}

    def inputs_of(self, req: falcon.Request, stored: StoredEvent) -> Inputs:
        labels = self.labels(req, stored)
        return event_form.inputs_of(stored.event, labels["venue"] | labels["organizer"])

    def view(
        self,
        req: falcon.Request,
        inputs: Inputs,
        stored: StoredEvent | None,
        errors: Problems | None = None,
        *,
        copy: str = "",
    ) -> View:
        """The page; `stored` is the event, or the one to copy."""
        caller, say = req.context.caller, req.context.translate
        shown = [
            name for name in FIELDS
            if (name != "featured" or caller.may_publish) and (name != "image" or caller.uploads)
        ]  # fmt: skip
        query = validation.parse_query("category", "query", {"hide_empty": "0"}) | {"per_page": _CATEGORIES}
        known = database.run_read(lambda: categories.search(query, caller).records)
        own = stored.event["categories"] if stored else []
        row = stored.row if stored and not copy else None
        returned = database.run_autocommit(lambda: reviews.latest([int(row.id)])) if row else {}
        before = inputs if stored is None or copy else self.inputs_of(req, stored)
        data: Json = {
            "inputs": inputs, "fields": shown, "was": event_form.digests(before, shown), "copy": copy,
            "key": secrets.token_hex(16), "id": int(row.id) if row else None, "theirs": {},
            "status": stored.event["status"] if row and stored else "draft",
            "status_name": translated(STATUS_NAMES[stored.event["status"]], say) if row and stored else "",
            "url": stored.event["url"] if row and stored else "",
            "has_password": bool(row and row.password),
            "returned": returned.get(int(row.id), "") if row and row.status == "draft" else "",
            "labels": {noun: sorted(some.values()) for noun, some in self.labels(req, stored).items()},
            "linked": {noun: event_form.linked(stored.event, noun) if stored else [] for noun in _NOUNS},
            "categories": {str(one.id): one.name for one in known}
            | {str(one["id"]): unescape(one["name"]) for one in own},
            "zones": time_zones.names(), "errors": _by_input(errors or {}, say),
        }  # fmt: skip
        title = unescape(stored.event["title"]) if row and stored else say("New event")
        return View("edit/event.html", title, data)


def _by_input(errors: Problems, say: Translate) -> dict[str, str]:
    """Problems by the first input of each field."""
    return {
        FIELDS[name][0] if name in FIELDS else name: translated(text, say) for name, text in errors.items()
    }
