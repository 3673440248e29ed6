"""CSV files of events, venues or organizers: those of `calendar-api export`, and those of other programs.

The head of a file tells what its rows are. Labels of columns are compared without case and punctuation.
"""

import csv
import hashlib
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from calendar_api.commands import SourceError
from calendar_api.commands.sources.csv_times import InvalidCell, key, times
from calendar_api.commands.sources.file_values import costs, website
from calendar_api.commands.sources.items import Found, Item, Notice, Noun, Options, Problem, Reference
from calendar_api.domain import csv_columns, time_zones
from calendar_api.domain.csv_columns import Column
from calendar_api.store.terms import only_an_id

_LONGEST = 4 * 2**20  # bytes of a row
_Values = dict[str, Any]

_LABELS = json.loads(Path(__file__).with_name("csv_labels.json").read_text("utf-8"))
_FLAGS: Mapping[str, bool] = _LABELS["flags"]
_NOUNS: dict[Noun, tuple[tuple[Column, ...], set[str]]] = {
    "event": (csv_columns.EVENTS, {"title", "start_day"}),
    "venue": (csv_columns.VENUES, {"name"}),
    "organizer": (csv_columns.ORGANIZERS, {"name"}),
}
#: Noun -> column by the key of each label that it may have.
_COLUMNS: dict[Noun, dict[str, Column]] = {
    noun: {
        key(label): column
        for column in columns
        for label in (*_LABELS[noun].get(column.field, ()), column.label)
    }
    for noun, (columns, _) in _NOUNS.items()
}
#: Values of an event that are not fields of its payload as they are.
_OWN = {"start_day", "start_time", "end_day", "end_time", "venue", "organizer", "categories", "tags", "id"}
_OWN |= {"cost", "currency_code", "currency_symbol", "currency_position", "url", "parent_uid"}


class _Head(NamedTuple):
    noun: Noun
    delimiter: str
    labels: list[str]
    columns: list[Column | None]


class _Lines:
    """The lines of a file, which end with LF, CR or both; `size` counts the bytes of a row."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream, self.size, self.is_utf8 = stream, 0, True
        self.parts: Iterator[str] = iter(())

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        if part := next(self.parts, ""):
            return part
        line = self.stream.readline(_LONGEST)
        self.size += len(line)
        if self.size >= _LONGEST:
            raise csv.Error(f"must have at most {_LONGEST} bytes")
        if not line:
            raise StopIteration
        try:
            text = line.decode("utf-8-sig")
        except UnicodeDecodeError:
            self.is_utf8 = False
            text = line.decode("cp1252", "replace")
        self.parts = io.StringIO(text, newline="")
        return next(self.parts)


def read(stream: BinaryIO, options: Options) -> Iterator[Found]:
    """Yield the records of a file; raises SourceError if its head names no columns of a known kind."""
    # Descriptions are longer than the limit of the module.
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST))
    yield from _File(_Lines(stream), options).read()


def _head(line: str) -> _Head:
    """The kind with most of the columns and the delimiter that finds them; raises SourceError."""
    found = []
    for delimiter in ",;\t":
        labels = next(csv.reader([line], delimiter=delimiter), [])
        for noun, (_, required) in _NOUNS.items():
            columns = [_COLUMNS[noun].get(key(label)) for label in labels]
            fields = {column.field for column in columns if column}
            if required <= fields:
                found.append((len(fields), _Head(noun, delimiter, labels, columns)))
    if not found:
        raise SourceError(
            "The first line must name the columns, among them Event Name and Event Start Date, Venue Name, or"
            " Organizer Name."
        )
    return max(found, key=lambda one: one[0])[1]


class _File:
    def __init__(self, lines: _Lines, options: Options) -> None:
        self.lines = lines
        self.options = options

    def read(self) -> Iterator[Found]:
        """Yield the rows as items, and a Problem for each that cannot be read; raises SourceError."""
        before, line = 0, ""
        try:
            while not line.strip() or line.startswith("sep="):  # Excel writes the delimiter there
                before, line = before + 1, next(self.lines, "?")
            self.head = head = _head(line)
        except csv.Error as error:
            raise SourceError(f"The first line cannot be read: {error}.") from error
        pairs = list(zip(head.columns, head.labels, strict=True))
        self.labels = {column.field: label for column, label in pairs if column}
        if unknown := [label for column, label in pairs if not column and label.strip()]:
            yield Notice(f"Columns that are not known are left out: {', '.join(unknown)}.")
        rows = csv.reader(self.lines, delimiter=head.delimiter, strict=True)
        place, is_utf8 = f"line {before + 1}", True
        try:
            for row in rows:
                if is_utf8 and not self.lines.is_utf8:
                    is_utf8 = False
                    yield Notice("The file is not UTF-8; it is read as Windows-1252.")
                values = self._values(row)
                title = str(values.get("title" if head.noun == "event" else "name", ""))
                try:
                    if any(row[len(head.labels) :]):
                        raise InvalidCell(
                            "", "The row has more cells than the first line: put one with a comma in quotes"
                        )
                    record = self._event if head.noun == "event" else self._other
                    yield from record(place, title, values) if values else ()
                except InvalidCell as error:
                    field = self.labels.get(error.field, error.field)
                    reason = f"{field} {error}.".lstrip()
                    yield Problem(place, reason, title, field, error.remedy, error.value)
                    if error.remedy:
                        return
                place, self.lines.size = f"line {before + rows.line_num + 1}", 0
        except csv.Error as error:
            remedy = "Close the quote, or write it twice where it is part of a text."
            yield Problem(place, f"The row cannot be read, nor what follows: {error}.", remedy=remedy)

    def _values(self, row: list[str]) -> _Values:
        values: _Values = {}
        for column, cell in zip(self.head.columns, row, strict=False):
            if column is not None and cell.strip():
                values.setdefault(column.field, _value(column, cell))
                if column.field == "venue" and "uid" not in self.labels:
                    values["venue"] = [cell]  # other programs write one venue, whose name may have a comma
        return values

    def _other(self, place: str, title: str, values: _Values) -> Iterator[Item]:
        noun = self.head.noun
        fields = {name: value for name, value in values.items() if name not in ("id", "name", "address_2")}
        fields[noun] = title
        if values.get("address_2"):
            fields["address"] = ", ".join(filter(None, (values.get("address"), values["address_2"])))
        key = [values.get(name) for name in ("name", "address", "city", "zip")]
        yield Item(noun, _foreign_id(values, key), fields, place, title)

    def _event(self, place: str, title: str, values: _Values) -> Iterator[Found]:
        zone_name = values.get("timezone", self.options.timezone)
        try:
            zone = time_zones.named(zone_name)
        except ValueError as error:
            raise InvalidCell("timezone", f"{error}", zone_name) from None
        fields = {name: value for name, value in values.items() if name not in _OWN}
        fields |= {"timezone": zone_name, **times(values, zone, self.options.day_first)}
        symbol = values.get("currency_symbol") or values.get("currency_code") or ""
        if cost := values.get("cost"):
            parts = cost.split(", ") if symbol else [cost]
            fields["cost"] = costs(parts, symbol, values.get("currency_position", ""))
        for name in ("venue", "organizer"):
            fields[name] = [{name: called} for called in _names(values, name)]
        nouns: tuple[tuple[str, Noun], ...] = (("categories", "category"), ("tags", "tag"))
        for name, noun in nouns:
            fields[name] = called = _names(values, name)
            for number, one in enumerate(called):
                if only_an_id(one):
                    yield Item(noun, one, {"name": one}, place, one)
                    fields[name][number] = Reference(noun, one)
        if values.get("parent_uid"):
            fields["post_parent"] = Reference("event", values["parent_uid"])
        key = [title, fields["start_date"], sorted(map(str, values.get("venue", [])))]
        yield Item("event", _foreign_id(values, key), fields, place, title)


def _value(column: Column, cell: str) -> object:
    """What a cell means; what it should not be stays as it is, and the validation refuses it."""
    if column.kind is csv_columns.FLAG:
        return _FLAGS.get(cell.strip().casefold(), cell)
    try:
        value = column.kind.read(cell)
    except ValueError:
        return cell.strip()
    if column.field in ("status", "event_status"):
        status = value.strip().lower()
        return "private" if status == "future" else status  # without its day of publication
    return website(value.strip()) if column.field == "website" else value


def _names(values: _Values, field: str) -> list[Any]:
    return [name for name in map(str.strip, values.get(field, [])) if name]


def _foreign_id(values: _Values, key: object) -> str:
    if values.get("uid"):
        return str(values["uid"]).strip()
    if values.get("id"):
        return str(values["id"])
    return hashlib.sha256(json.dumps(key).encode()).hexdigest()[:32]
