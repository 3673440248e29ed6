"""What became of the writes of a load: failed, lost, halves, duplicates, and how long none got through."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from tests.cluster.load import HOT_FIELDS, Log, Write, hot_value
from tests.system.load import Query, inspect


def digests(query: Query) -> dict[str, tuple[int, str]]:
    """The number of rows and a digest of all of them, by table."""
    found = {}
    for (table,) in query("SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()"):
        rows = sorted(repr(row) for row in query(f"SELECT * FROM `{table}`"))
        found[table] = (len(rows), hashlib.sha256("\n".join(rows).encode()).hexdigest())
    return found


@dataclass
class Result:
    """What a check has found: numbers for people, and what must be empty."""

    numbers: dict[str, float]
    failed: list[str]
    lost: list[str]
    halves: list[str]
    duplicates: list[str]
    gap: float

    def table(self) -> str:
        counted = {
            **self.numbers,
            "failed writes": len(self.failed),
            "acknowledged writes lost": len(self.lost),
            "halves": len(self.halves),
            "duplicates": len(self.duplicates),
            "longest time without a successful write, s": round(self.gap, 2),
        }
        width = max(map(len, counted))
        return "\n".join(f"{name:<{width}}  {value:>10}" for name, value in counted.items())


def check(log: Log, query: Query, hot: int, version: int) -> Result:
    """Compare a log with what a node holds; the hot event is `hot` and began with `version`."""
    done = [write for write in log.writes if write.succeeded]
    posts, patches = ([w for w in done if bool(w.column) == changed] for changed in (False, True))
    times = sorted(write.seconds for write in log.writes)
    found = inspect(query, {write.key: write.id for write in posts})
    columns = ", ".join(("version", *HOT_FIELDS))
    ((now, *texts),) = query(f"SELECT {columns} FROM event WHERE id = {hot}")
    ((folded,),) = query(f"SELECT folded FROM search_text WHERE record_id = {hot}")
    held = dict(zip(HOT_FIELDS, texts, strict=True))
    search = folded.decode() if isinstance(folded, bytes) else folded
    return Result(
        numbers={
            "seconds": round(log.ended - log.began, 1),
            "acknowledged new events": len(posts),
            "acknowledged changes of one event": len(patches),
            "changes of it applied again": now - version - len(patches),
            "slowest write, s": round(times[-1], 2) if times else 0,
            "half of the writes within, ms": round(1000 * times[len(times) // 2]) if times else 0,
        },
        failed=[_failure(write, log.began) for write in log.writes if not write.succeeded],
        lost=[*found.lost, *_lost_changes(patches, held, now - version)],
        halves=found.halves + [text for text in texts[:3] if text.lower() not in search],
        duplicates=found.twice,
        gap=gap(log),
    )


def _failure(write: Write, began: float) -> str:
    when = f"sent after {write.sent - began:.1f} s, answered {write.seconds:.1f} s later"
    return f"{write.key}: {write.status} {write.said} ({when})"


def gap(log: Log) -> float:
    """The longest time in which no write was answered with success."""
    answered = sorted(write.answered for write in log.writes if write.succeeded)
    return max(later - earlier for earlier, later in pairwise([log.began, *answered, log.ended]))


def _lost_changes(patches: list[Write], held: dict[str, str], counted: int) -> Iterator[str]:
    """Every change counts the version up, and a column holds what its only writer was told last."""
    if counted < len(patches):
        yield f"{len(patches) - counted} changes of the hot event"
    last = {write.column: write.key for write in sorted(patches, key=lambda write: write.answered)}
    for column, key in last.items():
        if held[column] != hot_value(column, key):
            yield f"{column} of the hot event by {key}, found {held[column]!r}"
