"""The driver's connection reads the same results as that of PyMySQL, and reports a failing one."""

import io
from collections.abc import Iterator
from typing import Any

import pymysql
import pytest
from pymysql.constants import COMMAND

from calendar_api.database.mysql.driver import RowConnection
from tests import mariadb
from tests.mariadb import MariaDb

pytestmark = pytest.mark.mariadb

STATEMENTS = [
    "SELECT NULL, 1, -7, 18446744073709551615, 1.5, 2e300, '', 'é🎺', x'00ff', TRUE",
    "SELECT CAST(1.50 AS DECIMAL(5, 2)), DATE '2026-02-03', TIME '01:02:03.5', TIMESTAMP '2026-02-03 04:05'",
    "SELECT JSON_OBJECT('a', 1), b'101', CAST('é' AS BINARY), YEAR(DATE '2026-02-03')",
    "SELECT REPEAT(0, 250), REPEAT(1, 251), REPEAT('é', 32768), REPEAT(x'ff', 65536), REPEAT('c', 300000)",
    "SELECT seq, REPEAT('é', seq), NULL FROM seq_1_to_2000",
    "SELECT seq FROM seq_1_to_2 WHERE seq > 2",
    "SELECT '', 1",
    "SELECT 'þ', REPEAT(x'fe', 4), REPEAT(x'ff', 9)",
    "SET @a = 1",
    "SHOW VARIABLES LIKE 'version%'",
]
#: Fails when it has sent 600 rows.
FAILING = (
    "SELECT REPEAT('a', 400), IF(one.seq <= 600, '', (SELECT two.seq FROM seq_1_to_2 AS two "
    "WHERE two.seq <= one.seq)) FROM seq_1_to_1000 AS one"
)


@pytest.fixture
def account(mariadb_server: MariaDb) -> dict[str, Any]:
    mariadb_server.make("driver")
    return {
        "host": "127.0.0.1", "port": mariadb_server.port, "user": mariadb.USER, "password": mariadb.PASSWORD,
        "database": "driver", "charset": "utf8mb4", "read_timeout": 30,
    }  # fmt: skip


@pytest.fixture
def connections(account: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    with pymysql.connect(**account) as theirs, RowConnection(**account) as ours:
        yield theirs, ours


def found(connection: Any, sql: str) -> Any:
    with connection.cursor() as cursor:
        number = cursor.execute(sql)
        rows = cursor.fetchall()
        return number, cursor.description, rows, [tuple(map(type, row)) for row in rows]


@pytest.mark.parametrize("sql", STATEMENTS)
def test_results_are_those_of_pymysql(connections: tuple[Any, Any], sql: str) -> None:
    theirs, ours = connections

    assert found(ours, sql) == found(theirs, sql)
    assert found(ours, "SELECT 1")[2] == ((1,),)


def test_error_after_some_rows_is_raised_and_leaves_the_connection_usable(
    connections: tuple[Any, Any],
) -> None:
    for connection in connections:
        with pytest.raises(pymysql.err.OperationalError) as caught:
            found(connection, FAILING)
        assert caught.value.args[0] == 1242  # the subquery has several rows
        assert found(connection, "SELECT 1")[2] == ((1,),)


def answer(connection: Any, sql: str) -> bytes:
    """The packets of the server, which the connection has not read."""
    connection._execute_command(COMMAND.COM_QUERY, sql)
    sent = b""
    while (
        sent[-5:-4] != b"\xfe" or sent.count(b"\xfe\0\0") < 2
    ):  # an end after the columns, one after the rows
        sent += connection._rfile.read1(2**16)
    return sent


@pytest.fixture
def sent(connections: tuple[Any, Any]) -> bytes:
    return answer(connections[0], "SELECT 'ab', 7 UNION ALL SELECT NULL, 8")


@pytest.mark.parametrize("part", range(9))
def test_result_that_is_cut_off_loses_the_connection(account: dict[str, Any], sent: bytes, part: int) -> None:
    assert lost(account, sent[: len(sent) * part // 9]) == 2013
    assert lost(account, sent[: -1 - part]) == 2013


def test_unexpected_packets_lose_the_connection(account: dict[str, Any], sent: bytes) -> None:
    """Rows with more columns than the result, packets after its end, and the rest of another result."""
    row = b"\5\0\0\5\2ab\0017"
    assert row in sent

    assert lost(account, sent.replace(row, b"\7\0\0\5\2ab\0017\0018")) == 2014
    assert lost(account, sent[5:]) == 2014
    assert lost(account, sent + b"\1\0\0\1\1") == 2014


def lost(account: dict[str, Any], packets: bytes) -> int:
    """The error of a connection that reads this result, which is closed then."""
    connection = RowConnection(**account)
    connection._rfile = io.BytesIO(packets)
    with pytest.raises(pymysql.err.OperationalError) as caught:
        connection._read_query_result()
    assert not connection.open
    return int(caught.value.args[0])
