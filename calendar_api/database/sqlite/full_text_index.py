"""The search index on SQLite: find the texts that may contain a word, without reading them all.

It is FTS5 with its trigrams over `search_text.folded`, derived data beside the tables of the models. Triggers
note in `search_change` what it does not know yet, and a write transaction that finds enough notes updates the
index before it commits. Where that fails, because the index is damaged or this SQLite has no FTS5, the notes
stay, searches read the texts one by one, and nothing else changes (docs/decisions/0012).
"""

import re
from collections.abc import Iterator, Sequence

import peewee

from calendar_api.database.diagnostics import Finding
from calendar_api.database.errors import chain, unusable
from calendar_api.database.sqlite import driver
from calendar_api.database.sqlite.driver import Connection, sqlite3

MIN_LETTERS = 3  # of a word that the index can find: it has trigrams
FEW = 200  # hits that are worth it whatever their share of the texts
MIN_CHANGES = 16  # notes that are worth it: the index writes as much for one text as for a few
MAX_CHANGES = 2000  # notes of one write transaction: others wait only so long
SAMPLE = 200  # texts that are looked for when the index is checked

_GLOBBED = re.compile("[\x01-\x7f][^\0\ufffd-\uffff]{0,63}")
_WILDCARDS = re.compile(r"[*?[]")

_INDEX = """
    CREATE VIRTUAL TABLE search_index
    USING fts5(folded, content='search_text', content_rowid='id',
        detail=none, tokenize='trigram case_sensitive 1')
"""
_DROP = "DROP TABLE IF EXISTS search_index"
# Even to be dropped, it has to be opened.
_REPAIRS = (
    "CREATE TABLE IF NOT EXISTS search_index_config (k PRIMARY KEY, v) WITHOUT ROWID",
    "REPLACE INTO search_index_config (k, v) VALUES ('version', 4)",
    "CREATE TABLE IF NOT EXISTS search_index_data (id INTEGER PRIMARY KEY, block BLOB)",
    "REPLACE INTO search_index_data (id, block) VALUES (1, x''), (10, x'00000000000000')",
)
# `known`: what the index has under an id since its last update; NULL: nothing.
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
_COUNT_PARTS = """
    SELECT count(*) FROM sqlite_master WHERE name IN
    ('search_change', 'search_text_added', 'search_text_changed', 'search_text_removed')
    OR name = 'search_index' AND sql LIKE '%detail=none%'
"""
_PARTS = 2 + len(_TRIGGERS)

_NEXT = """
    SELECT max(id), count(known), count(*) FROM
    (SELECT id, known FROM search_change WHERE id > 0 ORDER BY id LIMIT ?)
"""
_FORGET = """
    INSERT INTO search_index (search_index, rowid, folded)
    SELECT 'delete', id, known FROM search_change WHERE id <= ? AND known IS NOT NULL
"""
_ADD = """
    INSERT INTO search_index (rowid, folded)
    SELECT t.id, t.folded FROM search_change c CROSS JOIN search_text t ON t.id = c.id WHERE c.id <= ?
"""
_UPDATE = (_FORGET, _ADD, "DELETE FROM search_change WHERE id <= ?")
_CANDIDATES = """SELECT json_group_array(id), count(*), (SELECT max(id) FROM search_text) FROM (
    SELECT id FROM search_change WHERE id > 0
    UNION ALL SELECT rowid FROM search_index WHERE search_index MATCH ?
    LIMIT (SELECT max(?, coalesce(max(id), 0) / ?) + 1 FROM search_text)
)"""

# A row if the index lacks a text, or has one that is gone. What is noted is left out: of that the index may
# know nothing, or an older text.
_DIFFERENCES = """
    SELECT 1 FROM search_text WHERE id NOT IN (SELECT id FROM search_index_docsize)
    AND id NOT IN (SELECT id FROM search_change)
    UNION ALL SELECT 1 FROM search_index_docsize WHERE id NOT IN (SELECT id FROM search_text)
    AND id NOT IN (SELECT id FROM search_change) LIMIT 1
"""
_SAMPLE = """
    SELECT id, substr(folded, 1 + length(folded) / 3, 40) FROM search_text
    WHERE id % (1 + (SELECT max(id) FROM search_text) / ?) = 0 AND id NOT IN (SELECT id FROM search_change)
"""
_FIND = "SELECT 1 FROM search_index WHERE search_index MATCH ? AND rowid = ?"
_REINDEX = "calendar-api reindex"
_NEEDS = f"it needs FTS5 with trigrams, as SQLite 3.34 or later has, and this is {driver.TEXT}"

#: Errors that concern more than the index.
_OTHER_ERRORS = (
    "SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CANTOPEN",
    "SQLITE_NOMEM", "SQLITE_INTERRUPT", "SQLITE_PROTOCOL", "SQLITE_NOTADB",
)  # fmt: skip


class IndexedSqlite(peewee.SqliteDatabase):
    """SQLite with the search index; changes of the index are part of the caller's transaction."""

    def texts_holding(self, words: Sequence[str], one_in: int) -> str | None:
        """Return a JSON list of the ids of all texts that can hold these words; each has to be checked.

        None where the texts have to be read one by one: for short words, for words whose trigrams are in more
        than one text in `one_in`, and without the index.
        """
        trigrams = _trigrams(words)
        if not trigrams or "\0" in trigrams:
            return None
        try:
            found = self.execute_sql(_CANDIDATES, (trigrams, FEW, one_in))
            ids, count, texts = found.fetchone()
        except peewee.PeeweeException as error:
            self._raise_unless_index_error(error)
            return None
        if count > max(FEW, (texts or 0) // one_in):
            return None
        return str(ids)

    def glob_pattern(self, word: str) -> str | None:
        """Return a pattern for GLOB, which skips to where a word may begin; None if it means something else.

        GLOB reads the last code points of the first plane as one, and needs long for long words.
        """
        return "*" + _WILDCARDS.sub(r"[\g<0>]", word) + "*" if _GLOBBED.fullmatch(word) else None

    def contains(self, column: peewee.Field, value: peewee.Node, *, glob: bool) -> peewee.Expression:
        """Return whether a folded text contains a word, given as itself or as a `glob_pattern`."""
        if glob:  # with a plus, because SQLite plans a statement again for each pattern
            return peewee.fn.GLOB(peewee.NodeList((peewee.SQL("+"), value), glue=""), column)
        return peewee.fn.INSTR(column, value) > 0

    def update_search_index(self, max_changes: int = MAX_CHANGES, min_changes: int = MIN_CHANGES) -> bool:
        """Add what has changed to the index; return False if it cannot be written.

        Fewer changes than `min_changes` stay noted, and every search checks their texts. -1: no maximum.
        """
        try:
            last, known, waiting = self.execute_sql(_NEXT, (max_changes,)).fetchone()
        except peewee.PeeweeException as error:
            self._raise_unless_index_error(error)
            return False
        return waiting < min_changes or self._try_execute(*_UPDATE[0 if known else 1 :], values=(last,))

    def create_missing_index(self) -> None:
        """After migrations: create what is missing of the index, and update it."""
        if "id" not in {column.name for column in self.get_columns("search_text")}:
            return
        (parts,) = self.execute_sql(_COUNT_PARTS).fetchone()
        if parts < _PARTS or not self.update_search_index(-1, 1):
            self.recreate_index()

    def recreate_index(self) -> bool:
        """Drop the index and create it; return False if this SQLite cannot."""
        if not (self._try_execute(_DROP) or self._try_execute(*_REPAIRS, _DROP)):
            return False  # changes are still noted, for a SQLite that knows the module
        for trigger in _TRIGGERS:
            self.execute_sql(f"DROP TRIGGER IF EXISTS {trigger}")
        self.execute_sql("DROP TABLE IF EXISTS search_change")
        self.execute_sql(_CHANGES)
        for trigger, action in _TRIGGERS.items():
            self.execute_sql(f"CREATE TRIGGER {trigger} {action}")
        self.execute_sql("INSERT INTO search_change (id) SELECT id FROM search_text")
        if not (self._try_execute(_INDEX) and self.update_search_index(-1, 1)):
            return False
        self.execute_sql("INSERT INTO search_index (search_index) VALUES ('optimize')")
        return True

    def _try_execute(self, *statements: str, values: Sequence[object] = ()) -> bool:
        """Run all of these statements or none; return False if an error concerns the index only."""
        try:
            with self.savepoint():
                for statement in statements:
                    self.execute_sql(statement, values)
                with self.savepoint():
                    pass  # FTS5 writes what it holds in memory here, instead of in the commit
        except peewee.PeeweeException as error:
            self._raise_unless_index_error(error)
            return False
        return True

    def _raise_unless_index_error(self, error: peewee.PeeweeException) -> None:
        """Raise the error again if it concerns more than the index.

        FTS5 may call the index damaged when the disk has failed, after which SQLite rolls back everything.
        """
        if self.in_transaction() and not self.connection().in_transaction:
            raise unusable() from error
        if any(driver.error_name(one).startswith(_OTHER_ERRORS) for one in chain(error)):
            raise error


def missing(connection: Connection) -> list[Finding]:
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'search_index'").fetchone():
        return []
    return [Finding("There is no search index: every search reads all texts.", f"{_REINDEX}; {_NEEDS}")]


def check(connection: Connection) -> Iterator[Finding]:
    """Check whether the index, if there is one, can be used, is complete and agrees with the texts."""
    if missing(connection):
        return
    try:
        connection.execute("SELECT rowid FROM search_index WHERE search_index MATCH 'aaa' LIMIT 1").fetchone()
        (waiting,) = connection.execute("SELECT count(*) FROM search_change").fetchone()
        agrees = _agrees(connection)
    except sqlite3.Error as error:
        yield Finding(
            f"Every search reads all texts: its index cannot be used ({error}).", f"{_REINDEX}; {_NEEDS}"
        )
        return
    if connection.execute(_COUNT_PARTS).fetchone() != (_PARTS,):
        yield Finding("Parts of the search index are missing, or are those of an older version.", _REINDEX)
    if waiting >= MIN_CHANGES:
        yield Finding(f"The search index lacks the last {waiting} changes.", _REINDEX)
    if not agrees:
        yield Finding("The search index differs from the texts.", _REINDEX)


def _agrees(connection: Connection) -> bool:
    """Return whether the index has exactly the texts there are, and finds a sample of them by what they hold.

    FTS5 could compare all of it by itself, but only as a writer, whom others would have to wait for.
    """
    if connection.execute(_DIFFERENCES).fetchone():
        return False
    sample = connection.execute(_SAMPLE, (SAMPLE,)).fetchall()
    return all(
        connection.execute(_FIND, (_trigrams([text]), id)).fetchone()
        for id, text in sample
        if len(text) >= MIN_LETTERS
    )


def _trigrams(words: Sequence[str]) -> str:
    """What FTS5 looks for, whatever characters are in the words: all their trigrams, in any order."""
    found = {word[at : at + MIN_LETTERS] for word in words for at in range(len(word) - MIN_LETTERS + 1)}
    return " AND ".join('"' + trigram.replace('"', '""') + '"' for trigram in sorted(found))
