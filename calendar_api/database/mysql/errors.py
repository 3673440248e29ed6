"""Error numbers of MySQL, MariaDB and Galera, and what they mean for a transaction."""

from calendar_api.database.errors import busy, unusable
from calendar_api.domain.errors import ApiError, StorageFull

NO_DATABASE = 1049
NOT_READY = 1047  # a node that is not, or not yet, part of the cluster's majority
DEADLOCK = 1213  # also: refused by the cluster's certification

#: The connection or its server cannot be used any more: connect again, perhaps to another host.
CONNECTION_LOST = frozenset(
    {
        0,  # the driver: closed already
        NOT_READY,
        1053,  # server shutdown in progress
        1077, 1079, 1080, 1152, 1158, 1159, 1160, 1161, 1184,  # network errors
        1290, 1792, 1836,  # read only: another host is writable
        1927,  # connection was killed
        2002, 2003, 2004, 2005, 2006, 2012, 2013, 2014, 2027, 2055,  # the driver: cannot connect, lost
        4031,  # idle for too long
    }
)  # fmt: skip
#: The transaction may succeed when it is repeated.
RETRYABLE = CONNECTION_LOST | {
    1020,  # changed since last read
    1040, 1203, 1226,  # too many connections
    1180,  # refused while committing
    1205,  # lock wait timeout
    DEADLOCK,
    1305,  # the savepoint was lost with the transaction
}  # fmt: skip
#: A constraint failed that an earlier check did not see, because another transaction had not committed yet.
DUPLICATE = frozenset({1062, 1451, 1452, 1216, 1217})
#: Configuration errors, which no waiting corrects: account, password, rights, name.
MISCONFIGURED = frozenset({1044, 1045, NO_DATABASE, 1142, 1143, 1227, 1698})
#: A table or column is missing or unreadable.
DAMAGED = frozenset({1033, 1034, 1035, 1054, 1146, 1194, 1712, 1813, 1814, 1932})
#: In a repeated migration: exists already, or was dropped already.
DONE_BEFORE = frozenset({1050, 1051, 1060, 1061, 1091, 1826})

_FULL = frozenset({1021, 1026, 1114})
_TIMEOUT = frozenset({1317, 1969, 3024})  # the statement exceeded its time limit
_ADVICE = {
    (1045, 1698):
        "The database server does not accept this account or its password: see CALENDAR_DATABASE_URL.",
    (1044, 1142, 1143, 1227):
        "The database account lacks a right; docs/databases.md says which it needs, and how to grant them.",
    (NO_DATABASE,): "The server has no such database: `calendar-api migrate` makes it if the account may.",
    (2002, 2003, 2005):
        "The database server cannot be reached: see that it runs, and that CALENDAR_DATABASE_URL names it.",
    (1040, 1203, 1226):
        "The database server has no connection left: let it take more, or start fewer workers.",
    (1290, 1792, 1836): "The database server is read-only: name the writable one first.",
    (NOT_READY,): "This node is not in the majority of its cluster: start the others, or wait for them.",
}  # fmt: skip


def code(error: BaseException) -> int:
    """The number of an error of the driver or of Peewee around it; -1 if there is none."""
    return next((argument for argument in error.args if isinstance(argument, int)), -1)


def describe(error: BaseException) -> str:
    """For the operator: what to do, and the server's text without its number."""
    found = (advice for numbers, advice in _ADVICE.items() if code(error) in numbers)
    advice = next(found, "The database server has refused this.")
    text = next((argument for argument in error.args if isinstance(argument, str) and argument), "")
    return f"{advice} It says: {text.rstrip('.')}." if text else advice


def translate(error: Exception) -> ApiError | None:
    """The error of the interface; None for a programming error."""
    number = code(error)
    if number in _FULL or "Errcode: 28 " in str(error):
        return StorageFull()
    if number in RETRYABLE | _TIMEOUT:
        return busy()
    if number in MISCONFIGURED | DAMAGED:
        return unusable()
    return None
