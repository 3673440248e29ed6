"""Events of iCalendar as records: their times, zones and occurrences (RFC 5545)."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from hashlib import sha256
from importlib import import_module
from typing import Any, NamedTuple

from calendar_api.commands.sources import icalendar_fields, icalendar_times
from calendar_api.commands.sources.icalendar_fields import every, name_of, one, raw, text_of
from calendar_api.commands.sources.icalendar_times import Calendar, UnusableProperty, Written, written
from calendar_api.commands.sources.items import Found, Item, Noun, Options, Problem, Reference
from calendar_api.domain.errors import ApiError

MOST_OCCURRENCES = 500
_LONGEST_UID = 200  # characters
_REMEMBERED = 100_000  # related records
VERSION = frozenset(("SEQUENCE", "LAST-MODIFIED", "DTSTAMP"))  # which do not become fields of records
_ONE_DAY = timedelta(days=1)
_RECURS = frozenset(("RRULE", "RDATE"))
_TIMES = _RECURS | {"EXDATE", "DTSTART", "DTEND", "DURATION", "RECURRENCE-ID"}
_OFFSETS = {"DTSTART", "TZOFFSETFROM", "TZOFFSETTO"}
#: What comes of broken values, which raise errors when they are used.
_ERRORS = (UnusableProperty, ApiError, ValueError, TypeError, AttributeError, LookupError, ArithmeticError)


class _Event(NamedTuple):
    """A parsed event, or an occurrence of it. The last day of days ends at 23:59:59."""

    calendar: Calendar
    lines: list[str]
    place: str
    properties: Any
    uid: str
    written: Written
    start: datetime
    end: datetime
    zone: str
    all_day: bool


class EventReader:
    """Turns the lines of events into records; `calendar` is the one that they are in."""

    def __init__(self, library: Any, options: Options) -> None:
        self._library, self._options = library, options
        self._recurrence = icalendar_times.Recurrence()
        self._first, self._last = options.first, options.last
        self._related: set[str] = set()
        self.definitions: dict[str, icalendar_times.Definition] = {}  # many calendars have the same
        self.begin_calendar()

    def begin_calendar(self) -> None:
        """Begin another calendar, without the properties and zones of the one before."""
        windows = import_module("icalendar.timezone.windows_to_olson").WINDOWS_TO_OLSON
        zones = icalendar_times.Zones(self._options.timezone, self._options.site_timezone, windows)
        self.calendar = Calendar(zones)

    def calendar_property(self, name: str, value: str) -> None:
        """Take note of a property of the calendar itself."""
        if name == "X-WR-TIMEZONE":
            self.calendar.zones.calendar = self.calendar.zones.named(value)
        elif name == "PRODID":
            self.calendar.is_ours = value.startswith("-//calendar-api//")
        elif name == "METHOD":
            self.calendar.is_cancel = value.upper() == "CANCEL"

    def define_zone(self, lines: list[str], observances: list[list[str]]) -> None:
        """Remember a VTIMEZONE."""
        tzid = icalendar_fields.zone_name(raw(lines, "TZID"))
        self.calendar.zones.locations[tzid] = raw(lines, "X-LIC-LOCATION")
        key = str(observances)
        if key not in self.definitions:
            parsed = [self._parsed(each) for each in observances]
            if not all(each.keys() >= _OFFSETS and not self._invalid(each, each) for each in parsed):
                return
            self.definitions[key] = icalendar_times.Definition(parsed, self._recurrence)
        self.calendar.zones.definitions[tzid] = self.definitions[key]

    def _parsed(self, lines: list[str]) -> Any:
        # icalendar would look for the zones itself, even among files.
        named = [(name_of(line), line) for line in lines]
        lines = [
            icalendar_fields.hide_tzid(line) if name in _TIMES else line
            for name, line in named
            if name not in VERSION
        ]
        return self._library.Event.from_ical("\r\n".join(["BEGIN:VEVENT", *lines, "END:VEVENT", ""]))

    def _invalid(self, properties: Any, names: Iterable[str]) -> list[str]:
        """Return those of the names whose values are missing or cannot be read."""
        unusable = (self._library.vBroken, type(None))
        return [
            name for name in sorted(names)
            if any(isinstance(value, unusable) for value in every(properties, name) or [None])
        ]  # fmt: skip

    def waits_for(self, lines: list[str]) -> str | None:
        """Return the UID of an event that needs others, or a zone that may be defined later; else None."""
        names = {name_of(line) for line in lines}
        tzids = {icalendar_fields.tzid_of(line) for line in lines if line[:2].upper() == "DT"}
        if names & {*_RECURS, "RECURRENCE-ID"} or not all(map(self.calendar.zones.knows, tzids)):
            return raw(lines, "UID") or "\n".join(lines)
        return None

    def single(self, lines: list[str], place: str) -> Iterator[Found]:
        """Yield an event that does not recur, after the records that it uses."""
        try:
            event = self._event(lines, place)
            yield from self._items(event, event.uid, event.uid)
        except _ERRORS as error:
            yield _problem_of_event(lines, place, error)

    def series(self, blocks: list[tuple[Calendar, str, list[str]]]) -> Iterator[Found]:
        """Yield what waited under one UID, of any calendar: occurrences in the window, and other events."""
        found: dict[str, _Event] = {}  # by what identifies the occurrence
        changed: dict[str, _Event] = {}
        for calendar, place, lines in blocks:
            self.calendar = calendar
            try:
                event = self._event(lines, place)
                if (original := one(event.properties, "RECURRENCE-ID")) is not None:
                    if "RANGE" in original.params:
                        reason = "A change of all later occurrences (RANGE) is not supported."
                        raise UnusableProperty("RECURRENCE-ID", reason, "Split the series at the source.")
                    changed[self._key(written("RECURRENCE-ID", original.dt, original.params))] = event
                elif not _RECURS & event.properties.keys():
                    yield from self.single(lines, place)
                else:
                    found |= self._occurrences(event)
            except _ERRORS as error:
                yield _problem(lines, place, error)
        for key, event in changed.items():
            if key in found or self._first <= event.start <= self._last:
                found[key] = event
        yield from self._items_of_series(found)

    def _items_of_series(self, found: dict[str, _Event]) -> Iterator[Found]:
        in_order = sorted(found.items(), key=lambda item: item[1].start.astimezone(UTC))
        for number, (key, event) in enumerate(in_order[: MOST_OCCURRENCES + 1]):
            try:
                if number == MOST_OCCURRENCES:
                    day = event.start.astimezone(UTC).date()
                    reason = f"Occurrences {number + 1} and later, from {day}, are left out."
                    raise UnusableProperty("RRULE", reason, "Import a shorter window with --until.")
                for item in self._items(event, f"{event.uid}/{key}", f"{event.uid}-{key}"):
                    if item.noun == "event" and not item.canceled:
                        item.fields["post_parent"] = Reference("series", event.uid)
                    yield item
            except _ERRORS as error:
                yield _problem(event.lines, event.place, error)

    def _occurrences(self, event: _Event) -> dict[str, _Event]:
        """Return the occurrences in the window; wall times stay the same whatever the clocks do."""
        properties, own, zone = event.properties, event.written, event.start.tzinfo
        length = event.end.replace(tzinfo=None) - event.start.replace(tzinfo=None)
        # A written time is at most a day away from that in the zone of the event.
        first = self._first.astimezone(zone).replace(tzinfo=None) - length - _ONE_DAY
        last = self._last.astimezone(zone).replace(tzinfo=None) + _ONE_DAY
        moments = [own, *icalendar_times.date_list(properties, "RDATE")]
        for recur in every(properties, "RRULE"):
            until = next(iter(recur.get("UNTIL", ())), None)
            for wall in self._recurrence.starts(recur, own.wall, last):
                moment = own._replace(wall=wall)
                if wall >= first and (until is None or self._is_until(moment, until)):
                    moments.append(moment)
        excluded = {self._key(moment) for moment in icalendar_times.date_list(properties, "EXDATE")}
        found = {}
        for moment in moments:
            key, (start, _) = self._key(moment), self.calendar.zones.placed("RDATE", moment)
            start = start.astimezone(UTC).astimezone(start.tzinfo)  # the clock may skip this wall time
            end = start + length
            is_excluded = key in excluded or f"{moment.wall:%Y%m%d}" in excluded
            if not is_excluded and self._first <= end and start <= self._last:
                found[key] = event._replace(start=start, end=end)
        return found

    def _is_until(self, moment: Written, until: date) -> bool:
        if not isinstance(until, datetime):
            return moment.wall.date() <= until
        if until.tzinfo is None or moment.is_day:
            return moment.wall <= until.replace(tzinfo=None)
        return self.calendar.zones.placed("RRULE", moment)[0].astimezone(UTC) <= until

    def _key(self, moment: Written) -> str:
        """Return what identifies an occurrence: its original day, or its original start in UTC."""
        if moment.is_day:
            return f"{moment.wall:%Y%m%d}"
        return f"{self.calendar.zones.placed('RECURRENCE-ID', moment)[0].astimezone(UTC):%Y%m%dT%H%M%SZ}"

    def _event(self, lines: list[str], place: str) -> _Event:
        """Return the event of these lines; raises _ERRORS."""
        properties = self._parsed(lines)
        for name in self._invalid(properties, _TIMES & {name_of(line) for line in lines})[:1]:
            raise UnusableProperty(name, f"{name} is not valid.", "Correct it at the source.")
        if (value := one(properties, "DTSTART")) is None:
            raise UnusableProperty("DTSTART", "It has no start.", "Give it a DTSTART.")
        own = written("DTSTART", value.dt, value.params)
        start, zone = self.calendar.zones.placed("DTSTART", own)
        end = self._end(properties, own, start)
        if end.astimezone(UTC) < start.astimezone(UTC):
            raise UnusableProperty("DTEND", "It ends before it starts.", "Correct its start or its end.")
        is_flagged = text_of(properties, "X-MICROSOFT-CDO-ALLDAYEVENT").upper() == "TRUE"
        all_day = own.is_day or (is_flagged and start.time() == end.time() == time() and end > start)
        if all_day:
            end = max(start, end - _ONE_DAY).replace(hour=23, minute=59, second=59)
        uid = text_of(properties, "UID")
        if not uid:
            uid = sha256(f"{text_of(properties, 'SUMMARY')}\n{own.wall}".encode()).hexdigest()[:32]
        elif len(uid) > _LONGEST_UID or not uid.isprintable():
            uid = sha256(uid.encode()).hexdigest()
        return _Event(
            self.calendar, lines, _place(lines, place), properties, uid, own, start, end, zone, all_day
        )

    def _end(self, properties: Any, own: Written, start: datetime) -> datetime:
        """Return the end in the zone of the start; for days, it is the day after the last."""
        if (value := one(properties, "DTEND")) is not None:
            end = written("DTEND", value.dt, value.params)
            if end.is_day != own.is_day:
                reason = "One of start and end is a day, the other one a time."
                raise UnusableProperty("DTEND", reason, "Write both as days or both as times.")
            return self.calendar.zones.placed("DTEND", end)[0].astimezone(start.tzinfo)
        if (value := one(properties, "DURATION")) is not None:
            if not isinstance(value.dt, timedelta):
                raise UnusableProperty("DURATION", "It is not a length of time.", "Write it as PT1H30M.")
            # Days are those of the calendar, hours are exact.
            exact = (start + timedelta(value.dt.days)).astimezone(UTC) + timedelta(seconds=value.dt.seconds)
            return exact.astimezone(start.tzinfo)
        return start + _ONE_DAY if own.is_day else start

    def _items(self, event: _Event, foreign_id: str, uid: str) -> Iterator[Item]:
        """Yield the records that an event uses, and the event."""
        properties, is_ours = event.properties, event.calendar.is_ours
        title = text_of(properties, "SUMMARY")
        if not title:
            raise UnusableProperty("SUMMARY", "It has no title.", "Give it a SUMMARY.")
        fields: dict[str, Any] = {
            "uid": uid, "title": title, "timezone": event.zone, "all_day": event.all_day,
            "start_date": icalendar_times.date_text(event.start),
            "end_date": icalendar_times.date_text(event.end),
            **icalendar_fields.texts(properties, is_ours=is_ours),
        }  # fmt: skip
        if text_of(properties, "CLASS").upper() in ("PRIVATE", "CONFIDENTIAL"):
            fields["status"] = "private"
        is_canceled = event.calendar.is_cancel or text_of(properties, "STATUS").upper() == "CANCELLED"
        related: list[Item] = []
        if is_canceled:
            fields["event_status"] = "canceled"
        else:
            for field, noun, records in icalendar_fields.related_records(properties, is_ours=is_ours):
                references = [self._reference(noun, each, event, related) for each in records]
                fields.update({field: references} if references else {})
        yield from related
        yield Item("event", foreign_id, fields, event.place, title, is_canceled)

    def _reference(self, noun: Noun, fields: dict[str, Any], event: _Event, related: list[Item]) -> Reference:
        """Refer to a record; add it to `related` the first time."""
        email = () if event.calendar.is_ours else ("email",)  # contacts of our own files have none
        parts = [str(fields[key]) for key in (noun, "name", "address", *email) if key in fields]
        foreign_id = ", ".join(parts).casefold()
        if len(self._related) > _REMEMBERED:
            self._related.clear()  # then records are yielded again, which changes nothing
        if f"{noun} {foreign_id}" not in self._related:
            self._related.add(f"{noun} {foreign_id}")
            related.append(Item(noun, foreign_id, fields, event.place, parts[0]))
        return Reference(noun, foreign_id)


def _place(lines: list[str], place: str) -> str:
    uid = raw(lines, "UID")[:200]
    return f"UID {uid}" if uid else place


def _problem(lines: list[str], place: str, error: Exception) -> Problem:
    place, title = _place(lines, place), raw(lines, "SUMMARY")[:80]
    if isinstance(error, UnusableProperty):
        value = raw(lines, error.field)[:80]
        return Problem(place, error.reason, title, error.field, error.remedy, value)
    return Problem(
        place,
        f"It cannot be read: {str(error)[:300].rstrip('.')}.",
        title,
        remedy="Correct it at the source.",
    )


def _problem_of_event(lines: list[str], place: str, error: Exception) -> Problem:
    """With the identifier of the event, if it is plain."""
    uid = raw(lines, "UID")
    is_plain = len(uid) <= _LONGEST_UID and uid.isprintable() and "\\" not in uid
    return replace(_problem(lines, place, error), foreign_id=uid if is_plain else "")


def another_event(lines: list[str], place: str) -> Problem:
    """Return why an event is refused that has the UID of another one."""
    error = UnusableProperty("UID", "Another event has the same UID.", "Give each event its own UID.")
    return _problem_of_event(lines, place, error)
