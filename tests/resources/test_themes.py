"""The example theme, and what docs/theming.md says about variables."""

import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests import factories
from tests.client import Client, ClientWith

ROOT = Path(__file__).parents[2]
THEME = ROOT / "docs" / "themes" / "evening"
STYLESHEET = (ROOT / "calendar_api" / "resources" / "static" / "calendar.css").read_text("utf-8")
VARIABLE = re.compile(r"(--[a-z-]+):\s*([^;]+);")


EVENING = pytest.mark.settings(theme=str(THEME))


@EVENING
def test_every_page_has_the_stylesheet_of_the_theme_after_ours_and_its_footer(client: Client) -> None:
    factories.event(client, title="Open day")
    for path in ("/events/", "/event/open-day/", "/event/none/"):
        page = client.app.get(path, expect_errors=True).text
        sheets = re.findall('<link rel="stylesheet" href="http://localhost/static/([^"]+)"', page)
        assert (len(sheets), sheets[1]) == (2, "theme.css")
        assert page.count("<h1>") == page.count("1 Lantern Street") == page.count("</footer>") == 1


@EVENING
def test_files_of_the_theme_and_no_others_are_served(client: Client) -> None:
    for file, type in (("theme.css", "text/css; charset=utf-8"), ("static/moon.svg", "image/svg+xml")):
        name = Path(file).name
        sent = client.app.get(f"/static/{name}")
        assert sent.body == (THEME / file).read_bytes()
        assert sent.headers["Content-Type"] == type
        client.app.get(f"/static/{name}", headers={"If-None-Match": sent.headers["ETag"]}, status=304)
    for name in ("base.html", "none.svg", "..%2Fbase.html", "..%2Ftheme.css", ".theme.css"):
        client.app.get(f"/static/{name}", status=404)


@pytest.mark.parametrize(
    "broken", ["{% if %}", "{{ none.of.these }}", '{{ 1 + "a" }}', '{% include "none.html" %}']
)
@pytest.mark.parametrize(("path", "status"), [("/events/", 200), ("/event/none/", 404)])
def test_template_of_the_theme_that_fails_is_left_out(
    path: str, status: int, client_with: ClientWith, broken: str, tmp_path: Path, caplog: Any
) -> None:
    (tmp_path / "base.html").write_text(broken)
    answer = client_with(theme=str(tmp_path)).app.get(path, status=status)
    assert answer.content_type == "text/html"
    assert answer.text.count("<h1>") == 1
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert "the theme failed" in caplog.text


def test_pages_without_a_theme_have_one_stylesheet(client: Client) -> None:
    assert client.app.get("/events/").text.count('rel="stylesheet"') == 1
    client.app.get("/static/theme.css", status=404)


def test_documented_variables_are_those_of_the_stylesheet() -> None:
    text = (ROOT / "docs" / "theming.md").read_text("utf-8")
    documented = set(re.findall(r"^\| `(--[a-z-]+)` \|", text, re.MULTILINE))
    used = set(re.findall(r"var\((--[a-z-]+)", STYLESHEET))
    assert documented == set(dict(VARIABLE.findall(STYLESHEET))) == used


def test_example_sets_known_variables_with_enough_contrast() -> None:
    """Text has a contrast of 4.5 to 1 at least (WCAG 2.2, 1.4.3)."""
    colours = dict(VARIABLE.findall((THEME / "theme.css").read_text("utf-8")))
    pairs = [*product(("--ink", "--soft", "--accent", "--warn"), ("--paper", "--card"))]
    pairs += [("--accent-ink", "--accent")]
    assert colours.keys() <= dict(VARIABLE.findall(STYLESHEET)).keys()
    assert [pair for pair in pairs if contrast(*(colours[name] for name in pair)) < 4.5] == []


def contrast(*colours: str) -> float:
    light, dark = sorted(map(luminance, colours), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    """Relative luminance of `#rrggbb`, as WCAG 2.2 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
