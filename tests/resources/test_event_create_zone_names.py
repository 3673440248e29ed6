"""Names of zones: what is understood, and what is shown of it (docs/interface.md#time-zones)."""

import pytest

from tests import factories
from tests.client import Client

NAMES = [
    ("Europe/Berlin", "CET", "2031-01-10 09:00:00"),
    ("europe/berlin", "CET", "2031-01-10 09:00:00"),
    ("America/New_York", "EST", "2031-01-10 15:00:00"),
    ("UTC", "UTC", "2031-01-10 10:00:00"),
    ("UTC+0", "UTC+0", "2031-01-10 10:00:00"),
    ("UTC+2", "UTC+2", "2031-01-10 08:00:00"),
    ("UTC-4:30", "UTC-4:30", "2031-01-10 14:30:00"),
    ("UTC+5.5", "UTC+5.5", "2031-01-10 04:30:00"),
    ("+02:00", "GMT+0200", "2031-01-10 08:00:00"),
    ("-0800", "GMT-0800", "2031-01-10 18:00:00"),
    ("EST", "EST", "2031-01-10 15:00:00"),
    ("Asia/Dubai", "+04", "2031-01-10 06:00:00"),
]


@pytest.mark.parametrize(("name", "short", "utc"), NAMES)
def test_zone_is_kept_as_it_was_given(client: Client, name: str, short: str, utc: str) -> None:
    event = factories.event(
        client, start_date="2031-01-10 10:00:00", end_date="2031-01-10 12:00:00", timezone=name
    )

    assert (event["timezone"], event["timezone_abbr"]) == (name, short)
    assert event["start_date"] == "2031-01-10 10:00:00"
    assert event["utc_start_date"] == utc


def test_short_name_follows_the_season_of_the_start(client: Client) -> None:
    summer = factories.event(
        client, start_date="2031-07-10 10:00", end_date="2031-12-10 12:00", timezone="Europe/Berlin"
    )

    assert summer["timezone_abbr"] == "CEST"


@pytest.mark.parametrize(
    "name",
    ["Mars/Phobos", "UTCfoo", "UTC+25", "UTC+14:01", "Berlin", "+99:00", "x" * 65, "Europe/Köln", 5, []],
)
def test_unknown_zone_is_refused(client: Client, name: object) -> None:
    event = factories.event(client, timezone="Europe/Berlin")

    response = client.put(f"/events/{event['id']}", {"timezone": name}, as_="admin", status=400)

    assert list(response.json["data"]["params"]) == ["timezone"]
    assert client.get(f"/events/{event['id']}").json["timezone"] == "Europe/Berlin"
