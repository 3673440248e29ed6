"""B6: the list as Falcon and Peewee invite one to write it: models, and queries for each event."""

import os
from datetime import UTC, datetime
from typing import Any

import falcon
import peewee

from bench.peers import rendering
from calendar_api import database
from calendar_api.database.models import (
    Event,
    EventOrganizer,
    EventTerm,
    EventVenue,
    Image,
    Organizer,
    Term,
    Venue,
)

database.bind(os.environ["CALENDAR_DATABASE_URL"])


class Connection:
    """One for each request, as Peewee's documentation has it."""

    def process_request(self, req: falcon.Request, resp: falcon.Response) -> None:
        database.open_connection()

    def process_response(self, req: falcon.Request, resp: falcon.Response, resource: Any, ok: bool) -> None:
        database.close_connection()


class Events:
    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        size, number = req.get_param_as_int("per_page") or 10, req.get_param_as_int("page") or 1
        now, start, end = rendering.window(datetime.now(UTC))
        found = Event.select().where(
            Event.hide_from_listings == False,  # noqa: E712 - a clause
            Event.status == "publish",
            Event.published_utc <= now,
            Event.utc_start_date >= start,
            Event.utc_end_date <= end,
        )
        ordered = found.order_by(Event.utc_start_date, Event.id)
        events = [_event(event) for event in ordered.paginate(number, size)]
        resp.media = rendering.page(events, number, size, found.count())


def _event(event: Any) -> dict[str, Any]:
    image = Image.get_or_none(Image.id == event.image_id)
    venues = Venue.select().join(EventVenue).where(EventVenue.event == event.id)
    organizers = Organizer.select().join(EventOrganizer).where(EventOrganizer.event == event.id)
    terms = Term.select().join(EventTerm).where(EventTerm.event == event.id).order_by(Term.name_folded)
    return rendering.event(
        _row(event), _row(image) if image else None,
        [rendering.venue(_row(one)) for one in venues],
        [rendering.organizer(_row(one)) for one in organizers],
        [rendering.term(_row(one), _count(one)) for one in terms],
    )  # fmt: skip


def _count(term: Any) -> int:
    """What the service counts, too: public events without a password."""
    used = EventTerm.select().join(Event, peewee.JOIN.INNER, on=(EventTerm.event == Event.id))
    return int(used.where(EventTerm.term == term.id, Event.status == "publish", Event.password == "").count())


def _row(record: Any) -> dict[str, Any]:
    return {field.column_name: record.__data__.get(name) for name, field in record._meta.fields.items()}


application: falcon.App[Any, Any] = falcon.App()
application.add_middleware(Connection())
application.add_route("/calendar/events/v1/events", Events())
