"""Four processes with caches, and a writer: every answer shows what was acknowledged before its request.

Records count in their names, so that an answer tells how old it is. The clock of the processes is moved, too:
it passes midnights and scheduled publications.
"""

import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import count, cycle
from pathlib import Path
from typing import Any

import pytest

from tests import figures
from tests.system import servers
from tests.system.servers import Server

pytestmark = pytest.mark.system

WORKERS, READERS = 4, 4
ROUNDS = 100 if figures.LONG else 2
#: Before and after each write: a response is cached at its second request to one process.
READS = 16
RENAMED = {"event": "title", "venue": "venue", "organizer": "organizer", "category": "name", "tag": "name"}
ARCHIVES = {"category": "categories"}
PATHS = (
    "/events", "/events/{event}", "/events?venue={venue}", "/venues/{venue}", "/venues",
    "/events?categories={category}&tags={tag}", "/categories", "/categories/{category}", "/tags/{tag}",
    "/events?organizer={organizer}&per_page=2", "/organizers/{organizer}", "/organizers", "/events?search=no",
    "/events/by-slug/event-no-0", "/events?tags=scheduled", "/events?tags=imported",
)  # fmt: skip
#: Beside the interface; a changed name changes no slug.
PAGES = (
    "/events/", "/event/event-no-0/", "/events.ics", "/venue/venue-no-0/", "/organizer/organizer-no-0/",
    "/events/category/category-no-0/", "/tag/tag-no-0/", "/event/event-no-0.ics", "/events.csv",
    "/events.rss",
)  # fmt: skip
READ = (*PATHS, *PAGES)
PATH_OF = {"scheduled": "/events?tags=scheduled", "imported": "/events?tags=imported", "day": "/events"}
_NUMBERED = re.compile(rb"\b(event|venue|organizer|category|tag) no (\d+)\b")
_WINDOW = re.compile(rb'"rest_url":"[^"]*start_date=([0-9-]+)')


class Coherence:
    """What answers may show at the least (`low`) and at the most (`high`), by the subject that is counted."""

    def __init__(self, server: Server, env: dict[str, str], folder: Path) -> None:
        self.server, self.env, self.folder = server, env, folder
        self.clock, self.offset = Path(env["CALENDAR_TEST_CLOCK"]), 0.0
        self.low, self.high = dict.fromkeys(RENAMED, 0), dict.fromkeys(RENAMED, 0)
        self.epoch = self.writes = 0  # the epoch is odd while the database is replaced
        self.reads = [0] * READERS
        self._paths, self.path = cycle(READ), READ[0]
        self.stale: list[str] = []
        self.done = threading.Event()
        self._furnish()

    def _furnish(self) -> None:
        made: dict[str, Any] = {"tags": ["tag no 0"], "categories": ["category no 0"]}
        made |= {noun: {noun: f"{noun} no 0"} for noun in ("venue", "organizer")}
        event = self._create(title="event no 0", slug="event-no-0", **made)
        self.ids = {"event": event["id"], "category": event["categories"][0]["id"]}
        self.ids |= {"tag": event["tags"][0]["id"], "venue": event["venue"]["id"]}
        self.ids["organizer"] = event["organizer"][0]["id"]
        for number in range(5):
            self._create(title=f"another {number}", **{**made, "venue": self.ids["venue"]})
        self._create(title="scheduled", tags="scheduled")
        self._create(title="imported", tags="imported")
        for state in (self.low, self.high):
            state |= {"scheduled": 1, "imported": 1, "day": self.today}

    def _create(self, **fields: Any) -> Any:
        answer = self.server.post("/events", fields | self._dates())
        assert answer.status == 201, answer.body
        return answer.json

    def _dates(self) -> dict[str, str]:
        later = f"{self.now + timedelta(days=200):%Y-%m-%d %H:%M:%S}"
        return {"start_date": later, "end_date": later}

    @property
    def now(self) -> datetime:
        return datetime.fromtimestamp(time.time() + self.offset, UTC)

    @property
    def today(self) -> int:
        return self.now.toordinal()

    # -- writing

    def write(self) -> None:
        """Rounds of every kind of change, each of them acknowledged before some reads."""
        try:
            for number in range(ROUNDS):
                self._rename_all()
                publication = f"{self.now + timedelta(hours=1):%Y-%m-%d %H:%M:%S}"
                self._create(title="later", tags="scheduled", date_utc=publication)
                self._change("scheduled", lambda: self._pass(3601))
                self._change("day", lambda: self._pass(86_400 - self.now.timestamp() % 86_400 + 1))
                if number % 3 == 0:
                    self._change("imported", self._import)
                if number % 10 == 1 and self.env["CALENDAR_DATABASE_URL"].startswith("sqlite"):
                    self._restore()
                if self.stale:
                    return
        finally:
            self.done.set()

    def _rename_all(self) -> None:
        for subject in RENAMED:
            self._change(subject, lambda subject=subject: self._rename(subject))

    def _change(self, subject: str, work: Callable[[], object]) -> None:
        """Have responses cached, change what they show, and have them read."""
        self.path = PATH_OF.get(subject) or next(self._paths)
        self._wait_for_reads()
        if self.stale:
            return
        step = subject != "day"  # whose number is that of the clock
        self.high[subject] += step
        work()
        self.low[subject] += step
        self.writes += 1
        self._wait_for_reads()

    def _wait_for_reads(self) -> None:
        target = sum(self.reads) + READS
        servers.until(lambda: sum(self.reads) >= target, self.server.process)

    def _rename(self, subject: str) -> None:
        path = f"/{ARCHIVES.get(subject, f'{subject}s')}/{self.ids[subject]}"
        answer = self.server.post(path, {RENAMED[subject]: f"{subject} no {self.high[subject]}"})
        assert answer.status == 200, answer.body

    def _pass(self, seconds: float) -> None:
        self.high["day"] = (self.now + timedelta(seconds=seconds)).toordinal()
        new = self.clock.with_suffix(".new")
        new.write_text(str(self.offset + seconds))
        new.replace(self.clock)
        self.offset += seconds
        self.low["day"] = self.today

    def _import(self) -> None:
        file = self.folder / "events.jsonl"
        fields = {"title": f"imported {self.high['imported']}", "tags": "imported", **self._dates()}
        file.write_text(json.dumps(fields))
        servers.done("import", str(file), env=self.env)

    def _restore(self) -> None:
        """Back to a backup from which some changes are missing."""
        file = self.folder / "backup.sqlite3"
        servers.done("backup", str(file), "--force", env=self.env)
        then = dict(self.low)
        self._rename_all()
        self.epoch += 1
        servers.done("restore", str(file), "--yes", env=self.env)
        self.low, self.high = then | {"day": self.today}, then | {"day": self.today}
        self.epoch += 1
        self._wait_for_reads()

    # -- reading

    def read(self, reader: int) -> None:
        for number in count():
            if self.done.is_set():
                return
            path = (self.path if number % 2 else READ[number // 20 % len(READ)]).format(**self.ids)
            signed = number % 5 == 4 and path != PATH_OF["scheduled"]  # which an administrator sees before
            headers = {"Authorization": self.server.signed} if signed else {}
            if number % 5 == 3 and path.startswith("/events") and "/" not in path[1:]:
                before = datetime(2001, 1, 1 + reader) + timedelta(seconds=number)  # never requested before
                path += f"{'&' if '?' in path else '?'}starts_after={before:%Y-%m-%dT%H:%M:%S}"
            epoch, low = self.epoch, dict(self.low)
            root = "" if path.partition("?")[0] in PAGES else servers.ROOT
            answer = self.server.send("GET", root + path, None, headers)
            high = dict(self.high)
            if epoch % 2 == 0 and epoch == self.epoch:
                assert answer.status == 200, answer.body
                self.stale += [
                    f"{path}: {subject} {shown}, not {low[subject]} to {high[subject]}"
                    for subject, shown in numbers(path, answer.body)
                    if not low[subject] <= shown <= high[subject]
                ]
            self.reads[reader] += 1


def numbers(path: str, body: bytes) -> Iterator[tuple[str, int]]:
    """What an answer shows of each subject."""
    for subject, number in _NUMBERED.findall(body):
        yield subject.decode(), int(number)
    if path.startswith("/events?tags="):
        yield path.partition("=")[2].partition("&")[0], json.loads(body)["total"]
    window = _WINDOW.search(body)
    if window and path.startswith("/events") and "starts_after" not in path:
        yield "day", datetime.fromisoformat(window[1].decode()).toordinal() + 1  # it begins with yesterday


@pytest.fixture
def coherence(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Coherence]:
    """Four workers with two threads each; the parameter is the fault to put in, or the database."""
    param = getattr(request, "param", "")
    clock = tmp_path / "clock"
    clock.write_text("0")
    settings = {"CALENDAR_TEST_BREAK": param, "CALENDAR_TEST_CLOCK": str(clock), "CALENDAR_LOG": "off"}
    if param == "mariadb":
        url = request.getfixturevalue("mariadb_server").make("coherence")
        settings |= {"CALENDAR_DATABASE_URL": url, "CALENDAR_TEST_BREAK": ""}
    env = servers.environment(tmp_path / "data" / "calendar.sqlite3", **settings)
    prepare = servers.administrator if param == "mariadb" else servers.prepared
    secret, port = prepare(env), servers.free_port()
    command = [
        sys.executable, "-m", "gunicorn", "tests.faults.broken_wsgi:application", "--bind",
        f"127.0.0.1:{port}", "--workers", str(WORKERS), "--threads", "2", "--worker-class",
        "calendar_api.commands.worker.Worker",
    ]  # fmt: skip
    with servers.started(command, port, env, tmp_path / "log", secret=secret) as running:
        servers.until(lambda: len(running.workers()) == WORKERS, running.process)
        yield Coherence(running, env, tmp_path)


def read_while_written(coherence: Coherence) -> list[str]:
    with ThreadPoolExecutor(READERS + 1) as pool:
        work = [pool.submit(coherence.read, number) for number in range(READERS)]
        work.append(pool.submit(coherence.write))
        for one in work:
            one.result()
    return coherence.stale


@pytest.mark.parametrize("coherence", ["", pytest.param("mariadb", marks=pytest.mark.long)], indirect=True)
def test_every_answer_shows_the_last_write(coherence: Coherence) -> None:
    stale = read_while_written(coherence)
    figures.keep("coherence", reads=sum(coherence.reads), stale=len(stale), writes=coherence.writes)
    assert stale == []
    assert coherence.writes >= ROUNDS * 7


@pytest.mark.long
@pytest.mark.parametrize(
    ("coherence", "subjects"),
    [
        ("stale", {"event", "venue", "organizer", "category", "tag"}),
        ("shared", {"event", "venue", "organizer", "category", "tag"}),
        ("timeless", {"day", "scheduled"}),
    ],
    indirect=["coherence"],
)
def test_harness_finds_what_is_never_forgotten(coherence: Coherence, subjects: set[str]) -> None:
    found = {line.split(": ")[1].split()[0] for line in read_while_written(coherence)}
    assert found & subjects
