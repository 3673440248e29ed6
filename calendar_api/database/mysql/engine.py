"""MySQL and MariaDB, alone or as a Galera cluster.

Each write transaction first updates the one row of `revision`. Its row lock serialises the writers, so that
what a writer has read is still true when it writes; a cluster refuses one of two transactions that updated it
on different nodes (docs/decisions/0008).
"""

import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from typing import TypeVar

import peewee

from calendar_api.database.diagnostics import Finding, Scope
from calendar_api.database.errors import first_error
from calendar_api.database.mysql import checks, connection, errors, retry
from calendar_api.database.mysql.connection import COLLATION, Connection, Cursor
from calendar_api.database.mysql.migration_lock import migration_lock
from calendar_api.database.urls import Host, MysqlAddress
from calendar_api.domain.errors import ApiError

Result = TypeVar("Result")

IDLE = 1.0  # seconds after which an open connection is tested before it is used
TOKENS = 1000  # later writes after which a commit token is deleted

_TABLE = f" ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE {COLLATION}"
_COUNT = "UPDATE revision SET number = LAST_INSERT_ID(number + 1)"
_COUNT_OTHER = "UPDATE revision SET number = LAST_INSERT_ID(number), other_writes = other_writes + 1"


class ThreadState(threading.local):
    """Each thread has its own values."""

    host: Host | None = None
    last_used = 0.0  # when the connection was used last, by the monotonic clock
    long_running = False  # statements have no time limit
    token: str | None = None  # the commit token of this transaction
    committing = False  # COMMIT was sent and not answered yet
    uncertain: str | None = None  # the token of an earlier attempt that may have been committed


class Mysql(peewee.MySQLDatabase):
    """Peewee's MySQL with our settings, and what `database` needs of an engine."""

    READ = "REPEATABLE READ"  # that of the session
    WRITE = "READ COMMITTED"
    field_types = {  # noqa: RUF012 - as Peewee declares it
        **peewee.MySQLDatabase.field_types,
        "TEXT": "LONGTEXT",
        "FOLDED": "LONGBLOB",
        "DOCUMENT": "LONGBLOB",
    }
    safe_create_index = True  # see `execute_sql`
    driver_error = connection.DriverError

    def __init__(self, address: MysqlAddress) -> None:
        self.connector = connection.Connector(address)
        self.thread = ThreadState()
        super().__init__(address.name, autoconnect=False)  # never in the middle of a transaction

    def get_binary_type(self) -> type[bytes]:
        """Peewee asks the driver, which may be missing until a connection is opened."""
        return bytes

    # -- connections

    def _connect(self) -> Connection:
        opened, self.thread.host = self.connector.connect(
            self.database, long_running=self.thread.long_running
        )
        return opened

    def ensure_connection(self) -> None:
        """Open this thread's connection if it has none, or if the open one was lost."""
        idle = time.monotonic() - self.thread.last_used >= IDLE
        if idle and not self.is_closed() and not connection.is_alive(self.connection()):
            self.drop_connection()
        if self.is_closed():
            self.connect()
        self.thread.last_used = time.monotonic()

    @contextmanager
    def use_connection(self) -> Iterator[None]:
        """Open this thread's connection for one transaction; in a transaction, do nothing."""
        if not self.in_transaction():
            self.ensure_connection()
        yield

    def drop_connection(self) -> None:
        """Close the connection without a word to the server."""
        lost = None if self.is_closed() else self.connection()
        self.dispose()
        if lost is not None:
            lost._force_close()

    def avoid_host(self) -> None:
        """Drop the connection, and try its host last for a while."""
        self.connector.avoid(self.thread.host)
        self.drop_connection()

    @contextmanager
    def _long_running(self) -> Iterator[None]:
        self.drop_connection()
        self.thread.long_running = True
        try:
            self.ensure_connection()
            yield
        finally:
            self.thread.long_running = False
            self.drop_connection()

    # -- existence, identity and problems

    def exists(self) -> bool:
        return self._open_existing() and bool(self.table_exists("schema_migration"))

    def create(self) -> None:
        """Create the database if there is none; the migrations create its tables."""
        if self._open_existing():
            return
        quoted = str(self.database).replace("`", "``")
        with closing(self.connector.connect(None, long_running=False)[0]) as opened:
            opened.query(f"CREATE DATABASE `{quoted}` CHARACTER SET utf8mb4 COLLATE {COLLATION}")

    def _open_existing(self) -> bool:
        """Open this thread's connection; return False if the server has no such database."""
        try:
            self.ensure_connection()
        except peewee.OperationalError as error:
            if errors.code(error) != errors.NO_DATABASE:
                raise
            return False
        return True

    def identity(self) -> str:
        return str(self.database)

    def revision(self) -> tuple[str, int]:
        """Return the name of the database, and the number of its writes."""
        found = self.execute_sql("SELECT number FROM revision").fetchone()
        if found is None:
            raise peewee.DatabaseError("the row of the table revision is missing")
        return self.identity(), int(found[0])

    def try_revision(self) -> None:
        """Return None: it takes a statement, and `try_read` notices a lost connection."""

    def software(self) -> str:
        """Return the server's version as it reports it, which names MariaDB; empty without a connection."""
        if self.is_closed():
            return ""
        # MariaDB begins with the version that old clients of MySQL accept.
        return f"server version {str(self.connection().server_version).removeprefix('5.5.5-')}"

    def diagnose(self, scope: Scope, tables: Sequence[str]) -> list[Finding]:
        health = [] if scope == "setup" else self._health()
        if scope == "health":
            return health
        mariadb = "maria" in str(self.connection().server_version).lower()
        found = checks.setup(self.execute_sql, self.server_version, mariadb, tables)
        return found if scope == "setup" else [*found, *health, *checks.settings(self.execute_sql)]

    def _health(self) -> list[Finding]:
        """Also read a row of each table: a damaged one raises an error."""
        for table in self.get_tables():
            if table != "schema_migration":
                self.execute_sql(f"SELECT 1 FROM `{table}` LIMIT 1").fetchall()  # noqa: S608 - a name of ours
        return checks.health(self.execute_sql, len(self.connector.address.hosts))

    def translate_error(self, error: Exception) -> ApiError | None:
        return errors.translate(error)

    # -- search: without an index of parts of words; reading all texts as bytes is fast

    def texts_holding(self, words: Sequence[str], one_in: int) -> None:
        return None

    def glob_pattern(self, word: str) -> None:
        return None

    def contains(self, column: peewee.Field, value: peewee.Node, *, glob: bool) -> peewee.Expression:
        return peewee.fn.INSTR(column, value) > 0

    def rebuild_index(self) -> None:
        return None

    # -- transactions

    def run_with_retry(
        self, transaction: Callable[[], AbstractContextManager[None]], work: Callable[[], Result]
    ) -> Result:
        return retry.run(self, transaction, work)

    def begin(self, isolation_level: str | None = None) -> None:
        """A read is one snapshot; each statement of a write sees what was committed before it."""
        self.thread.token, self.thread.committing = None, False
        if isolation_level == self.READ:
            self.execute_sql("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
        else:
            self.execute_sql(f"SET TRANSACTION ISOLATION LEVEL {self.WRITE}")
            self.execute_sql("START TRANSACTION")

    def commit(self) -> None:
        """An error from here on leaves open whether the transaction was committed."""
        self.thread.committing = self.thread.token is not None
        super().commit()
        self.thread.committing = False

    def rollback(self) -> None:
        """Drop a connection that cannot roll back: then the server does it."""
        try:
            super().rollback()
        except Exception:
            self.drop_connection()
            raise

    @contextmanager
    def read_transaction(self) -> Iterator[None]:
        with self.use_connection(), self.atomic(self.READ):
            yield

    @contextmanager
    def write_transaction(self, *, revises: bool = True) -> Iterator[None]:
        self.ensure_connection()
        with self.atomic(self.WRITE):
            self._count_write(revises=revises)
            yield

    def _count_write(self, *, revises: bool) -> None:
        """Wait for earlier writers; raise Committed if an uncertain earlier attempt was committed."""
        self.execute_sql(_COUNT if revises else _COUNT_OTHER)
        number = self.connection().insert_id()
        uncertain = self.thread.uncertain
        if uncertain is not None:
            found = self.execute_sql("SELECT 1 FROM commit_token WHERE token = %s", (uncertain,))
            if found.fetchone():
                raise retry.Committed
        self.thread.token = secrets.token_hex(16)
        self.execute_sql(
            "INSERT INTO commit_token (token, number) VALUES (%s, %s)", (self.thread.token, number)
        )
        if number % 100 == 0:
            self.execute_sql("DELETE FROM commit_token WHERE number < %s", (number - TOKENS,))

    @contextmanager
    def bulk_load(self) -> Iterator[None]:
        with self._long_running():
            self.execute_sql("SET SESSION foreign_key_checks = 0")
            with self.write_transaction():
                yield

    @contextmanager
    def schema_change(self) -> Iterator[None]:
        """One process at a time; after a crash every statement may be run again."""

        def connect() -> Connection:
            return self.connector.connect(self.database, long_running=False)[0]

        with self._long_running(), migration_lock(connect, self.execute_sql):
            yield

    def execute_sql(self, sql: str, params: Sequence[object] | None = None) -> Cursor:
        """In a migration, ignore errors about what was done before a crash.

        MySQL commits every change of a table at once, so that a migration can be interrupted between two.
        """
        if not self.thread.long_running or not sql.startswith(("CREATE", "ALTER", "DROP")):
            return super().execute_sql(sql, params)
        if sql.startswith("CREATE TABLE"):
            sql += _TABLE
        elif " INDEX IF NOT EXISTS " in sql:  # which MySQL does not know
            sql = sql.replace(" INDEX IF NOT EXISTS ", " INDEX ", 1)
        try:
            return super().execute_sql(sql, params)
        except peewee.PeeweeException as error:
            first = first_error(error, self.driver_error)
            if first is None or errors.code(first) not in errors.DONE_BEFORE:
                raise
            return None
