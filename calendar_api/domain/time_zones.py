"""Time zones by the names that people write: IANA names, UTC offsets and common abbreviations."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache, lru_cache
from importlib import import_module, resources

UNKNOWN = "must be a time zone such as Europe/Berlin, UTC, UTC+5:30 or -08:00"

# No IANA name stands for these; as hours east of Greenwich.
_ABBREVIATIONS = {
    "Z": 0.0,
    "NDT": -2.5,
    "ADT": -3.0,
    "NST": -3.5,
    "AST": -4.0,
    "EDT": -4.0,
    "CDT": -5.0,
    "CST": -6.0,
    "MDT": -6.0,
    "PDT": -7.0,
    "PST": -8.0,
    "AKDT": -8.0,
    "AKST": -9.0,
    "BST": 1.0,
    "WEST": 1.0,
    "CEST": 2.0,
    "MEST": 2.0,
    "SAST": 2.0,
    "EEST": 3.0,
    "MSK": 3.0,
    "AWST": 8.0,
    "JST": 9.0,
    "KST": 9.0,
    "ACST": 9.5,
    "AEST": 10.0,
    "ACDT": 10.5,
    "AEDT": 11.0,
    "NZST": 12.0,
    "NZDT": 13.0,
}
# The list of IANA names holds this one, which means "not set".
_NOT_A_PLACE = "Factory"
_OFFSET = re.compile(
    r"(?P<base>UTC|GMT)?(?P<sign>[+-])"
    r"(?:(?P<hours>[0-9]{1,2})(?::(?P<minutes>[0-9]{2})|\.(?P<hundredths>[0-9]{1,2}))?"
    r"|(?P<digits>[0-9]{4}))",
    re.IGNORECASE,
)
_WESTMOST, _EASTMOST = timedelta(hours=-12), timedelta(hours=14)


@lru_cache(maxsize=1024)
def named(name: str) -> tzinfo:
    """The zone called `name`, in any letter case (docs/interface.md#time-zones).

    Takes IANA names, `UTC`, `GMT`, `Z`, offsets from -12:00 to +14:00 (`UTC+2`, `UTC-4:30`, `UTC+5.5`,
    `+02:00`, `-0800`) and common abbreviations. Raises ValueError for every other text, and nothing else.
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


def abbreviation(name: str, local: datetime) -> str:
    """The abbreviation of the zone called `name` at the wall time `local`: `CET`, `EDT`, `+03`, `GMT+0200`.

    `local` is naive, and exists in that zone; of an ambiguous time its `fold` decides. Zones written as
    `UTC±…` are their own abbreviation, as written. Raises ValueError for an unknown zone
    (docs/interface.md#time-zones).
    """
    return local.replace(tzinfo=named(name)).tzname() or name


@cache  # of the names that there are: in another letter case a name means the same zone
def _loaded(name: str) -> tzinfo:
    """From the wheel and never from the system, so that all hosts agree on every instant."""
    # When it is loaded it looks for the zones of the system, which takes its time.
    of_rules = import_module("zoneinfo").ZoneInfo.from_file
    with resources.files("tzdata").joinpath("zoneinfo", *name.split("/")).open("rb") as rules:
        zone: tzinfo = of_rules(rules, key=name)
    return zone


@lru_cache(maxsize=1)
def _iana_names() -> dict[str, str]:
    names = resources.files("tzdata").joinpath("zones").read_text(encoding="utf-8").split()
    return {name.upper(): name for name in names if name != _NOT_A_PLACE}


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
