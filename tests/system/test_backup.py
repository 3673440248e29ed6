"""Backups while a real server is written to: each is whole and lacks nothing that was acknowledged before.

Twenty in the short form, a hundred with CALENDAR_TEST_FAULTS=long; figures in build/faults/backup.json.
"""

import json
import os
import shutil
import sqlite3
import threading
import time
from contextlib import closing
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest

from tests.system import servers
from tests.system.servers import Server

pytestmark = pytest.mark.system

BACKUPS = 100 if os.environ.get("CALENDAR_TEST_FAULTS") == "long" else 20
WRITERS = 3
RESULT = servers.CHECKOUT / "build" / "faults" / "backup.json"
SITE = "http://calendar.example"
EVER = {"start_date": "1001-01-01", "end_date": "9999-01-01", "per_page": "50"}


class Writing:
    """Clients that post events with a venue; `acknowledged` holds the returned ids."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.acknowledged: set[int] = set()
        self.titles: set[str] = set()
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self._write, args=(number,)) for number in range(WRITERS)]
        for thread in self.threads:
            thread.start()

    def _write(self, writer: int) -> None:
        number = 0
        while not self.over.is_set():
            number += 1
            name = f"{writer}-{number}"
            fields = {
                "title": f"Event {name}", "start_date": "2031-05-01", "end_date": "2031-05-01",
                "venue": {"venue": f"Venue {name}"}, "description": "<p>" + "word " * 200 + "</p>",
            }  # fmt: skip
            try:
                answer = self.server.post("/events", fields)
            except (OSError, HTTPException):
                continue
            if answer.status == 201:
                self.acknowledged.add(int(answer.json["id"]))
                self.titles.add(answer.json["title"])

    def end(self) -> None:
        self.over.set()
        for thread in self.threads:
            thread.join()


def content(file: Path) -> tuple[list[int], int]:
    """Event ids and the number of incomplete events; raises sqlite3.Error for a damaged file."""
    with closing(sqlite3.connect(f"file:{file}?mode=ro&immutable=1", uri=True)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        ids = [id for (id,) in connection.execute("SELECT id FROM event ORDER BY id")]
        whole = connection.execute(
            "SELECT count(*) FROM event e JOIN event_venue l ON l.event_id = e.id "
            "JOIN venue v ON v.id = l.venue_id JOIN search_text s ON s.record_id = e.id "
            "WHERE substr(e.title, 7) = substr(v.venue, 7)"
        ).fetchone()[0]
    return ids, len(ids) - whole


def copied(database: Path, target: Path) -> set[int] | None:
    """The control: events in a plain copy of the file; None if it is not a database."""
    shutil.copy(database, target)
    try:
        return set(content(target)[0])
    except (sqlite3.Error, AssertionError):
        return None


def test_backups_during_writes_are_complete(tmp_path: Path) -> None:
    database = tmp_path / "data" / "calendar.sqlite3"
    env = servers.environment(database, CALENDAR_BASE_URL=SITE, CALENDAR_LOG="off")
    secret = servers.administrator(env)
    port = servers.free_port()
    kept: list[list[int]] = []
    lacking, copies_lacking, half, seconds = 0, 0, 0, []
    with servers.started(servers.gunicorn(port), port, env, tmp_path / "log", secret=secret) as server:
        writing = Writing(server)
        try:
            servers.until(lambda: len(writing.acknowledged) >= 5, server.process)
            for number in range(BACKUPS):
                file = tmp_path / f"{number}.sqlite3"
                before = set(writing.acknowledged)
                began = time.monotonic()
                servers.done("backup", str(file), env=env)
                seconds.append(round(time.monotonic() - began, 2))
                ids, broken = content(file)
                kept.append(ids)
                lacking += bool(before - set(ids))
                half += broken
                before = set(writing.acknowledged)
                control = copied(database, tmp_path / "copy.sqlite3")
                copies_lacking += control is None or bool(before - control)
        finally:
            writing.end()
        answers = everything(server)
    every = sorted(writing.acknowledged)
    last, _ = content(tmp_path / f"{BACKUPS - 1}.sqlite3")
    again = restored(tmp_path, tmp_path / f"{BACKUPS - 1}.sqlite3")

    report(
        {
            "backups": BACKUPS, "writers": WRITERS, "events": len(every), "lacking": lacking, "half": half,
            "copies_lacking": copies_lacking, "seconds_longest": max(seconds),
        }
    )  # fmt: skip
    assert (lacking, half) == (0, 0)
    # Ids are assigned in the order of commits, so an earlier state is a prefix of the list.
    final = sorted(answers)
    assert [ids for ids in kept if ids != final[: len(ids)]] == []
    assert len({len(ids) for ids in kept}) > BACKUPS // 2, "nobody wrote meanwhile"
    assert copies_lacking > 0, "copying the file was as good: this test would notice nothing"
    assert again == {id: answers[id] for id in last}


def everything(server: Server) -> dict[int, Any]:
    """Every public event by id."""
    found = {}
    page = server.get("/events", **EVER).json
    for number in range(1, page["total_pages"] + 1):
        for event in server.get("/events", **EVER, page=number).json["events"]:
            found[int(event["id"])] = event
    return found


def restored(tmp_path: Path, file: Path) -> dict[int, Any]:
    """The responses of a new server after `restore` replaced an existing database."""
    env = servers.environment(tmp_path / "new" / "calendar.sqlite3", CALENDAR_BASE_URL=SITE)
    servers.administrator(env)
    servers.done("restore", str(file), "--yes", env=env)
    port = servers.free_port()
    with servers.started(servers.gunicorn(port), port, env, tmp_path / "log2") as server:
        return everything(server)


def report(figures: dict[str, Any]) -> None:
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(figures, indent=2) + "\n")
    print(json.dumps(figures))
