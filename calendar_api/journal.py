"""The log: one JSON object a line on standard error, without anything that could be a secret.

Writing it never fails and never waits: a line that nobody takes is lost, and the request goes on.
"""

import getpass
import json
import os
import random
import select
import sys
import threading
from datetime import UTC, datetime

LEVELS = ("requests", "audit", "off")

_STREAM = 2
_LONGEST = 3500  # below what a pipe takes in one piece, so that the lines of two processes do not mix
_LONGEST_VALUE = 200
_lock = threading.Lock()
_compact = json.JSONEncoder(separators=(",", ":")).encode

Value = str | int | float | None | dict[str, str]


def write(**fields: Value) -> None:
    """Write one line; it begins with the time, and what is None is left out."""
    if sys.stderr is None:  # it was closed at the start: the number may by now be another file's
        return
    line = _compact({"time": _now(), **_bounded(fields)})
    content = line[:_LONGEST].encode() + b"\n"
    try:
        with _lock:
            if select.select([], [_STREAM], [], 0)[1]:
                os.write(_STREAM, content)
    except (OSError, ValueError):
        pass


def request_id() -> str:
    """16 hexadecimal digits by which a request is found again in the log; no secret.

    Numbers from the system would take a system call each. A process that was forked goes on from another
    number by itself.
    """
    return f"{random.getrandbits(64):016x}"


def command(level: str, what: str, **details: Value) -> None:
    """An audit line of a command, with the account of whoever runs it."""
    if level == "off":
        return
    try:
        account = getpass.getuser()
    except (KeyError, OSError):  # an account without a name
        account = str(os.getuid())
    write(audit=what, account=account, **details)


def _bounded(fields: dict[str, Value]) -> dict[str, Value]:
    return {
        name: value[:_LONGEST_VALUE] if isinstance(value, str) else value
        for name, value in fields.items()
        if value is not None
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
