"""Whether a MySQL or MariaDB server is set up so that nothing is lost and every letter is kept."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from calendar_api.database.diagnostics import Deviation, Hindrance
from calendar_api.database.mysql.connection import COLLATION

OLDEST_MARIADB, OLDEST_MYSQL = (10, 6), (8, 0, 16)

_CHARACTER_SETS = "SELECT @@character_set_server, @@character_set_connection"
_NARROW = (
    "SELECT table_name, CONCAT('table is ', engine), table_collation FROM information_schema.tables "
    "WHERE table_schema = DATABASE() AND (engine <> 'InnoDB' OR table_collation <> %s) "
    "UNION ALL SELECT table_name, CONCAT('column ', column_name, ' is there'), collation_name "
    "FROM information_schema.columns WHERE table_schema = DATABASE() AND collation_name <> %s"
)

_COLUMNS = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = DATABASE()"
_INDEXES = (
    "SELECT table_name, GROUP_CONCAT(column_name ORDER BY seq_in_index) "
    "FROM information_schema.statistics WHERE table_schema = DATABASE() GROUP BY table_name, index_name"
)

Execute = Callable[..., Any]


def fault(execute: Execute, version: tuple[int, ...], mariadb: bool, tables: Sequence[str]) -> str | None:
    """What is wrong with the server or these tables, as a sentence; None when all is well."""
    if version < (OLDEST_MARIADB if mariadb else OLDEST_MYSQL):
        shown = ".".join(map(str, version))
        return f"The database server is too old ({shown}): MariaDB 10.6 or MySQL 8.0.16 is needed."
    for what, value in zip(("server", "connection"), execute(_CHARACTER_SETS).fetchone(), strict=True):
        if value != "utf8mb4":
            return (
                f"The database {what} speaks {value}, which cannot hold every letter: set "
                "character-set-server = utf8mb4 in its configuration and start it again."
            )
    for table, what, collation in execute(_NARROW, (COLLATION, COLLATION)).fetchall():
        if table in tables:
            return (
                f"In `{table}` the {what} with {collation}: run ALTER TABLE `{table}` ENGINE = InnoDB, "
                f"CONVERT TO CHARACTER SET utf8mb4 COLLATE {COLLATION}."
            )
    return None


def columns(execute: Execute, tables: Sequence[str]) -> list[tuple[str, str]]:
    """Table and column of all columns of these tables."""
    return [(table, column) for table, column in execute(_COLUMNS).fetchall() if table in tables]


def indexes(execute: Execute) -> list[tuple[str, str]]:
    return list(execute(_INDEXES).fetchall())


def advice(execute: Execute) -> list[str]:
    """What its operator should know and may leave as it is."""
    (flush,) = execute("SELECT @@innodb_flush_log_at_trx_commit").fetchone()
    if int(flush) == 1:
        return []
    setting = f"innodb_flush_log_at_trx_commit = {flush}"
    return [f"The database server has {setting}: a power cut may take the last writes with it; 1 keeps them."]


def hindrance(execute: Execute, hosts: int) -> Hindrance | None:
    """Why this server takes no writes just now; another one of several may."""
    settings = execute("SELECT @@global.read_only, @@global.innodb_read_only").fetchone()
    if any(str(value).upper() not in ("0", "OFF") for value in settings):
        return Hindrance("read_only", total=hosts == 1)
    ready = execute("SHOW STATUS LIKE 'wsrep_ready'").fetchone()
    member = execute("SHOW VARIABLES LIKE 'wsrep_on'").fetchone()
    if member and member[1] == "ON" and ready and ready[1] != "ON":
        return Hindrance("not_in_cluster", total=hosts == 1)
    return None


def deviations(execute: Execute) -> Iterator[Deviation]:
    """What the server is set up to lose, and what the account may do beyond its work."""
    for sentence in advice(execute):
        yield Deviation(
            sentence, "SET GLOBAL innodb_flush_log_at_trx_commit = 1, and in its configuration", True
        )
    logs, sync = execute("SELECT @@log_bin, @@sync_binlog").fetchone()
    if int(logs) and int(sync) != 1:
        yield Deviation(
            f"sync_binlog is {sync}: after a power cut, replicas may have other records than this server.",
            "SET GLOBAL sync_binlog = 1, and in its configuration",
        )
    grants = [str(grant) for (grant,) in execute("SHOW GRANTS").fetchall()]
    if any(" ON *.* " in grant and not grant.startswith("GRANT USAGE ") for grant in grants):
        yield Deviation(
            "The account of the service may do more than use its own database.",
            "Make one with GRANT ALL ON the database of the calendar only (docs/databases.md).",
        )
