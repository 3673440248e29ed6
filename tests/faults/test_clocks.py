"""Days on which clocks and calendars go wrong: leap days, ends of years, summer time, 2038, 9999."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone, tzinfo
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from zoneinfo import ZoneInfo

import pytest
import time_machine

from calendar_api.config import Config
from calendar_api.domain import dates, time_zones
from calendar_api.store import date_range
from tests import factories, figures
from tests.client import Client

# now in UTC, the site's zone, its wall clock, and the days on which a list without dates begins and ends
NOWS = [
    ("2028-02-29 12:00:00", "UTC", "2028-02-29 12:00:00", "2028-02-28", "2030-03-01"),
    ("2028-02-29 22:30:00", "Europe/Berlin", "2028-02-29 23:30:00", "2028-02-29", "2030-03-01"),
    ("2027-12-31 23:59:59", "UTC", "2027-12-31 23:59:59", "2027-12-30", "2029-12-31"),
    ("2027-12-31 22:59:59", "Europe/Berlin", "2027-12-31 23:59:59", "2027-12-31", "2029-12-31"),
    ("2028-03-26 00:59:59", "Europe/Berlin", "2028-03-26 01:59:59", "2028-03-26", "2030-03-26"),
    ("2028-03-26 01:00:00", "Europe/Berlin", "2028-03-26 03:00:00", "2028-03-26", "2030-03-26"),
    ("2028-10-29 00:30:00", "Europe/Berlin", "2028-10-29 02:30:00", "2028-10-29", "2030-10-29"),
    ("2028-10-29 01:30:00", "Europe/Berlin", "2028-10-29 02:30:00", "2028-10-29", "2030-10-29"),
    ("2038-01-19 03:14:08", "UTC", "2038-01-19 03:14:08", "2038-01-18", "2040-01-19"),
    ("9999-12-30 12:00:00", "UTC", "9999-12-30 12:00:00", "9999-12-29", "9999-12-30"),
]  # fmt: skip
Now = tuple[str, str, str, str, str]

#: By zone: a wall time, what clocks show for it, and when that is in UTC, worked out by hand.
CHANGES = json.loads(Path(__file__).with_name("clock_changes.json").read_text("utf-8"))


@pytest.fixture(params=NOWS, ids=lambda now: f"{now[0]} {now[1]}".replace(" ", "-"))
def now(request: pytest.FixtureRequest) -> Iterator[Now]:
    found: Now = request.param
    with time_machine.travel(f"{found[0].replace(' ', 'T')}+00:00", tick=False):
        yield found


@pytest.fixture
def config(database_url: str, request: pytest.FixtureRequest) -> Config:
    site = request.getfixturevalue("now")[1] if "now" in request.fixturenames else "UTC"
    return Config(database_url=database_url, timezone=site)


def test_day_of_a_service(now: Now, client: Client) -> None:
    """Lists, and what happens to one event that takes place just now."""
    utc, zone, wall, begins, ends = now
    day = wall[:10]
    listed = client.get("/events", status=200)
    used = parse_qs(urlsplit(listed.json["rest_url"]).query)
    made = factories.event(client, title="Now", start_date=wall, end_date=wall)
    again = client.get(f"/events/{made['id']}", status=200).json
    found = [
        client.get("/events", {"start_date": day}, status=200).json["total"],
        client.get("/events", {"start_date": "today"}, status=200).json["total"],
        client.get("/events", {"start_date": day, "end_date": day}, status=200).json["total"],
        client.get("/events", status=200).json["total"],
    ]
    changed = client.patch(f"/events/{made['id']}", {"title": "Then"}, as_="admin", status=200).json
    gone = client.delete(f"/events/{made['id']}", as_="admin").status_int

    assert (used["start_date"], used["end_date"]) == ([f"{begins} 00:00:00"], [f"{ends} 23:59:59"])
    assert (made["start_date"], made["timezone"], made["date_utc"]) == (wall, zone, utc)
    assert {name: again[name] for name in made} == made
    assert found == [1, 1, 1, 1]
    assert (changed["start_date"], changed["utc_start_date"]) == (made["start_date"], made["utc_start_date"])
    assert gone == 200


def test_event_at_every_one_of_these_moments(client: Client) -> None:
    for _, zone, wall, _, _ in NOWS:
        made = factories.event(client, start_date=wall, end_date=wall, timezone=zone)
        assert (made["start_date"], made["end_date"]) == (wall, wall)
        window = {"start_date": wall[:10], "end_date": wall[:10]}
        found = client.get("/events", window, status=200).json["events"]
        assert made["id"] in [event["id"] for event in found]


@pytest.mark.parametrize("zone", CHANGES)
def test_clock_changes(zone: str, client: Client) -> None:
    stored = []
    for wall, _, _ in CHANGES[zone]["times"]:
        made = factories.event(client, start_date=wall, end_date=wall, timezone=zone)
        kept = client.patch(f"/events/{made['id']}", {"title": "Again"}, as_="admin", status=200).json
        assert (kept["start_date"], kept["utc_start_date"]) == (made["start_date"], made["utc_start_date"])
        stored.append([wall, made["start_date"], made["utc_start_date"]])

    assert stored == CHANGES[zone]["times"]


def _naive_years(moment: datetime, months: int) -> datetime:
    return moment.replace(year=moment.year + months // 12)


def _one_offset(name: str) -> tzinfo:
    """The zone as it is in winter, all the year round."""
    return timezone(datetime(2027, 1, 1, tzinfo=ZoneInfo(name)).utcoffset() or timedelta(0), name)


@pytest.mark.parametrize("now", NOWS[:2], indirect=True, ids=["UTC", "Berlin"])
def test_harness_finds_years_that_are_just_counted(
    now: Now, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dates, "add_months", _naive_years)
    monkeypatch.setattr(date_range, "_moments", date_range._moments.__wrapped__)  # cached by the tests before

    with pytest.raises(AssertionError):
        test_day_of_a_service(now, client)


@pytest.mark.parametrize("zone", CHANGES)
def test_harness_finds_clocks_that_do_not_change(
    zone: str, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time_zones, "named", _one_offset)

    with pytest.raises(AssertionError):
        test_clock_changes(zone, client)


#: The tests whose requests and answers hang on the day; in 9999 there is no tomorrow for them to plan.
ON_DATES = ("event_list_*.py", "event_*dates.py", "event_update_*.py")


@pytest.mark.skipif(not figures.LONG, reason="takes as long as the tests of lists and dates, nine times over")
@pytest.mark.parametrize("moment", sorted({now[0] for now in NOWS if now[0] < "9999"}))
def test_tests_of_lists_and_dates_at(moment: str) -> None:
    """On SQLite, as if it were then."""
    root = Path(__file__).parents[2]
    env: dict[str, Any] = {**os.environ, "CALENDAR_TEST_NOW": moment.replace(" ", "T") + "+00:00"}
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-k", "sqlite", "-p", "no:cacheprovider"]
    for name in ON_DATES:
        files = sorted(map(str, (root / "tests" / "resources").glob(f"test_{name}")))
        assert files, f"no test is named test_{name}"
        command += files
    command.append("tests/domain/test_dates.py")
    ran = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False)
    figures.keep(f"clock-{moment[:10]}-{moment[11:13]}", last=json.dumps(ran.stdout.splitlines()[-1:]))

    assert ran.returncode == 0, ran.stdout[-6000:]
