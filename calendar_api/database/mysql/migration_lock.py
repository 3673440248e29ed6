"""One migrating process at a time: a row under a primary key, on which all nodes of a cluster agree."""

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress

from calendar_api.database.mysql import errors
from calendar_api.database.mysql.connection import Connection, Execute
from calendar_api.domain.errors import DatabaseUnavailable

EXPIRES = 15  # seconds after which a lock that is not renewed is free: its process has died
RENEWED = 3.0  # seconds between renewals
PATIENCE = 60.0  # seconds to wait for another migrating process

_TABLE = (
    "CREATE TABLE IF NOT EXISTS migration_lock "
    "(id INTEGER NOT NULL PRIMARY KEY, owner CHAR(32) NOT NULL, expires BIGINT NOT NULL)"
)
_EXPIRE = "DELETE FROM migration_lock WHERE id = 1 AND expires < UNIX_TIMESTAMP()"
_TAKE = "INSERT INTO migration_lock (id, owner, expires) VALUES (1, %s, UNIX_TIMESTAMP() + %s)"
_RENEW = "UPDATE migration_lock SET expires = UNIX_TIMESTAMP() + %s WHERE owner = %s"
_RELEASE = "DELETE FROM migration_lock WHERE owner = %s"


@contextmanager
def migration_lock(connect: Callable[[], Connection], execute: Execute) -> Iterator[None]:
    """Hold the lock; raise DatabaseUnavailable if another process holds it for PATIENCE seconds."""
    owner, stop = secrets.token_hex(16), threading.Event()
    execute(_TABLE)
    deadline = time.monotonic() + PATIENCE
    while not _taken(execute, owner):
        if time.monotonic() > deadline:
            raise DatabaseUnavailable("Another process is migrating this database; try again later.")
        time.sleep(0.2)
    renewer = threading.Thread(target=_renew, args=(connect, owner, stop), daemon=True)
    renewer.start()
    failed = True
    try:
        yield
        failed = False
    finally:
        stop.set()
        renewer.join()
        with suppress(Exception) if failed else nullcontext():  # do not hide the first error
            execute(_RELEASE, (owner,))


def _taken(execute: Execute, owner: str) -> bool:
    execute(_EXPIRE)
    try:
        execute(_TAKE, (owner, EXPIRES))
    except Exception as error:
        if errors.code(error) in errors.DUPLICATE | errors.RETRYABLE:
            return False
        raise
    return True


def _renew(connect: Callable[[], Connection], owner: str, stop: threading.Event) -> None:
    """Use a connection of its own, because a change of a table may take long."""
    while not stop.wait(RENEWED):
        with suppress(Exception):
            connection = connect()
            try:
                with connection.cursor() as cursor:
                    cursor.execute(_RENEW, (EXPIRES, owner))
            finally:
                connection.close()
