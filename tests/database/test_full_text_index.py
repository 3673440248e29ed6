"""The full-text index of SQLite: it follows every write, and damage to it fails no request."""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from calendar_api import database
from calendar_api.commands import check, copy
from calendar_api.config import Config
from calendar_api.database import migrate
from calendar_api.database.diagnostics import Finding
from calendar_api.database.models import Record, SearchText
from calendar_api.database.sqlite import full_text_index
from calendar_api.domain.errors import DatabaseUnavailable
from calendar_api.store import publishable
from tests import factories, templates
from tests.client import Client
from tests.command_line import Run
from tests.mariadb import MariaDb
from tests.templates import path_of

pytestmark = pytest.mark.sqlite


@contextmanager
def opened(url: str) -> Iterator[Any]:
    """The file, opened as by another program."""
    database.close_connection()
    with closing(templates.opened(path_of(url))) as connection:
        yield connection


def pending_changes(url: str) -> int:
    with opened(url) as connection:
        return int(connection.execute("SELECT count(*) FROM search_change").fetchone()[0])


def check_integrity(url: str) -> None:
    """Let FTS5 compare the up-to-date index with all texts; raise if they differ."""
    assert pending_changes(url) < full_text_index.MIN_CHANGES
    update_index(url)
    assert pending_changes(url) == 0
    with opened(url) as connection:
        connection.execute("INSERT INTO search_index (search_index, rank) VALUES ('integrity-check', 1)")


def update_index(url: str) -> None:
    """Index the few texts that wait for others."""
    database.close_connection()
    with database.using(database.engine(url)), database.db.connection_context(), database.write():
        database.db.update_search_index(-1, 1)


def found(client: Client, words: str, path: str = "/events") -> list[Any]:
    answer = client.get(path, {"search": words}, as_="editor", status=200).json
    return sorted(one.get("title") or one.get("venue") for one in answer[path[1:]])


def findings(url: str) -> list[Finding]:
    database.bind(url)
    return [one for one in check.run(Config(database_url=url)) if "search" in one.text]


def candidates(*words: str) -> Any:
    """The result of the index, None without it."""
    with database.read():
        return database.bound().texts_holding(words, 50)


@pytest.fixture
def filled(client: Client, database_url: str) -> Client:
    for number in range(3):
        factories.event(client, title=f"Concert {number}", venue={"venue": f"Great hall {number}"})
    update_index(database_url)
    return client


def test_index_follows_every_write(filled: Client, run: Run, database_url: str, tmp_path: Path) -> None:
    id = factories.event(filled, title="First name", venue={"venue": "Old barn"})["id"]
    filled.put(
        f"/events/{id}", {"title": "Second name", "description": "<p>more</p>"}, as_="admin", status=200
    )
    filled.delete(f"/events/{id}", as_="admin", status=200)
    lines = tmp_path / "events.jsonl"
    dates = {"start_date": "2031-01-01", "end_date": "2031-01-02"}
    lines.write_text(json.dumps({"title": "Imported", **dates, "venue": {"venue": "Old barn"}}))
    assert run("import", str(lines))[0] == 0
    check_integrity(database_url)

    assert run("purge", "--days", "0")[0] == 0
    check_integrity(database_url)

    assert findings(database_url) == []


def test_texts_are_indexed_together_and_each_is_found_before(filled: Client, database_url: str) -> None:
    left = []
    for number in range(full_text_index.MIN_CHANGES + 2):
        factories.event(filled, title=f"Recital {number}")
        left.append(pending_changes(database_url))
        assert filled.get("/events", {"search": "recital"}, status=200).json["total"] == number + 1

    assert left == [*range(1, full_text_index.MIN_CHANGES), 0, 1, 2]
    assert findings(database_url) == []
    check_integrity(database_url)


def test_rolled_back_write_leaves_the_index_unchanged(filled: Client, database_url: str) -> None:
    def work() -> None:
        publishable.write_search_text(int(Record.create(kind="event").id), {"all": "gone again"})
        database.db.update_search_index()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        database.run_write(work)

    check_integrity(database_url)
    assert found(filled, "gone") == []


def test_text_that_another_program_writes_is_found_at_once_and_indexed_later(
    filled: Client, database_url: str
) -> None:
    with opened(database_url) as connection:
        connection.execute("UPDATE search_text SET folded = 'recital' WHERE folded = 'concert 1'")
        connection.execute("DELETE FROM search_text WHERE folded = 'concert 2'")

    assert pending_changes(database_url) == 2
    assert (found(filled, "recital"), found(filled, "concert")) == (["Concert 1"], ["Concert 0"])
    assert findings(database_url) == []

    with opened(database_url) as connection:
        for number in range(full_text_index.MIN_CHANGES):
            more = "INSERT INTO search_text (record_id, field, folded) VALUES (1, ?, 'more')"
            connection.execute(more, (f"field {number}",))
    assert [one.critical for one in findings(database_url)] == [False]
    factories.event(filled)

    assert pending_changes(database_url) == 0
    check_integrity(database_url)
    assert (found(filled, "recital"), found(filled, "concert")) == (["Concert 1"], ["Concert 0"])


def test_many_changes_are_indexed_in_batches(
    filled: Client, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(full_text_index, "MAX_CHANGES", 2)
    monkeypatch.setattr(full_text_index.IndexedSqlite.update_search_index, "__defaults__", (2, 1))
    with opened(database_url) as connection:
        connection.execute("UPDATE search_text SET folded = folded || ' tonight'")
    left = [pending_changes(database_url)]

    while left[-1]:
        with database.write():
            pass
        left.append(pending_changes(database_url))

    assert left == [6, 4, 2, 0]
    check_integrity(database_url)


def test_update_of_the_index_reads_only_what_has_changed(database_url: str) -> None:
    with database.read():
        steps = [
            row[3]
            for statement in full_text_index._UPDATE
            for row in database.db.execute_sql(f"EXPLAIN QUERY PLAN {statement}", (1,))
        ]

    assert [step.split(" USING")[0] for step in steps] == [
        "SEARCH search_change", "SEARCH c", "SEARCH t", "SEARCH search_change",
    ]  # fmt: skip


def test_migrate_replaces_the_index_of_an_older_version(
    filled: Client, run: Run, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was larger: it held the positions of trigrams."""
    with monkeypatch.context() as older:
        older.setattr(full_text_index, "_INDEX", full_text_index._INDEX.replace("detail=none", "detail=full"))
        assert run("reindex")[0] == 0

    (finding,) = findings(database_url)
    assert (finding.critical, finding.fix) == (False, "calendar-api reindex")
    assert found(filled, "concert 1") == ["Concert 1"]
    assert run("migrate")[0] == 0

    assert findings(database_url) == []
    check_integrity(database_url)
    with opened(database_url) as connection:
        (sql,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'search_index'").fetchone()
    assert "detail=none" in sql
    assert found(filled, "concert 1") == ["Concert 1"]


def test_word_is_found_by_all_its_trigrams_and_texts_that_have_only_these_are_not(filled: Client) -> None:
    factories.event(filled, title="bcd abc")
    factories.event(filled, title="xabcdx")
    factories.event(filled, title="abc")
    long = "".join(chr(ord("a") + one % 26) + chr(ord("a") + one // 26) for one in range(100))
    factories.event(filled, title="Long", description=long)

    assert found(filled, "abcd") == ["xabcdx"]
    assert found(filled, long) == ["Long"]


# -- where SQLite has no FTS5


def remove_module(url: str, there: str = "USING fts5", then: str = "USING fts9") -> None:
    with opened(url) as connection:
        connection.execute("PRAGMA writable_schema = 1")
        connection.execute(
            "UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE name = 'search_index'", (there, then)
        )
        (version,) = connection.execute("PRAGMA schema_version").fetchone()
        connection.execute(f"PRAGMA schema_version = {version + 1}")


def test_search_works_without_the_module_and_uses_it_again(
    filled: Client, run: Run, database_url: str
) -> None:
    remove_module(database_url)

    id = factories.event(filled, title="Recital")["id"]
    filled.put("/events/" + str(id), {"title": "Recital two"}, as_="admin", status=200)

    assert candidates("recital") is None
    assert found(filled, "recital") == ["Recital two"]
    assert found(filled, "great hall", "/venues") == ["Great hall 0", "Great hall 1", "Great hall 2"]
    (finding,) = findings(database_url)
    assert (finding.critical, "no such module" in finding.text) == (False, True)
    status, _, err = run("reindex")
    assert (status, "3.34" in err) == (1, True)
    assert run("migrate")[0] == run("backup", str(path_of(database_url).parent / "b"))[0] == 0

    remove_module(database_url, "USING fts9", "USING fts5")
    factories.event(filled, title="Recital three")

    check_integrity(database_url)
    assert candidates("recital") is not None
    assert found(filled, "recital") == ["Recital three", "Recital two"]


def test_database_made_without_the_module_gets_its_index_from_migrate(
    new_database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as poorer:
        poorer.setattr(full_text_index, "_INDEX", "CREATE VIRTUAL TABLE search_index USING fts9(folded)")
        migrate.migrate()
        with database.write():
            publishable.write_search_text(int(Record.create(kind="event").id), {"all": "concert"})
        without = candidates("concert")
        found = database.run_read(lambda: database.diagnose("setup"))
        findings_without = findings(new_database_url)
        migrate.migrate()

    assert without is None
    assert any("FTS5" in one.fix for one in found)
    assert len(findings_without) == 1
    migrate.migrate()
    check_integrity(new_database_url)
    assert candidates("concert") is not None
    assert findings(new_database_url) == []


# -- damage

DAMAGES = {
    "structure": "UPDATE search_index_data SET block = x'00ff00ff00ff' WHERE id = 10",
    "pages": "UPDATE search_index_data SET block = x'ffffffffffffffff' WHERE id > 10",
    "rows gone": "DELETE FROM search_index_data WHERE id > 10",
    "all gone": "DELETE FROM search_index_data",
    "settings": "UPDATE search_index_config SET v = 99",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damaged_index_fails_no_request_and_is_repaired(
    filled: Client, run: Run, database_url: str, damage: str
) -> None:
    with opened(database_url) as connection:
        connection.execute(damage)

    assert len(findings(database_url)) == 1
    id = factories.event(filled, title="Recital")["id"]
    filled.put(f"/events/{id}", {"title": "Other recital"}, as_="admin", status=200)
    assert found(filled, "recital") == ["Other recital"]
    filled.delete(f"/events/{id}", as_="admin", status=200)
    assert run("purge", "--days", "0")[0] == 0
    assert filled.get("/events", {"search": "concert"}, status=200).json["total"] in (0, 3)
    assert run("backup", str(path_of(database_url).parent / "b"))[0] == 0

    assert run("reindex") == (0, "search index rebuilt\n", "")

    check_integrity(database_url)
    assert findings(database_url) == []
    assert found(filled, "concert") == ["Concert 0", "Concert 1", "Concert 2"]


DIFFERENCES = {
    "a text less": """INSERT INTO search_index (search_index, rowid, folded)
        SELECT 'delete', id, folded FROM search_text LIMIT 1""",
    "a text more": "INSERT INTO search_index (rowid, folded) VALUES (99, 'not there')",
    "empty": "INSERT INTO search_index (search_index) VALUES ('delete-all')",
    "other words": "UPDATE search_text SET folded = 'something else' WHERE folded = 'concert 1'; "
    "DELETE FROM search_change",
}


def test_write_that_sqlite_rolled_back_is_not_acknowledged(database_url: str) -> None:
    """After a disk error inside the index."""

    def write() -> None:
        Record.create(kind="event")
        database.db._try_execute("ROLLBACK", "SELECT what_is_not_there")

    with pytest.raises(DatabaseUnavailable):
        database.run_write(write)
    with database.read():
        assert Record.select().count() == 0


@pytest.mark.parametrize("difference", DIFFERENCES.values(), ids=DIFFERENCES)
def test_check_finds_an_index_that_differs(filled: Client, database_url: str, difference: str) -> None:
    assert findings(database_url) == []
    with opened(database_url) as connection:
        connection.executescript(difference)

    (finding,) = findings(database_url)

    assert (finding.critical, finding.fix) == (False, "calendar-api reindex")


@pytest.mark.both_databases
def test_reindex_of_a_server_has_nothing_to_do(client: Client, run: Run, backend: str) -> None:
    status, out, err = run("reindex")

    assert (status, err) == (0, "")
    assert out == (
        "search index rebuilt\n" if backend == "sqlite" else "nothing to do: only SQLite has a search index\n"
    )


# -- copies, and databases of before


def test_copies_and_backups_have_their_index(
    filled: Client, run: Run, database_url: str, tmp_path: Path, mariadb_server: MariaDb
) -> None:
    server = mariadb_server.url(mariadb_server.make("searched").rpartition("/")[2])
    there, back = f"sqlite:///{tmp_path}/there.sqlite3", f"sqlite:///{tmp_path}/back.sqlite3"
    assert run("backup", str(tmp_path / "backup.sqlite3"))[0] == 0
    database.bind(database_url)
    copy.run(there)
    copy.run(server)
    database.close_connection()
    database.bind(server)
    copy.run(back)
    database.close_connection()
    database.bind(database_url)
    with database.read():
        rows = list(SearchText.select().order_by(SearchText.id).tuples())

    for url in (there, back, f"sqlite:///{tmp_path}/backup.sqlite3"):
        check_integrity(url)
        database.bind(url)
        with database.read():
            assert list(SearchText.select().order_by(SearchText.id).tuples()) == rows
        assert candidates("concert") is not None
        database.close_connection()
    database.bind(database_url)
