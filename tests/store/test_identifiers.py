"""Ids of records: the next one, and those that a copy keeps."""

import pytest

from calendar_api import database
from calendar_api.database.models import Record
from calendar_api.store import identifiers

pytestmark = [pytest.mark.usefixtures("database_url"), pytest.mark.both_databases]


def test_reserved_ids_are_given_once_and_only_to_their_kind() -> None:
    with database.write(), identifiers.reserve_ids({"event": 7, "image": 9}, 20):
        assert identifiers.next_id("event") == 7
        assert identifiers.next_id("image") == 9
        assert identifiers.next_id("event") > 20
        assert identifiers.next_id("venue") > 20

    with database.read():
        assert [(row.id, row.kind) for row in Record.select().where(Record.id < 20).order_by(Record.id)] == [
            (7, "event"), (9, "image"),
        ]  # fmt: skip


def test_ids_that_are_used_or_impossible_are_replaced() -> None:
    with database.write():
        with identifiers.reserve_ids({"event": 7}, 7):
            identifiers.next_id("event")
        for taken in (7, 0, -1, 2**31 - 1, 2**63):
            with identifiers.reserve_ids({"tag": taken}, taken):
                assert 7 < identifiers.next_id("tag") < 100


def test_reservations_end() -> None:
    with database.write():
        with identifiers.reserve_ids({"event": 7}, 7):
            pass
        assert identifiers.next_id("event") > 7


def test_whether_ids_are_used() -> None:
    with database.write():
        assert not identifiers.are_used()
        identifiers.next_id("tag")
        assert identifiers.are_used()
