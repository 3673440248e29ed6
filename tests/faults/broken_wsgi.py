"""The service with a fault put in, to see that a harness finds it: CALENDAR_TEST_BREAK says which.

`early` answers before the commit, `split` commits each statement, `nogate` lets writers in all at once,
`slack-off` and `slack-normal` do not wait for the disk, `nokey` forgets the Idempotency-Key, `nomatch` the
If-Match, `nolook` does not look whether the file is still there, `nowal` not at its -wal and -shm,
`nodrain` ends without finishing its requests, `stale` never sees a new revision, `shared` lets all requests
share one read of it, `timeless` does not let the clock end what is cached. The clock runs ahead by the
seconds in the file CALENDAR_TEST_CLOCK.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import time_machine

from calendar_api import database
from calendar_api.app import create_app
from calendar_api.config import Config

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
def _ungated(self: Any) -> Iterator[None]:
    self.ensure_connection()
    yield


#: What is replaced by what, in full names: one that is gone is an error, and not a fault that is not planted.
FAULTS: dict[str, dict[str, Any]] = {
    "early": {"calendar_api.database.run_write": _early},
    "split": {"calendar_api.database.run_write": _split},
    "nogate": {"calendar_api.database.sqlite.engine.Sqlite.hold_write_lock": _ungated},
    "nolook": {"calendar_api.database.sqlite.database_file.DatabaseFile.identity": lambda self: (0, 0)},
    "nowal": {
        "calendar_api.database.sqlite.database_file.DatabaseFile.wal_state": lambda self: ((0, 0), (0, 0), 0)
    },
    "nokey": {
        "calendar_api.store.idempotency.recall": lambda *_: None,
        "calendar_api.store.idempotency.remember": lambda *_: None,
    },
    "nomatch": {"calendar_api.domain.etags.matches": lambda header, tag: header is not None},
    "stale": {
        "calendar_api.database.sqlite.engine.Sqlite.revision": lambda self: ((0, 0), 0),
        "calendar_api.database.sqlite.engine.Sqlite.try_revision": lambda self: ((0, 0), 0),
    },
    "shared": {"calendar_api.middleware.response_cache.arrival": SimpleNamespace(time=0.0)},
    "timeless": {"calendar_api.middleware.response_cache.ResponseCache._end": lambda self, now: 2.0**40},
}

for target, fault in FAULTS.get(FAULT, {}).items():
    patch(target, fault).start()
if FAULT == "nodrain":
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))

application = create_app(Config.load())
if FAULT.startswith("slack"):
    database.db.obj._pragmas = [
        (name, FAULT.partition("-")[2] if name == "synchronous" else value)
        for name, value in database.db.obj._pragmas
    ]


def _moved(service: Any, clock: Path) -> Any:
    """The service with the clock of this process set before each request."""
    travel = time_machine.travel(time.time())
    now = travel.start()

    def application(environ: dict[str, Any], start_response: Any) -> Any:
        now.move_to(time_machine.escape_hatch.time.time() + float(clock.read_text()))
        return service(environ, start_response)

    return application


if "CALENDAR_TEST_CLOCK" in os.environ:
    application = _moved(application, Path(os.environ["CALENDAR_TEST_CLOCK"]))
