"""B2 to B4: what SQLite alone needs for the same, by the driver of the standard library."""

import contextlib
import math
import sqlite3
import time
from collections.abc import Iterator
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import Any

from bench.data import dataset, filling, tables
from bench.data.dataset import Size
from bench.data.filling import Calendar
from bench.statements import fastest

_SHOWN = "hide_from_listings = 0 AND status = 'publish'"
_EARTH_KM = 6371.0088


@contextlib.contextmanager
def opened(calendar: Calendar) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(calendar.path, isolation_level=None)
    with contextlib.closing(connection):
        yield connection


def like_ms(calendar: Calendar, word: str) -> float:
    """B3: the number of events with the word in title or description, by LIKE."""
    sql = f"SELECT COUNT(*) FROM event WHERE {_SHOWN} AND (title LIKE ? OR description LIKE ?)"
    with opened(calendar) as connection:
        return fastest(lambda: connection.execute(sql, (f"%{word}%",) * 2).fetchall())


def covering_count_ms(calendar: Calendar, start: str) -> float:
    """B4: the number of events from a day on, from an index that holds all that is asked."""
    sql = f"SELECT COUNT(*) FROM event WHERE {_SHOWN} AND utc_start_date >= ?"
    with opened(calendar) as connection:
        return fastest(lambda: connection.execute(sql, (start,)).fetchall())


def containing(calendar: Calendar, folded: str) -> set[int]:
    """The public events that Python finds the folded text in."""
    sql = (
        "SELECT event.id, folded FROM event JOIN search_text ON record_id = event.id AND field = 'all' "
        f"WHERE {_SHOWN}"
    )
    with opened(calendar) as connection:
        return {id for id, text in connection.execute(sql) if folded in text}


def near(calendar: Calendar, lat: float, lng: float, km: float) -> tuple[set[int], float]:
    """The public events within so many kilometres, by a function in Python for each venue; and its time."""
    sql = (
        "SELECT event.id FROM venue CROSS JOIN event_venue ON venue_id = venue.id "
        "CROSS JOIN event ON event.id = event_id "
        f"WHERE distance(geo_lat, geo_lng, ?, ?) <= ? AND {_SHOWN.replace('status', 'event.status')}"
    )
    with opened(calendar) as connection:
        connection.create_function("distance", 4, haversine, deterministic=True)
        given = (lat, lng, km)
        found = {id for (id,) in connection.execute(sql, given)}
        return found, fastest(lambda: connection.execute(sql, given).fetchall())


def haversine(lat: float, lng: float, other_lat: float, other_lng: float) -> float:
    """Kilometres along the surface."""
    one, other = math.radians(lat), math.radians(other_lat)
    across = math.radians(other_lng - lng)
    half = math.sin((other - one) / 2) ** 2 + math.cos(one) * math.cos(other) * math.sin(across / 2) ** 2
    return 2 * _EARTH_KM * math.asin(math.sqrt(min(1.0, half)))


class DurableCreates:
    """B2: the rows of new events, each event in a transaction that is on the disk when it ends."""

    def __init__(self, calendar: Calendar) -> None:
        self.calendar = calendar
        size = Size(calendar.events)
        more = dataset.happenings(size, seed=dataset.SEED + 1)
        self._rows = chain.from_iterable(map(self._statements, more, range(10**9)))
        self._size = size

    def _statements(self, event: dataset.Happening, place: int) -> Iterator[list[tuple[str, list[Any]]]]:
        """One list of statements and their rows for an event, which takes the next free id."""
        ids = tables.Ids(self._size)
        ids.events += self.calendar.events
        of_event = tables.of_event(event, ids)
        grouped = groupby(of_event, key=itemgetter(0))
        statements = []
        for model, given in grouped:
            rows = [filling.complete(model, row) for _, row in given]
            for row in rows:
                if "slug" in row:
                    row["slug"] = f"created-{place}"
            statements.append((filling.statement(model, rows[0]), rows))
        yield statements

    def rate(self, seconds: float) -> float:
        """Creates in a second; the rows are made before the clock runs."""
        prepared = list(islice(self._rows, int(4000 * seconds)))
        with opened(self.calendar) as connection:
            connection.execute("PRAGMA synchronous = full")
            connection.execute("PRAGMA cache_size = -8192")  # as the service has it
            begin = time.perf_counter()
            done = 0
            for statements in prepared:
                connection.execute("BEGIN IMMEDIATE")
                for sql, rows in statements:
                    connection.executemany(sql, rows)
                connection.execute("UPDATE revision SET number = number + 1")
                connection.execute("COMMIT")
                done += 1
                if time.perf_counter() - begin > seconds:
                    break
            return done / (time.perf_counter() - begin)
