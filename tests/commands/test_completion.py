"""`calendar-api completion`: real shells complete commands, options and values."""

import shutil
import subprocess
from pathlib import Path

import pytest

from calendar_api.commands import completion, main

#: What is typed -> what is offered for the last word. The files are `events.jsonl` and `venues.csv`.
CASES = {
    "im": ["import"],
    "user ": ["add", "invite", "list", "remove", "role"],
    "user add ann --ro": ["--role"],
    "user add ann --role e": ["editor"],
    "user role ann s": ["subscriber"],
    "import --status d": ["draft"],
    "import events.jsonl --rep": ["--report"],
    "import ev": ["events.jsonl"],
    "import --report v": ["venues.csv"],
    "completion z": ["zsh"],
}
BASH = """
source ./script
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_calendar_api
(( ${#COMPREPLY[@]} )) || COMPREPLY=($(compgen -f -- "${!#}"))
printf '%s\\n' "${COMPREPLY[@]}"
"""
#: zsh completes in its line editor only, which also leaves out what does not begin with what is typed.
ZSH = """
autoload -U compinit && compinit -C -u -d ./.dump
source ./script
[[ $_comps[calendar-api] = "_bash_complete -o default -F _calendar_api" ]] || exit 1
last=$@[-1]
emulate ksh -c 'COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) _calendar_api'
offered=(${(M)COMPREPLY:#$last*})
print -l -- ${offered:-$last*(N)}
"""
FISH = 'source ./script; complete -C "$argv" | string split -f 1 \\t'


@pytest.mark.parametrize("shell", completion.SCRIPTS)
def test_shell_completes(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "script").write_text(completion.script(shell, main._parser()), "utf-8")
    for name in ("events.jsonl", "venues.csv"):
        (tmp_path / name).touch()

    assert {typed: offered(shell, typed, tmp_path) for typed in CASES} == CASES


def offered(shell: str, typed: str, folder: Path) -> list[str]:
    line = f"calendar-api {typed}"
    command = {
        "bash": ["bash", "--norc", "-c", BASH, "bash", *line.split(" ")],
        "zsh": ["zsh", "-f", "-c", ZSH, "zsh", *line.split(" ")],
        "fish": ["fish", "--no-config", "-c", FISH, line],
    }[shell]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    return sorted(done.stdout.split())


def test_command_prints_the_script(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.main(["completion", "bash"]) == 0
    assert capsys.readouterr().out == completion.script("bash", main._parser())
