"""A run goes on when a scenario fails, and clients never run out of what to post."""

from itertools import islice
from pathlib import Path

import pytest

from bench import __main__ as command
from bench import posting
from bench.data import filling
from bench.data.filling import Calendar
from bench.plan import Plan
from bench.report import plain


def test_one_that_fails_leaves_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(plan: Plan) -> None:
        raise ZeroDivisionError

    monkeypatch.setitem(command.SCENARIOS, "X1", broken)
    monkeypatch.setitem(command.SCENARIOS, "X2", lambda plan: [plain("X2", "two", 2.0, "ms")])

    lines, failed = command._run(["X1", "X2"], Plan())

    assert [line.what for line in lines] == ["two"]
    assert failed == ["X1"]
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_new_events_have_no_end_and_no_twin(tmp_path: Path) -> None:
    (tmp_path / filling.SECRET).write_text("word", "utf-8")
    calendar = Calendar(tmp_path / filling.DATABASE, 40)

    found = list(islice(posting.requests(calendar, 8000), 150))

    assert len(set(found)) == 150
