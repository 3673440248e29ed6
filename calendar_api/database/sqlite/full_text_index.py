"""The search index on SQLite: find the texts that may contain a word, without reading them all.

It is FTS5 with its trigrams over `search_text.folded`, derived data beside the tables of the models. Triggers
note in `search_change` what it does not know yet, and a write transaction that finds enough of them lets it
catch up before it commits. Where it cannot, because it is damaged or because this SQLite has no FTS5, the
notes stay, texts are read one by one, and nothing else changes.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import peewee

from calendar_api.database.diagnostics import Finding
from calendar_api.database.sqlite import driver
from calendar_api.database.sqlite.driver import sqlite3
from calendar_api.database.sqlite.errors import name_of, unusable

MIN_LETTERS = 3  # letters of a word that the index can find
FEW = 200  # hits that are worth it whatever their share of the texts
MIN_CHANGES = 16  # notes that are worth it: the index writes as much for one text as for a few
MAX_CHANGES = 2000  # texts that the index takes in with one write: others wait only so long
SAMPLE = 200  # texts that are looked for when the index is inspected

_GLOBBED = re.compile("[\x01-\x7f][^\0\ufffd-\uffff]{0,63}")
_SIGNS = re.compile(r"[*?[]")

_INDEX = """
    CREATE VIRTUAL TABLE search_index
    USING fts5(folded, content='search_text', content_rowid='id', tokenize='trigram case_sensitive 1')
"""
_DROP = "DROP TABLE IF EXISTS search_index"
# Even to be dropped, it has to be opened.
_REPAIRS = (
    "CREATE TABLE IF NOT EXISTS search_index_config (k PRIMARY KEY, v) WITHOUT ROWID",
    "REPLACE INTO search_index_config (k, v) VALUES ('version', 4)",
    "CREATE TABLE IF NOT EXISTS search_index_data (id INTEGER PRIMARY KEY, block BLOB)",
    "REPLACE INTO search_index_data (id, block) VALUES (1, x''), (10, x'00000000000000')",
)
# What the index knows under an id since it caught up last; NULL: nothing.
_CHANGES = "CREATE TABLE search_change (id INTEGER NOT NULL PRIMARY KEY, known TEXT)"
_ADDED, _REMOVED = (
    """INSERT INTO search_change (id, known) SELECT new.id, NULL
        WHERE NOT EXISTS (SELECT 1 FROM search_change WHERE id = new.id);""",
    """INSERT INTO search_change (id, known) SELECT old.id, old.folded
        WHERE NOT EXISTS (SELECT 1 FROM search_change WHERE id = old.id);""",
)
_TRIGGERS = {
    "search_text_added": f"AFTER INSERT ON search_text BEGIN {_ADDED} END",
    "search_text_changed": f"AFTER UPDATE ON search_text BEGIN {_REMOVED} {_ADDED} END",
    "search_text_removed": f"AFTER DELETE ON search_text BEGIN {_REMOVED} END",
}
_PARTS = """
    SELECT count(*) FROM sqlite_master WHERE name IN
    ('search_index', 'search_change', 'search_text_added', 'search_text_changed', 'search_text_removed')
"""

_NEXT = """
    SELECT max(id), count(known), count(*) FROM
    (SELECT id, known FROM search_change WHERE id > 0 ORDER BY id LIMIT ?)
"""
_FORGET = """
    INSERT INTO search_index (search_index, rowid, folded)
    SELECT 'delete', id, known FROM search_change WHERE id <= ? AND known IS NOT NULL
"""
_LEARN = """
    INSERT INTO search_index (rowid, folded)
    SELECT t.id, t.folded FROM search_change c CROSS JOIN search_text t ON t.id = c.id WHERE c.id <= ?
"""
_UPDATE = (_FORGET, _LEARN, "DELETE FROM search_change WHERE id <= ?")
_FOUND = """SELECT json_group_array(id), count(*), (SELECT max(id) FROM search_text) FROM (
    SELECT id FROM search_change WHERE id > 0
    UNION ALL SELECT rowid FROM search_index WHERE search_index MATCH ?
    LIMIT (SELECT max(?, coalesce(max(id), 0) / ?) + 1 FROM search_text)
)"""

# What is noted is left out: of that the index may know nothing, or an older text.
_UNKNOWN = """
    SELECT 1 FROM search_text WHERE id NOT IN (SELECT id FROM search_index_docsize)
    AND id NOT IN (SELECT id FROM search_change) LIMIT 1
"""
_SURPLUS = """
    SELECT 1 FROM search_index_docsize WHERE id NOT IN (SELECT id FROM search_text)
    AND id NOT IN (SELECT id FROM search_change) LIMIT 1
"""
_SAMPLE = """
    SELECT id, substr(folded, 1 + length(folded) / 3, 40) FROM search_text
    WHERE id % (1 + (SELECT max(id) FROM search_text) / ?) = 0 AND id NOT IN (SELECT id FROM search_change)
"""
_REINDEX = "calendar-api reindex"
_NEEDS = f"it needs FTS5 with trigrams, as SQLite 3.34 or later has, and this is {driver.TEXT}"
_FIND = "SELECT 1 FROM search_index WHERE search_index MATCH ? AND rowid = ?"

#: Errors that concern more than the index.
_OTHER_ERRORS = (
    "SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CANTOPEN",
    "SQLITE_NOMEM", "SQLITE_INTERRUPT", "SQLITE_PROTOCOL", "SQLITE_NOTADB",
)  # fmt: skip


def candidates(db: peewee.SqliteDatabase, words: Sequence[str], one_in: int) -> Any:
    """A subquery of the ids of all texts that can hold these words; each has still to be looked at.

    None where the texts have to be read one by one: for short words, for words that more than one text in so
    many holds, and without the index.
    """
    phrases = [_phrase(word) for word in words if len(word) >= MIN_LETTERS]
    if not phrases or any("\0" in phrase for phrase in phrases):
        return None
    try:
        ids, found, texts = db.execute_sql(_FOUND, (" AND ".join(phrases), FEW, one_in)).fetchone()
    except peewee.PeeweeException as error:
        _raise_unless_index_error(db, error)
        return None
    if found > max(FEW, (texts or 0) // one_in):
        return None
    return peewee.SQL("(SELECT value FROM json_each(?))", (ids,))


def contains(column: Any, word: str) -> Any:
    """Plain containment: by GLOB, which takes long steps to where a word may begin, where it means the same.

    It reads the last code points of the first plane as one, and needs long for long words.
    """
    if _GLOBBED.fullmatch(word):
        pattern = "*" + _SIGNS.sub(r"[\g<0>]", word) + "*"
        # With a plus, because SQLite plans a statement again for each pattern.
        return peewee.fn.GLOB(peewee.SQL("+?", (pattern,)), column)
    return peewee.fn.INSTR(column, word) > 0


def update(db: peewee.SqliteDatabase, max_changes: int = MAX_CHANGES, min_changes: int = MIN_CHANGES) -> bool:
    """Let the index take in what has changed, as a part of the transaction; False if it cannot.

    Less than so many changes stay noted, and every search looks at their texts.
    """
    try:
        last, known, waiting = db.execute_sql(_NEXT, (max_changes,)).fetchone()
    except peewee.PeeweeException as error:
        _raise_unless_index_error(db, error)
        return False
    return waiting < min_changes or _try_execute(db, *_UPDATE[0 if known else 1 :], values=(last,))


def _try_execute(db: peewee.SqliteDatabase, *statements: str, values: Sequence[Any] = ()) -> bool:
    """Run these statements, all or none; False if the index, and nothing else, is in the way."""
    try:
        with _part(db, "of_the_index"):
            for statement in statements:
                db.execute_sql(statement, values)
            with _part(db, "flushed"):
                """FTS5 writes what it holds in memory now, and not when the transaction is committed."""
    except peewee.PeeweeException as error:
        _raise_unless_index_error(db, error)
        return False
    return True


@contextmanager
def _part(db: peewee.SqliteDatabase, name: str) -> Iterator[None]:
    """A savepoint of a name that stays the same, so that SQLite knows its statements from the last time."""
    db.execute_sql(f"SAVEPOINT {name}")
    try:
        yield
        db.execute_sql(f"RELEASE {name}")
    except BaseException:
        db.execute_sql(f"ROLLBACK TO {name}")
        raise


def create_missing(db: peewee.SqliteDatabase) -> None:
    """After migrations: make what is missing of the index, and let it take in everything."""
    if "id" not in {column.name for column in db.get_columns("search_text")}:
        return
    (parts,) = db.execute_sql(_PARTS).fetchone()
    if parts < 2 + len(_TRIGGERS) or not update(db, -1, 1):
        rebuild(db)


def rebuild(db: peewee.SqliteDatabase) -> bool:
    """Make the index from nothing; False if this SQLite cannot."""
    if not (_try_execute(db, _DROP) or _try_execute(db, *_REPAIRS, _DROP)):
        return False  # it goes on noting what changes, for a SQLite that knows the module
    for trigger in _TRIGGERS:
        db.execute_sql(f"DROP TRIGGER IF EXISTS {trigger}")
    db.execute_sql("DROP TABLE IF EXISTS search_change")
    db.execute_sql(_CHANGES)
    for trigger, what in _TRIGGERS.items():
        db.execute_sql(f"CREATE TRIGGER {trigger} {what}")
    db.execute_sql("INSERT INTO search_change (id) SELECT id FROM search_text")
    if not (_try_execute(db, _INDEX) and update(db, -1, 1)):
        return False
    db.execute_sql("INSERT INTO search_index (search_index) VALUES ('optimize')")
    return True


def missing() -> Finding:
    return Finding("There is no search index: every search reads all texts.", f"{_REINDEX}; {_NEEDS}")


def check(connection: Any) -> Iterator[Finding]:
    """Check whether the index can be used, is complete and agrees with the texts. Changes nothing."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'search_index'").fetchone() is None:
        return  # see `missing`
    try:
        connection.execute("SELECT rowid FROM search_index WHERE search_index MATCH 'aaa' LIMIT 1").fetchone()
        (waiting,) = connection.execute("SELECT count(*) FROM search_change").fetchone()
        agrees = _agrees(connection)
    except sqlite3.Error as error:
        yield Finding(
            f"Every search reads all texts: its index cannot be used ({error}).", f"{_REINDEX}; {_NEEDS}"
        )
        return
    (parts,) = connection.execute(_PARTS).fetchone()
    if parts < 2 + len(_TRIGGERS):
        yield Finding("Triggers of the search index are missing: it misses changes.", _REINDEX)
    if waiting >= MIN_CHANGES:
        yield Finding(f"The search index lacks the last {waiting} changes.", _REINDEX)
    if not agrees:
        yield Finding("The search index differs from the texts.", _REINDEX)


def _agrees(connection: Any) -> bool:
    """Whether the index knows exactly the texts there are, and finds a sample of them by what they hold.

    FTS5 could compare all of it by itself, but only as a writer, whom others would have to wait for.
    """
    differing = connection.execute(_UNKNOWN).fetchone() or connection.execute(_SURPLUS).fetchone()
    if differing:
        return False
    sample = connection.execute(_SAMPLE, (SAMPLE,)).fetchall()
    return all(
        connection.execute(_FIND, (_phrase(text), id)).fetchone()
        for id, text in sample
        if len(text) >= MIN_LETTERS
    )


def _phrase(word: str) -> str:
    """The word as FTS5 looks for it, whatever signs are in it."""
    return '"' + word.replace('"', '""') + '"'


def _raise_unless_index_error(db: peewee.SqliteDatabase, error: BaseException) -> None:
    """Raise the error again if it concerns more than the index.

    FTS5 may call the index damaged when the disk has failed, after which SQLite takes everything back.
    """
    if db.in_transaction() and not db.connection().in_transaction:
        raise unusable() from error
    seen: BaseException | None = error
    while seen is not None:
        if name_of(seen).startswith(_OTHER_ERRORS):
            raise error
        seen = seen.__cause__ or seen.__context__
