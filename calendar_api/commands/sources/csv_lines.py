"""Lines and rows of a CSV file, whatever its encoding, in bounded memory."""

import codecs
import csv
from collections.abc import Iterator
from io import TextIOWrapper
from typing import BinaryIO

from calendar_api.commands.sources.items import Problem

_LONGEST = 4 * 2**20  # characters of a row, and of a cell
_CHUNK = 2**20
#: A row after the last one: where a quote is open, it becomes part of the last cell.
_END = "\ue000 end of the file \ue000"


class Lines:
    """The lines of a file and then `_END`; `size` counts characters, so that a row stays within limits."""

    def __init__(self, stream: BinaryIO) -> None:
        self.encoding = _encoding(stream)
        self._file = TextIOWrapper(stream, self.encoding, errors="replace", newline="")
        self.size = 0
        self._ended = False

    def __iter__(self) -> "Lines":
        return self

    def __next__(self) -> str:
        line = self._file.readline(_LONGEST)
        self.size += len(line)
        if self.size >= _LONGEST:
            raise csv.Error(f"must have at most {_LONGEST} characters")
        if not line and self._ended:
            raise StopIteration
        self._ended = not line
        return line or _END

    def detach(self) -> None:
        """Leave the stream open."""
        self._file.detach()


def _encoding(stream: BinaryIO) -> str:
    decoder = codecs.getincrementaldecoder("utf-8")()
    found = "utf-8-sig"
    try:
        while chunk := stream.read(_CHUNK):
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        found = "cp1252"
    stream.seek(0)
    return found


def rows(lines: Lines, delimiter: str, before: int) -> Iterator[tuple[str, list[str] | Problem]]:
    """Yield rows with their place, `before` lines after the start; one that cannot be read is the last."""
    # Descriptions are longer than the limit of the module.
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST))
    reader = csv.reader(lines, delimiter=delimiter)
    while True:
        lines.size = 0
        place = f"line {before + reader.line_num + 1}"
        try:
            row = next(reader)
        except csv.Error as error:
            reason = str(error)
        else:
            if row == [_END]:
                return
            if not row or not row[-1].endswith(_END):
                yield place, row
                continue
            reason = "has a quote that is not closed"
        remedy = "Close the quote, or write it twice where it is part of a text."
        yield place, Problem(place, f"The row {reason}; nothing after it was read.", remedy=remedy)
        return
