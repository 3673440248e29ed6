"""Cells of CSV files, and the values that they are read as."""

import csv
import io
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from calendar_api.domain import csv_columns
from tests import csv_rows

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
FORMULAS = "=+-@\t\r"


@pytest.mark.parametrize(
    "text", [*(f"{start}cmd()" for start in FORMULAS), "'=1", "''@", "-", "+49 731 123", "=1"]
)
def test_formula_is_guarded(text: str) -> None:
    assert csv_columns.guarded(text) == f"'{text}"


@pytest.mark.parametrize(
    "text", ["", "Tango", "-5", "+49731123", "-118.11", "-0,5", "'quoted'", "a=1", " =1", "\n=1"]
)
def test_other_text_is_not_guarded(text: str) -> None:
    assert csv_columns.guarded(text) == text
    assert csv_columns.unguarded(text) == text


@given(TEXTS)
@example("'=1")
@example("''")
def test_guarded_text_comes_back_and_is_no_formula(text: str) -> None:
    cell = csv_columns.guarded(text)

    assert csv_columns.unguarded(cell) == text
    assert cell[:1] not in tuple(FORMULAS) or cell.strip("+-.,0123456789") == ""


@pytest.mark.parametrize(
    ("names", "cell"),
    [
        ([], ""),
        (["Town hall"], "Town hall"),
        (["Town hall", "Park"], "Town hall, Park"),
        (["Hall, west", 'The "Blue" bar', '"Zum Ochsen"'], '"Hall, west", The "Blue" bar, """Zum Ochsen"""'),
    ],
)
def test_names_are_joined_with_commas(names: list[str], cell: str) -> None:
    assert csv_columns.joined(names) == cell
    assert csv_columns.split(cell) == names


@given(st.lists(TEXTS))
@example(["a\r\nb", "\r", " ", ""])
@example(["\0"])
def test_names_come_back(names: list[str]) -> None:
    assert csv_columns.split(csv_columns.joined(names)) == names


def row(text: str, names: list[str], flag: bool | None, degrees: float | None) -> dict[str, Any]:
    special = {
        "id": 12, "all_day": flag, "sticky": flag, "featured": flag, "hide_from_listings": flag,
        "show_map": flag, "show_map_link": flag, "venue": names, "organizer": names, "categories": names,
        "tags": names, "geo_lat": degrees, "geo_lng": degrees,
    }  # fmt: skip
    columns = (*csv_columns.EVENTS, *csv_columns.VENUES, *csv_columns.ORGANIZERS)
    return {column.field: special.get(column.field, text) for column in columns}


@pytest.mark.parametrize(
    "columns",
    [csv_columns.EVENTS, csv_columns.VENUES, csv_columns.ORGANIZERS],
    ids=["events", "venues", "organizers"],
)
@given(TEXTS, st.lists(TEXTS), st.sampled_from([True, False, None]), st.none() | st.floats(-180, 180))
@example("", [], None, None)
@example("one\ntwo\r\nthree\rfour", ['"', ","], True, -1e-05)
def test_file_is_read_as_it_was_written(
    columns: tuple[csv_columns.Column, ...],
    text: str,
    names: list[str],
    flag: bool | None,
    degrees: float | None,
) -> None:
    given = row(text, names, flag, degrees)

    content = csv_columns.write(columns, [given, given])

    assert (
        list(csv_rows.read(columns, content))
        == [{column.field: given[column.field] for column in columns}] * 2
    )


def test_file_is_utf_8_with_a_mark_and_crlf() -> None:
    columns = csv_columns.ORGANIZERS

    content = csv_columns.write(columns, [row('Zoë "Z"\nK.', [], None, None)])

    assert content.startswith(b"\xef\xbb\xbfOrganizer Name,Organizer Description,")
    cell = '"Zoë ""Z""\nK."'.encode()
    assert content.split(b"\r\n")[1] == cell + b"," + b",".join([cell] * 5) + b",12," + cell + b"," + cell
    assert content.endswith(b"\r\n")


def test_other_columns_are_ignored() -> None:
    content = "Event Colour,Event Name\r\nred,Tango\r\n".encode("utf-8-sig")

    assert list(csv_rows.read(csv_columns.EVENTS, content)) == [{"title": "Tango"}]


def test_labels_are_those_that_other_importers_read() -> None:
    file = io.StringIO(csv_columns.write(csv_columns.EVENTS, []).decode("utf-8-sig"), newline="")

    assert next(csv.reader(file)) == [
        "Event Name", "Event Description", "Event Excerpt", "Event Start Date", "Event Start Time",
        "Event End Date", "Event End Time", "Event Time Zone", "All Day Event",
        "Hide Event From Event Listings", "Event Sticky in Month View", "Feature Event", "Event Venue Name",
        "Event Organizer Name(s) or ID(s)", "Event Show Map Link", "Event Show Map", "Event Cost",
        "Event ISO Currency Code", "Event Currency Symbol", "Event Currency Position", "Event Category",
        "Event Tags", "Event Website", "Event Featured Image", "Event ID", "Event UID", "Event Slug",
        "Event Status", "Event URL", "Event Parent", "Event Status Reason", "Event Publication Status",
    ]  # fmt: skip
    assert [column.label for column in csv_columns.VENUES] == [
        "Venue Name", "Venue Description", "Venue Country", "Venue Address", "Venue Address 2", "Venue City",
        "Venue State/Province", "Venue Zip", "Venue Phone", "Venue Website", "Venue Featured Image",
        "Venue Latitude", "Venue Longitude", "Venue ID", "Venue Slug", "Venue Publication Status",
    ]  # fmt: skip
    assert [column.label for column in csv_columns.ORGANIZERS] == [
        "Organizer Name", "Organizer Description", "Organizer Email", "Organizer Website", "Organizer Phone",
        "Organizer Featured Image", "Organizer ID", "Organizer Slug", "Organizer Publication Status",
    ]  # fmt: skip
