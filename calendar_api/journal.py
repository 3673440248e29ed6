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
import time
from datetime import UTC, datetime
from functools import lru_cache

LEVELS = ("requests", "audit", "off")

_STREAM = 2
_LONGEST = 3500  # below what a pipe takes in one piece, so that the lines of two processes do not mix
_LONGEST_VALUE = 200
_lock = threading.Lock()
_compact = json.JSONEncoder(separators=(",", ":")).encode
_quoted = json.encoder.encode_basestring_ascii

Value = str | int | float | None | dict[str, str]


def write(**fields: Value) -> None:
    """Write one line; it begins with the time, and what is None is left out."""
    if sys.stderr is None:  # it was closed at the start: the number may by now be another file's
        return
    members = [f'"{name}":{_json(value)}' for name, value in fields.items() if value is not None]
    line = ",".join((f'{{"time":"{_now()}"', *members)) + "}"
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


def _json(value: Value) -> str:
    """As the library writes it, and several times as fast: a line is written for every request."""
    if type(value) is str:
        return _quoted(value[:_LONGEST_VALUE])
    return str(value) if type(value) is int else _compact(value)


def _now() -> str:
    now = time.time()
    return f"{_second(int(now))}.{int(now % 1 * 1000):03}Z"


@lru_cache(maxsize=2)
def _second(number: int) -> str:
    return datetime.fromtimestamp(number, UTC).strftime("%Y-%m-%dT%H:%M:%S")
