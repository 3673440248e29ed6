"""Records made through the interface, with as little said as possible."""

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from tests.client import Client

Json = dict[str, Any]

_numbers = count(1)


def day(offset: int, clock: str = "10:00:00") -> str:
    """A date `offset` days from today, in UTC."""
    return f"{(datetime.now(UTC) + timedelta(days=offset)):%Y-%m-%d} {clock}"


def event(client: Client, as_: str = "admin", **fields: Any) -> Json:
    """An event, tomorrow from 10 to 12 unless said otherwise."""
    body = {
        "title": f"Event {next(_numbers)}",
        "start_date": day(1),
        "end_date": fields["start_date"] if "start_date" in fields else day(1, "12:00:00"),
        **fields,
    }
    return _made(client, "/events", body, as_)


def venue(client: Client, as_: str = "admin", **fields: Any) -> Json:
    return _made(client, "/venues", {"venue": f"Venue {next(_numbers)}", **fields}, as_)


def organizer(client: Client, as_: str = "admin", **fields: Any) -> Json:
    return _made(client, "/organizers", {"organizer": f"Organizer {next(_numbers)}", **fields}, as_)


def category(client: Client, as_: str = "admin", **fields: Any) -> Json:
    return _made(client, "/categories", {"name": f"Category {next(_numbers)}", **fields}, as_)


def tag(client: Client, as_: str = "admin", **fields: Any) -> Json:
    return _made(client, "/tags", {"name": f"Tag {next(_numbers)}", **fields}, as_)


def _made(client: Client, path: str, body: Json, as_: str) -> Json:
    made: Json = client.post(path, body, as_=as_, status=201).json
    return made
