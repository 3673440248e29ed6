"""Worlds that differ only in hidden things answer byte for byte alike, and no canary is heard in any of them.

CALENDAR_TEST_FAULTS=long asks many more questions; CALENDAR_TEST_TWINS_SEED asks others.
"""

import logging
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import pytest
import time_machine

from calendar_api import database
from calendar_api.app import create_app
from calendar_api.config import Config
from tests import figures, uids
from tests.confidentiality.asking import READS, Asking, Question, routes
from tests.confidentiality.speaking import Answer, Speaker
from tests.confidentiality.twins import NOW, PRINCIPALS, Twin, populate
from tests.templates import Template, path_of

LONG = figures.LONG
SEED = os.environ.get("CALENDAR_TEST_TWINS_SEED", "calendar")
NUMBER = 20_000 if LONG else 700
BATCH = 1000
MakeTwin = Callable[..., "Placed"]
pytestmark = [pytest.mark.sqlite, pytest.mark.usefixtures("cheap_digests")]


class Placed:
    """A twin and where it lives; the models know one database at a time."""

    def __init__(self, url: str, template: Template, hidden: str, unhidden: str = "") -> None:
        self.url = url
        self.app = create_app(Config(database_url=url))
        with uids.numbered():
            self.twin = populate(Twin(Speaker(self.app, template.secrets), template.ids), hidden, unhidden)
        database.close_connection()

    def answers(self, questions: list[Question]) -> list[Answer]:
        database.bind(self.url)
        found = [question.asked(self.twin.speaker) for question in questions]
        database.close_connection()
        return found


@pytest.fixture
def make(template: Template, database_url: str, tmp_path: Path) -> Iterator[MakeTwin]:
    with time_machine.travel(NOW, tick=False):

        def made(hidden: str, unhidden: str = "") -> Placed:
            place = tmp_path / f"{hidden}{unhidden}.sqlite3"
            shutil.copy(path_of(database_url), place)
            return Placed(f"sqlite:///{place}", template, hidden, unhidden)

        yield made
        database.bind(database_url)


def conditional(questions: list[Question], answers: list[Answer]) -> list[Question]:
    """The same again, for a part, with the ETag that the first world gave."""
    return [
        question.with_header("If-None-Match", answer.header("ETag"))
        for number, (question, answer) in enumerate(zip(questions, answers, strict=True))
        if number % 5 == 0 and answer.header("ETag") and not question.body
    ]


@dataclass
class Compared:
    """How many pairs of answers, what differed, and which statuses there were."""

    pairs: int = 0
    differing: list[str] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)


def compared(left: Placed, right: Placed, questions: list[Question]) -> Compared:
    found = Compared()
    for begin in range(0, len(questions), BATCH):
        some = questions[begin : begin + BATCH]
        mine = left.answers(some)
        again = conditional(some, mine)
        mine += left.answers(again)
        yours = right.answers([*some, *again])
        found.pairs += len(mine)
        found.statuses.update(answer.status for answer in mine)
        found.differing += [
            f"{question}\n  {one.text[:1500]}\n  {other.text[:1500]}"
            for question, one, other in zip([*some, *again], mine, yours, strict=True)
            if one.lasting != other.lasting
        ]
    return found


@pytest.mark.parametrize("pair", [("none", "a"), ("a", "b")], ids=["absent or there", "one or the other"])
def test_hidden_things_make_no_difference(make: MakeTwin, pair: tuple[str, str]) -> None:
    left, right = make(pair[0]), make(pair[1])
    asking = Asking(right.app, right.twin, SEED)
    writes = asking.refused_writes()

    run = compared(left, right, [*asking.questions(NUMBER), *writes])

    name = "twins_" + "_".join(pair)
    figures.keep(name, seed=SEED, pairs=run.pairs, differing=len(run.differing), statuses=dict(run.statuses))
    assert not run.differing, f"{len(run.differing)} of {run.pairs} differ:\n" + "\n".join(run.differing[:3])
    assert run.statuses[200] > NUMBER / 3
    assert run.statuses[304] > NUMBER / 20
    assert run.statuses[201] == 0
    assert run.statuses[404] > 200


@pytest.mark.long
@pytest.mark.parametrize("state", ["draft", "private"])
def test_one_thing_that_is_not_hidden_makes_a_difference(make: MakeTwin, state: str) -> None:
    left, right = make("none"), make("a", state)

    run = compared(left, right, Asking(right.app, right.twin, SEED).some(250))

    assert len(run.differing) > 4


def heard(twin: Twin, question: Question, text: str) -> list[str]:
    """Canaries in what a caller received who had not said them."""
    return [word for word in twin.words if word in text and word not in question.said]


def secrets(twin: Twin) -> list[str]:
    """What may not stand in a log, in any spelling: canaries, keys of events, application passwords."""
    texts = [*twin.words, *twin.speaker.secrets.values()]
    texts += [str(twin.speaker.authorization(login)) for login in twin.speaker.secrets]
    return [form for text in texts for form in (text, text.replace(" ", ""), quote(text))]


def said_by_callers(twin: Twin) -> list[Question]:
    """Requests with canaries, for the log alone."""
    words = list(twin.words)[:20]
    keys = [word for word, where in twin.words.items() if where.endswith("password")]
    return [
        *(Question("", "GET", "/events", (("password", key),), "admin") for key in keys),
        *(Question("", "GET", "/events", (("search", "\n" + word),)) for word in words),
        *(Question("", "PUT", "/nowhere/" + word, (), "editor") for word in words),
    ]


def test_no_canary_is_heard(
    make: MakeTwin, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """In no answer and not in the log."""
    caplog.set_level(logging.INFO)
    world = make("a")
    asking = Asking(world.app, world.twin, SEED + " canaries")
    questions = [*asking.questions(NUMBER), *asking.refused_writes()]

    asked = {(question.route, question.method, question.as_) for question in questions}
    known = routes(world.app)
    assert {"", "/doc", "/docs/{name}", "/events", "/events/by-slug/{slug}"} <= {*known}
    assert {(route, method, as_) for route in known for method in READS for as_ in PRINCIPALS} <= asked
    leaks = []
    for begin in range(0, len(questions), BATCH):
        some = questions[begin : begin + BATCH]
        for question, answer in zip(some, world.answers(some), strict=True):
            words = heard(world.twin, question, answer.text)
            leaks += [f"{world.twin.words[word]}: {question}" for word in words]
    figures.keep(
        "canaries", seed=SEED, canaries=len(world.twin.words), answers=len(questions), leaks=len(leaks)
    )
    assert not leaks, "\n".join(leaks[:10])
    assert len(world.twin.words) >= 140
    world.answers(said_by_callers(world.twin))
    log = caplog.text + capfd.readouterr().err
    assert log.count('"status":') > len(questions)
    assert [text for text in secrets(world.twin) if text in log] == []


@pytest.mark.long
@pytest.mark.parametrize("caller", ["admin", "editor"])
def test_canaries_are_heard_by_those_who_may(make: MakeTwin, caller: str) -> None:
    """All of them but passwords, which nobody reads: the crawl would hear a canary if there were one."""
    world = make("a")
    plain = [
        f"/{noun}s?status=publish,draft,pending,private,future,trash&per_page=50"
        for noun in ("event", "venue", "organizer")
    ]
    plain[0] += "&start_date=2000-01-01&end_date=2100-01-01"
    questions = [Question("", "GET", path, (), caller) for path in plain]

    text = "".join(answer.text for answer in world.answers(questions))

    silent = {where for word, where in world.twin.words.items() if word not in text}
    assert {where for where in silent if not where.endswith("password")} == set()


@pytest.mark.long
def test_an_unhidden_record_is_heard(make: MakeTwin) -> None:
    world = make("a", "draft")
    questions = Asking(world.app, world.twin, SEED).some(250)

    loud = [
        word
        for question, answer in zip(questions, world.answers(questions), strict=True)
        for word in heard(world.twin, question, answer.text)
    ]

    assert {world.twin.words[word] for word in loud} >= {"draft event: title", "draft event: excerpt"}


@pytest.mark.long
def test_route_with_an_unknown_variable_is_not_passed_over(make: MakeTwin) -> None:
    world = make("none")
    world.app.application.add_route("/calendar/events/v1/feeds/{feed}", world.app)

    with pytest.raises(KeyError, match="feed"):
        Asking(world.app, world.twin, SEED).questions(NUMBER)
