"""One migrating process at a time: a row under a unique key, which all nodes of a cluster agree on."""

import secrets
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext, suppress
from typing import Any, Self

from calendar_api.database.mysql import errors as mysql_errors
from calendar_api.domain.errors import DatabaseUnavailable

HELD = 15  # seconds after which a lease that nobody renews is over: its process has died
RENEWED = 3.0
PATIENCE = 60.0  # seconds to wait for another process, which is doing what we want done

_TABLE = (
    "CREATE TABLE IF NOT EXISTS migration_lease "
    "(id INTEGER NOT NULL PRIMARY KEY, owner CHAR(32) NOT NULL, expires BIGINT NOT NULL)"
)
_EXPIRE = "DELETE FROM migration_lease WHERE id = 1 AND expires < UNIX_TIMESTAMP()"
_TAKE = "INSERT INTO migration_lease (id, owner, expires) VALUES (1, %s, UNIX_TIMESTAMP() + %s)"
_RENEW = "UPDATE migration_lease SET expires = UNIX_TIMESTAMP() + %s WHERE owner = %s"


class MigrationLock:
    """Held from entering to leaving; raises DatabaseUnavailable when another process keeps it."""

    def __init__(self, connect: Callable[[], Any], execute: Callable[..., Any]) -> None:
        self.connect, self.execute = connect, execute
        self.owner = secrets.token_hex(16)
        self._over = threading.Event()
        self._renewer = threading.Thread(target=self._renew, daemon=True)

    def __enter__(self) -> Self:
        self.execute(_TABLE)
        end = time.monotonic() + PATIENCE
        while not self._taken():
            if time.monotonic() > end:
                raise DatabaseUnavailable("Another process is migrating this database; try again later.")
            time.sleep(0.2)
        self._renewer.start()
        return self

    def __exit__(self, kind: object, *more: object) -> None:
        self._over.set()
        self._renewer.join()
        with suppress(Exception) if kind else nullcontext():  # what went wrong before is what counts
            self.execute("DELETE FROM migration_lease WHERE owner = %s", (self.owner,))

    def _taken(self) -> bool:
        self.execute(_EXPIRE)
        try:
            self.execute(_TAKE, (self.owner, HELD))
        except Exception as error:
            if mysql_errors.code(error) in mysql_errors.CROSSED | mysql_errors.AGAIN:
                return False
            raise
        return True

    def _renew(self) -> None:
        """On a connection of its own, because a change of a table may take long."""
        while not self._over.wait(RENEWED):
            with suppress(Exception):
                connection = self.connect()
                try:
                    with connection.cursor() as cursor:
                        cursor.execute(_RENEW, (HELD, self.owner))
                finally:
                    connection.close()
