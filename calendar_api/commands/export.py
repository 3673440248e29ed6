"""`calendar-api export`: all records but those in the trash, as JSON lines, iCalendar or CSV."""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from calendar_api import database
from calendar_api.commands import CommandError, backup
from calendar_api.commands.sources.jsonl import REFERENCES
from calendar_api.commands.terminal import Progress
from calendar_api.config import NAMESPACE, Config
from calendar_api.contract.schemas import schema
from calendar_api.domain import dates, time_zones
from calendar_api.domain.auth import Caller
from calendar_api.representations import csv_files, events, icalendar
from calendar_api.representations.documents import with_links
from calendar_api.representations.feed import Feed
from calendar_api.representations.links import Links, RenderContext
from calendar_api.representations.records import EventJson, OrganizerJson, VenueJson
from calendar_api.store import documents, event_query, exported, import_ledger
from calendar_api.store.import_ledger import Stored
from calendar_api.store.venue_organizer import VenueOrganizerStore, organizers, venues

_NOUNS = ("category", "tag", "venue", "organizer", "event")
_REFERENCES = REFERENCES | {"image": "image"}
#: Not exported: users and passwords are those of one server, and `date` is `date_utc`.
_LEFT_OUT = {"author", "date", "password"}
_ALWAYS = {"show_map", "show_map_link", "geo_lat", "geo_lng"}  # of venues
_FLAGS = {"all_day", "show_map", "show_map_link", "hide_from_listings", "sticky", "featured", "ticketed"}


def export(arguments: argparse.Namespace, config: Config) -> None:
    """Raises CommandError for a file with another ending, and for one that exists or cannot be written."""
    path: Path = arguments.to
    writers = _WRITERS.get(path.suffix.lower())
    if writers is None:
        raise CommandError(f"{path} must end in {', '.join(_WRITERS)}.")
    site = _Exporter(config)
    files = {path.with_name(f"{path.stem}{suffix}{path.suffix}"): write for suffix, write in writers.items()}
    for file in files:
        backup.require_free(file, force=arguments.force)
    with database.read():
        for file, write in files.items():
            with Progress(f"writing {file}"), backup.temporary_file(file) as new:
                with new.open("wb") as stream:
                    write(site, stream)
                backup.move_to(new, file, force=True)
            print(f"{file}: {file.stat().st_size} bytes")
    if site.locked:
        text = "Passwords are not exported; events that have one are private in the file"
        print(f"{text}: {site.locked}", file=sys.stderr)


class _Exporter:
    """Writes the records of the bound database, as an administrator reads them."""

    def __init__(self, config: Config) -> None:
        base = config.base_url or "http://localhost:8000"
        self.config = config
        self.caller = Caller(dates.text(datetime.now(UTC)), 0, "export", "administrator")
        self.context = RenderContext(Links.of(base, "", NAMESPACE), self.caller.now)
        self.locked = 0

    def write_lines(self, stream: BinaryIO) -> None:
        for noun in _NOUNS:
            for ids in exported.ids(noun, self.caller):
                stored = import_ledger.stored(noun, ids)
                found = {id: _values(noun, one) for id, one in stored.items()}
                named = self.names(found.values())
                for id in ids:
                    line = {"noun": noun} | _line(found[id], named)
                    if getattr(stored[id].row, "password", ""):
                        self.locked += 1
                        line["status"] = "private"
                    stream.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")

    def names(self, records: Iterable[dict[str, object]]) -> dict[str, dict[int, str]]:
        """What the records are called by that these records refer to, by noun and id."""
        ids: dict[str, set[int]] = {}
        for record in records:
            for name, noun in _REFERENCES.items():
                value = record.get(name)
                some = value if isinstance(value, list) else [value]
                ids.setdefault(noun, set()).update(id for id in some if isinstance(id, int))
        return {noun: exported.names(noun, some, self.caller) for noun, some in ids.items()}

    def write_calendar(self, stream: BinaryIO) -> None:
        site = self.context.links
        feed = Feed(
            name=self.config.site_name, description="", self_url=f"{site.root}/events.ics",
            page_url=f"{site.home}/events/", json_url=f"{site.root}/events", timezone=self.config.timezone,
            language=self.config.language, translate=str, ttl=self.config.feed_ttl, clock=self.config.clock,
        )  # fmt: skip
        stream.write(icalendar.calendar(self.events(), feed))

    def events(self) -> Iterator[EventJson]:
        for ids in exported.ids("event", self.caller):
            rows = {int(row.id): row for row in event_query.rows_of(ids, self.caller)}
            loaded = documents.load_events([rows[id] for id in ids], self.caller, self.config.site)
            for event, record in zip(loaded, events.records(loaded, (), self.context), strict=True):
                self.locked += bool(event.password)
                if event.password:
                    record["status"] = "private"
                yield record

    def venues(self) -> Iterator[VenueJson]:
        return map(json.loads, self.linked(venues))

    def organizers(self) -> Iterator[OrganizerJson]:
        return map(json.loads, self.linked(organizers))

    def linked(self, store: VenueOrganizerStore) -> Iterator[bytes]:
        """Venues or organizers as JSON shows them."""
        for ids in exported.ids(store.noun, self.caller):
            rows = [documents.find(store.model, "id", id, self.caller) for id in ids]
            for record in documents.venues_or_organizers(store.model, rows, self.config.site):
                yield with_links(record, self.context)


_WRITERS: dict[str, dict[str, Callable[[_Exporter, BinaryIO], object]]] = {
    ".jsonl": {"": _Exporter.write_lines},
    ".ics": {"": _Exporter.write_calendar},
    ".csv": {
        "": lambda site, file: file.write(csv_files.events(site.events())),
        "-venues": lambda site, file: file.write(csv_files.venues(site.venues())),
        "-organizers": lambda site, file: file.write(csv_files.organizers(site.organizers())),
    },
}


def _values(noun: str, stored: Stored) -> dict[str, object]:
    names = [name for name in schema(noun, "create")["properties"] if name not in _LEFT_OUT]
    more = ["uid"] if noun == "event" else ["slug"]
    values = {name: stored.value(name) for name in [*more, *names]}
    row = stored.row
    if noun == "event":
        values["cost"] = _cost(row.cost)
        for name in ("start_date", "end_date"):
            values[name] = _moment(getattr(row, name), getattr(row, f"utc_{name}"), row.timezone)
    return values


def _cost(stored: str) -> str | list[str]:
    parts = stored.split("\n")
    return stored if len(parts) == 1 else parts


def _moment(local: str, utc: str, zone: str) -> str:
    """Wall time, with its offset where the clock shows it twice."""
    plain = dates.to_utc(dates.from_text(local), time_zones.named(zone))
    return local if dates.text(plain) == utc else time_zones.with_offset(local, utc)


def _line(values: dict[str, Any], named: dict[str, dict[int, str]]) -> dict[str, object]:
    """The fields as a request sends them, without those that a new record has anyway."""
    line: dict[str, object] = {}
    for name, value in values.items():
        names = named.get(_REFERENCES.get(name, ""), {})
        if name in _FLAGS:
            value = bool(value)
        elif name in ("image", "post_parent", "parent"):
            value = names.get(value)
        elif isinstance(value, list) and name in _REFERENCES:
            value = [names[id] for id in value if id in names]
            value = sorted(value) if name in ("categories", "tags") else value
        # A new venue shows its map, and the equator is no missing place.
        if value or ("venue" in values and "title" not in values and value is not None and name in _ALWAYS):
            line[name] = value
    return line
