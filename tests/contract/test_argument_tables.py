"""The argument tables that are declared beside the true rules."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from calendar_api.contract import argument_tables
from calendar_api.contract.argument_tables import TableContext

NOON = datetime(2026, 6, 15, 12, 0, 5, tzinfo=UTC)


def around(now: datetime = NOON, zone: str = "UTC", per_page: int = 10) -> TableContext:
    return TableContext(str, per_page, ZoneInfo(zone), now)


@pytest.mark.parametrize(
    ("now", "zone", "start", "end"),
    [
        (NOON, "UTC", "2026-06-14 23:59:00", "2028-06-15 12:00:05"),
        (NOON, "America/New_York", "2026-06-14 19:59:00", "2028-06-15 08:00:05"),
        (NOON, "Asia/Tokyo", "2026-06-15 08:59:00", "2028-06-15 21:00:05"),
        (datetime(2026, 1, 1, tzinfo=UTC), "UTC", "2025-12-31 23:59:00", "2028-01-01 00:00:00"),
    ],
)
def test_window_is_computed_for_the_moment_in_the_zone(
    now: datetime, zone: str, start: str, end: str
) -> None:
    table = argument_tables.table("event", "query", around(now, zone))

    assert (table["start_date"]["default"], table["end_date"]["default"]) == (start, end)


def test_size_of_a_page_is_a_text() -> None:
    for noun in ("event", "venue", "organizer", "category", "tag"):
        table = argument_tables.table(noun, "query", around(per_page=25))

        assert table["per_page"] == {
            "type": "integer",
            "default": "25",
            "description": table["per_page"]["description"],
            "required": False,
        }


def test_required_follows_the_role() -> None:
    roles = {role: argument_tables.table("event", role, around()) for role in ("create", "update")}

    needed = {role: [name for name in table if table[name]["required"]] for role, table in roles.items()}
    assert needed == {"create": ["title", "start_date", "end_date"], "update": []}


def test_descriptions_are_said_in_the_language() -> None:
    spoken = TableContext(str.upper, 10, UTC, NOON)

    table = argument_tables.table("tag", "create", spoken) | argument_tables.key(
        "id", "Id of the record.", str.upper
    )

    assert table["id"] == {"type": "integer", "description": "ID OF THE RECORD.", "required": True}
    assert all(rule["description"].isupper() for rule in table.values())
    assert list(table) == ["name", "description", "slug", "id"]


def test_key_is_an_id_or_a_slug() -> None:
    assert argument_tables.key("slug", "Slug.", str) == {
        "slug": {"type": "string", "description": "Slug.", "required": True}
    }


def test_declared_rules_stay_as_they_are_when_a_table_is_changed() -> None:
    first = argument_tables.table("event", "query", around())
    first["page"]["default"] = 99

    assert argument_tables.table("event", "query", around())["page"]["default"] == 1
