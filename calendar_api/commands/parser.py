"""An argument parser whose errors say what was meant and what can be chosen, and types of arguments."""

import argparse
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date, datetime, time
from difflib import get_close_matches
from typing import NoReturn, TypeVar

from calendar_api.database import urls
from calendar_api.domain import time_zones

Value = TypeVar("Value")

# Such as the URL of a database; not the example that tells how to write one.
_MAY_HOLD_A_PASSWORD = re.compile(r"(?<!\S)(?!mysql://user:password@host/name )\S*@\S*")
_INVALID = re.compile(r"invalid choice: '([^']*)' \(choose from (.*)\)")


class CommandParser(argparse.ArgumentParser):
    """Its errors quote no secret."""

    def error(self, message: str) -> NoReturn:
        message = _MAY_HOLD_A_PASSWORD.sub("***", message)
        super().error("\n".join([message, *self._advice(message)]))

    def _advice(self, message: str) -> Iterator[str]:
        """Lines with what missing arguments can be, and with what was meant by a wrong one."""
        missing = message.partition("arguments are required: ")[2].split(", ")
        for action in self._actions:
            name = "/".join(action.option_strings) or str(action.metavar or action.dest)
            if action.choices and name in missing:
                yield f"{name}: {', '.join(map(str, action.choices))}"
        if match := _INVALID.search(message):
            wrong, known = match[1], re.findall(r"[\w-]+", match[2])
        else:
            wrong = message.partition("unrecognized arguments: ")[2].partition("=")[0]
            known = [name for _, parser in walk(self) for name in options_of(parser)]
        yield from (f"Did you mean {close}?" for close in get_close_matches(wrong, known, 1))


def subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    return next((dict(one.choices) for one in parser._actions if isinstance(one.choices, dict)), {})


def walk(parser: argparse.ArgumentParser, path: str = "") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield the parser of each command, with the words before it: "", " user", " user add"."""
    yield path, parser
    for name, inner in subcommands(parser).items():
        yield from walk(inner, f"{path} {name}")


def options_of(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    """The long options of a command."""
    return {name: action for action in parser._actions for name in action.option_strings if name[:2] == "--"}


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
TEXT = checked("text in UTF-8", lambda text: text.encode().decode())
SECONDS = checked(
    "a number of seconds from 0 to 3600", lambda text: float(text) if 0 <= float(text) <= 3600 else None
)
ZONE = checked("a time zone such as Europe/Berlin", lambda text: text if time_zones.named(text) else None)
DAY = checked("a date such as 2031-05-01", lambda text: datetime.combine(date.fromisoformat(text), time()))


def database_url(value: str) -> str:
    """Return the address of a database as it is; raises ArgumentTypeError."""
    try:
        urls.parse(value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return value
