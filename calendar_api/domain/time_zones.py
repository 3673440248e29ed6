"""Time zones by IANA name, UTC offset or common abbreviation (docs/interface.md#time-zones)."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache, lru_cache
from importlib import import_module, resources

UNKNOWN = "must be a time zone such as Europe/Berlin, UTC, UTC+5:30 or -08:00"

# Abbreviations that are not IANA names, in hours east of Greenwich.
_ABBREVIATIONS = {
    "Z": 0.0, "NDT": -2.5, "ADT": -3.0, "NST": -3.5, "AST": -4.0, "EDT": -4.0, "CDT": -5.0, "CST": -6.0,
    "MDT": -6.0, "PDT": -7.0, "PST": -8.0, "AKDT": -8.0, "AKST": -9.0, "BST": 1.0, "WEST": 1.0, "CEST": 2.0,
    "MEST": 2.0, "SAST": 2.0, "EEST": 3.0, "MSK": 3.0, "AWST": 8.0, "JST": 9.0, "KST": 9.0, "ACST": 9.5,
    "AEST": 10.0, "ACDT": 10.5, "AEDT": 11.0, "NZST": 12.0, "NZDT": 13.0,
}  # fmt: skip
_UNSET = "Factory"  # an IANA name that means "not set"
_OFFSET = re.compile(
    r"(?P<base>UTC|GMT)?(?P<sign>[+-])"
    r"(?:(?P<hours>[0-9]{1,2})(?::(?P<minutes>[0-9]{2})|\.(?P<hundredths>[0-9]{1,2}))?"
    r"|(?P<digits>[0-9]{4}))",
    re.IGNORECASE,
)
_WESTMOST, _EASTMOST = timedelta(hours=-12), timedelta(hours=14)


@lru_cache(maxsize=1024)
def named(name: str) -> tzinfo:
    """Return the zone called `name`, in any letter case.

    Accepts IANA names, `UTC`, `GMT`, `Z`, offsets from -12:00 to +14:00 (`UTC+2`, `UTC-4:30`, `UTC+5.5`,
    `+02:00`, `-0800`) and common abbreviations. Raises ValueError for every other text.
    """
    if not name.isascii():
        raise ValueError(UNKNOWN)
    upper = name.upper()
    if upper == "UTC":
        return UTC
    if upper in _ABBREVIATIONS:
        return timezone(timedelta(hours=_ABBREVIATIONS[upper]), upper)
    canonical = _iana_names().get(upper)
    return _loaded(canonical) if canonical else _offset(name)


def with_offset(local: str, utc: str) -> str:
    """Return wall time as ISO 8601 with its offset, from the same instant on the wall clock and in UTC.

    Both are "YYYY-MM-DD HH:MM:SS". RFC 3339 has no seconds in offsets: old local times become UTC.
    """
    offset = datetime.fromisoformat(local) - datetime.fromisoformat(utc)
    minutes, seconds = divmod(abs(offset).seconds, 60)
    if seconds:
        return f"{utc[:10]}T{utc[11:]}+00:00"
    sign = "-" if offset.days < 0 else "+"
    return f"{local[:10]}T{local[11:]}{sign}{minutes // 60:02}:{minutes % 60:02}"


@cache
def names() -> list[str]:
    """Return the IANA names of zones of places, and UTC, to choose from."""
    return ["UTC", *sorted(name for name in _iana_names().values() if "/" in name and name[:4] != "Etc/")]


@cache  # bounded by the number of canonical names
def _loaded(name: str) -> tzinfo:
    """Load from the tzdata package, never from the system, so that all hosts agree on every instant."""
    # Imported late: `zoneinfo` searches the system for zones on import.
    from_file = import_module("zoneinfo").ZoneInfo.from_file
    with resources.files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as rules:
        zone: tzinfo = from_file(rules, key=name)
    return zone


@lru_cache(maxsize=1)
def _iana_names() -> dict[str, str]:
    names = resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8").split()
    return {name.upper(): name for name in names if name != _UNSET}


def _offset(name: str) -> tzinfo:
    match = _OFFSET.fullmatch(name)
    if match is None:
        raise ValueError(UNKNOWN)
    hours, minutes = _hours_and_minutes(match)
    size = timedelta(hours=hours, minutes=minutes)
    offset = -size if match["sign"] == "-" else size
    if minutes > 59 or not _WESTMOST <= offset <= _EASTMOST:
        raise ValueError("must be an offset between -12:00 and +14:00, such as UTC+2 or -04:30")
    if (match["base"] or "").upper() == "UTC":
        return timezone(offset, name)
    return timezone(offset, f"GMT{match['sign']}{hours:02}{minutes:02}")


def _hours_and_minutes(match: re.Match[str]) -> tuple[int, int]:
    if match["digits"]:
        return int(match["digits"][:2]), int(match["digits"][2:])
    if match["hundredths"]:
        minutes, rest = divmod(int(match["hundredths"].ljust(2, "0")) * 60, 100)
        if rest:
            raise ValueError("must be an offset of whole minutes, such as UTC+5.5 or UTC+5:45")
        return int(match["hours"]), minutes
    return int(match["hours"]), int(match["minutes"] or 0)
