"""Every cell of `matrix.csv` holds: in the rules as they are written, and in the service, by every way.

`make test` tries a third of the cells of every row, each by one way; `make test-all` tries all of them by all
of theirs: by id and by slug, each method, and POST that stands for another method.
"""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import pytest

from calendar_api.app import create_app
from calendar_api.config import Config
from tests import figures
from tests.confidentiality import rules
from tests.confidentiality.cells import Cell
from tests.confidentiality.speaking import Speaker
from tests.confidentiality.worlds import Undo, World, made
from tests.templates import Template, path_of

_READING = ("read", "allowed", "list", "nested", "filter", "form", "open")
NOUNS = {"linked": ("venue", "organizer")}


@dataclass
class Run:
    cells: int = 0
    requests: int = 0
    wrong: list[str] = field(default_factory=list)


def committed() -> list[dict[str, str]]:
    with rules.FILE.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def cells(rows: list[dict[str, str]]) -> Iterator[tuple[str, str, str, str, str]]:
    """Noun, state, operation, principal and what must come of it."""
    for row in rows:
        for noun in NOUNS.get(row["noun"], (row["noun"],)):
            for principal in rules.PRINCIPALS:
                if row[principal] != "-":
                    yield noun, row["state"], row["operation"], principal, row[principal]


def some(rows: list[dict[str, str]]) -> list[tuple[str, str, str, str, str]]:
    """Every third cell: of each row other principals than of the next, of each operation all of them."""
    return [cell for number, cell in enumerate(cells(rows)) if (number + number // 12) % 3 == 0]


def tried(
    world: World, undo: Undo, chosen: Iterable[tuple[str, str, str, str, str]], *, every_way: bool
) -> Run:
    """The cells carried out one by one, each in the world as it was made."""
    run = Run()
    for noun, state, operation, principal, expected in chosen:
        cell = Cell(world, noun, state, operation, principal)
        ways = cell.ways()
        run.cells += 1
        # Round robin, so that every way of each operation is used.
        for number in range(len(ways)) if every_way else [run.cells % len(ways)]:
            before = undo.revision
            found = ways[number]()
            run.requests += 1
            written = undo.revision != before
            if written:
                undo()
            # What was refused has written nothing but the count of wrong guesses; what was not, something.
            # Of forms, a redirection says so; a session that is none counts as no guess.
            of_page = noun == "page" or "form" in operation
            guesses = principal == "wrong" and not of_page
            writes = not operation.startswith(_READING) and found.startswith(("2", "303"))
            if found != expected or written != (guesses or writes):
                where = f"{principal}: {operation} a {noun} ({state}), way {number}"
                run.wrong.append(f"{where}: {found}, not {expected}{', and it was written' * written}")
    return run


@pytest.fixture
def speaker(config: Config, template: Template) -> Speaker:
    return Speaker(create_app(replace(config, submissions="on")), template.secrets)


@pytest.fixture
def world(speaker: Speaker, template: Template) -> World:
    return made(speaker, template.ids)


@pytest.fixture
def undo(world: World, database_url: str) -> Iterator[Undo]:
    made = Undo(path_of(database_url))
    yield made
    made.close()


def test_committed_matrix_is_what_the_rules_say() -> None:
    assert rules.FILE.read_text("utf-8") == rules.written()


@pytest.mark.sqlite
@pytest.mark.usefixtures("cheap_digests")
@pytest.mark.parametrize("every_way", [False, pytest.param(True, marks=pytest.mark.long)])
def test_every_cell_holds(world: World, undo: Undo, *, every_way: bool) -> None:
    every = list(cells(committed()))
    run = tried(world, undo, every if every_way else some(committed()), every_way=every_way)

    figures.keep("matrix", cells=run.cells, of=len(every), requests=run.requests, wrong=len(run.wrong))
    assert not run.wrong, "\n".join(run.wrong)
    assert run.cells == len(every) if every_way else run.cells > 1500


#: Cells that are not so, each a fault that a service of this kind has had.
WRONG = [
    (("event", "publish", "change"), "contributor", "200"),
    (("event", "draft", "read"), "author", "403"),
    (("event", "trash", "delete"), "editor", "200"),
    (("event", "protected", "list"), "anonymous", "shown"),
    (("event", "private", "list status"), "contributor", "shown"),
    (("linked", "draft", "nested"), "anonymous", "shown"),
    (("linked", "private", "link to it"), "author", "201"),
    (("tag", "publish", "delete"), "author", "200"),
    (("event", "new", "status private"), "contributor", "201 private"),
    (("event", "draft", "image hidden"), "contributor+", "200"),
    (("event", "draft", "form"), "author", "200"),
    (("linked", "publish", "send form"), "contributor+", "303"),
    (("page", "/edit/users/", "send"), "editor", "200"),
]


@pytest.mark.long
@pytest.mark.sqlite
def test_one_wrong_cell_is_noticed(world: World, undo: Undo) -> None:
    for key, principal, cell in WRONG:
        (row,) = (row for row in committed() if (row["noun"], row["state"], row["operation"]) == key)
        assert row[principal] != cell
        spoilt = row | dict.fromkeys(rules.PRINCIPALS, "-") | {principal: cell}

        run = tried(world, undo, cells([spoilt]), every_way=True)

        assert len(run.wrong) == run.requests > 0, (key, principal)


def test_one_wrong_rule_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules of the checker are changed here, not those of the service."""
    monkeypatch.setattr(rules, "_PUBLISHERS", ("contributor", *rules._PUBLISHERS))

    assert rules.FILE.read_text("utf-8") != rules.written()
