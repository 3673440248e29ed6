"""Five programs that read iCalendar: what each makes of a file."""

import ctypes
import json
import os
import subprocess
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, NamedTuple

import icalendar
import pytest
import vobject
from ical.calendar_stream import IcsCalendarStream

ICAL_JS = Path(__file__).parents[1] / "build" / "readers" / "node_modules"


class Read(NamedTuple):
    """An event; instants are seconds since 1970, days are "YYYY-MM-DD", and what is missing is None."""

    uid: str
    summary: str
    description: str | None
    location: str | None
    start: int | str
    end: int | str | None


def require(present: bool, what: str) -> None:
    """In CI a missing reader is a failure; elsewhere its tests are left out, and say so."""
    if not present and os.environ.get("CI"):
        pytest.fail(what)
    if not present:
        pytest.skip(what)


def _moment(value: Any) -> int | str | None:
    if isinstance(value, datetime):
        assert value.tzinfo is not None
        return int(value.astimezone(UTC).timestamp())
    return value.isoformat() if isinstance(value, date) else None


def with_icalendar(file: bytes) -> list[Read]:
    def text(event: Any, name: str) -> str | None:
        return str(event[name]) if name in event else None

    return [
        Read(
            str(event["uid"]), str(event["summary"]), text(event, "description"), text(event, "location"),
            _moment(event.decoded("dtstart")), _moment(event.decoded("dtend", None)),
        )
        for event in icalendar.Calendar.from_ical(file).walk("VEVENT")
    ]  # fmt: skip


def with_ical(file: bytes) -> list[Read]:
    """Home Assistant's."""
    calendar = IcsCalendarStream.calendar_from_ics(file.decode())
    return [
        Read(
            event.uid, event.summary, event.description, event.location,
            _moment(event.dtstart), _moment(event.dtend),
        )
        for event in calendar.events
    ]  # fmt: skip


def with_vobject(file: bytes) -> list[Read]:
    def value(event: Any, name: str) -> Any:
        return event.contents[name][0].value if name in event.contents else None

    events = vobject.readOne(file.decode()).contents.get("vevent", [])
    return [
        Read(
            *(value(event, name) for name in ("uid", "summary", "description", "location")),
            *(_moment(value(event, name)) for name in ("dtstart", "dtend")),
        )
        for event in events
    ]


def with_ical_js(file: bytes) -> list[Read]:
    """Thunderbird's."""
    require((ICAL_JS / "ical.js").is_dir(), "ical.js is not installed: run `make build/readers/installed`")
    script, env = Path(__file__).with_name("read_with_ical_js.cjs"), {**os.environ, "NODE_PATH": str(ICAL_JS)}
    result = subprocess.run(
        ["node", str(script)], input=file, capture_output=True, timeout=120, check=True, env=env
    )
    return [Read(**event) for event in json.loads(result.stdout)]


class _Time(ctypes.Structure):
    _names = ("year", "month", "day", "hour", "minute", "second", "is_date", "is_daylight")
    _fields_ = [*((name, ctypes.c_int) for name in _names), ("zone", ctypes.c_void_p)]


def _libical() -> Any:
    """The library with the types of what is used."""
    try:
        library: Any = ctypes.CDLL("libical.so.3")
    except OSError:
        library = None
    require(library is not None, "libical is not installed (Debian: libical3t64, or libical3)")
    pointer = ctypes.c_void_p
    types: dict[str, tuple[Any, ...]] = {
        "icalparser_parse_string": (pointer, ctypes.c_char_p),
        "icalcomponent_get_first_component": (pointer, pointer, ctypes.c_int),
        "icalcomponent_get_next_component": (pointer, pointer, ctypes.c_int),
        "icaltime_as_timet_with_zone": (ctypes.c_long, _Time, pointer),
        "icalcomponent_free": (None, pointer),
        **{f"icalcomponent_get_{name}": (ctypes.c_char_p, pointer) for name in Read._fields[:4]},
        **{f"icalcomponent_get_dt{name}": (_Time, pointer) for name in Read._fields[4:]},
    }
    for name, (result, *arguments) in types.items():
        getattr(library, name).restype, getattr(library, name).argtypes = result, arguments
    return library


def with_libical(file: bytes) -> list[Read]:
    """GNOME's and KDE's."""
    library, events = _libical(), 4  # ICAL_VEVENT_COMPONENT

    def moment(time: _Time) -> int | str | None:
        if time.is_date:
            return f"{time.year:04}-{time.month:02}-{time.day:02}"
        return int(library.icaltime_as_timet_with_zone(time, time.zone)) if time.year else None

    def text(component: int, name: str) -> Any:
        value = getattr(library, f"icalcomponent_get_{name}")(component)
        return None if value is None else value.decode()

    found = []
    calendar = library.icalparser_parse_string(file)
    component = library.icalcomponent_get_first_component(calendar, events)
    while component:
        times = (library.icalcomponent_get_dtstart(component), library.icalcomponent_get_dtend(component))
        found.append(Read(*(text(component, name) for name in Read._fields[:4]), *map(moment, times)))
        component = library.icalcomponent_get_next_component(calendar, events)
    library.icalcomponent_free(calendar)
    return found


READERS: dict[str, Callable[[bytes], list[Read]]] = {
    "icalendar": with_icalendar, "ical": with_ical, "vobject": with_vobject,
    "ical.js": with_ical_js, "libical": with_libical,
}  # fmt: skip


def lines(file: bytes) -> list[str]:
    """Unfolded content lines."""
    assert file.endswith(b"\r\n")
    assert max(map(len, file.split(b"\r\n"))) <= 75
    assert b"\n" not in file.replace(b"\r\n", b"")
    return file.decode().replace("\r\n ", "").split("\r\n")[:-1]
