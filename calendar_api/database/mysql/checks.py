"""Checks of a MySQL or MariaDB server: version, character sets, durability, privileges, read-only state."""

from collections.abc import Iterator, Sequence
from typing import Literal

from calendar_api.database.diagnostics import Finding
from calendar_api.database.mysql.connection import COLLATION, Execute

OLDEST_MARIADB, OLDEST_MYSQL = (10, 6), (8, 0, 16)

_NARROW = (
    "SELECT table_name, CONCAT('table is ', engine), table_collation FROM information_schema.tables "
    "WHERE table_schema = DATABASE() AND (engine <> 'InnoDB' OR table_collation <> %s) "
    "UNION ALL SELECT table_name, CONCAT('column ', column_name, ' is there'), collation_name "
    "FROM information_schema.columns WHERE table_schema = DATABASE() AND collation_name <> %s"
)


def setup(execute: Execute, version: tuple[int, ...], mariadb: bool, tables: Sequence[str]) -> list[Finding]:
    """Check version and configuration of the server, character set and engine of these tables."""
    found = [
        Finding(text, "The service answers 503 until this is changed.", "critical", "misconfigured")
        for text in _misconfigured(execute, version, mariadb, tables)
    ]
    (flush,) = execute("SELECT @@innodb_flush_log_at_trx_commit").fetchone()
    if int(flush) != 1:
        text = f"innodb_flush_log_at_trx_commit is {flush}: the last writes can be lost in a power cut."
        fix = "SET GLOBAL innodb_flush_log_at_trx_commit = 1, and in the configuration of the server"
        found.append(Finding(text, fix, "critical"))
    return found


def _misconfigured(
    execute: Execute, version: tuple[int, ...], mariadb: bool, tables: Sequence[str]
) -> Iterator[str]:
    if version < (OLDEST_MARIADB if mariadb else OLDEST_MYSQL):
        number = ".".join(map(str, version))
        yield f"The database server is too old ({number}): MariaDB 10.6 or MySQL 8.0.16 is needed."
        return
    (connection,) = execute("SELECT @@character_set_connection").fetchone()
    if connection != "utf8mb4":
        yield (
            f"The character set of the connection to the database is {connection}, which lacks many letters: "
            "set character-set-server = utf8mb4 in the configuration of the server and restart it."
        )
    for table, what, collation in execute(_NARROW, (COLLATION, COLLATION)).fetchall():
        if table in tables:
            yield (
                f"In `{table}` the {what} with {collation}: run ALTER TABLE `{table}` ENGINE = InnoDB, "
                f"CONVERT TO CHARACTER SET utf8mb4 COLLATE {COLLATION}."
            )


def health(execute: Execute, hosts: int) -> list[Finding]:
    """Check whether this server accepts writes; with several hosts, another one may."""
    severity: Literal["critical", "advisory"] = "critical" if hosts == 1 else "advisory"
    settings = execute("SELECT @@global.read_only, @@global.innodb_read_only").fetchone()
    if any(str(value).upper() not in ("0", "OFF") for value in settings):
        return [
            Finding("The database server is read-only.", "SET GLOBAL read_only = 0", severity, "read_only")
        ]
    ready = execute("SHOW STATUS LIKE 'wsrep_ready'").fetchone()
    member = execute("SHOW VARIABLES LIKE 'wsrep_on'").fetchone()
    if member and member[1] == "ON" and ready and ready[1] != "ON":
        text = "The database server is not in the majority of its cluster."
        return [Finding(text, "Start the other nodes.", severity, "not_in_cluster")]
    return []


def settings(execute: Execute) -> Iterator[Finding]:
    """Check the default character set, the binary log and the privileges of the account."""
    (default,) = execute("SELECT @@character_set_server").fetchone()
    if default != "utf8mb4":
        yield Finding(
            f"The default character set of the database server is {default}. The calendar sets utf8mb4 for "
            "its tables and connections; other programs may not.",
            "Set character-set-server = utf8mb4 in the configuration of the server.",
        )
    log_bin, sync = execute("SELECT @@log_bin, @@sync_binlog").fetchone()
    if int(log_bin) and int(sync) != 1:
        yield Finding(
            f"sync_binlog is {sync}: after a power cut, replicas may have other records than this server.",
            "SET GLOBAL sync_binlog = 1, and in the configuration of the server",
        )
    grants = [str(grant) for (grant,) in execute("SHOW GRANTS").fetchall()]
    if any(" ON *.* " in grant and not grant.startswith("GRANT USAGE ") for grant in grants):
        yield Finding(
            "The account of the service has privileges beyond its own database.",
            "Create one with GRANT ALL ON the database of the calendar only (docs/databases.md).",
        )
