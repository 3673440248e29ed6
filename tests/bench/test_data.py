"""The data set of the benchmark is the same every time, and what the interface would have stored."""

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bench.data import dataset, filling
from bench.data.dataset import Size
from bench.data.tables import Ids
from calendar_api import database
from calendar_api.app import create_app
from calendar_api.commands import check
from calendar_api.config import Config
from tests.client import Client

SIZE = Size(120)
#: What writing changes by itself.
MOVED = {"modified_utc", "version"}


@pytest.fixture(scope="module")
def calendar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    filling.fill(folder, SIZE.events)
    return folder


def test_data_set_is_the_same_every_time() -> None:
    assert list(dataset.happenings(SIZE)) == list(dataset.happenings(SIZE))
    assert list(dataset.happenings(SIZE)) != list(dataset.happenings(SIZE, seed=8))


def test_smaller_texts_of_one_kind_leave_the_other_kinds_alone() -> None:
    assert dataset.names("category", 50)[:10] == dataset.names("category", 10)


class Drawn(Random):
    """Gives these numbers."""

    def __init__(self, *numbers: int) -> None:
        super().__init__()
        self.numbers = list(numbers)

    def randrange(self, *_: int) -> int:
        return self.numbers.pop(0)

    def random(self) -> float:
        return 0.5


def test_short_event_of_the_hour_that_comes_twice_ends_after_its_start() -> None:
    second = datetime(2025, 10, 26, 1, 45, tzinfo=UTC)  # 02:45 in Berlin for the second time
    steps = (second - dataset.FIRST) // timedelta(minutes=15)

    start, end = dataset._times(Drawn(steps, 1), ZoneInfo("Europe/Berlin"), all_day=False)

    assert (f"{start:%H:%M}", f"{end:%H:%M}") == ("03:45", "04:15")


def test_what_was_stored_is_sound(calendar: Path) -> None:
    config = Config(database_url=f"sqlite:///{calendar}/calendar.sqlite3")
    database.bind(config.database_url)

    assert [found for found in check.run(config) if found.severity == "critical"] == []
    database.close_connection()


def test_writing_a_record_back_over_the_interface_changes_no_row(calendar: Path) -> None:
    ids = Ids(SIZE)
    config = Config(database_url=f"sqlite:///{calendar}/calendar.sqlite3")
    client = Client(create_app(config), {"admin": (calendar / "secret").read_text()}, {"admin": 1})
    before = rows(calendar)

    for number in range(0, SIZE.events, 3):
        read = client.get(f"/events/{ids.events + number}", as_="admin").json
        client.post(f"/events/{read['id']}", written_back(read), as_="admin", status=200)
    for noun, first, count in (
        ("venue", ids.venues, SIZE.venues),
        ("organizer", ids.organizers, SIZE.organizers),
    ):
        for id in range(first, first + count):
            read = client.get(f"/{noun}s/{id}", as_="admin").json
            fields = {name: read[name] for name in (noun, "description")}
            client.post(f"/{noun}s/{id}", fields, as_="admin", status=200)
    database.close_connection()

    assert rows(calendar) == before


def written_back(read: dict[str, Any]) -> dict[str, Any]:
    names = (
        "title", "description", "excerpt", "all_day", "start_date", "end_date", "timezone", "cost", "website",
        "show_map", "show_map_link", "hide_from_listings", "sticky", "featured", "ticketed",
    )  # fmt: skip
    terms = {kind: [term["id"] for term in read[kind]] for kind in ("categories", "tags")}
    return {
        **{name: read[name] for name in names}, **terms, "image": read["image"]["id"],
        "venue": read["venue"]["id"], "organizer": [one["id"] for one in read["organizer"]],
    }  # fmt: skip


def rows(calendar: Path) -> dict[str, set[tuple[Any, ...]]]:
    """Everything in the database but what every write changes and what an index keeps for itself."""
    connection = sqlite3.connect(calendar / "calendar.sqlite3")
    connection.row_factory = sqlite3.Row
    listed = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
    virtual = [name for name, sql in listed if sql.startswith("CREATE VIRTUAL")]
    kept_by_them = tuple(f"{name}_" for name in virtual)
    found = {}
    for name, _ in listed:
        if name in (
            "revision",
            "commit_token",
            "sqlite_sequence",
            "search_change",
            *virtual,
        ) or name.startswith(kept_by_them):
            continue
        table = connection.execute(f'SELECT * FROM "{name}"').fetchall()
        found[name] = {tuple(row[column] for column in row.keys() if column not in MOVED) for row in table}  # noqa: SIM118
    connection.close()
    return found
