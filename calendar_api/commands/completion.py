"""`calendar-api completion`: a script with which a shell completes commands, options and their values."""

import argparse

from calendar_api.commands.parser import options_of, walk

#: Looks up what is being typed in a table. Each line: the path of a command; an option with a value, `-` for
#: options, or nothing; and what can follow. zsh runs the same script.
_BASH = r"""
_calendar_api_table='
@table@
'
_calendar_api() {
    local current=${COMP_WORDS[COMP_CWORD]#=} at="" key="" before="" word found
    for word in "${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
        case $_calendar_api_table in *$'\n'"$at $word||"*) at="$at $word" ;; esac
        [ "$word" = "=" ] || before=$word
    done
    case $current in -*) key=- ;; esac
    case $_calendar_api_table in *$'\n'"$at|$before|"*) key=$before ;; esac
    found=${_calendar_api_table#*$'\n'"$at|$key|"}
    COMPREPLY=($(compgen -W "${found%%$'\n'*}" -- "$current"))
}
complete -o default -F _calendar_api calendar-api
"""
_FISH = r"""
set -g __calendar_api_table '
@table@
'
function __calendar_api
    set -l lines (string split \n -- $__calendar_api_table)
    set -l at
    set -l before
    for word in (commandline -opc)[2..-1]
        string match -q -- "$at $word||*" $lines; and set at "$at $word"
        set before $word
    end
    set -l current (commandline -ct)
    set -l key (string match -r -- '^-' $current)
    string match -q -- "$at|$before|*" $lines; and set key $before
    set -l found (string match -- "$at|$key|*" $lines | string split -f 3 '|' | string split -n ' ')
    if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path $current
    end
end
complete -c calendar-api -f -a '(__calendar_api)'
"""
SCRIPTS = {"bash": _BASH, "zsh": f"autoload -U +X bashcompinit && bashcompinit{_BASH}", "fish": _FISH}


def script(shell: str, parser: argparse.ArgumentParser) -> str:
    """Return the script for one of the SCRIPTS."""
    lines = []
    for path, command in walk(parser):
        options = options_of(command)
        values = {name: _choices(action) for name, action in options.items() if action.nargs != 0}
        first = filter(None, (_choices(one) for one in command._actions if not one.option_strings))
        found = {"": " ".join(first), "-": " ".join(options), **values}
        lines += [f"{path}|{key}|{words}" for key, words in found.items()]
    return SCRIPTS[shell].replace("@table@", "\n".join(lines))


def _choices(action: argparse.Action) -> str:
    return " ".join(map(str, action.choices or ()))
