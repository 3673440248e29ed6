"""The calendars of the benchmark are always the same, and what it sends to the service is accepted."""

import json
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from bench import addresses, calendars, servers, writes
from bench.addresses import LIST, Contents
from bench.calendars import Calendar

#: These start servers and fill calendars; what they test is the benchmark alone.
pytestmark = pytest.mark.long

SIZE = 120


@pytest.fixture(scope="module")
def calendar(tmp_path_factory: pytest.TempPathFactory) -> Calendar:
    return calendars.make(tmp_path_factory.mktemp("data"), "120", calendars.events_of(SIZE))


@pytest.fixture(scope="module")
def known(calendar: Calendar) -> Contents:
    return addresses.contents(calendar)


def test_generated_events_are_the_same_every_time() -> None:
    assert list(calendars.events_of(SIZE)) == list(calendars.events_of(SIZE))
    assert list(calendars.events_of(SIZE)) != list(calendars.events_of(SIZE, seed=8))


def test_linked_records_are_named_by_their_ids_where_they_exist(calendar: Calendar) -> None:
    ids = calendars.linked_ids(calendar.path)
    new = next(calendars.events_of(SIZE, seed=8))

    linked = calendars.with_ids({**new, "tags": ["a new tag"]}, ids)

    assert linked["venue"] == [ids["venue"][new["venue"]["venue"]]]
    assert all(isinstance(id, int) for id in [*linked["organizer"], *linked["categories"]])
    assert linked["tags"] == ["a new tag"]


def test_lists_and_month_views_are_all_different(known: Contents) -> None:
    lists, months = addresses.distinct_lists(known, 3000), addresses.month_views(known)

    assert len(set(lists)) == 3000
    assert len(set(months)) == len(months) > 30_000


def test_every_kind_of_request_is_answered(calendar: Calendar, known: Contents) -> None:
    lists = addresses.distinct_lists(known, 150)
    with servers.service(calendar) as service:
        total = service.get(LIST).json["total"]
        requested = [
            *lists, *addresses.month_views(known)[:20], *addresses.default_pages(total),
            *addresses.single_events(known)[:10], *addresses.single_events(known, by_slug=True)[:10],
        ]  # fmt: skip
        answers = [service.get(target) for target in requested]
        signed = service.get(f"{LIST}?status=draft&starts_after=2000-01-01", servers.signed_in(calendar))

    assert Counter(answer.status for answer in answers) == {200: len(requested)}
    shown = [answer for answer in answers[: len(lists)] if answer.json["events"]]
    assert len(shown) > len(lists) // 2
    assert signed.json["total"] > 0


def test_raw_creates_store_all_rows_of_an_event(calendar: Calendar) -> None:
    copy = calendar.copied("test-raw")
    with writes.raw_creates(copy) as create:
        assert create(0.2) > 0

    links = "SELECT COUNT(*) FROM event LEFT JOIN event_venue ON event_id = id WHERE event_id IS NULL"
    texts = "SELECT COUNT(*) FROM event LEFT JOIN search_text ON record_id = event.id WHERE record_id IS NULL"
    with addresses.reading(copy) as connection:
        stored = connection.execute("SELECT COUNT(*) FROM event").fetchone()[0]
        assert stored > SIZE
        assert [connection.execute(sql).fetchone()[0] for sql in (links, texts)] == [0, 0]


def test_requests_to_create_are_what_the_service_accepts(calendar: Calendar) -> None:
    copy = calendar.copied("test-creates")
    requests = writes.new_events(copy, 20).read_text("utf-8").splitlines()
    with servers.service(copy) as service:
        answers = [
            service.send(method, target, json.loads(body), servers.signed_in(copy))
            for method, target, body in (line.split("\t") for line in requests)
        ]

    assert len(answers) == 20
    assert {answer.status for answer in answers} == {201}


def test_conferences_are_left_out_where_no_file_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CALENDAR_TEST_CONFERENCES", raising=False)

    assert calendars.real_conferences() is None


def test_refused_event_ends_the_making_of_a_calendar(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        calendars.make(tmp_path, "1", [{"title": "without dates"}])
