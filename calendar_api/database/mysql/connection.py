"""Which of several hosts to use: the order of the address, those that failed last for a while."""

import threading
import time
from typing import Any

from calendar_api.database.mysql import errors as mysql_errors
from calendar_api.database.urls import MysqlAddress
from calendar_api.domain.errors import DatabaseUnavailable

Host = tuple[str, int]

AVOIDED = 10.0  # seconds


class Hosts:
    """Shared by the threads of a process, so that what one has found out helps the others."""

    def __init__(self, hosts: tuple[Host, ...]) -> None:
        self.hosts = hosts
        self._failed: dict[Host, float] = {}
        self._lock = threading.Lock()

    def in_order(self) -> list[Host]:
        """All of them; those that failed a moment ago come last, because they may be all there is."""
        now = time.monotonic()
        with self._lock:
            bad = {host for host, since in self._failed.items() if now - since < AVOIDED}
        return sorted(self.hosts, key=lambda host: host in bad)

    def avoid(self, host: Host | None) -> None:
        if host is not None:
            with self._lock:
                self._failed[host] = time.monotonic()


class MysqlConnectionState(threading.local):
    """Every thread sees its own values."""

    host: Host | None = None
    used = 0.0  # by the monotonic clock
    patient = False  # for statements that take long
    writing = False
    mark: str | None = None  # what this transaction leaves behind
    committing = False  # sent, and not answered yet
    lost: str | None = None  # the mark of a try that may have been committed
    writer = ""  # who reserves a turn, through all tries
    reserving = False


try:
    import pymysql
except ImportError:  # it comes with the extra `mysql`
    pymysql = None

CONNECT_TIMEOUT = 3  # seconds for each step of the login, too
PING_TIMEOUT = 1
TIMEOUT = 5  # seconds until a silent server counts as lost
STATEMENT_TIMEOUT = 4  # seconds until the server gives up a statement, so that it can still say so
LOCK_TIMEOUT = 3
LONG = 24 * 3600  # seconds for a statement that changes a table

COLLATION = "utf8mb4_bin"
SQL_MODE = (
    "STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"
)

DriverError: type[Exception] = Exception if pymysql is None else pymysql.err.MySQLError


def to_any(address: MysqlAddress, hosts: Hosts, name: str | None, *, patient: bool) -> tuple[Any, Host]:
    """A line to the first host that serves us, and that host; raises the error of the last one tried."""
    if pymysql is None:
        raise DatabaseUnavailable(
            "MySQL needs one more package: run `pip install 'calendar-api[mysql]'`.", retry_after=60
        )
    failed: Exception | None = None
    for host in hosts.in_order():
        try:
            return to(address, host, name, patient=patient), host
        except (pymysql.err.OperationalError, pymysql.err.InterfaceError) as error:
            if mysql_errors.code(error) in mysql_errors.MISTAKES:
                raise
            hosts.avoid(host)
            failed = error
        except OSError as error:
            reason = FileNotFoundError(f"the file of ssl_ca cannot be used: {error.strerror or error}")
            raise mysql_errors.unusable() from reason
        except RuntimeError as error:  # the account needs an encrypted line, or one more package
            raise DatabaseUnavailable(f"The database account cannot be used: {error}.") from error
    raise failed or ValueError("an address has at least one host")


def to(address: MysqlAddress, host: Host, name: str | None, *, patient: bool) -> Any:
    """A line to this host, ready for our statements; a patient one also for those that take long."""
    connection = pymysql.connect(
        host=host[0], port=host[1], user=address.user, password=address.password, database=name,
        unix_socket=address.unix_socket or None, **_encryption(address, host[0]),
        charset="utf8mb4", collation=COLLATION, autocommit=True,
        connect_timeout=CONNECT_TIMEOUT, read_timeout=CONNECT_TIMEOUT, write_timeout=CONNECT_TIMEOUT,
    )  # fmt: skip
    try:
        _prepare(connection, 0 if patient else STATEMENT_TIMEOUT)
        _set_timeout(connection, LONG if patient else TIMEOUT)
    except BaseException:
        connection.close()
        raise
    return connection


def ping(connection: Any) -> None:
    """Raise an error of the driver unless the server answers at once."""
    timeout = connection._read_timeout
    _set_timeout(connection, PING_TIMEOUT)
    connection.ping(reconnect=False)
    _set_timeout(connection, timeout)


def _set_timeout(connection: Any, seconds: int) -> None:
    """PyMySQL has no public way to change it."""
    connection._read_timeout = connection._write_timeout = seconds


def _encryption(address: MysqlAddress, host: str) -> dict[str, Any]:
    """Checked against `ssl_ca`; without it none to this machine itself, elsewhere if the server has it."""
    if address.ssl_ca:
        return {"ssl_ca": address.ssl_ca, "ssl_verify_cert": True, "ssl_verify_identity": True}
    local = host in ("localhost", "::1") or host.startswith("127.")
    return {"ssl_disabled": True} if local or address.unix_socket else {}


def _prepare(connection: Any, seconds: float) -> None:
    """The session as every statement expects it, whatever the server's defaults are."""
    settings: dict[str, Any] = {
        "sql_mode": f"'{SQL_MODE}'",
        "time_zone": "'+00:00'",
        "innodb_lock_wait_timeout": LOCK_TIMEOUT,
        "max_sort_length": 8192,  # a name may be longer than the usual 1024 bytes
    }
    with connection.cursor() as cursor:
        cursor.execute(
            "SHOW VARIABLES WHERE Variable_name IN ('max_statement_time', 'max_execution_time', 'wsrep_on')"
        )
        known = {name.lower(): value for name, value in cursor.fetchall()}
        if "max_statement_time" in known:
            settings["max_statement_time"] = seconds
        elif "max_execution_time" in known:
            settings["max_execution_time"] = int(seconds * 1000)
        if known.get("wsrep_on") == "ON":
            settings["wsrep_sync_wait"] = 1  # read what was written on another node
            cursor.execute("SHOW STATUS LIKE 'wsrep_ready'")
            if (cursor.fetchone() or ("", "ON"))[1] != "ON":
                raise pymysql.err.OperationalError(mysql_errors.NOT_READY, "the node is not in quorum")
        cursor.execute("SET SESSION " + ", ".join(f"{name} = {value}" for name, value in settings.items()))
        cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
