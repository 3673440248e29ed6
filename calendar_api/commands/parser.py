"""An argument parser whose errors say what was meant and what can be chosen, and quote no secret."""

import argparse
import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import NoReturn

_MAY_HOLD_A_PASSWORD = re.compile(r"\S*@\S*")  # such as the URL of a database
_INVALID = re.compile(r"invalid choice: '([^']*)' \(choose from (.*)\)")


class CommandParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        message = _MAY_HOLD_A_PASSWORD.sub("***", message)
        super().error(message + self._choices(message) + self._meant(message))

    def _choices(self, message: str) -> str:
        """What missing arguments can be."""
        _, is_missing, names = message.partition("arguments are required: ")
        missing = names.split(", ") if is_missing else []
        return "".join(
            f"\n{named}: {', '.join(map(str, action.choices))}"
            for action in self._actions
            if action.choices and (named := _name(action)) in missing
        )

    def _meant(self, message: str) -> str:
        if match := _INVALID.search(message):
            close = get_close_matches(match[1], re.findall(r"[\w-]+", match[2]), 1)
        else:
            _, _, unknown = message.partition("unrecognized arguments: ")
            options = {name for _, parser in walk(self) for name in options_of(parser)}
            close = get_close_matches(unknown.partition("=")[0], sorted(options), 1) if unknown else []
        return f"\nDid you mean {close[0]}?" if close else ""


def _name(action: argparse.Action) -> str:
    return "/".join(action.option_strings) or str(action.metavar or action.dest)


def subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def walk(parser: argparse.ArgumentParser, path: str = "") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield the parser of each command, with the words before it: "", " user", " user add"."""
    yield path, parser
    for name, inner in subcommands(parser).items():
        yield from walk(inner, f"{path} {name}")


def options_of(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    """The long options of a command."""
    return {name: action for action in parser._actions for name in action.option_strings if name[:2] == "--"}
