"""`calendar-api completion`: what a shell needs to complete commands, options and their values.

`completion.bash`, `completion.zsh` and `completion.fish` look up what is being typed in a table.
"""

import argparse
from pathlib import Path

from calendar_api.commands.parser import options_of, walk

SHELLS = ("bash", "zsh", "fish")


def script(shell: str, parser: argparse.ArgumentParser) -> str:
    """Return the script for one of the SHELLS."""
    lines = []
    for path, command in walk(parser):
        options = options_of(command)
        values = {name: _choices(action) for name, action in options.items() if action.nargs != 0}
        first = filter(None, (_choices(one) for one in command._actions if not one.option_strings))
        found = {"": " ".join(first), "-": " ".join(options), **values}
        lines += [f"{path}|{key}|{words}" for key, words in found.items()]
    return (
        Path(__file__)
        .with_name(f"completion.{shell}")
        .read_text("utf-8")
        .replace("@table@", "\n".join(lines))
    )


def _choices(action: argparse.Action) -> str:
    return " ".join(map(str, action.choices or ()))
