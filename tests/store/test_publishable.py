"""Publication dates, and what a change of status writes."""

from typing import Any
from zoneinfo import ZoneInfo

import pytest

from calendar_api import database
from calendar_api.database.models import Event
from calendar_api.domain.errors import InvalidParameters
from calendar_api.store import publishable
from tests.conftest import CallerFactory

BERLIN = ZoneInfo("Europe/Berlin")
NOW = "2026-06-15 12:00:00"


@pytest.mark.parametrize(
    ("fields", "utc"),
    [
        ({"date": "2026-07-01 12:00:00"}, "2026-07-01 10:00:00"),
        ({"date": "2026-07-01 12:00:00", "date_utc": "2020-01-01"}, "2026-07-01 10:00:00"),
        ({"date": "2026-07-01T12:00:00Z"}, "2026-07-01 12:00:00"),
        ({"date_utc": "2026-07-01T12:00:00+05:00"}, "2026-07-01 07:00:00"),
        ({"date": "tomorrow 9am"}, "2026-06-16 07:00:00"),
    ],
)
def test_published_date_in_utc(caller: CallerFactory, fields: dict[str, Any], utc: str | None) -> None:
    assert publishable.published(fields, caller("admin"), BERLIN) == utc


def test_moment_beyond_the_calendar_of_the_zone_is_an_invalid_parameter(caller: CallerFactory) -> None:
    with pytest.raises(InvalidParameters) as error:
        publishable.moment("start_date", "9999-12-30T23:59:59Z", BERLIN, caller("admin"))

    assert list(error.value.problems) == ["start_date"]


@pytest.mark.parametrize(
    ("old", "new", "slug", "before", "expected"),
    [
        ("publish", "draft", "a", None, {"status": "draft", "slug": "a", "slug_before_trash": None}),
        ("publish", "trash", "a", None,
         {"status": "trash", "slug": "a__trashed", "slug_before_trash": "a", "trashed_utc": NOW}),
        ("draft", "trash", None, None,
         {"status": "trash", "slug": None, "slug_before_trash": None, "trashed_utc": NOW}),
        ("trash", "trash", "a__trashed", "a",
         {"status": "trash", "slug": "a__trashed", "slug_before_trash": "a"}),
        ("trash", "publish", "a__trashed", "a",
         {"status": "publish", "slug": "a", "slug_before_trash": None, "trashed_utc": None}),
        ("trash", "draft", None, None,
         {"status": "draft", "slug": None, "slug_before_trash": None, "trashed_utc": None}),
        ("publish", "trash", "x" * 191, None,
         {"status": "trash", "slug": "x" * 182 + "__trashed", "slug_before_trash": "x" * 191,
          "trashed_utc": NOW}),
    ],
)  # fmt: skip
def test_columns_of_a_status_change(
    caller: CallerFactory, old: str, new: str, slug: str | None, before: str | None, expected: dict[str, Any]
) -> None:
    with database.read():
        assert publishable.status_change(Event, 1, slug, before, old, new, NOW) == expected
