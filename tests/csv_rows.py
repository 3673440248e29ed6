"""Rows of our own CSV files."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

from calendar_api.domain.csv_columns import Column


def read(columns: Sequence[Column], content: bytes) -> Iterator[dict[str, Any]]:
    """Yield the rows that `csv_columns.write` was given; columns with other labels are ignored."""
    known = {column.label: column for column in columns}
    head, *rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    for row in rows:
        cells = ((known[label], cell) for label, cell in zip(head, row, strict=True) if label in known)
        yield {column.field: column.kind.read(cell) for column, cell in cells}
