"""The calendar in memory, written from the contract: who may see and do what, and what lists then hold.

Imports nothing of the service. Every zone is UTC, no record has a password, and publication is never put off.
"""

from dataclasses import dataclass, field
from typing import Any

Fields = dict[str, Any]

EDITORS = ("admin", "editor")
PUBLISHERS = (*EDITORS, "author")
WRITERS = (*PUBLISHERS, "contributor")
LISTED = ("publish", "draft", "pending", "private")
_FLAGS = ("featured", "hide_from_listings")


@dataclass
class Record:
    """An event or a venue."""

    id: int
    author: str
    status: str
    title: str
    start: str = ""
    end: str = ""
    flags: dict[str, bool] = field(default_factory=dict)
    venues: list[int] = field(default_factory=list)
    tags: set[int] = field(default_factory=set)


@dataclass
class Calendar:
    """Each question is answered with a status and, for 200 and 201, with what the answer is about."""

    events: dict[int, Record] = field(default_factory=dict)
    venues: dict[int, Record] = field(default_factory=dict)
    tags: dict[int, str] = field(default_factory=dict)

    # -- rights

    def sees(self, caller: str | None, record: Record) -> bool:
        own = caller in WRITERS and record.author == caller
        return record.status == "publish" or caller in EDITORS or own

    def edits(self, caller: str | None, record: Record) -> bool:
        if caller in EDITORS:
            return True
        if record.author != caller:
            return False
        return caller == "author" or (
            caller == "contributor" and record.status in ("draft", "pending", "trash")
        )

    def general(self, caller: str | None) -> int:
        """The right that is asked for before anything else about a write: 0 when it is there."""
        return 0 if caller in WRITERS else 401 if caller is None else 403

    # -- writing

    def created(self, caller: str | None, sent: Fields, id: int | None) -> int:
        """The status of a creation; the record is kept when an id was given to it."""
        refused = self.general(caller) or self._bad(caller, sent, None)
        if refused or id is None:
            return refused or 201
        default = "publish" if caller in PUBLISHERS else "draft"
        record = Record(id, str(caller), default, sent["title"], flags=dict.fromkeys(_FLAGS, False))
        self.events[id] = record
        self._write(caller, record, sent)
        return 201

    def updated(self, caller: str | None, id: int, sent: Fields) -> int:
        refused = self.general(caller)
        if refused:
            return refused
        record = self.events.get(id)
        hidden = record is None or not self.sees(caller, record)
        if self._unknown_venue(caller, sent):
            return 400
        if hidden or record is None:
            return 404
        if not self.edits(caller, record) or self._bad(caller, sent, record):
            return 403
        self._write(caller, record, sent)
        return 200

    def deleted(self, caller: str | None, records: dict[int, Record], id: int) -> int:
        record = records.get(id)
        if self.general(caller):
            return self.general(caller)
        if record is None or not self.sees(caller, record):
            return 404
        if not self.edits(caller, record):
            return 403
        if record.status == "trash":
            return 410
        record.status = "trash"
        return 200

    def _bad(self, caller: str | None, sent: Fields, record: Record | None) -> int:
        if self._unknown_venue(caller, sent):
            return 400
        was = record.flags if record else {}
        raised = [name for name in _FLAGS if sent.get(name) and not was.get(name)]
        return 403 if raised and caller not in PUBLISHERS else 0

    def _unknown_venue(self, caller: str | None, sent: Fields) -> bool:
        return any(
            id not in self.venues or not self.sees(caller, self.venues[id]) for id in sent.get("venue", ())
        )

    def granted(self, caller: str | None, status: str) -> str:
        return "pending" if caller not in PUBLISHERS and status in ("publish", "private") else status

    def _write(self, caller: str | None, record: Record, sent: Fields) -> None:
        record.title = sent.get("title", record.title)
        record.start = sent.get("start_date", record.start)
        record.end = sent.get("end_date", record.end)
        if "status" in sent:
            record.status = self.granted(caller, sent["status"])
        record.flags |= {name: sent[name] for name in _FLAGS if name in sent}
        if "venue" in sent:
            record.venues = list(dict.fromkeys(sent["venue"]))
        if "tags" in sent:
            record.tags = {id for id in sent["tags"] if id in self.tags}

    # -- reading

    def read(self, caller: str | None, id: int) -> Fields | None:
        """What the answer must say of the event, None when it is not there for this caller."""
        record = self.events.get(id)
        return self.shown(caller, record) if record and self.sees(caller, record) else None

    def shown(self, caller: str | None, record: Record) -> Fields:
        places = [self.venues[id] for id in record.venues]
        return {
            "id": record.id, "title": record.title, "status": record.status, "start_date": record.start,
            "end_date": record.end, "featured": record.flags["featured"], "tags": sorted(record.tags),
            "venue": [place.id for place in places if self.sees(caller, place) and place.status != "trash"],
        }  # fmt: skip

    def found(self, caller: str | None, query: Fields) -> list[Record] | int:
        """All events of a list in its order, or the status that refuses it."""
        if caller not in WRITERS and set(query.get("status", ())) - {"publish"}:
            return 400
        if self._unknown_venue(caller, query) or set(query.get("tags", ())) - set(self.tags):
            return 400
        events = [event for event in self.events.values() if self._in_list(caller, event, query)]
        return sorted(events, key=lambda event: (event.start, event.id))

    def _in_list(self, caller: str | None, event: Record, query: Fields) -> bool:
        statuses = query.get("status", LISTED)
        return (
            self.sees(caller, event)
            and event.status in statuses
            and not event.flags["hide_from_listings"]
            and f"{query['start_date']} 00:00:00" <= event.start
            and event.end <= f"{query['end_date']} 23:59:59"
            and query.get("search", "").lower() in event.title.lower()
            and ("featured" not in query or event.flags["featured"] == query["featured"])
            and ("tags" not in query or bool(event.tags & set(query["tags"])))
            and ("venue" not in query or bool(set(event.venues) & set(query["venue"])))
        )

    def visible_venues(self, caller: str | None) -> list[int]:
        """The list of venues, newest first."""
        venues = [one for one in self.venues.values() if self.sees(caller, one) and one.status in LISTED]
        return sorted((venue.id for venue in venues), reverse=True)

    def counts(self) -> dict[int, int]:
        """How many published events have each tag."""
        public = [event for event in self.events.values() if event.status == "publish"]
        return {id: sum(id in event.tags for event in public) for id in self.tags}
