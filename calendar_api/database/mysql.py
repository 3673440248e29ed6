"""MySQL and MariaDB, alone or as a Galera cluster: a connection a thread, turns, and another try.

Writers take turns as they do on SQLite: each transaction begins by changing the one row of `revision`, which
makes the next one wait, and which makes a cluster refuse one of two transactions that met on different
nodes. What a writer has read is therefore still true when it writes.
"""

import random
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import peewee

from calendar_api.database import mysql_errors
from calendar_api.database.mysql_hosts import Hosts
from calendar_api.database.mysql_lease import Lease
from calendar_api.database_urls import MysqlAddress
from calendar_api.errors import ApiError, DatabaseUnavailable
from calendar_api.messages import message

try:
    import pymysql
except ImportError:  # it comes with the extra `mysql`
    pymysql = None

Result = TypeVar("Result")

CONNECT_TIMEOUT = 3
TIMEOUT = 5  # seconds until a silent server counts as lost
STATEMENT_TIMEOUT = 4  # seconds until the server gives up a statement, so that it can still say so
LOCK_TIMEOUT = 3
PATIENCE = 5.0  # seconds in which a transaction is tried again
LONG = 24 * 3600  # seconds for a statement that changes a table
IDLE = 1.0  # seconds after which a kept connection is asked whether it still stands

COLLATION = "utf8mb4_bin"
SQL_MODE = (
    "STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"
)
OLDEST_MARIADB, OLDEST_MYSQL = (10, 6), (8, 0, 16)
_TABLE = f" ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE {COLLATION}"
_MARKS_KEPT = 1000  # writes after which nobody asks any more whether one of them was committed


class Mysql(peewee.MySQLDatabase):
    """Peewee's MySQL with our settings and the answers that `database` asks for."""

    READ = "REPEATABLE READ"
    WRITE = "READ COMMITTED"
    field_types = {**peewee.MySQLDatabase.field_types, "TEXT": "LONGTEXT"}  # noqa: RUF012
    safe_create_index = True  # see `execute_sql`
    driver_error = Exception if pymysql is None else pymysql.err.MySQLError

    def __init__(self, address: MysqlAddress) -> None:
        self.address = address
        self.hosts = Hosts(address.hosts)
        self._here = threading.local()
        super().__init__(address.name, autoconnect=False)  # never in the middle of a transaction

    # -- connections

    def _connect(self) -> Any:
        """To the first host that serves us; raises the error of the last one that was tried."""
        if pymysql is None:
            raise DatabaseUnavailable(
                "MySQL needs one more package: run `pip install 'calendar-api[mysql]'`.", retry_after=60
            )
        failed: Exception | None = None
        for host in self.hosts.in_order():
            try:
                connection = self._connect_to(*host)
            except (pymysql.err.OperationalError, pymysql.err.InterfaceError) as error:
                if mysql_errors.code(error) in mysql_errors.MISTAKES:
                    raise
                self.hosts.avoid(host)
                failed = error
            except RuntimeError as error:  # the account needs an encrypted line, or one more package
                raise DatabaseUnavailable(f"The database account cannot be used: {error}.") from error
            else:
                self._here.host, self._here.used = host, time.monotonic()
                return connection
        assert failed is not None  # noqa: S101 - there is at least one host
        raise failed

    def _connect_to(self, host: str, port: int) -> Any:
        patience = LONG if self._patient else TIMEOUT
        connection = pymysql.connect(
            host=host, port=port, user=self.address.user, password=self.address.password,
            database=self.database, unix_socket=self.address.unix_socket or None,
            ssl={"ca": self.address.ssl_ca} if self.address.ssl_ca else None,
            charset="utf8mb4", collation=COLLATION, autocommit=True,
            connect_timeout=CONNECT_TIMEOUT, read_timeout=patience, write_timeout=patience,
        )  # fmt: skip
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: Any) -> None:
        """The session as every statement expects it, whatever the server's defaults are."""
        with connection.cursor() as cursor:
            cursor.execute(
                "SHOW VARIABLES WHERE Variable_name IN "
                "('max_statement_time', 'max_execution_time', 'wsrep_on', 'wsrep_sync_wait')"
            )
            known = {name.lower(): value for name, value in cursor.fetchall()}
            seconds = 0 if self._patient else STATEMENT_TIMEOUT
            settings = {
                "sql_mode": f"'{SQL_MODE}'",
                "time_zone": "'+00:00'",
                "innodb_lock_wait_timeout": LOCK_TIMEOUT,
                "max_sort_length": 8192,  # a name may be longer than the usual 1024 bytes
            }
            if "max_statement_time" in known:
                settings["max_statement_time"] = seconds
            elif "max_execution_time" in known:
                settings["max_execution_time"] = seconds * 1000
            if known.get("wsrep_on") == "ON":
                settings["wsrep_sync_wait"] = 1  # read what was written on another node
                cursor.execute("SHOW STATUS LIKE 'wsrep_ready'")
                if (cursor.fetchone() or ("", "ON"))[1] != "ON":
                    raise pymysql.err.OperationalError(mysql_errors.NOT_READY, "the node is not in quorum")
            cursor.execute(
                "SET SESSION " + ", ".join(f"{name} = {value}" for name, value in settings.items())
            )
            cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")

    @property
    def _patient(self) -> bool:
        return getattr(self._here, "patient", False)

    def check_out(self) -> None:
        """Open this thread's connection, or make sure that the kept one still stands."""
        if not self.is_closed():
            if time.monotonic() - self._here.used < IDLE:
                return
            try:
                self.connection().ping(reconnect=False)
            except pymysql.err.MySQLError:
                self.drop()
        if self.is_closed():
            self.connect()
        self._here.used = time.monotonic()

    def drop(self) -> None:
        """Forget a connection that nothing more can be said on."""
        connection = None if self.is_closed() else self.connection()
        self.dispose()
        if connection is not None:
            connection._force_close()

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
            name: str = self.address.name
            self.database: str | None = None
            try:
                self.check_out()
                quoted = name.replace("`", "``")
                self.execute_sql(f"CREATE DATABASE `{quoted}` CHARACTER SET utf8mb4 COLLATE {COLLATION}")
            finally:
                self.database = name
                self.drop()

    def fault(self, tables: Sequence[str]) -> str | None:
        version, server, client = self._row(
            "SELECT VERSION(), @@character_set_server, @@character_set_connection"
        )
        maria = self.is_mariadb
        if self.server_version < (OLDEST_MARIADB if maria else OLDEST_MYSQL):
            return f"The database server is too old ({version}): MariaDB 10.6 or MySQL 8.0.16 is needed."
        for what, value in (("server", server), ("connection", client)):
            if value != "utf8mb4":
                return (
                    f"The database {what} speaks {value}, which cannot hold every letter: set "
                    "character-set-server = utf8mb4 in its configuration and start it again."
                )
        return self._narrow(tables)

    def _narrow(self, tables: Sequence[str]) -> str | None:
        """A table or column that another tool has changed, so that letters would be lost or mixed up."""
        found = self.execute_sql(
            "SELECT table_name, CONCAT('table is ', engine), table_collation FROM information_schema.tables "
            "WHERE table_schema = DATABASE() AND (engine <> 'InnoDB' OR table_collation <> %s) "
            "UNION ALL SELECT table_name, CONCAT('column ', column_name, ' is there'), collation_name "
            "FROM information_schema.columns "
            "WHERE table_schema = DATABASE() AND collation_name <> %s",
            (COLLATION, COLLATION),
        )
        for table, what, collation in found.fetchall():
            if table in tables:
                return (
                    f"In `{table}` the {what} with {collation}: run ALTER TABLE `{table}` ENGINE = InnoDB, "
                    f"CONVERT TO CHARACTER SET utf8mb4 COLLATE {COLLATION}."
                )
        return None

    def advice(self) -> list[str]:
        flush = self._row("SELECT @@innodb_flush_log_at_trx_commit")[0]
        if int(flush) == 1:
            return []
        setting = f"innodb_flush_log_at_trx_commit = {flush}"
        return [
            f"The database server has {setting}: a power cut may take the last writes with it; 1 keeps them."
        ]

    @property
    def is_mariadb(self) -> bool:
        return "maria" in str(self.connection().server_version).lower()

    def _row(self, sql: str) -> Any:
        return self.execute_sql(sql).fetchone()

    # -- transactions

    def begin(self, isolation_level: str | None = None) -> None:
        """A read is one snapshot; a write sees what was committed before each of its statements."""
        self._here.mark, self._here.unsettled_commit = None, False
        if isolation_level == self.READ:
            self.execute_sql(f"SET TRANSACTION ISOLATION LEVEL {self.READ}")
            self.execute_sql("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
        else:
            self.execute_sql("START TRANSACTION")

    def take_turn(self) -> None:
        """Wait for the writers before, then see whether the last try of this one was committed after all."""
        self.execute_sql("UPDATE revision SET number = LAST_INSERT_ID(number + 1)")
        number = self.connection().insert_id()
        lost = getattr(self._here, "lost", None)
        if lost is not None:
            found = self.execute_sql("SELECT 1 FROM write_mark WHERE token = %s", (lost,)).fetchone()
            if found:
                raise Committed
        self._here.mark = secrets.token_hex(16)
        self.execute_sql("INSERT INTO write_mark (token, number) VALUES (%s, %s)", (self._here.mark, number))
        if number % 100 == 0:
            self.execute_sql("DELETE FROM write_mark WHERE number < %s", (number - _MARKS_KEPT,))

    def commit(self) -> None:
        """Whatever goes wrong from here on, nobody knows yet whether it was stored."""
        self._here.unsettled_commit = self._here.mark is not None
        super().commit()
        self._here.unsettled_commit = False

    def repeated(self, transaction: Callable[[], Any], work: Callable[[], Result]) -> Result:
        """Run a transaction until it is through; raises its last error when PATIENCE is over."""
        end = time.monotonic() + PATIENCE
        result: Result
        tries = 0
        self._here.lost = None
        while True:
            try:
                with transaction():
                    result = work()
                return result
            except Committed:
                return result
            except Exception as error:
                tries += 1
                pause = random.uniform(0, min(1.0, 0.005 * 2**tries))  # noqa: S311 - no secret
                if not self._worth_another(error, tries) or time.monotonic() + pause > end:
                    if self._here.lost is None:
                        raise
                    raise Unsettled from error
            time.sleep(pause)

    def _worth_another(self, error: BaseException, tries: int) -> bool:
        """Clean up after an error; whether the transaction may go through when it is run again."""
        first = mysql_errors.first(error, self.driver_error)
        if first is None:
            return False
        code = mysql_errors.code(first)
        if getattr(self._here, "unsettled_commit", False):
            self._here.lost, self._here.unsettled_commit = self._here.mark, False
        if code in mysql_errors.ELSEWHERE:
            self.hosts.avoid(getattr(self._here, "host", None))
            self.drop()
        if code in mysql_errors.CROSSED:
            return tries < 5
        return code in mysql_errors.AGAIN

    def rollback(self) -> None:
        """A connection that does not even roll back is given up: the server then does it."""
        try:
            super().rollback()
        except Exception:
            self.drop()
            raise

    def meaning(self, error: Exception) -> ApiError | None:
        return mysql_errors.meaning(error)

    # -- changing tables

    @contextmanager
    def rebuilding(self) -> Iterator[None]:
        """One process at a time, with patience; every statement may be run again after a crash."""
        self.drop()
        self._here.patient = True
        try:
            self.check_out()
            with Lease(self._connect_to, self._here.host, self.execute_sql):
                yield
        finally:
            self._here.patient = False
            self.drop()

    @contextmanager
    def filling(self) -> Iterator[None]:
        self.drop()
        self._here.patient = True
        try:
            self.check_out()
            self.execute_sql("SET SESSION foreign_key_checks = 0")
            with self.atomic(self.WRITE):
                self.take_turn()
                yield
        finally:
            self._here.patient = False
            self.drop()

    def execute_sql(self, sql: str, params: Any = None) -> Any:
        """In a migration, what was done before a crash counts as done.

        MySQL commits every change of a table by itself, so that a migration can end between two of them.
        """
        if not self._patient or not sql.startswith(("CREATE", "ALTER", "DROP")):
            return super().execute_sql(sql, params)
        if sql.startswith("CREATE TABLE"):
            sql += _TABLE
        elif " INDEX IF NOT EXISTS " in sql:  # which MySQL does not know
            sql = sql.replace(" INDEX IF NOT EXISTS ", " INDEX ", 1)
        try:
            return super().execute_sql(sql, params)
        except peewee.PeeweeException as error:
            first = mysql_errors.first(error, self.driver_error)
            if first is None or mysql_errors.code(first) not in mysql_errors.DONE_BEFORE:
                raise
            return None


class Committed(Exception):
    """The try before was committed, although its answer did not arrive."""


class Unsettled(DatabaseUnavailable):
    """The answer to a commit was lost, and nobody could be asked in time."""

    def __init__(self) -> None:
        super().__init__(
            message(
                "The database was lost while storing: look whether the change is there before you send it "
                "again, or send it with the same Idempotency-Key."
            )
        )
