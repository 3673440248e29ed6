"""Record the answers of 2,000 reads of a growing calendar; compare them with those of other code.

`python -m tests.differential.recording record FILE sqlite` (or `mariadb`) writes every request with its
answer. `… compare FILE` in another checkout sends the same requests to a new database, and exits with 1 if
a status or a body differs. Headers are counted apart. Anonymous reads are compared three times, so that
cached answers are, too. The clock stands still; ids and entity tags are named by their first appearance.
"""

import gzip
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from calendar_api.commands import demo
from tests import mariadb
from tests.client import ROOT
from tests.differential.comparing import differences
from tests.differential.running import batch
from tests.differential.values import ARCHIVES, BEGINNING, reference
from tests.differential.worlds import Service

Json = dict[str, Any]

READS = 2_000
FIRST_ID = 700_000_000
#: Of the random writes every third batch is sent, so that reads prevail.
BATCHES_PER_WRITES = 3
#: Seconds: later than that, lists without dates would find nothing of the demo records.
LONGEST_PAUSE = 3_600
#: What some of the reads have in common.
_VARIANTS: tuple[Json, ...] = (
    {"root": f"/de{ROOT}"}, {"root": "/wp-json/tribe/events/v1"}, {"host": "127.0.0.1:8080"},
    {"origin": "https://site.example"},
)  # fmt: skip
_EVERY = 8


class Recorder(Service):
    """Names an entity tag by the answer that had it first, so that one difference leads to no others."""

    number = 0

    def answered(self, request: Json) -> Json:
        self.number += 1
        return super().answered(request)

    def _tag_name(self, tag: str) -> str:
        return self.known_tags.setdefault(tag, f"[tag of answer {self.number}]")

    def repeated(self, request: Json) -> set[tuple[int, str]]:
        """Status and body of the same request once more, and again: the last answer is a cached one."""
        found = (self._respond(request | {"headers": {}}) for _ in range(2))
        return {(status, self._comparable(body)) for status, _, body in found}

    def address(self, request: Json) -> tuple[Any, ...]:
        environ = self._environ(request)
        names = ("PATH_INFO", "QUERY_STRING", "HTTP_HOST", "HTTP_ORIGIN", "HTTP_IF_NONE_MATCH")
        return (request["caller"], *(environ.get(name) for name in names))


@contextmanager
def recorder(backend: str) -> Iterator[Recorder]:
    """An empty calendar with a user of every role."""
    with tempfile.TemporaryDirectory() as folder:
        if backend == "sqlite":
            yield _empty(f"sqlite:///{folder}/calendar.sqlite3")
            return
        with mariadb.started() as server:
            yield _empty(server.make("recording"))


def _empty(url: str) -> Recorder:
    made = Recorder(url, FIRST_ID, ())
    made.begin()
    return made


def plain(method: str, path: str, **more: Any) -> Json:
    segments = [{"$": "plain", "text": path}]
    return {
        "operation": f"{method} /{path}", "method": method, "path": segments, "query": [], "headers": {},
        "pause": 0, "caller": None, **more,
    }  # fmt: skip


def _demo() -> Iterator[Json]:
    """The demo records as requests of an administrator."""
    records = demo.records(BEGINNING.date())
    names: list[str] = []
    for kind, archive in ARCHIVES.items():
        for payload in getattr(records, archive) if kind != "event" else ():
            if kind == "category":
                if "parent" in payload:
                    payload["parent"] = reference("category", names[::-1].index(payload["parent"]))
                names.append(payload["name"])
            yield plain("POST", archive, caller="admin", body=payload)
    slugs: list[str] = []
    for payload in records.events:
        if "post_parent" in payload:
            payload["post_parent"] = reference("event", slugs[::-1].index(payload["post_parent"]))
        slugs.append(payload.get("slug", ""))
        yield plain("POST", "events", caller="admin", body=payload)


def _script(seed: str) -> Iterator[Json]:
    """Demo records, pages of all lists, then random requests without an end."""
    yield from _demo()
    for root in ({}, *_VARIANTS):
        yield from (plain("GET", path, **root) for path in ("", "doc"))
    for archive in ARCHIVES.values():
        for query in ([], [["per_page", 50]], [["page", 2]], [["page", 2], ["per_page", 3]], [["page", 99]]):
            for caller in (None, "admin", "editor", "author", "contributor", "subscriber"):
                yield plain("GET", archive, query=query, caller=caller)
    number = 0
    while True:
        for place, request in enumerate(batch(f"{seed}/{number}", 50)):
            pause = min(request["pause"], LONGEST_PAUSE)
            if request["method"] == "GET":
                variant = _VARIANTS[place // _EVERY % len(_VARIANTS)] if place % _EVERY == 0 else {}
                yield request | variant | {"pause": pause // 60}
            elif number % BATCHES_PER_WRITES == 0:
                yield request | {"pause": pause}
        number += 1


def record(file: Path, backend: str, reads: int = READS, seed: str = "recording") -> str:
    seen = set()
    with recorder(backend) as asked, gzip.open(file, "wt", encoding="utf-8") as lines:
        print(json.dumps(backend), file=lines)
        for request in _script(seed):
            if request["method"] == "GET":
                address = asked.address(request)
                if address in seen:
                    continue
                seen.add(address)
            print(json.dumps([request, asked.answered(request)]), file=lines)
            if len(seen) == reads:
                break
    return f"{asked.number} answers, {reads} of them to distinct reads"


def compare(file: Path, most: int = 5) -> tuple[int, Counter[str], list[str]]:
    """Return the number of answers, that of differences by header, and what else differs, at most `most`."""
    headers: Counter[str] = Counter()
    wrong: list[str] = []
    with gzip.open(file, "rt", encoding="utf-8") as lines, recorder(json.loads(next(lines))) as asked:
        for request, then in map(json.loads, lines):
            now = asked.answered(request)
            names = then["headers"].keys() | now["headers"].keys()
            headers.update(name for name in names if then["headers"].get(name) != now["headers"].get(name))
            found = differences(then | {"headers": {}}, now | {"headers": {}})
            if request["method"] == "GET" and request["caller"] is None and then["status"] == 200:
                again = asked.repeated(request)
                if again != {(then["status"], then["body"])}:
                    found.append("repeated: another answer")
            if found:
                wrong.append(f"answer {asked.number}, {json.dumps(request)}: " + "\n  ".join(found[:most]))
    return asked.number, headers, wrong


def main(command: str, file: str, backend: str = "sqlite", reads: str = str(READS)) -> int:
    if command == "record":
        print(record(Path(file), backend, int(reads)))
        return 0
    number, headers, wrong = compare(Path(file))
    print(*wrong[:20], sep="\n")
    print(f"{number} answers; {len(wrong)} with another status or body; headers that differ: {dict(headers)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
