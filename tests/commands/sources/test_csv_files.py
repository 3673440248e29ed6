"""CSV files as items: heads in six languages, dates, delimiters, encodings, and what is wrong with a row."""

import csv
import io
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calendar_api.commands import SourceError
from calendar_api.commands.sources import csv_files
from calendar_api.commands.sources.items import Item, Notice, Noun, Problem, Reference
from calendar_api.domain import csv_columns, text
from tests.commands.sources.reading import Pipe, options


def read(content: str | bytes, **given: Any) -> list[Item | Problem | Notice]:
    encoded = content.encode() if isinstance(content, str) else content
    return list(csv_files.read(io.BytesIO(encoded), options(**given)))


def fields(cells: dict[str, str], **given: Any) -> dict[str, Any]:
    """The fields of the only event of a file with a title and these cells."""
    file = io.StringIO()
    csv.writer(file).writerows([["Event Name", *cells], ["Tango", *cells.values()]])
    (item,) = [one for one in read(file.getvalue(), **given) if not isinstance(one, Notice)]
    assert isinstance(item, Item), item
    return item.fields


def times(**cells: str) -> tuple[str, str, bool | None]:
    labels = {f"event_{name}": cell for name, cell in cells.items()}
    found = fields(labels)
    return found["start_date"], found["end_date"], found.get("all_day")


def test_event_and_the_records_that_it_names() -> None:
    content = (
        "Event Name,Event Start Date,Event Start Time,Event End Time,Event Venue Name,"
        "Event Organizer Name(s) or ID(s),"
        "Event Category,Event Tags,Event Cost,Event Currency Symbol,Event Website,Featured Event,Colour\r\n"
        '\'=Tango,2031-01-31,10:00 PM,1:00,"Hall, west","Ann, Bo","Music, ""Rock, hard""","a, 2031",10,€,'
        "www.example.org,TRUE,red\r\n"
        "\r\n"
        ",,,\r\n"
        'Choir,2031-02-01,"8pm",,"hall, west",Bo,,,"5, Free",€,,no,\r\n'
    )

    assert read(content) == [
        Notice("Columns that are not known are left out: Colour."),
        Item("tag", "2031", {"name": "2031"}, "line 2", "2031"),
        Item(
            "event",
            "5fbfdb82a608e8e07d1c5d1a078c9f28",
            {
                "title": "=Tango",
                "start_date": "2031-01-31 22:00:00",
                "end_date": "2031-02-01 01:00:00",
                "timezone": "Europe/Berlin",
                "venue": [{"venue": "Hall, west"}],
                "organizer": [{"organizer": "Ann"}, {"organizer": "Bo"}],
                "categories": ["Music", "Rock, hard"],
                "tags": ["a", Reference("tag", "2031")],
                "cost": ["€10"],
                "website": "http://www.example.org",
                "featured": True,
            },
            "line 2",
            "=Tango",
        ),
        Item(
            "event",
            "87b3055f8880ce48cdcfafbb71000ddd",
            {
                "title": "Choir",
                "start_date": "2031-02-01 20:00:00",
                "end_date": "2031-02-01 20:00:00",
                "timezone": "Europe/Berlin",
                "venue": [{"venue": "hall, west"}],
                "organizer": [{"organizer": "Bo"}],
                "categories": [],
                "tags": [],
                "cost": ["€5", "Free"],
                "featured": False,
            },
            "line 5",
            "Choir",
        ),
    ]


@pytest.mark.parametrize("latitude", ["north", "48,4"])
def test_latitude_that_is_no_number_is_left_to_the_validation(latitude: str) -> None:
    (item,) = read(f"Venue Name;Venue Latitude\nHall;{latitude}\n")

    assert isinstance(item, Item)
    assert item.fields == {"venue": "Hall", "geo_lat": latitude}


def test_venue_and_organizer() -> None:
    venues = (
        "venue_name;venue_address;venue_address2;venue_state;venue_url;Venue Latitude;Venue Longitude;"
        "Venue ID\n"
        "Hall;Am Platz 1;2nd floor;BW;https://hall.example;48.4;north;12\n"
    )
    organizers = "Organizer Name\tOrganizer Email\tOrganizer Phone\nAnn\tann@example.org\t'+49 731 1\n"

    assert read(venues) == [
        Item(
            "venue",
            "12",
            {
                "venue": "Hall",
                "address": "Am Platz 1, 2nd floor",
                "stateprovince": "BW",
                "website": "https://hall.example",
                "geo_lat": 48.4,
                "geo_lng": "north",
            },
            "line 2",
            "Hall",
        )
    ]
    (ann,) = read(organizers)
    assert isinstance(ann, Item)
    assert (ann.noun, ann.title, ann.place) == ("organizer", "Ann", "line 2")
    assert ann.fields == {"organizer": "Ann", "email": "ann@example.org", "phone": "+49 731 1"}


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

    assert isinstance(item, Item)
    assert (item.noun, item.title) == (noun, "Tango")


@pytest.mark.parametrize("noun", ["event", "venue", "organizer"])
def test_label_means_one_column(noun: Noun) -> None:
    data = json.loads(Path(csv_files.__file__).with_name("csv_labels.json").read_text("utf-8"))[noun]
    fields: dict[str, set[str]] = {}
    columns = csv_files._NOUNS[noun][0]
    for column in columns:
        for label in (*data.get(column.field, ()), column.label):
            fields.setdefault(csv_files._key(label), set()).add(column.field)

    assert data.keys() <= {column.field for column in columns}
    assert {key: found for key, found in fields.items() if len(found) > 1} == {}


@pytest.mark.parametrize(
    ("content", "title", "notices"),
    [
        ("\ufeffOrganizer Name\nZoë".encode(), "Zoë", []),
        ("Organizer Name\nZoë\n".encode(), "Zoë", []),
        (
            "Organizer Name\r\nZoë €\r\n".encode("cp1252"),
            "Zoë €",
            ["The file is not UTF-8; it is read as Windows-1252."],
        ),
    ],
    ids=["BOM", "UTF-8", "Windows-1252"],
)
def test_encoding(content: bytes, title: str, notices: list[str]) -> None:
    *before, item = csv_files.read(Pipe(content), options())

    assert isinstance(item, Item)
    assert item.title == title
    assert before == [Notice(text) for text in notices]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ({"start_date": "2031-01-31"}, ("2031-01-31 00:00:00", "2031-01-31 00:00:00", True)),
        (
            {"start_date": "2031-01-31", "end_date": "2031-02-01"},
            ("2031-01-31 00:00:00", "2031-02-01 00:00:00", True),
        ),
        ({"start_date": "2031-01-31 10:00"}, ("2031-01-31 10:00:00", "2031-01-31 10:00:00", None)),
        (
            {"start_date": "January 31, 2031", "start_time": "9am", "end_date": "2031-02-02"},
            ("2031-01-31 09:00:00", "2031-02-02 09:00:00", None),
        ),
        (
            {"start_date": "31/1/2031", "start_time": "9:00", "end_time": "10:00"},
            ("2031-01-31 09:00:00", "2031-01-31 10:00:00", None),
        ),
        (
            {"start_date": "01/31/2031", "start_time": "23:00", "end_time": "1:00"},
            ("2031-01-31 23:00:00", "2031-02-01 01:00:00", None),
        ),
        (
            {"start_date": "3.4.2031", "start_time": "23:00"},
            ("2031-04-03 23:00:00", "2031-04-03 23:00:00", None),
        ),
        (
            {"start_date": "04/04/2031", "all_day": "nein"},
            ("2031-04-04 00:00:00", "2031-04-04 00:00:00", False),
        ),
    ],
)
def test_times(cells: dict[str, str], expected: tuple[str, str, bool | None]) -> None:
    assert times(**cells) == expected


@pytest.mark.parametrize("date", ["03/04/2031", "03-04-2031"])
def test_date_that_can_be_two_days(date: str) -> None:
    content = f"Event Name;Startdatum\nA;2031-01-01\nB;{date}\nC;{date}\nD;2031-01-01\n"

    first, problem = read(content)

    assert isinstance(first, Item)
    assert problem == Problem(
        "line 3",
        "Startdatum can be two days, as can other dates of the file.",
        "B",
        "Startdatum",
        "Say --dates dmy or --dates mdy.",
        date,
    )
    assert fields({"Event Start Date": date}, day_first=True)["start_date"] == "2031-04-03 00:00:00"
    assert fields({"Event Start Date": date}, day_first=False)["start_date"] == "2031-03-04 00:00:00"


@pytest.mark.parametrize(
    ("row", "field", "reason", "value"),
    [
        ("A,,,", "Start", "Start is missing", ""),
        ("A,31/31/2031,,", "Start", "Start must name a day that exists in the calendar", "2031-31-31"),
        ("A,tomorrow,,", "Start", "Start must be a date with a year of four digits", "tomorrow"),
        ("A,2031-01-31,noonish,", "Start", "Start must end after its time, or with a", "2031-01-31 noonish"),
        ("A,2031-01-31,,Mars/Base", "timezone", "timezone must be a time zone", "Mars/Base"),
        ("A,2031-01-31,,,x", "", "The row has more cells than the first line: put one with a comma", ""),
    ],
)
def test_row_is_rejected_and_the_next_one_read(row: str, field: str, reason: str, value: str) -> None:
    problem, item = read(f"Event Name,Start,Start time,timezone\n{row}\nB,2031-01-31\n")

    assert isinstance(problem, Problem)
    assert (problem.place, problem.title, problem.field, problem.value) == ("line 2", "A", field, value)
    assert problem.reason.startswith(reason)
    assert isinstance(item, Item)
    assert (item.title, item.place) == ("B", "line 3")


def test_cell_with_lines_and_a_long_cell() -> None:
    long = "x" * 300_000

    first, second = read(f'Organizer Name,Organizer Description\nAnn,"one\n""two""\n{long}"\nBo,\n')

    assert isinstance(first, Item)
    assert isinstance(second, Item)
    assert first.fields["description"] == f'one\n"two"\n{long}'
    assert second.place == "line 5"


def test_open_quote_ends_the_file() -> None:
    first, problem = read('Organizer Name,Organizer Email\nAnn,\n"Bo,\nCy,\n')

    assert isinstance(first, Item)
    assert problem == Problem(
        "line 3",
        "The row cannot be read, nor what follows: unexpected end of data.",
        remedy="Close the quote, or write it twice where it is part of a text.",
    )


class Endless(io.RawIOBase):
    """A head and then a billion characters; `sent` counts what was read."""

    def __init__(self, endless: bytes) -> None:
        self.start, self.endless, self.sent = b"Organizer Name\n", endless, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self.sent = offset
        return offset

    def tell(self) -> int:
        return self.sent

    def readinto(self, buffer: Any) -> int:
        if self.sent > 50 * 2**20:  # enough to see that nothing more is read
            return 0
        piece = (self.start if self.sent == 0 else self.endless * len(buffer))[: len(buffer)]
        buffer[: len(piece)] = piece
        self.sent += len(piece)
        return len(piece)


@pytest.mark.parametrize("endless", [b"x", b'"\n\n"', b","])
def test_endless_row_is_rejected(endless: bytes) -> None:
    stream = Endless(endless)

    *_, problem = csv_files.read(io.BufferedReader(stream), options())

    assert isinstance(problem, Problem)
    assert problem.reason.endswith("must have at most 4194304 bytes.")
    assert stream.sent < 10 * 2**20


def test_endless_head_is_no_source() -> None:
    stream = Endless(b",")
    stream.start = b","

    with pytest.raises(SourceError, match="must have at most 4194304 bytes"):
        list(csv_files.read(io.BufferedReader(stream), options()))


@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b"Colour,Size\nred,2\n", b"PK\x03\x04\x00\xff", b"Event Name\nA\n"]
)
def test_file_without_a_known_head_is_no_source(content: bytes) -> None:
    with pytest.raises(SourceError, match="first line must name the columns"):
        read(content)


def test_parent_is_another_row() -> None:
    head = "Event Name,Event Start Date,Event UID,Event Parent\n"
    parent, child = read(f"{head}Parent,2031-01-01,p,\nChild,2031-01-01,c,p\n")

    assert isinstance(parent, Item)
    assert isinstance(child, Item)
    assert "post_parent" not in parent.fields
    assert child.fields["post_parent"] == Reference("event", "p")


TEXTS = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1).map(str.strip).filter(bool)
NAMES = st.lists(TEXTS.filter(lambda name: not name.isdecimal()), unique_by=text.casefold, max_size=3)
FLAGS = ("all_day", "hide_from_listings", "sticky", "featured", "show_map", "show_map_link")


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
        **record,
        "start_day": start[:10],
        "start_time": start[11:],
        "end_day": start[:10],
        "end_time": start[11:],
        "timezone": "UTC",
        "cost": amounts,
        "currency_code": "EUR" if symbol else "",
        "currency_symbol": symbol,
        "currency_position": position,
        "website": "https://x.example/?a=1",
        "image": "https://x.example/a.png",
        "id": 1,
        "url": "https://x.example/event/1/",
        "parent_uid": "",
    }

    *others, item = read(csv_columns.write(csv_columns.EVENTS, [row]))

    assert isinstance(item, Item)
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
@given(st.data())
def test_own_venues_and_organizers_come_back(columns: Any, noun: str, data: st.DataObject) -> None:
    special: dict[str, Any] = {
        "geo_lat": 48.4,
        "geo_lng": -9.99,
        "id": 7,
        "address_2": "",
        "status": "publish",
    }
    row = {column.field: special.get(column.field) or data.draw(TEXTS) for column in columns} | {
        "website": "https://x.example/",
        "address_2": "",
    }

    (item,) = read(csv_columns.write(columns, [row]))

    assert isinstance(item, Item)
    assert (item.noun, item.foreign_id) == (noun, "7")
    assert {"name": item.fields[noun], **item.fields} == {
        noun: row["name"],
        **{name: value for name, value in row.items() if name not in ("id", "address_2")},
    }
