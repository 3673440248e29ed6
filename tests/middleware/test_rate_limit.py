"""Rate limits of failed logins and event passwords (docs/interface.md#rate-limits)."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine

from calendar_api import database
from calendar_api.app import create_app
from calendar_api.config import Config
from calendar_api.database.models import FailedAttempt
from calendar_api.store import login_attempts
from tests import factories
from tests.client import ROOT, Client, basic
from tests.templates import opened, path_of

pytestmark = pytest.mark.usefixtures("cheap_digests")
NOON = datetime(2026, 6, 15, 12, tzinfo=UTC)
HOME, OTHER = "203.0.113.7", "203.0.113.8"


def at(client: Client, address: str) -> Client:
    client.app.extra_environ["REMOTE_ADDR"] = address
    return client


def guess(client: Client, login: str = "editor", times: int = 1) -> list[int]:
    headers = {"Authorization": basic(login, "wrong")}
    return [client.get("/tags", headers=headers).status_int for _ in range(times)]


def opens(client: Client, id: int, password: str, status: int = 0) -> int:
    """The status of an event that is read with a password."""
    return int(client.get(f"/events/{id}", {"password": password}, status=status).status_int)


def protected(client: Client, password: str = "sesame") -> int:  # noqa: S107
    """The id of an event with a password; requests come from HOME then."""
    return int(factories.event(at(client, HOME), password=password)["id"])


def rows() -> list[Any]:
    with database.read():
        return list(FailedAttempt.select())


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(NOON, tick=False) as traveller:
        yield traveller


#: Otherwise a wait may end, or an hour begin, during a test.
still = pytest.mark.usefixtures("clock")


@still
@pytest.mark.both_databases
def test_ten_failures_refuse_even_the_right_password(client: Client) -> None:
    assert guess(at(client, HOME), times=10) == [401] * 10
    refused = client.get("/tags", as_="editor", status=429)
    assert (refused.json["code"], refused.headers["Retry-After"]) == ("rest_too_many_attempts", "300")
    assert refused.headers["Cache-Control"] == "private, no-store"
    client.get("/tags", status=200)  # without credentials
    client.get("/tags", as_="author", status=200)  # another user at the same address
    at(client, OTHER).get("/tags", as_="editor", status=200)  # the same user at another address


@still
def test_guesses_leave_the_revision_alone(client: Client) -> None:
    """Otherwise anybody could empty the cache."""
    with database.db.connection_context():
        before = database.revision()
    guess(at(client, HOME), times=3)
    with database.db.connection_context():
        assert database.revision() == before
    assert [row.failures for row in rows()] == [3]


def test_nine_failures_change_nothing_and_old_ones_do_not_count(client: Client, clock: Any) -> None:
    guess(at(client, HOME), times=9)
    client.get("/tags", as_="editor", status=200)
    clock.shift(timedelta(minutes=5))
    assert guess(client, times=9) == [401] * 9
    client.get("/tags", as_="editor", status=200)


def test_wait_doubles_up_to_fifteen_minutes_and_guesses_then_do_not_count(client: Client, clock: Any) -> None:
    def wait() -> int:
        return int(client.get("/tags", as_="editor", status=429).headers["Retry-After"])

    waits = []
    for _ in range(4):
        guess(at(client, HOME), times=10)
        before = [row.__data__ for row in rows()]
        assert guess(client, times=2) == [429] * 2
        assert [row.__data__ for row in rows()] == before
        waits.append(wait())
        clock.shift(timedelta(seconds=waits[-1] - 1))
        client.get("/tags", as_="editor", status=429)
        clock.shift(timedelta(seconds=1))
        client.get("/tags", as_="editor", status=200)
    clock.shift(timedelta(minutes=15))
    guess(client, times=10)

    assert [*waits, wait()] == [300, 600, 900, 900, 300]


@still
def test_network_of_ipv6_counts_as_one_address(client: Client) -> None:
    for number in range(10):
        guess(at(client, f"2001:db8:1:2::{number:x}"))
    guess(at(client, f"::ffff:{HOME}"), times=10)
    for address, status in (("2001:db8:1:2:ffff::1", 429), ("2001:db8:1:3::1", 200), (HOME, 429)):
        at(client, address).get("/tags", as_="editor", status=status)


@still
def test_unknown_login_and_bearer_are_limited_alike(client: Client) -> None:
    known = guess(at(client, HOME), "editor", times=11)
    unknown = guess(client, "nobody-of-that-name", times=11)
    bearer = [client.get("/tags", headers={"Authorization": "Bearer wrong"}).status_int for _ in range(11)]
    assert known == unknown == bearer == [401] * 10 + [429]


@still
@pytest.mark.settings(trusted_proxies=("10.0.0.0/8",))
def test_behind_a_trusted_proxy_each_client_is_itself(client: Client) -> None:
    def forwarded(chain: str, as_: str | None = None, **headers: str) -> int:
        sent = {**headers, "X-Forwarded-For": chain}
        return int(at(client, "10.0.0.1").get("/tags", as_=as_, headers=sent).status_int)

    wrong = basic("editor", "wrong")
    # What stands before the last address that no proxy of ours has is anybody's invention.
    guesses = [forwarded(f"192.0.2.{n}, {HOME}, 10.0.0.2", Authorization=wrong) for n in range(10)]

    assert guesses == [401] * 10
    assert (forwarded(HOME, "editor"), forwarded(OTHER, "editor")) == (429, 200)


@still
@pytest.mark.both_databases
def test_count_is_shared_by_all_who_use_the_database(client: Client, config: Config) -> None:
    second = at(Client(create_app(config), client.secrets, client.ids), HOME)
    guess(at(client, HOME), times=5)
    guess(second, times=5)
    for one in (client, second):
        one.get("/tags", as_="editor", status=429)


@pytest.mark.both_databases
def test_table_holds_no_name_and_no_address_and_is_pruned(client: Client, clock: Any) -> None:
    for number in range(5):
        guess(at(client, f"198.51.100.{number}"), f"user{number}")
    assert len(rows()) == 5
    assert "198.51" not in repr([row.__data__ for row in rows()])
    clock.shift(timedelta(hours=1))
    guess(at(client, HOME))
    assert len(rows()) == 1


@pytest.mark.sqlite
def test_wrong_login_is_answered_while_nothing_can_be_written(client: Client, database_url: str) -> None:
    guess(at(client, HOME))
    database.db.pragma("busy_timeout", 50)
    writer = opened(path_of(database_url))
    writer.execute("BEGIN IMMEDIATE")
    status = guess(client)
    writer.close()
    assert status == [401]
    assert [row.failures for row in rows()] == [1]


# -- passwords of events


@pytest.mark.both_databases
def test_ten_wrong_passwords_lock_the_event_for_that_address(client: Client, clock: Any) -> None:
    other, id = protected(client), protected(client)
    path = f"/events/{id}"
    wrong = [opens(client, id, f"guess {n}") for n in range(10)]
    refused = client.get(path, {"password": "sesame"}, status=429)

    assert wrong == [403] * 10
    assert (refused.json["code"], refused.headers["Retry-After"]) == ("rest_too_many_attempts", "900")
    opens(client, other, "sesame", 200)
    client.get(path, status=403)  # without a password it says what it always says
    client.get(path, as_="admin", status=200)
    opens(at(client, OTHER), id, "sesame", 200)
    clock.shift(timedelta(minutes=15))
    opens(at(client, HOME), id, "sesame", 200)


@still
def test_attempts_by_id_slug_and_list_are_counted_together(client: Client) -> None:
    id = protected(client)
    slug = client.get(f"/events/{id}", as_="admin").json["slug"]
    for number in range(4):
        opens(client, id, f"guess {number}", 403)
    for number in range(3):
        client.get(f"/events/by-slug/{slug}", {"password": f"slug guess {number}"}, status=403)
    for number in range(3):
        shown = client.get("/events", {"password": f"list guess {number}"}, status=200).json["events"]
        assert [one["id"] for one in shown] == [id]

    def shown_map() -> object:
        return client.get("/events", {"password": "sesame"}, status=200).json["events"][0]["show_map"]

    assert shown_map() is None
    opens(client, id, "sesame", 429)
    at(client, OTHER)
    assert shown_map() is not None


@still
def test_event_with_the_guessed_password_hides_no_guess(client: Client) -> None:
    victim, decoy = protected(client), protected(client, "decoy 0")
    for number in range(10):
        client.put(f"/events/{decoy}", {"password": f"decoy {number}"}, as_="admin", status=200)
        query = {"include": f"{victim},{decoy}", "password": f"decoy {number}"}
        client.get("/events", query, status=200)
    opens(client, victim, "sesame", 429)


@still
def test_same_wrong_password_counts_once(client: Client) -> None:
    """Lists with the password of one event do not lock the others."""
    protected(client, "one")
    closed = protected(client, "two")
    for _ in range(12):
        client.get("/events", {"password": "one"}, status=200)
        opens(client, closed, "one", 403)
    opens(client, closed, "two", 200)
    assert max(row.failures for row in rows()) == 1


@still
def test_right_password_is_not_counted_even_as_the_tenth_attempt(client: Client) -> None:
    id = protected(client)
    for number in range(9):
        opens(client, id, f"guess {number}", 403)
    for _ in range(12):
        opens(client, id, "sesame", 200)
    opens(client, id, "guess 10", 403)
    opens(client, id, "sesame", 429)


def at_once(client: Client, count: int, request: Callable[[int], int]) -> list[int]:
    """The statuses of so many requests in threads of their own."""
    start = threading.Barrier(count)

    def run(number: int) -> int:
        start.wait()
        try:
            return request(number)
        finally:
            database.close_connection()

    with ThreadPoolExecutor(count) as pool:
        return sorted(pool.map(run, range(count)))


@pytest.mark.both_databases
def test_of_parallel_guesses_no_more_than_ten_are_checked(client: Client) -> None:
    id = protected(client)
    statuses = at_once(client, 40, lambda n: opens(client, id, f"guess {n}"))
    assert statuses == [403] * 10 + [429] * 30


def test_guess_that_is_counted_out_of_order_is_not_blocked(client: Client) -> None:
    """A request of one second may be counted after those of the next."""
    with database.db.connection_context(), database.write():
        login_attempts.record(login_attempts.EVENT, {"key": "first"}, "2031-01-01 10:00:01")
        allowed = login_attempts.record(login_attempts.EVENT, {"key": "second"}, "2031-01-01 10:00:00")
        blocked = login_attempts.blocked(["key", "first"], "2031-01-01 10:00:00")
    assert allowed == {"key": True}
    assert blocked == {}


@pytest.mark.both_databases
def test_of_parallel_logins_no_more_than_ten_are_answered(client: Client) -> None:
    at(client, HOME)
    assert at_once(client, 40, lambda _: guess(client)[0]) == [401] * 10 + [429] * 30


@pytest.mark.both_databases
def test_right_password_in_parallel_always_opens(client: Client) -> None:
    id = protected(client)
    assert at_once(client, 20, lambda _: opens(client, id, "sesame")) == [200] * 20


@pytest.mark.sqlite
def test_password_is_not_checked_if_the_attempt_is_not_recorded(client: Client, database_url: str) -> None:
    id, known = protected(client), protected(client, "known")
    opens(client, known, "known", 200)
    database.db.pragma("busy_timeout", 50)
    writer = opened(path_of(database_url))
    writer.execute("BEGIN IMMEDIATE")
    single = client.app.get(f"{ROOT}/events/{id}?password=sesame", status=503).json["code"]
    listed = client.get("/events", {"password": "sesame"}, status=200).json["events"]
    again = opens(client, known, "known")
    writer.close()

    assert single == "rest_database_unavailable"
    assert {event["venue"] == [] and event["all_day"] is None for event in listed} == {True}
    assert again == 200  # its attempt has been recorded
