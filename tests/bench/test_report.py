"""The table says what is met; the charts are well-formed; a failing group leaves the others."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bench import __main__ as command
from bench import charts, report
from bench.targets import TARGETS, Figure, Plan

FIGURES = [
    Figure("C1", "conferences", 0.25, 0.2, 0.3, 700.0),
    Figure("C1", "1,000", 0.19, cpu_us=800.0),
    Figure("C1", "1,000,000", 0.01, cpu_us=9000.0),
    Figure("C6", "1,000", 4.0),
    Figure("I1", "conferences", 2500.0),
    Figure("M1 1", "1,000", 71.2),
]


def test_table_says_what_is_met_up_to_100000_events() -> None:
    heads, _, *rows = report.table(FIGURES).splitlines()

    assert [cell.strip() for cell in heads.split("|")[3:6]] == ["conferences", "1,000", "1,000,000"]
    assert [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows] == [
        ["C1", TARGETS["C1"].what, "0.25", "0.19", "0.01", "×", "0.2", "0.5", "1 of 2"],
        ["C6", TARGETS["C6"].what, "", "4", "", "ms", "25", "5", "moonshot"],
        ["I1", TARGETS["I1"].what, "2,500", "", "", "lines/s", "2,000", "", "yes"],
        ["M1 1", TARGETS["M1 1"].what, "", "71.2", "", "MiB", "70", "55", "no"],
    ]


@pytest.mark.parametrize("figures", [FIGURES, []])
def test_charts_are_well_formed_and_have_a_dark_scheme(figures: list[Figure]) -> None:
    for drawn in (charts.ratios(figures), charts.costs(figures)):
        ElementTree.fromstring(drawn)  # noqa: S314 - our own
        assert "prefers-color-scheme: dark" in drawn


def test_chart_of_ratios_shows_the_lowest_of_all_calendars() -> None:
    drawn = charts.ratios([Figure("C1", "conferences", 0.31), Figure("C1", "1,000", 0.19)])

    assert ">0.19<" in drawn
    assert ">0.31<" not in drawn


@pytest.mark.parametrize(("load", "busy"), [(0.5, False), (1.5, True)])
def test_last_run_replaces_the_figures_of_a_document(tmp_path: Path, load: float, busy: bool) -> None:
    about = {**report.environment(Plan()), "cores": 2, "load": load}
    report.save(tmp_path, FIGURES, about)
    document = tmp_path / "performance.md"
    document.write_text("# Before\n<!-- figures of the last run -->\nold\n<!-- end of figures -->\n# After\n")

    report.publish(tmp_path / "result.json", document)

    text = document.read_text("utf-8")
    assert text.startswith("# Before\n")
    assert text.endswith("# After\n")
    assert "old" not in text
    assert ("The machine was busy" in text) is busy
    assert (tmp_path / "table.md").read_text("utf-8") in text
    assert json.loads((tmp_path / "result.json").read_text("utf-8"))["environment"]["cores"]


def test_group_that_fails_leaves_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(plan: Plan) -> None:
        raise ZeroDivisionError

    monkeypatch.setitem(command.GROUPS, "one", (broken, False))
    monkeypatch.setitem(command.GROUPS, "two", (lambda plan: iter(FIGURES[:1]), False))

    assert command.run(["one", "two"], Plan()) == (FIGURES[:1], ["one"])
    assert "ZeroDivisionError" in capsys.readouterr().err
