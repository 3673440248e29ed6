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


def test_slug_in_the_trash_is_not_longer_than_others(database_url: str) -> None:
    with database.read():
        changed = publishable.status_change(Event, 1, "x" * 191, None, "publish", "trash", NOW)

    assert changed["slug"] == "x" * 182 + "__trashed"
    assert changed["slug_before_trash"] == "x" * 191
