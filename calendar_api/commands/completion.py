"""`calendar-api completion`: what a shell needs to complete commands, options and their values.

`completion.bash`, `completion.zsh` and `completion.fish` find the command that is being typed.
"""

import argparse
from pathlib import Path
from shlex import quote

from calendar_api.commands.parser import options_of, subcommands, walk

SHELLS = ("bash", "zsh", "fish")


def script(shell: str, parser: argparse.ArgumentParser) -> str:
    """Return the script for one of the SHELLS."""
    commands = [quote(path) for path, _ in walk(parser) if path]
    values, words = [], []
    for path, command in walk(parser):
        options, first = options_of(command), _first_words(command)
        if shell == "fish":
            words += _fish(path, command)
            continue
        values += [
            f'        "{path} {name}|"*) found="{_choices(action)}" ;;'
            for name, action in options.items()
            if action.nargs != 0
        ]
        words.append(f'            "{path}|-"*) found="{" ".join(options)}" ;;')
        words.append(f'            "{path}|"*) found="{" ".join(first)}" ;;')
    template = Path(__file__).with_name(f"completion.{shell}").read_text("utf-8")
    parts = {"commands": (" " if shell == "fish" else "|").join(commands), "values": "\n".join(values)}
    for name, text in (parts | {"words": "\n".join(words)}).items():
        template = template.replace(f"@{name}@", text)
    return template


def _fish(path: str, command: argparse.ArgumentParser) -> list[str]:
    start = f"complete -c calendar-api -n {quote(f'__calendar_api_at {quote(path)}')}"
    inner = subcommands(command)
    texts = {name: (inner[name].description if name in inner else "") or "" for name in _first_words(command)}
    lines = [f"{start} -f -a {name} -d {quote(text)}" for name, text in texts.items()]
    for name, action in options_of(command).items():
        value = f" -x -a {quote(_choices(action))}" if action.choices else " -r" * (action.nargs != 0)
        lines.append(f"{start} -l {name[2:]}{value} -d {quote(action.help or '')}")
    return lines


def _first_words(command: argparse.ArgumentParser) -> list[str]:
    """Commands, or what an argument without an option can be."""
    return [
        str(one) for action in command._actions if not action.option_strings for one in action.choices or ()
    ]


def _choices(action: argparse.Action) -> str:
    return " ".join(map(str, action.choices or ()))
