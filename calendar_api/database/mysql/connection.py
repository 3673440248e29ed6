"""Connect to MySQL or MariaDB: choose the host, set timeouts and session variables."""

import time
from collections.abc import Callable
from typing import TypeAlias

from calendar_api.database.errors import DriverMissing, unusable
from calendar_api.database.mysql import errors
from calendar_api.database.urls import Host, MysqlAddress
from calendar_api.domain.errors import DatabaseUnavailable

try:
    import pymysql
except ImportError:  # installed by the extra `mysql`
    pymysql = None

Connection: TypeAlias = "pymysql.Connection"
Cursor: TypeAlias = "pymysql.cursors.Cursor"
Execute: TypeAlias = Callable[..., "Cursor"]

# All in seconds.
AVOIDED = 10.0  # for which a failed host is tried last
CONNECT_TIMEOUT = 3  # for each step of connecting and logging in
PING_TIMEOUT = 1
TIMEOUT = 5  # after which a server that does not respond counts as lost
STATEMENT_TIMEOUT = 4  # after which the server aborts a statement; shorter, so that it can still report it
LOCK_TIMEOUT = 3
MIGRATION_TIMEOUT = 24 * 3600  # for a statement that changes a table

COLLATION = "utf8mb4_bin"
SQL_MODE = (
    "STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"
)
_VARIABLES = "SHOW VARIABLES WHERE Variable_name IN ('max_statement_time', 'max_execution_time', 'wsrep_on')"

DriverError: type[Exception] = Exception if pymysql is None else pymysql.err.MySQLError


class Connector:
    """Opens connections, to the hosts in the order of the address; shared by the threads of a process."""

    def __init__(self, address: MysqlAddress) -> None:
        self.address = address
        self._failed: dict[Host, float] = {}

    def hosts(self) -> list[Host]:
        """All hosts; those that failed within the last AVOIDED seconds come last."""
        recent = time.monotonic() - AVOIDED
        return sorted(self.address.hosts, key=lambda host: self._failed.get(host, recent) > recent)

    def avoid(self, host: Host | None) -> None:
        if host is not None:
            self._failed[host] = time.monotonic()

    def connect(self, name: str | None, *, long_running: bool) -> tuple[Connection, Host]:
        """Return a connection to the first usable host, and that host.

        `name` is that of the database; `long_running` statements have no time limit. Raises
        DatabaseUnavailable, or the driver's error of the last host.
        """
        if pymysql is None:
            raise DriverMissing(
                "MySQL and MariaDB need one more package: run `pip install pymysql`.", retry_after=60
            )
        failed: Exception | None = None
        for host in self.hosts():
            try:
                return self._connect_to(host, name, long_running=long_running), host
            except (pymysql.err.OperationalError, pymysql.err.InterfaceError) as error:
                if errors.code(error) in errors.MISCONFIGURED:
                    raise
                self.avoid(host)
                failed = error
            except OSError as error:
                reason = FileNotFoundError(f"the file of ssl_ca cannot be used: {error.strerror or error}")
                raise unusable() from reason
            except RuntimeError as error:  # the account needs encryption, or one more package
                raise DatabaseUnavailable(f"The database account cannot be used: {error}.") from error
        raise failed or ValueError("an address has at least one host")

    def _connect_to(self, host: Host, name: str | None, *, long_running: bool) -> Connection:
        connection = pymysql.connect(
            host=host[0], port=host[1], user=self.address.user, password=self.address.password, database=name,
            unix_socket=self.address.unix_socket or None, **self._encryption(host[0]),
            charset="utf8mb4", collation=COLLATION, autocommit=True,
            connect_timeout=CONNECT_TIMEOUT, read_timeout=CONNECT_TIMEOUT, write_timeout=CONNECT_TIMEOUT,
        )  # fmt: skip
        try:
            _set_session(connection, 0 if long_running else STATEMENT_TIMEOUT)
            _set_timeout(connection, MIGRATION_TIMEOUT if long_running else TIMEOUT)
        except BaseException:
            connection.close()
            raise
        return connection

    def _encryption(self, host: str) -> dict[str, str | bool]:
        """With `ssl_ca` verified; otherwise none to this machine, and elsewhere if the server offers it."""
        if self.address.ssl_ca:
            return {"ssl_ca": self.address.ssl_ca, "ssl_verify_cert": True, "ssl_verify_identity": True}
        local = host in ("localhost", "::1") or host.startswith("127.")
        return {"ssl_disabled": True} if local or self.address.unix_socket else {}


def is_alive(connection: Connection) -> bool:
    """Return whether the server answers within PING_TIMEOUT."""
    timeout = connection._read_timeout
    _set_timeout(connection, PING_TIMEOUT)
    try:
        connection.ping(reconnect=False)
    except DriverError:
        return False
    _set_timeout(connection, timeout)
    return True


def _set_timeout(connection: Connection, seconds: int) -> None:
    """PyMySQL has no public way to change it."""
    connection._read_timeout = connection._write_timeout = seconds


def _set_session(connection: Connection, seconds: float) -> None:
    """Set the session variables that our statements rely on; `seconds` limits a statement, 0 does not."""
    settings: dict[str, str | float] = {
        "sql_mode": f"'{SQL_MODE}'",
        "time_zone": "'+00:00'",
        "innodb_lock_wait_timeout": LOCK_TIMEOUT,
        "max_sort_length": 8192,  # a name may be longer than the usual 1024 bytes
    }
    with connection.cursor() as cursor:
        cursor.execute(_VARIABLES)
        known = {name.lower(): value for name, value in cursor.fetchall()}
        if "max_statement_time" in known:
            settings["max_statement_time"] = seconds
        elif "max_execution_time" in known:
            settings["max_execution_time"] = int(seconds * 1000)
        if known.get("wsrep_on") == "ON":
            settings["wsrep_sync_wait"] = 1  # read what was written on another node
            cursor.execute("SHOW STATUS LIKE 'wsrep_ready'")
            if (cursor.fetchone() or ("", "ON"))[1] != "ON":
                raise pymysql.err.OperationalError(errors.NOT_READY, "the node is not in quorum")
        cursor.execute("SET SESSION " + ", ".join(f"{name} = {value}" for name, value in settings.items()))
        cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
