"""CSV files as items: heads in six languages, dates, delimiters, encodings, and what is wrong with a row."""

import csv
import io
import json
from datetime import date, datetime
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calendar_api.commands import SourceError
from calendar_api.commands.sources import csv_files, csv_times
from calendar_api.commands.sources.items import Item, Notice, Noun, Problem, Reference
from calendar_api.domain import csv_columns, date_words, text
from calendar_api.domain.translation import LANGUAGES
from tests.commands.sources.reading import DIALECTS, EXAMPLES, Generated, Pipe, check, options


def read(content: str | bytes, **given: Any) -> list[Item | Problem | Notice]:
    encoded = content.encode() if isinstance(content, str) else content
    return list(csv_files.read(io.BytesIO(encoded), options(**given)))


def fields(cells: dict[str, str], **given: Any) -> dict[str, Any]:
    """The fields of the only event of a file with a title and these cells."""
    file = io.StringIO()
    csv.writer(file).writerows([["Event Name", *cells], ["Tango", *cells.values()]])
    (item,) = [one for one in read(file.getvalue(), **given) if not isinstance(one, Notice)]
    assert isinstance(item, Item), item  # a Problem says why
    return item.fields


@pytest.mark.parametrize("name", ["events", "venues", "organizers"])
def test_records_and_what_they_name(name: str, pytestconfig: pytest.Config) -> None:
    """With columns, delimiters and line ends of different programs."""
    found = read((DIALECTS / f"{name}.csv").read_bytes())

    check(found, f"{name}.csv.jsonl", update=pytestconfig.getoption("update_golden"))


@pytest.mark.parametrize(
    ("head", "noun"),
    [
        ("Name der Veranstaltung,Startdatum,Veranstaltungsort,Ganztägige Veranstaltung", "event"),
        ("Nombre del evento;Fecha de inicio;Hora de inicio;Lugar", "event"),
        ("Nom de l’évènement,Date de début,Heure de début,Catégories", "event"),
        ("Titolo,Data inizio,Ora inizio,Prezzo", "event"),
        ("Naam evenement,Begindatum,Begintijd,Prijs", "event"),
        ("EVENT NAME,event-start-date", "event"),
        ("Name,PLZ,Stadt", "venue"),
        ("Venue Name", "venue"),
        ("Name,E-Mail,Telefon", "organizer"),
    ],
)
def test_head_tells_the_kind(head: str, noun: str) -> None:
    delimiter = ";" if ";" in head else ","
    cells = ["Tango", "2031-01-31", *[""] * (head.count(delimiter) - 1)][: head.count(delimiter) + 1]
    if noun != "event":
        cells[1:] = [""] * head.count(delimiter)

    (item,) = read(f"sep={delimiter}\n{head}\n{delimiter.join(cells)}\n")

    assert (item.noun, item.title) == (noun, "Tango")


@pytest.mark.parametrize("noun", ["event", "venue", "organizer"])
def test_label_means_one_column(noun: Noun) -> None:
    data = json.loads(Path(csv_files.__file__).with_name("csv_labels.json").read_text("utf-8"))[noun]
    fields: dict[str, set[str]] = {}
    columns = csv_files._NOUNS[noun][0]
    for column in columns:
        for label in (*data.get(column.field, ()), column.label):
            fields.setdefault(csv_times.key(label), set()).add(column.field)

    assert data.keys() <= {column.field for column in columns}
    assert {key: found for key, found in fields.items() if len(found) > 1} == {}


@pytest.mark.parametrize(
    ("content", "title", "notices"),
    [
        ("\ufeffOrganizer Name\nZoë".encode(), "Zoë", []),
        ("Organizer Name\r\nZoë €\r\n".encode("cp1252"), "Zoë €", [
            Notice("The file is not UTF-8; it is read as Windows-1252."),
        ]),
    ],
    ids=["UTF-8 with BOM", "Windows-1252"],
)  # fmt: skip
def test_encoding(content: bytes, title: str, notices: list[Notice]) -> None:
    *before, item = csv_files.read(Pipe(content), options())

    assert (before, item.title) == (notices, title)


@pytest.mark.parametrize(
    ("cells", "start", "end", "all_day"),
    [
        ({"start_date": "2031-01-31"}, "01-31 00:00", "01-31 00:00", True),
        ({"start_date": "2031-01-31", "end_date": "2031-02-01"}, "01-31 00:00", "02-01 00:00", True),
        ({"start_date": "2031-01-31 10:00"}, "01-31 10:00", "01-31 10:00", None),
        ({"start_date": "January 31, 2031", "start_time": "9am", "end_date": "2031-02-02"},
         "01-31 09:00", "02-02 09:00", None),
        ({"start_date": "31/1/2031", "start_time": "9:00", "end_time": "10:00"},
         "01-31 09:00", "01-31 10:00", None),
        ({"start_date": "01/31/2031", "start_time": "23:00", "end_time": "1:00"},
         "01-31 23:00", "02-01 01:00", None),
        ({"start_date": "3.4.2031", "start_time": "9 Uhr", "end_time": "22.15 Uhr"},
         "04-03 09:00", "04-03 22:15", None),
        ({"start_date": "3.4.2031", "start_time": "18h30", "end_time": "20 h"},
         "04-03 18:30", "04-03 20:00", None),
        ({"start_date": "3.4.2031", "start_time": "18.30 uur", "end_time": "20u15"},
         "04-03 18:30", "04-03 20:15", None),
        ({"start_date": "3.4.2031", "start_time": "ore 18.30", "end_time": "20:15 h"},
         "04-03 18:30", "04-03 20:15", None),
        ({"start_date": "3.4.2031", "start_time": "18 h 30", "end_time": "20 uur"},
         "04-03 18:30", "04-03 20:00", None),
        ({"start_date": "3.4.2031", "start_time": "23:00"}, "04-03 23:00", "04-03 23:00", None),
        ({"start_date": "04/04/2031", "all_day": "nein"}, "04-04 00:00", "04-04 00:00", False),
    ],
)  # fmt: skip
def test_times(cells: dict[str, str], start: str, end: str, all_day: bool | None) -> None:
    found = fields({f"event_{name}": cell for name, cell in cells.items()})

    assert (found["start_date"], found["end_date"]) == (f"2031-{start}:00", f"2031-{end}:00")
    assert found.get("all_day") == all_day


@pytest.mark.parametrize("language", LANGUAGES)
def test_dates_with_the_names_of_months(language: str) -> None:
    days = [date(2031, month, month) for month in range(1, 13)]
    written = [write(day, language) for day in days for write in (date_words.full_day, date_words.short_day)]
    written += [text.partition(" ")[2].upper() for text in written]
    rows = [f'A,"{text}"\n' for text in written]
    found = read("".join(["Event Name,Start\n", *rows]))

    assert [one.fields["start_date"][:10] for one in found] == [str(day) for day in days for _ in "ab"] * 2


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("Montag, 6. Juli 2031", "Monday 6 July 2031"),  # which is a Sunday
        ("6. Brachmond 2031", "6. Brachmond 2031"),
        ("32. Juli 2031", "32 July 2031"),
    ],
)
def test_date_that_cannot_be_read(cell: str, value: str) -> None:
    (problem,) = read(f'Event Name,Start\nA,"{cell}"\n')

    reason = "Start must be a date such as 2031-01-31, 31.1.2031, 31 January 2031 or 31. Januar 2031"
    assert problem.reason.startswith(reason)
    assert (problem.field, problem.value) == ("Start", value)


@pytest.mark.parametrize(
    ("start", "end"), [("abends", ""), ("25:00", ""), ("9:00", "9 bis 10"), ("18.75", "")]
)
def test_time_that_cannot_be_read(start: str, end: str) -> None:
    (problem,) = read(f"Event Name;Startdatum;Startzeit;Event End Time\nA;3.4.2031;{start};{end}\n")

    label = "Event End Time" if end else "Startzeit"
    reason = f"{label} must be a time, such as 18:30."
    assert problem == Problem("line 2", reason, "A", label, "", end or start)


def test_terms_whose_names_are_numbers() -> None:
    content = 'Event Name,Event Start Date,Event Tags\nA,2031-01-31,"2031, -1, +3, 1.5"\n'

    first, second, event = read(content)

    assert [first.fields, second.fields] == [{"name": "2031"}, {"name": "-1"}]
    assert event.fields["tags"] == [Reference("tag", "2031"), Reference("tag", "-1"), "+3", "1.5"]


@pytest.mark.parametrize("date", ["03/04/2031", "03-04-2031"])
def test_date_that_can_be_two_days(date: str) -> None:
    content = f"Event Name;Startdatum\nA;2031-01-01\nB;{date}\nC;{date}\nD;2031-01-01\n"

    first, problem = read(content)

    assert first.title == "A"
    reason = "Startdatum can be two days, as can other dates of the file."
    remedy = "Say --dates dmy or --dates mdy."
    assert problem == Problem("line 3", reason, "B", "Startdatum", remedy, date)
    assert fields({"Event Start Date": date}, day_first=True)["start_date"] == "2031-04-03 00:00:00"
    assert fields({"Event Start Date": date}, day_first=False)["start_date"] == "2031-03-04 00:00:00"


@pytest.mark.parametrize(
    ("row", "field", "reason", "value"),
    [
        ("A,,,", "Start", "Start is missing", ""),
        ("A,31/31/2031,,", "Start", "Start must name a day that exists in the calendar", "2031-31-31"),
        ("A,tomorrow,,", "Start", "Start must be a date with a year of four digits", "tomorrow"),
        ("A,2031-01-31,noonish,", "Start time", "Start time must be a time, such as 18:30", "noonish"),
        ("A,2031-01-31,,Mars/Base", "timezone", "timezone must be a time zone", "Mars/Base"),
        ("A,2031-01-31,,,x", "", "The row has more cells than the first line: put one with a comma", ""),
    ],
)
def test_row_is_rejected_and_the_next_one_read(row: str, field: str, reason: str, value: str) -> None:
    problem, item = read(f"Event Name,Start,Start time,timezone\n{row}\nB,2031-01-31\n")

    assert (problem.place, problem.title, problem.field, problem.value) == ("line 2", "A", field, value)
    assert problem.reason.startswith(reason)
    assert (item.title, item.place) == ("B", "line 3")


def test_cell_with_lines_and_a_long_cell() -> None:
    long = "x" * 300_000

    first, second = read(f'Organizer Name,Organizer Description\nAnn,"one\n""two""\n{long}"\nBo,\n')

    assert first.fields["description"] == f'one\n"two"\n{long}'
    assert second.place == "line 5"


@pytest.mark.parametrize("end", ["\r", "\r\r\n"])
def test_line_ends_of_other_systems(end: str) -> None:
    content = end.join(["sep=,", "Organizer Name,Organizer Description", 'Ann,"one\rtwo"', "Bo,", "Cy"])

    found = read(content)

    assert [(one.title, one.fields.get("description")) for one in found if isinstance(one, Item)] == [
        ("Ann", "one\rtwo"), ("Bo", None), ("Cy", None),
    ]  # fmt: skip


def test_open_quote_ends_the_file() -> None:
    first, problem = read('Organizer Name,Organizer Email\nAnn,\n"Bo,\nCy,\n')

    assert first.title == "Ann"
    reason = "The row cannot be read, nor what follows: unexpected end of data."
    remedy = "Close the quote, or write it twice where it is part of a text."
    assert problem == Problem("line 3", reason, remedy=remedy)


def endless(start: bytes, piece: bytes) -> Generated:
    return Generated(chain([start], repeat(piece * (2**16 // len(piece)), 800)))  # 50 MB


@pytest.mark.parametrize("piece", [b"x", b'"' + b"x" * 100 + b'\n\n"', b","])
def test_endless_row_is_rejected(piece: bytes) -> None:
    stream = endless(b"Organizer Name\n", piece)

    *_, problem = csv_files.read(io.BufferedReader(stream), options())

    assert problem.reason.endswith("must have at most 4194304 bytes.")
    assert stream.sent < 10 * 2**20


def test_endless_head_is_no_source() -> None:
    with pytest.raises(SourceError, match="must have at most 4194304 bytes"):
        list(csv_files.read(io.BufferedReader(endless(b",", b",")), options()))


@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b"Colour,Size\nred,2\n", b"PK\x03\x04\x00\xff", b"Event Name\nA\n"]
)
def test_file_without_a_known_head_is_no_source(content: bytes) -> None:
    with pytest.raises(SourceError, match="first line must name the columns"):
        read(content)


def test_parent_is_another_row() -> None:
    head = "Event Name,Event Start Date,Event UID,Event Parent\n"
    parent, child = read(f"{head}Parent,2031-01-01,p,\nChild,2031-01-01,c,p\n")

    assert "post_parent" not in parent.fields
    assert child.fields["post_parent"] == Reference("event", "p")


TEXTS = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1).map(str.strip).filter(bool)
NAMES = st.lists(TEXTS.filter(lambda name: not name.isdecimal()), unique_by=text.casefold, max_size=3)
FLAGS = ("all_day", "hide_from_listings", "sticky", "featured", "show_map", "show_map_link")


@EXAMPLES
@given(
    st.fixed_dictionaries(
        {
            **dict.fromkeys(("title", "description", "excerpt", "uid", "slug", "event_status_reason"), TEXTS),
            **dict.fromkeys(FLAGS, st.booleans()),
            **dict.fromkeys(("venue", "organizer", "categories", "tags"), NAMES),
            "status": st.sampled_from(["publish", "draft", "private"]),
            "event_status": st.sampled_from(["scheduled", "canceled", "postponed"]),
            "start_date": st.datetimes(min_value=datetime(1970, 1, 1)),
        }
    ),
    st.sampled_from(
        [("", "", "Free"), ("€", "postfix", "5, 10.50"), ("$", "prefix", "0, 12"), ("", "", "a, b")]
    ),
)
def test_own_events_come_back(record: dict[str, Any], cost: tuple[str, str, str]) -> None:
    start = str(record["start_date"])[:19]
    symbol, position, amounts = cost
    row = {
        **record, "start_day": start[:10], "start_time": start[11:], "end_day": start[:10],
        "end_time": start[11:], "timezone": "UTC", "cost": amounts,
        "currency_code": "EUR" if symbol else "", "currency_symbol": symbol, "currency_position": position,
        "website": "https://x.example/?a=1", "image": "https://x.example/a.png", "id": 1,
        "url": "https://x.example/event/1/", "parent_uid": "",
    }  # fmt: skip

    *others, item = read(csv_columns.write(csv_columns.EVENTS, [row]))
    named = {name for name in record if isinstance(record[name], list)}
    for name in named:
        found = [one[name] if isinstance(one, dict) else one for one in item.fields[name]]
        assert [one.foreign_id if isinstance(one, Reference) else one for one in found] == record[name]
    assert {one.foreign_id for one in others if isinstance(one, Item)} == {
        one for name in named - {"venue", "organizer"} for one in record[name] if one.isdecimal()
    }
    same = record.keys() - {"start_date"} - named
    assert {name: item.fields[name] for name in same} == {name: record[name] for name in same}
    assert (item.fields["start_date"], item.fields["end_date"], item.foreign_id) == (
        start,
        start,
        record["uid"].strip(),
    )
    parts = amounts.split(", ") if symbol else [amounts]
    assert item.fields["cost"] == [
        f"{part}{symbol}" if position == "postfix" else f"{symbol}{part}" for part in parts
    ]


@pytest.mark.parametrize(
    ("columns", "noun"), [(csv_columns.VENUES, "venue"), (csv_columns.ORGANIZERS, "organizer")]
)
@EXAMPLES
@given(st.data())
def test_own_venues_and_organizers_come_back(columns: Any, noun: str, data: st.DataObject) -> None:
    fixed = {"geo_lat": 48.4, "geo_lng": -9.99, "id": 7, "status": "publish"}
    row = {column.field: fixed.get(column.field) or data.draw(TEXTS) for column in columns}
    row |= {"website": "https://x.example/", "address_2": ""}

    (item,) = read(csv_columns.write(columns, [row]))

    expected = {name: value for name, value in row.items() if name not in ("id", "name", "address_2")}
    assert (item.noun, item.foreign_id) == (noun, "7")
    assert item.fields == expected | {noun: row["name"]}
