"""Zones of events and of the site."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from calendar_api.config import Config
from tests import factories
from tests.client import Client

SITE = "America/New_York"


@pytest.fixture
def config(database_url: str) -> Config:
    return Config(database_url=database_url, timezone=SITE)


def tomorrow_at(hour: int, zone: str) -> str:
    here = ZoneInfo(zone)
    return f"{datetime.combine(datetime.now(here).date() + timedelta(days=1), time(hour)):%Y-%m-%d %H:%M:%S}"


def utc(wall: str, zone: str) -> str:
    moment = datetime.fromisoformat(wall).replace(tzinfo=ZoneInfo(zone))
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def test_dates_without_a_zone_are_in_that_of_the_site(client: Client) -> None:
    event = factories.event(client, start_date="2031-07-10 09:00:00", end_date="2031-07-10 11:00:00")

    assert event["timezone"] == SITE
    assert event["start_date"] == "2031-07-10 09:00:00"
    assert event["utc_start_date"] == utc("2031-07-10 09:00:00", SITE)
    assert event["utc_end_date"] == utc("2031-07-10 11:00:00", SITE)


def test_words_are_read_in_the_zone_of_the_site(client: Client) -> None:
    before = tomorrow_at(9, SITE), tomorrow_at(16, SITE)

    event = factories.event(client, start_date="tomorrow 9am", end_date="tomorrow 4pm")

    after = tomorrow_at(9, SITE), tomorrow_at(16, SITE)
    assert (event["start_date"], event["end_date"]) in (before, after)
    assert event["utc_start_date"] == utc(event["start_date"], SITE)
    assert event["utc_end_date"] == utc(event["end_date"], SITE)


def test_zone_of_the_event_goes_before_that_of_the_site(client: Client) -> None:
    zone = "Asia/Hong_Kong"
    before = tomorrow_at(9, zone)

    named = factories.event(client, start_date="2031-07-10 09:00", end_date="2031-07-10 11:00", timezone=zone)
    words = factories.event(client, start_date="tomorrow 9am", end_date="tomorrow 4pm", timezone=zone)

    after = tomorrow_at(9, zone)
    assert (named["timezone"], words["timezone"]) == (zone, zone)
    assert named["start_date"] == "2031-07-10 09:00:00"
    assert named["utc_start_date"] == utc("2031-07-10 09:00:00", zone)
    assert words["start_date"] in (before, after)
    assert words["utc_start_date"] == utc(words["start_date"], zone)


def test_publication_date_is_in_the_zone_of_the_site(client: Client) -> None:
    event = factories.event(client, date="2025-07-10 09:00:00", timezone="Asia/Hong_Kong")

    assert event["date"] == "2025-07-10 09:00:00"
    assert event["date_utc"] == utc("2025-07-10 09:00:00", SITE)
