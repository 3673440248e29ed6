"""Restore a backup while clients write: acknowledged events are in the new or the renamed database."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.system import servers
from tests.system.test_backup import Writing

pytestmark = pytest.mark.system


def titles(file: Path) -> set[str]:
    """Unique titles, because ids assigned after the backup are assigned again."""
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return {title for (title,) in connection.execute("SELECT title FROM event")}


def test_running_server_uses_the_restored_database(tmp_path: Path) -> None:
    database, file = tmp_path / "data" / "calendar.sqlite3", tmp_path / "backup.sqlite3"
    env = servers.environment(database, CALENDAR_LOG="off")
    secret = servers.administrator(env)
    port = servers.free_port()
    with servers.started(servers.gunicorn(port), port, env, tmp_path / "log", secret=secret) as server:
        writing = Writing(server)
        try:
            servers.until(lambda: len(writing.titles) >= 10, server.process)
            servers.done("backup", str(file), env=env)
            enough = len(writing.titles) + 10
            servers.until(lambda: len(writing.titles) >= enough, server.process)
            said = servers.done("restore", str(file), "--yes", env=env)
            enough = len(writing.titles) + 10
            servers.until(lambda: len(writing.titles) >= enough, server.process)
        finally:
            writing.end()
        health = server.send("GET", "/health").status
        total = server.get("/events", start_date="2000-01-01", end_date="2100-01-01").json["total"]
    (aside,) = (path for path in database.parent.glob("*.before-restore-*") if path.name[-1] == "Z")

    kept, now, then = titles(aside), titles(database), titles(file)
    assert str(aside) in said
    assert writing.titles - (kept | now) == set()
    assert then <= kept
    assert then < now
    assert (health, total) == (200, len(now))
