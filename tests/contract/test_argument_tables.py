"""The argument tables that are declared beside the true rules."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from calendar_api.contract import argument_tables
from calendar_api.contract.argument_tables import TableContext

NOON = datetime(2026, 6, 15, 12, 0, 5, tzinfo=UTC)


def around(now: datetime = NOON, zone: str = "UTC", per_page: int = 10) -> TableContext:
    return TableContext(str, per_page, ZoneInfo(zone), now)


def test_window_is_that_of_the_moment_in_the_zone() -> None:
    for now, zone, window in (
        (NOON, "UTC", ("2026-06-14 23:59:00", "2028-06-15 12:00:05")),
        (NOON, "America/New_York", ("2026-06-14 19:59:00", "2028-06-15 08:00:05")),
        (NOON, "Asia/Tokyo", ("2026-06-15 08:59:00", "2028-06-15 21:00:05")),
        (datetime(2026, 1, 1, tzinfo=UTC), "UTC", ("2025-12-31 23:59:00", "2028-01-01 00:00:00")),
    ):
        table = argument_tables.table("event", "query", around(now, zone))
        assert (table["start_date"]["default"], table["end_date"]["default"]) == window


def test_declared_rules_stay_as_they_are_when_a_table_is_changed() -> None:
    argument_tables.table("event", "query", around())["page"]["default"] = 99
    assert argument_tables.table("event", "query", around())["page"]["default"] == 1
