"""Columns of CSV files: their labels, and how a value becomes a cell and a cell the same value again.

A list of names is joined with `, `; a name that contains a comma is quoted inside of the cell (RFC 4180).
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

# What spreadsheets take for a formula, with any number of apostrophes before it.
_FORMULA: Final = re.compile(r"'*[=+\-@\t\r]")
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)?")
_QUOTED: Final = re.compile(r'[,\r\n]|\A["\s]|\s\Z|\A\Z')


def guarded(text: str) -> str:
    """Put an apostrophe before what a spreadsheet would run as a formula; a number alone stays."""
    if _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        return f"'{text}"
    return text


def unguarded(cell: str) -> str:
    """The opposite of `guarded`."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def joined(names: Iterable[str]) -> str:
    """Join names; `split` is the opposite."""
    return ", ".join(
        '"{}"'.format(name.replace('"', '""')) if _QUOTED.search(name) else name for name in names
    )


def split(cell: str) -> list[str]:
    rows = csv.reader(io.StringIO(cell, newline=""), skipinitialspace=True)
    return [name for row in rows for name in row]


class Kind(NamedTuple):
    write: Callable[[Any], str]
    read: Callable[[str], Any]


class Column(NamedTuple):
    """`field` is the key of the value in a row."""

    label: str
    field: str
    kind: Kind


_TEXT: Final = Kind(guarded, unguarded)
NAMES: Final = Kind(lambda names: guarded(joined(names)), lambda cell: split(unguarded(cell)))
FLAG: Final = Kind({True: "yes", False: "no", None: ""}.__getitem__, {"yes": True, "no": False}.get)
_DEGREES: Final = Kind(
    lambda degrees: "" if degrees is None else str(degrees), lambda cell: float(cell) if cell else None
)
_KINDS: Final = {
    **dict.fromkeys(("venue", "organizer", "categories", "tags"), NAMES),
    **dict.fromkeys(
        ("all_day", "hide_from_listings", "sticky", "featured", "show_map", "show_map_link"), FLAG
    ),
    **dict.fromkeys(("geo_lat", "geo_lng"), _DEGREES),
    "id": Kind(str, int),
}


def _columns(noun: str, fields: dict[str, str]) -> tuple[Column, ...]:
    return tuple(
        Column(label.replace("_", noun), field, _KINDS.get(field, _TEXT)) for label, field in fields.items()
    )


# fmt: off
#: `_` stands for the noun. Labels up to the image are those that other importers read.
EVENTS: Final = _columns("Event", {
    "_ Name": "title", "_ Description": "description", "_ Excerpt": "excerpt",
    "_ Start Date": "start_day", "_ Start Time": "start_time",
    "_ End Date": "end_day", "_ End Time": "end_time", "_ Time Zone": "timezone",
    "All Day _": "all_day", "Hide _ From _ Listings": "hide_from_listings",
    "_ Sticky in Month View": "sticky", "Feature _": "featured",
    "_ Venue Name": "venue", "_ Organizer Name(s) or ID(s)": "organizer",
    "_ Show Map Link": "show_map_link", "_ Show Map": "show_map",
    "_ Cost": "cost", "_ ISO Currency Code": "currency_code",
    "_ Currency Symbol": "currency_symbol", "_ Currency Position": "currency_position",
    "_ Category": "categories", "_ Tags": "tags", "_ Website": "website", "_ Featured Image": "image",
    "_ ID": "id", "_ UID": "uid", "_ Slug": "slug", "_ Status": "event_status", "_ URL": "url",
    "_ Parent": "parent_uid", "_ Status Reason": "event_status_reason", "_ Publication Status": "status",
})
VENUES: Final = _columns("Venue", {
    "_ Name": "name", "_ Description": "description", "_ Country": "country", "_ Address": "address",
    "_ Address 2": "address_2", "_ City": "city", "_ State/Province": "stateprovince", "_ Zip": "zip",
    "_ Phone": "phone", "_ Website": "website", "_ Featured Image": "image", "_ Latitude": "geo_lat",
    "_ Longitude": "geo_lng", "_ ID": "id", "_ Slug": "slug", "_ Publication Status": "status",
})
ORGANIZERS: Final = _columns("Organizer", {
    "_ Name": "name", "_ Description": "description", "_ Email": "email", "_ Website": "website",
    "_ Phone": "phone", "_ Featured Image": "image", "_ ID": "id", "_ Slug": "slug",
    "_ Publication Status": "status",
})
# fmt: on


def write(columns: Sequence[Column], rows: Iterable[Mapping[str, object]]) -> bytes:
    """Return a file with a head; `rows` have at least the fields of the columns."""
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(column.label for column in columns)
    writer.writerows([column.kind.write(row[column.field]) for column in columns] for row in rows)
    return file.getvalue().encode("utf-8-sig")
