"""MySQL and MariaDB, alone or as a Galera cluster: a connection a thread, turns, and another try.

Writers take turns as they do on SQLite: each transaction begins by changing the one row of `revision`, which
makes the next one wait, and which makes a cluster refuse one of two transactions that met on different
nodes. What a writer has read is therefore still true when it writes.
"""

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import peewee

from calendar_api.database import diagnostics
from calendar_api.database.diagnostics import Finding, Scope
from calendar_api.database.mysql import checks as mysql_checks
from calendar_api.database.mysql import connection as mysql_connection
from calendar_api.database.mysql import errors as mysql_errors
from calendar_api.database.mysql import retry
from calendar_api.database.mysql import turns as mysql_turns
from calendar_api.database.mysql.connection import COLLATION, Hosts, MysqlConnectionState
from calendar_api.database.mysql.migration_lock import MigrationLock
from calendar_api.database.urls import MysqlAddress
from calendar_api.domain.errors import ApiError

Result = TypeVar("Result")

IDLE = 1.0  # seconds after which a kept connection is asked whether it still stands

_TABLE = f" ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE {COLLATION}"
_MARKS_KEPT = 1000  # writes after which nobody asks any more whether one of them was committed


class Mysql(peewee.MySQLDatabase):
    """Peewee's MySQL with our settings and the answers that `database` asks for."""

    PARTIAL_INDEXES = False
    READ = "REPEATABLE READ"
    WRITE = "READ COMMITTED"
    # Peewee declares this as an attribute of the class, and reads it only.
    field_types = {**peewee.MySQLDatabase.field_types, "TEXT": "LONGTEXT", "FOLDED": "LONGBLOB"}  # noqa: RUF012
    safe_create_index = True  # see `execute_sql`
    driver_error = mysql_connection.DriverError

    def __init__(self, address: MysqlAddress) -> None:
        self.address = address
        self.hosts = Hosts(address.hosts)
        self.here = MysqlConnectionState()
        super().__init__(address.name, autoconnect=False)  # never in the middle of a transaction

    # -- connections

    def _connect(self) -> Any:
        connection, self.here.host = mysql_connection.to_any(
            self.address, self.hosts, self.database, patient=self.here.patient
        )
        return connection

    def check_out(self) -> None:
        """Open this thread's connection, or make sure that the kept one still stands."""
        if not self.is_closed() and time.monotonic() - self.here.used >= IDLE:
            try:
                mysql_connection.ping(self.connection())
            except self.driver_error:
                self.drop()
        if self.is_closed():
            self.connect()
        self.here.used = time.monotonic()

    def drop(self) -> None:
        """Forget a connection that nothing more can be said on."""
        connection = None if self.is_closed() else self.connection()
        self.dispose()
        if connection is not None:
            connection._force_close()

    def give_up_host(self) -> None:
        """Nothing more comes from this host, for a while."""
        self.hosts.avoid(self.here.host)
        self.drop()

    # -- whether it is there, and as it should be

    def made(self) -> bool:
        try:
            self.check_out()
        except peewee.OperationalError as error:
            if mysql_errors.code(error) == mysql_errors.NO_DATABASE:
                return False
            raise
        return bool(self.table_exists("schema_migration"))

    def make(self) -> None:
        """The database, if the account may make one; its tables come with the migrations."""
        try:
            self.check_out()
        except peewee.OperationalError as error:
            if mysql_errors.code(error) != mysql_errors.NO_DATABASE:
                raise
            quoted = self.address.name.replace("`", "``")
            self.database: str | None = None
            try:
                self.check_out()
                self.execute_sql(f"CREATE DATABASE `{quoted}` CHARACTER SET utf8mb4 COLLATE {COLLATION}")
            finally:
                self.database = self.address.name
                self.drop()

    def columns_of(self, tables: Sequence[str]) -> list[tuple[str, str]]:
        return mysql_checks.columns(self.execute_sql, tables)

    def index_columns(self) -> list[tuple[str, str]]:
        return mysql_checks.indexes(self.execute_sql)

    def software(self) -> str:
        """As the server calls itself; the version alone says which of the two it is."""
        return "" if self.is_closed() else f"server version {self.connection().server_version}"

    def diagnose(self, scope: Scope, tables: Sequence[str]) -> list[Finding]:
        if scope == "health":
            return self._health()
        mariadb = "maria" in str(self.connection().server_version).lower()
        found = mysql_checks.setup(self.execute_sql, self.server_version, mariadb, tables)
        if scope == "all":
            found += [*self._health(), *mysql_checks.settings(self.execute_sql)]
        return found

    def _health(self) -> list[Finding]:
        """Also read a row of each table: a damaged one raises an error."""
        for table in self.get_tables():
            if table != "schema_migration":
                self.execute_sql(f"SELECT 1 FROM `{table}` LIMIT 1").fetchall()  # noqa: S608 - a name of ours
        return mysql_checks.health(self.execute_sql, len(self.address.hosts))

    def place(self) -> str:
        """An address always leads to the same database here."""
        return self.address.name

    def revision(self) -> tuple[str, int]:
        """The name of the database, and how often it was written to."""
        found = self.execute_sql("SELECT number FROM revision").fetchone()
        if found is None:
            raise peewee.DatabaseError("the row that counts the writes is gone")
        return self.place(), int(found[0])

    def revision_at_hand(self) -> None:
        """A line may have been lost meanwhile, which `glance` looks after."""

    def settle(self) -> None:
        """A line that failed is not used again anyway, see `mysql_trials`."""

    # -- transactions

    @contextmanager
    def turns(self) -> Iterator[None]:
        """The server keeps the writers in order, see `take_turn`."""
        yield

    def begin(self, isolation_level: str | None = None) -> None:
        """A read is one snapshot; a write sees what was committed before each of its statements."""
        self.here.mark, self.here.committing = None, False
        self.here.writing = isolation_level == self.WRITE
        if isolation_level == self.READ:
            self.execute_sql(f"SET TRANSACTION ISOLATION LEVEL {self.READ}")
            self.execute_sql("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
        else:
            self.execute_sql("START TRANSACTION")

    def take_turn(self, *, revises: bool = True) -> None:
        """Wait for the writers before, then see whether the last try of this one was committed after all."""
        mysql_turns.take(self.execute_sql, self.here.writer, revises=revises)
        number = self.connection().insert_id()
        if self.here.lost is not None:
            found = self.execute_sql("SELECT 1 FROM write_mark WHERE token = %s", (self.here.lost,))
            if found.fetchone():
                raise retry.Committed
        self.here.mark = secrets.token_hex(16)
        self.execute_sql("INSERT INTO write_mark (token, number) VALUES (%s, %s)", (self.here.mark, number))
        if number % 100 == 0:
            self.execute_sql("DELETE FROM write_mark WHERE number < %s", (number - _MARKS_KEPT,))

    def commit(self) -> None:
        """Whatever goes wrong from here on, nobody knows yet whether it was stored."""
        self.here.committing = self.here.mark is not None
        super().commit()
        self.here.committing = False

    def rollback(self) -> None:
        """A connection that does not even roll back is given up: the server then does it."""
        try:
            super().rollback()
        except Exception:
            self.drop()
            raise

    def repeated(self, transaction: Callable[[], Any], work: Callable[[], Result]) -> Result:
        return retry.run(self, transaction, work)

    def meaning(self, error: Exception) -> ApiError | None:
        return mysql_errors.meaning(error)

    # -- searching: there is no index of parts of words, but reading all texts as bytes is fast

    def texts_holding(self, words: Sequence[str], one_in: int) -> None:
        return None

    def contains(self, column: Any, word: str) -> Any:
        return peewee.fn.INSTR(column, word) > 0

    def catch_up(self) -> None:
        """There is nothing to catch up with."""

    def renew_index(self) -> None:
        return None

    # -- changing tables, and filling them

    @contextmanager
    def rebuilding(self) -> Iterator[None]:
        """One process at a time; every statement may be run again after a crash."""
        with self._patience(), MigrationLock(self._another, self.execute_sql):
            yield

    @contextmanager
    def filling(self) -> Iterator[None]:
        with self._patience():
            self.execute_sql("SET SESSION foreign_key_checks = 0")
            with self.atomic(self.WRITE):
                self.take_turn()
                yield

    @contextmanager
    def _patience(self) -> Iterator[None]:
        """A connection on which a statement may take as long as it takes."""
        self.drop()
        self.here.patient = True
        try:
            self.check_out()
            yield
        finally:
            self.here.patient = False
            self.drop()

    def _another(self) -> Any:
        """A connection beside that of this thread."""
        return mysql_connection.to_any(self.address, self.hosts, self.database, patient=False)[0]

    def execute_sql(self, sql: str, params: Any = None) -> Any:
        """In a migration, what was done before a crash counts as done.

        MySQL commits every change of a table by itself, so that a migration can end between two of them.
        """
        if not self.here.patient or not sql.startswith(("CREATE", "ALTER", "DROP")):
            return super().execute_sql(sql, params)
        if sql.startswith("CREATE TABLE"):
            sql += _TABLE
        elif " INDEX IF NOT EXISTS " in sql:  # which MySQL does not know
            sql = sql.replace(" INDEX IF NOT EXISTS ", " INDEX ", 1)
        try:
            return super().execute_sql(sql, params)
        except peewee.PeeweeException as error:
            first = diagnostics.first_error(error, self.driver_error)
            if first is None or mysql_errors.code(first) not in mysql_errors.DONE_BEFORE:
                raise
            return None
