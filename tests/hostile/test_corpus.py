"""Every parameter of every route against a corpus of hostile values: no failure, no trace, no time.

`make test` gives each parameter a sample of the corpus and each value a place, alone and then together; with
CALENDAR_TEST_FAULTS=long every parameter gets every value, and then come a million requests of several.
CALENDAR_TEST_HOSTILE_SEED chooses others, CALENDAR_TEST_HOSTILE_FROM goes on at a number.
"""

import itertools
import os
import shutil
import time
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from calendar_api import database
from calendar_api.app import create_app
from calendar_api.config import Config
from calendar_api.resources.index import Index
from tests import figures
from tests.client import Client
from tests.hostile.corpus import ALL, GROUPS
from tests.hostile.markup import PAYLOADS
from tests.hostile.requests import CALLERS, Records, fuzzed, request_for, values_for
from tests.hostile.sending import LIMIT, Tally, call, environ, faults, send
from tests.hostile.slots import Slot, slots
from tests.templates import path_of
from tests.wsgi import App

pytestmark = [pytest.mark.sqlite, pytest.mark.usefixtures("cheap_digests")]

LONG = figures.LONG
SEED = os.environ.get("CALENDAR_TEST_HOSTILE_SEED", "calendar")
FIRST = int(os.environ.get("CALENDAR_TEST_HOSTILE_FROM", "0"))
FUZZED = int(os.environ.get("CALENDAR_TEST_HOSTILE_REQUESTS", "1000000" if LONG else "2000"))
SAMPLE = 8
#: After so many requests the database is as it was: what fills pages is to be hostile, not endless.
_LIFE = 4000


@pytest.fixture
def app(config: Config) -> App:
    return create_app(config)


@pytest.fixture
def records(client: Client) -> Records:
    """Some records of every kind, of the administrator and of the contributor."""
    found = Records(client.secrets, {})
    made: dict[str, list[dict[str, Any]]] = {
        "category": [client.post("/categories", {"name": "Music"}, as_="admin").json],
        "tag": [client.post("/tags", {"name": "open air"}, as_="admin").json],
        "venue": [client.post("/venues", {"venue": "Hall", "city": "Faro"}, as_="admin").json],
        "organizer": [client.post("/organizers", {"organizer": "Ann"}, as_="contributor").json],
        "event": [],
    }
    for number, caller in enumerate(["admin", "contributor", "admin"]):
        body = {"title": f"Fair {number}", "start_date": "2031-06-07", "end_date": "2031-06-08"}
        body |= {"tags": [made["tag"][0]["id"]]} | ({"password": "sesame"} if number == 2 else {})
        made["event"].append(client.post("/events", body, as_=caller, status=201).json)
    found.ids = {noun: [record["id"] for record in records] for noun, records in made.items()}
    found.slugs = {noun: records[0]["slug"] for noun, records in made.items()}
    return found


def _report(name: str, tally: Tally, **more: Any) -> None:
    figures.keep(name, seed=SEED, **more, **tally.figures())


def _check(tally: Tally, url: str) -> None:
    assert not tally.wrong, "\n".join(
        f"{fault}\n    {what!r}" for fault, what in list(tally.wrong.items())[:30]
    )
    with database.db.connection_context():
        assert database.db.execute_sql("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert database.db.execute_sql("PRAGMA foreign_key_check").fetchall() == []
    assert path_of(url).stat().st_size > 0


def _aimed() -> Iterable[tuple[Slot, str]]:
    """Which value goes where: everything everywhere, or a sample for each and a place for every value."""
    targets = slots()
    if LONG:
        yield from itertools.product(targets, ALL)
        return
    left = dict.fromkeys(ALL)
    for target in targets:
        for value in values_for(target, SEED, SAMPLE):
            left.pop(value, None)
            yield target, value
    yield from zip(
        itertools.cycle(target for target in targets if target.place in ("query", "body")), left, strict=False
    )


def test_corpus_is_large_and_says_nothing_twice() -> None:
    assert len(ALL) == len(set(ALL)) >= 2500
    assert len(set(PAYLOADS)) >= 300
    assert min(len(set(values)) for values in GROUPS.values()) >= 100


def test_every_route_and_every_parameter_is_a_target() -> None:
    targets = slots()

    assert len(targets) == len(set(targets)) >= 300
    places = {"path", "query", "body", "header", "form", "multipart", "raw"}
    assert {target.place for target in targets} >= places


def test_every_parameter_withstands_the_corpus(app: App, records: Records, database_url: str) -> None:
    tally, life = Tally(), Life(database_url)
    began = time.monotonic()

    for number, (slot, value) in enumerate(_aimed()):
        callers = CALLERS if LONG else (CALLERS[number % len(CALLERS)],)
        for caller in callers:
            asked = request_for(slot, value, caller, number, records)
            send(app, asked, f"{slot} = {value[:100]!r} as {caller}", tally)
        life.after(number)
        if LONG and number % 100_000 == 0:
            print(f"{number} after {time.monotonic() - began:.0f} s", flush=True)

    _report("hostile_corpus", tally, values=len(ALL), parameters=len(slots()))
    _check(tally, database_url)


def test_random_requests_of_several_values_get_an_answer(
    app: App, records: Records, database_url: str
) -> None:
    tally, life = Tally(), Life(database_url)
    targets = slots()

    for number in range(FIRST, FIRST + FUZZED):
        what, asked = fuzzed(targets, SEED, number, records)
        send(app, asked, what, tally)
        life.after(number)
        if LONG and number % 20_000 == 0:
            print(f"go on with CALENDAR_TEST_HOSTILE_FROM={number}: {len(tally.wrong)} wrong", flush=True)

    _report("hostile_fuzz", tally, first=FIRST)
    _check(tally, database_url)


class Life:
    """A database that is put back to its beginnings now and then."""

    def __init__(self, url: str) -> None:
        self.path = path_of(url)
        self.first = self.path.with_suffix(".first")
        database.close_connection()
        shutil.copy(self.path, self.first)

    def after(self, number: int) -> None:
        if number % _LIFE == _LIFE - 1:
            database.close_connection()
            shutil.copy(self.first, self.path)


def _broken(kind: str) -> Callable[..., None]:
    def on_get(self: Any, req: Any, resp: Any) -> None:
        if kind == "crash":
            raise RuntimeError("on purpose")
        if kind == "slow":
            until = time.thread_time() + 1.2 * LIMIT
            while time.thread_time() < until:
                pass
        if kind == "header":
            resp.append_header("X-Evil", "a\r\nb: c")
        if kind == "text":
            resp.text = "not JSON"
            return
        resp.media = {}

    return on_get


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "said"),
    [("crash", "status 500"), ("slow", "more than"), ("header", "a line end"), ("text", "not JSON")],
)
def test_failing_resource_is_found(
    config: Config, monkeypatch: pytest.MonkeyPatch, kind: str, said: str
) -> None:
    monkeypatch.setattr(Index, "on_get", _broken(kind))
    tally = Tally()

    send(create_app(config), environ("GET", ""), "index", tally)

    assert said in " ".join(tally.wrong)


@pytest.mark.long
def test_exception_of_the_application_is_found() -> None:
    def app(asked: Any, start_response: Any) -> Iterable[bytes]:
        raise ValueError("on purpose")

    answer = call(app, environ("GET", ""))

    assert answer.status == 599
    assert faults(environ("GET", ""), answer)
