"""After random writes of every noun and role, and after every command, reads equal a fresh rendering.

CALENDAR_TEST_DOCUMENTS_WRITES says how many writes, CALENDAR_TEST_DIFFERENTIAL_SEED which ones.
"""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from calendar_api import database
from calendar_api.app import create_app
from calendar_api.commands import main
from calendar_api.config import Config
from calendar_api.database.models import (
    Event,
    EventOrganizer,
    EventTerm,
    EventVenue,
    Organizer,
    Record,
    Term,
    Venue,
)
from calendar_api.database.sqlite.engine import Sqlite
from calendar_api.domain.auth import STATUSES
from calendar_api.store import document_upkeep, documents, publishable, related_records, terms, users
from tests import figures
from tests.conftest import BORN
from tests.differential.recording import plain
from tests.differential.running import batch
from tests.differential.values import ARCHIVES
from tests.differential.worlds import Service
from tests.mariadb import MariaDb

Json = dict[str, Any]
Answer = tuple[int, dict[str, str], str]

WRITES = int(os.environ.get("CALENDAR_TEST_DOCUMENTS_WRITES", "20000" if figures.LONG else "150"))
SEED = os.environ.get("CALENDAR_TEST_DIFFERENTIAL_SEED", "documents")
BATCH, IMPORTED = 50, 6
#: Batches between two comparisons of everything that is stored.
BATCHES = 10 if figures.LONG else 1
#: Seconds; a cache that forgets nothing but at midnight must be found, too.
LONGEST_PAUSE = 60
CALLERS = (None, "admin", "editor", "author", "contributor", "subscriber")
COMPARED = ("etag", "link", "x-tec-total", "x-tec-totalpages")


class Life:
    """A calendar that is written to by requests and by commands; some of these give it another database."""

    def __init__(self, url: str, new_url: Callable[[], str], folder: Path, env: pytest.MonkeyPatch) -> None:
        self.url, self.new_url, self.folder, self.env = "", new_url, folder, env
        self.service = Service(url, 700_000_000, ())
        self.service.begin()
        self.writes = 0
        self._move_to(url)

    def run(self, writes: int, differing: Callable[["Life"], list[str]]) -> None:
        """Raise AssertionError at the first difference."""
        commands = (self._import, self._give_away, self._restore, self._copy, self._purge)
        for number in count():
            self._write(number)
            if number % BATCHES == 0 or self.writes >= writes:
                found = differing(self)
                assert not found, f"batch {number}: {found[:5]}"
            if self.writes >= writes:
                return
            commands[number % len(commands)](number)

    def _write(self, number: int) -> None:
        for request in batch(f"{SEED}/{number}", BATCH, "create", "update", "delete"):
            request["pause"] = min(request["pause"], LONGEST_PAUSE)
            self.writes += self.service.answered(request)["status"] < 300

    @property
    def in_file(self) -> bool:
        return self.url.startswith("sqlite")

    def _command(self, *arguments: str, url: str = "", status: int = 0) -> None:
        self.env.setenv("CALENDAR_DATABASE_URL", url or self.url)
        assert main.main(arguments) == status
        self._move_to(url or self.url)

    def _move_to(self, url: str) -> None:
        database.bind(url)
        if url != self.url:
            self.url = url
            self.uncached = create_app(Config(database_url=url, log="off", cache=0))
            self.service.app = create_app(Config(database_url=url, log="off"))
        with database.read():  # ids given after a backup are given again
            self.service.newest = int(Record.select(Record.id).order_by(Record.id.desc()).scalar())

    def _import(self, number: int) -> None:
        file = self.folder / "events.jsonl"
        some = batch(f"{SEED}/import/{number}", IMPORTED, "create event")
        bodies = [json.dumps(self.service._filled(one["body"])) for one in some if "body" in one]
        file.write_text("\n".join([*bodies, "{}"]))
        self._command("import", str(file), status=1)  # which is what one refused line leads to
        self.service._created()

    def _purge(self, number: int) -> None:
        self._command("purge", "--days", str(number % 2))

    def _give_away(self, number: int) -> None:
        """Remove an editor, and add another one with the same name."""
        self._command("user", "remove", "editor", "--give-to", "admin")
        with database.write():
            user = users.add("editor", "editor", BORN)
            self.service.secrets["editor"] = users.add_password(user, "tests", BORN)
            self.service.users["editor"] = int(user.id)

    def _restore(self, number: int) -> None:
        file = self.folder / "backup.sqlite3"
        self._command("backup", str(file), "--force")
        self._write(-number)
        self._command("restore", str(file), "--yes", url=self.url if self.in_file else self.new_url())

    def _copy(self, number: int) -> None:
        target = self.new_url()
        self._command("copy", "--to", target)
        self._move_to(target)

    # -- reading

    def answer(self, request: Json, *, cached: bool) -> Answer:
        app, self.service.app = self.service.app, self.service.app if cached else self.uncached
        try:
            status, headers, body = self.service._respond(request)
        finally:
            self.service.app = app
        return status, {name: value for name, value in headers if name in COMPARED}, body

    def reads(self) -> Iterator[Json]:
        """Every page of every list for two callers, one page for the others, and some of its records."""
        for archive in ARCHIVES.values():
            query = [["per_page", 50]] + ([["hide_empty", 0]] if archive in ("categories", "tags") else [])
            if archive == "events":
                query += [["start_date", "1000-01-03"], ["end_date", "9999-12-28"]]
            for caller in CALLERS:
                if caller in ("admin", "editor") and archive in ("events", "venues", "organizers"):
                    query = [*query[:3], ["status", ",".join(STATUSES)]]
                for page in count(1):
                    request = plain("GET", archive, query=[*query, ["page", page]], caller=caller)
                    yield request
                    status, headers, body = self.answer(request, cached=False)
                    if page == 1 and status == 200:
                        ids = [one["id"] for one in json.loads(body)[archive][:3]]
                        yield from (plain("GET", f"{archive}/{id}", caller=caller) for id in ids)
                    last = int(headers.get("x-tec-totalpages", 0))
                    if caller not in (None, "admin") or page >= last:
                        break


def wrong_links() -> list[str]:
    """Links that do not repeat the columns of their events, and terms with a wrong number of events."""
    wrong, counts = [], Counter[int]()
    for link in (EventTerm, EventVenue, EventOrganizer):
        starts = link.select(link.event, link.utc_start_date, Event.utc_start_date).join(Event)
        wrong += [f"link {id}" for id, repeated, start in starts.tuples() if repeated != start]
    own = (Event.status, Event.password, Event.published_utc)
    links = EventTerm.select(EventTerm.term, EventTerm.counted_from_utc, *own).join(Event).tuples()
    for term, counted_from, status, password, published in links:
        public = status == "publish" and not password
        counts[term] += public
        wrong += [f"link to {term}"] * (counted_from != (published if public else None))
    return wrong + [f"term {term.id}" for term in Term.select() if term.counted != counts[term.id]]


def differing(life: Life) -> list[str]:
    """Stored documents, cached answers and answers made of documents that are not what the rows say."""
    site, wrong = Config().site, database.run_read(wrong_links)
    unusable, ids = document_upkeep.problems(site, 10**9)
    wrong += [f"document of record {id}" for id in ids] + ["unusable"] * unusable
    reads = [(request, life.answer(request, cached=False)) for request in life.reads()]
    for request, answer in reads:
        times = 1 if request["caller"] else 3
        if any(life.answer(request, cached=True) != answer for _ in range(times)):
            wrong.append(f"cached: {request}")
    with database.write():
        for model in (Event, Venue, Organizer, Term):
            model.update(document=None).execute()
    wrong += [f"{request}" for request, answer in reads if life.answer(request, cached=False) != answer]
    document_upkeep.rewrite(site)
    return wrong


@pytest.fixture
def life(
    new_database_url: str, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Life]:
    for name in [name for name in os.environ if name.startswith("CALENDAR_")]:
        monkeypatch.delenv(name)
    numbers = count()

    def new_url() -> str:
        if new_database_url.startswith("sqlite"):
            return f"sqlite:///{tmp_path}/copy{next(numbers)}.sqlite3"
        server: MariaDb = request.getfixturevalue("mariadb_server")
        return server.make(f"copy{next(numbers)}")

    made = Life(new_database_url, new_url, tmp_path, monkeypatch)
    yield made
    made.service.clock.stop()


@pytest.mark.both_databases
def test_reads_equal_a_fresh_rendering(life: Life) -> None:
    life.run(WRITES, differing)

    figures.keep("documents", writes=life.writes, seed=SEED)


def _forgets_nothing(patch: pytest.MonkeyPatch) -> None:
    for name in ("revision", "try_revision"):
        patch.setattr(Sqlite, name, lambda self: ((0, 0), 0))


def _keeps_documents(module: Any) -> Callable[[pytest.MonkeyPatch], None]:
    """Writes of `module` store the first document of a record again and again."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        first: dict[int, bytes] = {}
        real = documents.render
        patch.setattr(
            module, "documents",
            SimpleNamespace(**vars(documents) | {"render": lambda *a: first.setdefault(a[1].id, real(*a))}),
        )  # fmt: skip

    return plant


def _counts_once(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(related_records, "sync", lambda *_: None)


@pytest.mark.long
@pytest.mark.parametrize(
    ("plant", "message"),
    [
        (_forgets_nothing, "cached"),
        (_counts_once, "link"),
        (_keeps_documents(publishable), "document of record"),
        (_keeps_documents(terms), "document of record"),
    ],
    ids=["cache", "counts", "records", "terms"],
)
def test_harness_finds_what_stays_behind(
    life: Life, monkeypatch: pytest.MonkeyPatch, plant: Callable[[pytest.MonkeyPatch], None], message: str
) -> None:
    plant(monkeypatch)

    with pytest.raises(AssertionError, match=message):
        life.run(max(WRITES, 2000), differing)  # until the first difference
