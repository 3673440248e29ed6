"""An argument parser whose errors quote no secret, and types of arguments."""

import argparse
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime, time
from typing import NoReturn, TypeVar

from calendar_api.database import urls
from calendar_api.domain import time_zones

Value = TypeVar("Value")

_MAY_HOLD_A_PASSWORD = re.compile(r"\S*@\S*")  # such as the URL of a database


class CommandParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        super().error(_MAY_HOLD_A_PASSWORD.sub("***", message))


def checked(expected: str, convert: Callable[[str], Value | None]) -> Callable[[str], Value]:
    """Return a type of arguments: None and ValueError of `convert` mean that a value is not `expected`."""

    def parse(value: str) -> Value:
        with suppress(ValueError):
            if (found := convert(value)) is not None:
                return found
        raise argparse.ArgumentTypeError(f"must be {expected}, not {value!r}")

    return parse


def number(lowest: int, highest: int) -> Callable[[str], int]:
    allowed = range(lowest, highest + 1)
    return checked(
        f"a number from {lowest} to {highest}", lambda text: int(text) if int(text) in allowed else None
    )


ADDRESS = checked(
    "HOST:PORT with a port from 1 to 65535",
    lambda text: (
        text if re.fullmatch(r".+:\d+", text) and 0 < int(text.rpartition(":")[2]) < 65_536 else None
    ),
)
ZONE = checked("a time zone such as Europe/Berlin", lambda text: text if time_zones.named(text) else None)
DAY = checked("a date such as 2031-05-01", lambda text: datetime.combine(date.fromisoformat(text), time()))


def database_url(value: str) -> str:
    try:
        urls.parse(value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return value
