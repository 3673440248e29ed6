"""Plays every group of scenarios and compares whole answers with those in `tests/golden/conformance`."""

import json
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import pytest
import time_machine

from calendar_api.app import create_app
from calendar_api.config import Config
from tests.client import Client
from tests.conformance.play import Play, line
from tests.conformance.scenarios import GROUPS
from tests.templates import Template

GOLDEN = Path(__file__).parents[1] / "golden" / "conformance"
NOW = "2026-11-20T12:00:00+00:00"


@pytest.fixture
def frozen() -> Iterator[None]:
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.usefixtures("frozen")
def test_scenario_answers_as_recorded(
    name: str, database_url: str, template: Template, pytestconfig: pytest.Config
) -> None:
    group = GROUPS[name]
    app = create_app(Config(database_url=database_url, **group.settings))
    play = Play(Client(app, template.secrets, template.ids))

    group.send(play)

    lines = [line(exchange) for exchange in play.exchanges]
    file = GOLDEN / f"{name}.jsonl"
    if pytestconfig.getoption("update_golden"):
        file.write_text("".join(f"{text}\n" for text in lines), "utf-8")
    recorded = file.read_text("utf-8").split("\n")[:-1] if file.exists() else []
    for number, (now, before) in enumerate(zip_longest(lines, recorded), 1):
        if now != before:
            pytest.fail(explained(f"{name}, exchange {number}", now, before), pytrace=False)


def test_golden_files_are_those_of_the_groups() -> None:
    assert sorted(file.stem for file in GOLDEN.glob("*")) == sorted(GROUPS)


def explained(where: str, now: str | None, before: str | None) -> str:
    """What differs in an exchange: the key in question, and both sides of it."""
    if now is None or before is None:
        rest = json.loads(now or before or "{}")
        state = "is not in the golden file" if before is None else "is in the golden file, but was not sent"
        return f"{where}: {rest['request']} {state}"
    was, is_ = json.loads(before), json.loads(now)
    differences = [f"  {text}" for text in compared(was, is_, "")]
    return "\n".join([f"{where}: {is_['request']} (recorded / now)", *differences])


def compared(was: object, is_: object, path: str) -> Iterator[str]:
    """The differences between two documents, order of keys included."""
    if isinstance(was, dict) and isinstance(is_, dict):
        if list(was) != list(is_):
            yield f"{path or 'keys'}: {list(was)} / {list(is_)}"
        for key in was.keys() & is_.keys():
            yield from compared(was[key], is_[key], f"{path}.{key}" if path else key)
    elif isinstance(was, list) and isinstance(is_, list) and len(was) == len(is_):
        for number, (old, new) in enumerate(zip(was, is_, strict=True)):
            yield from compared(old, new, f"{path}[{number}]")
    elif was != is_ or type(was) is not type(is_):
        yield f"{path}: {was!r} / {is_!r}"
