"""The example theme, and what docs/theming.md says about variables."""

import re
from itertools import product
from pathlib import Path

import pytest

from calendar_api.config import Config
from tests import factories
from tests.client import Client

ROOT = Path(__file__).parents[2]
THEME = ROOT / "docs" / "themes" / "evening"
STYLESHEET = (ROOT / "calendar_api" / "resources" / "static" / "calendar.css").read_text("utf-8")
VARIABLE = re.compile(r"(--[a-z-]+):\s*([^;]+);")


class TestEvening:
    @pytest.fixture
    def config(self, database_url: str) -> Config:
        return Config(database_url=database_url, theme=str(THEME))

    def test_every_page_has_its_stylesheet_after_ours_and_its_footer(self, client: Client) -> None:
        factories.event(client, title="Open day")

        for path in ("/events/", "/event/open-day/", "/event/none/"):
            page = client.app.get(path, expect_errors=True).text
            sheets = re.findall('<link rel="stylesheet" href="http://localhost/static/([^"]+)"', page)
            assert (len(sheets), sheets[1]) == (2, "theme.css")
            assert page.count("<h1>") == page.count("1 Lantern Street") == page.count("</footer>") == 1

    @pytest.mark.parametrize(
        ("name", "file", "type"),
        [
            ("theme.css", "theme.css", "text/css; charset=utf-8"),
            ("moon.svg", "static/moon.svg", "image/svg+xml"),
        ],
    )
    def test_files_are_served(self, client: Client, name: str, file: str, type: str) -> None:
        sent = client.app.get(f"/static/{name}")

        assert sent.body == (THEME / file).read_bytes()
        assert sent.headers["Content-Type"] == type
        client.app.get(f"/static/{name}", headers={"If-None-Match": sent.headers["ETag"]}, status=304)

    @pytest.mark.parametrize(
        "name", ["base.html", "none.svg", "..%2Fbase.html", "..%2Ftheme.css", ".theme.css"]
    )
    def test_no_other_files_are_served(self, client: Client, name: str) -> None:
        client.app.get(f"/static/{name}", status=404)


class TestBroken:
    """A template of the theme that fails is left out, so that visitors see the page."""

    @pytest.fixture(params=["{% if %}", "{{ none.of.these }}", '{{ 1 + "a" }}', '{% include "none.html" %}'])
    def config(self, database_url: str, tmp_path: Path, request: pytest.FixtureRequest) -> Config:
        (tmp_path / "base.html").write_text(request.param)
        return Config(database_url=database_url, theme=str(tmp_path))

    @pytest.mark.parametrize(("path", "status"), [("/events/", 200), ("/event/none/", 404)])
    def test_page_is_shown_without_it(
        self, path: str, status: int, client: Client, caplog: pytest.LogCaptureFixture
    ) -> None:
        answer = client.app.get(path, status=status)

        assert answer.content_type == "text/html"
        assert answer.text.count("<h1>") == 1
        assert [record.levelname for record in caplog.records] == ["ERROR"]
        assert "the theme failed" in caplog.text


def test_pages_without_a_theme_have_one_stylesheet(client: Client) -> None:
    assert client.app.get("/events/").text.count('rel="stylesheet"') == 1
    client.app.get("/static/theme.css", status=404)


def test_documented_variables_are_those_of_the_stylesheet() -> None:
    table = re.findall(
        r"^\| `(--[a-z-]+)` \|", (ROOT / "docs" / "theming.md").read_text("utf-8"), re.MULTILINE
    )

    assert (
        set(table)
        == set(dict(VARIABLE.findall(STYLESHEET)))
        == set(re.findall(r"var\((--[a-z-]+)", STYLESHEET))
    )


def test_example_sets_known_variables_with_enough_contrast() -> None:
    """Text has a contrast of 4.5 to 1 at least (WCAG 2.2, 1.4.3)."""
    colours = dict(VARIABLE.findall((THEME / "theme.css").read_text("utf-8")))
    pairs = [
        *product(("--ink", "--soft", "--accent", "--warn"), ("--paper", "--card")),
        ("--accent-ink", "--accent"),
    ]

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
