"""The service with a fault put in, to see that a harness finds it: CALENDAR_TEST_BREAK says which.

`early` answers before the commit, `split` commits each statement, `nogate` lets writers in all at once,
`slack-off` and `slack-normal` do not wait for the disk, `nokey` forgets the Idempotency-Key, `nomatch` the
If-Match, `nolook` does not look whether the file is still there, `nowal` not at its -wal and -shm,
`nodrain` ends without finishing its requests.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from calendar_api import database
from calendar_api.app import create_app
from calendar_api.config import Config
from calendar_api.database.sqlite.database_file import DatabaseFile
from calendar_api.database.sqlite.engine import Sqlite
from calendar_api.database.sqlite.wal import WalFiles, WalState
from calendar_api.resources import base

FAULT = os.environ.get("CALENDAR_TEST_BREAK", "")

_real = database.run_write


class _Undone(Exception):
    pass


def _early(work: Callable[[], Any]) -> Any:
    result = []

    def undone() -> None:
        result.append(work())
        raise _Undone

    def later() -> None:
        time.sleep(0.05)
        _real(work)
        database.close_connection()

    try:
        _real(undone)
    except _Undone:
        threading.Thread(target=later).start()
    return result[0]


def _split(work: Callable[[], Any]) -> Any:
    database.open_connection()
    return work()


@contextmanager
def _without_lock(self: Sqlite) -> Iterator[None]:
    self.check_out()
    yield


if FAULT == "early":
    base.database.run_write = _early  # type: ignore[attr-defined]
elif FAULT == "split":
    base.database.run_write = _split  # type: ignore[attr-defined]
elif FAULT == "nogate":
    Sqlite.turns = _without_lock  # type: ignore[method-assign]
elif FAULT == "nolook":
    DatabaseFile.identity = lambda self: (0, 0)  # type: ignore[method-assign]
elif FAULT == "nowal":
    WalFiles.state = lambda self: WalState((0, 0), (0, 0), 0)  # type: ignore[method-assign]
elif FAULT == "nokey":
    base.idempotency.recall = lambda *_: None  # type: ignore[attr-defined]
    base.idempotency.remember = lambda *_: None  # type: ignore[attr-defined]
elif FAULT == "nomatch":
    base.conditional = SimpleNamespace(names=lambda *_: True)  # type: ignore[attr-defined]
elif FAULT == "stale":
    Sqlite.revision = Sqlite.revision_at_hand = lambda self: ((0, 0), 0)  # type: ignore[method-assign]
elif FAULT == "nodrain":
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))

application = create_app(Config.load())
if FAULT.startswith("slack"):
    database.db.obj._pragmas = [
        (name, FAULT.partition("-")[2] if name == "synchronous" else value)
        for name, value in database.db.obj._pragmas
    ]
