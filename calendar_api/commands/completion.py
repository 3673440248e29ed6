"""`calendar-api completion`: what a shell needs to complete commands, options and their values."""

import argparse
from shlex import quote

from calendar_api.commands.parser import options_of, subcommands, walk

SHELLS = ("bash", "zsh", "fish")

#: For bash and zsh: finds the command in `typed`, and sets `found` to what may come after it.
_FIND = """\
    local at="" before="" found="" word
    for word in "${typed[@]}"; do
        case "$at $word" in
            @paths@) at="$at $word" ;;
        esac
        [ "$word" = "=" ] || before=$word
    done
    case "$at $before|$current" in
@values@
        *) case "$at|$current" in
@words@
        esac ;;
    esac
"""
_BASH = f"""\
_calendar_api() {{
    local current=${{COMP_WORDS[COMP_CWORD]#=}} typed=("${{COMP_WORDS[@]:1:COMP_CWORD-1}}")
{_FIND}    COMPREPLY=($(compgen -W "$found" -- "$current"))
}}
complete -o default -F _calendar_api calendar-api
"""
_ZSH = f"""\
#compdef calendar-api
_calendar_api() {{
    local current=${{words[CURRENT]}}
    local -a typed=("${{(@)words[2,CURRENT-1]}}")
{_FIND}    if [ -n "$found" ]; then compadd -- ${{=found}}; else _files; fi
}}
if [[ ${{funcstack[1]}} == _calendar* ]]; then _calendar_api; else compdef _calendar_api calendar-api; fi
"""
_FISH = """\
function __calendar_api_at
    set -l at
    for word in (commandline -opc)[2..-1]
        contains -- "$at $word" @paths@; and set at "$at $word"
    end
    test "$at" = "$argv"
end
"""


def script(shell: str, parser: argparse.ArgumentParser) -> str:
    """Return the script for bash, zsh or fish."""
    return _fish(parser) if shell == "fish" else _posix(_BASH if shell == "bash" else _ZSH, parser)


def _posix(template: str, parser: argparse.ArgumentParser) -> str:
    values, words = [], []
    for path, command in walk(parser):
        options = options_of(command)
        for name, action in options.items():
            if action.nargs != 0:
                values.append(f'        "{path} {name}|"*) found="{_choices(action)}" ;;')
        words.append(f'            "{path}|-"*) found="{" ".join(options)}" ;;')
        words.append(f'            "{path}|"*) found="{" ".join(_first_words(command))}" ;;')
    paths = "|".join(f'"{path}"' for path, _ in walk(parser) if path)
    return (
        template.replace("@paths@", paths)
        .replace("@values@", "\n".join(values))
        .replace("@words@", "\n".join(words))
    )


def _fish(parser: argparse.ArgumentParser) -> str:
    lines = [_FISH.replace("@paths@", " ".join(quote(path) for path, _ in walk(parser) if path))]
    for path, command in walk(parser):
        start = f"complete -c calendar-api -n {quote(f'__calendar_api_at {quote(path)}')}"
        inner = subcommands(command)
        for name in _first_words(command):
            text = inner[name].description if name in inner else None
            lines.append(f"{start} -f -a {name} -d {quote(text or name)}")
        for name, action in options_of(command).items():
            value = f" -x -a {quote(_choices(action))}" if action.choices else " -r" * (action.nargs != 0)
            lines.append(f"{start} -l {name[2:]}{value} -d {quote(action.help or '')}")
    return "\n".join(lines) + "\n"


def _first_words(command: argparse.ArgumentParser) -> list[str]:
    """Commands, or what an argument without an option can be."""
    return [
        str(one) for action in command._actions if not action.option_strings for one in action.choices or ()
    ]


def _choices(action: argparse.Action) -> str:
    return " ".join(map(str, action.choices or ()))
