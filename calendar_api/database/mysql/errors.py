"""What the error numbers of MySQL, MariaDB and Galera mean for a transaction (reliability of writes)."""

from calendar_api.domain.errors import ApiError, DatabaseUnavailable, StorageFull
from calendar_api.domain.translation import message

NO_DATABASE = 1049
NOT_READY = 1047  # a node that is not, or not yet, in the cluster's majority

#: The connection, or what answers on it, is of no more use: another one, perhaps of another host.
ELSEWHERE = frozenset(
    {
        0,  # the driver: closed already
        NOT_READY,
        1053,  # server shutdown in progress
        1077, 1079, 1080, 1152, 1158, 1159, 1160, 1161, 1184,  # the line between us
        1290, 1792, 1836,  # read only: the writable one has another name by now
        1927,  # connection was killed
        2002, 2003, 2004, 2005, 2006, 2012, 2013, 2014, 2027, 2055,  # the driver: cannot connect, lost
        4031,  # idle for too long
    }
)  # fmt: skip
#: Another transaction was in the way; run again, this one sees what that one has done.
AGAIN = ELSEWHERE | {
    1020,  # changed since last read
    1040, 1203, 1226,  # too many connections
    1180,  # refused while committing
    1205,  # lock wait timeout
    1213,  # deadlock, or refused by the cluster
    1305,  # the savepoint went with the transaction
}  # fmt: skip
#: The cluster has taken back the second of two transactions that met.
REFUSED = frozenset({1213})
#: A rule of the tables was broken, which a check before did not see because another was just writing.
CROSSED = frozenset({1062, 1451, 1452, 1216, 1217})
#: Nothing that waiting could mend: account, password, rights, name.
MISTAKES = frozenset({1044, 1045, NO_DATABASE, 1142, 1143, 1227, 1698})
#: A table or column is gone, or cannot be read.
DAMAGED = frozenset({1033, 1034, 1035, 1054, 1146, 1194, 1712, 1813, 1814, 1932})
#: In a migration that is run again: exists already, or is gone already.
DONE_BEFORE = frozenset({1050, 1051, 1060, 1061, 1091, 1826})

#: What whoever runs a command can do about it.
_ADVICE = {
    **dict.fromkeys(
        (1045, 1698),
        "The database server does not accept this account or its password: see CALENDAR_DATABASE_URL.",
    ),
    **dict.fromkeys(
        (1044, 1142, 1143, 1227),
        "The database account lacks a right; docs/databases.md says which it needs, and how to grant them.",
    ),
    NO_DATABASE: "The server has no such database: `calendar-api migrate` makes it if the account may.",
    **dict.fromkeys(
        (2002, 2003, 2005),
        "The database server cannot be reached: see that it runs, and that CALENDAR_DATABASE_URL names it.",
    ),
    **dict.fromkeys(
        (1040, 1203, 1226),
        "The database server has no connection left: let it take more, or start fewer workers.",
    ),
    **dict.fromkeys(
        (1290, 1792, 1836), "The database server only reads: name the one that is written to first."
    ),
    NOT_READY: "This node is not in the majority of its cluster: start the others, or wait for them.",
}

_FULL = frozenset({1021, 1026, 1114})
_LIMITED = frozenset({1317, 1969, 3024})  # a statement took longer than it may


def code(error: BaseException) -> int:
    """The number of an error of the driver, as it is or as Peewee wraps it; -1 for none."""
    numbers = [argument for argument in error.args if isinstance(argument, int)]
    return numbers[0] if numbers else -1


def sentence(error: BaseException) -> str:
    """For whoever runs a command: what to do, and what the server says, without its numbers."""
    number = code(error)
    texts = [argument for argument in error.args if isinstance(argument, str) and argument]
    advice = _ADVICE.get(number, "The database server has refused this.")
    return f"{advice} It says: {texts[0].rstrip('.')}." if texts else advice


def busy() -> DatabaseUnavailable:
    return DatabaseUnavailable(message("The database is busy. Send the request again in a moment."))


def unusable() -> DatabaseUnavailable:
    return DatabaseUnavailable(
        message("The database cannot be used just now; its operator finds the reason in the log.")
    )


def meaning(error: Exception) -> ApiError | None:
    """The error of the interface; None for a mistake of ours."""
    number = code(error)
    if number in _FULL or "Errcode: 28 " in str(error):
        return StorageFull()
    if number in AGAIN | _LIMITED:
        return busy()
    if number in MISTAKES | DAMAGED:
        return unusable()
    return None
