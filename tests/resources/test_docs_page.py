"""The page of the description and its files over HTTP: where they are, what they may load, who keeps them."""

import re
from pathlib import Path

import pytest
from webtest import TestApp, TestResponse

from calendar_api.app import create_app
from calendar_api.config import Config
from tests.client import ROOT

CHECKOUT = Path(__file__).parents[2]
FILES = {"docs.css": "text/css; charset=utf-8", "docs.js": "text/javascript; charset=utf-8"}


@pytest.fixture
def app(config: Config) -> TestApp:
    return TestApp(create_app(config), lint=True, extra_environ={"HTTP_HOST": "localhost"})


def _addresses(page: TestResponse) -> set[str]:
    """Every address that the page refers to, but for the empty icon."""
    return set(re.findall(r'(?:href|src|data-root)="([^"]*)"', page.text)) - {"data:,"}


def _below(root: str) -> set[str]:
    return {root, *(f"{root}/{path}" for path in ("doc", "docs/docs.css", "docs/docs.js"))}


def test_page_loads_from_its_own_server_below_the_root_only(app: TestApp) -> None:
    page = app.get(f"{ROOT}/docs", status=200)
    head = app.head(f"{ROOT}/docs", status=200)
    unchanged = app.get(f"{ROOT}/docs", headers={"If-None-Match": page.headers["ETag"]}, status=304)

    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert page.headers["Cache-Control"] == "public, max-age=0, must-revalidate"
    assert page.headers["X-Content-Type-Options"] == "nosniff"
    assert _addresses(page) == _below(ROOT)
    assert '<html lang="en">' in page.text
    assert "<title>Calendar interface</title>" in page.text
    for name in ("Content-Type", "Content-Length", "ETag", "Cache-Control"):
        assert head.headers[name] == page.headers[name]
    assert (unchanged.headers["ETag"], unchanged.body) == (page.headers["ETag"], b"")
    assert "/docs" not in app.get(ROOT).text
    policy = dict(part.split(" ", 1) for part in page.headers["Content-Security-Policy"].split("; "))
    assert policy == {
        **dict.fromkeys(("default-src", "base-uri", "form-action", "frame-ancestors"), "'none'"),
        **dict.fromkeys(("script-src", "style-src", "connect-src"), "'self'"),
        "img-src": "data:",
    }
    (script,) = re.findall(r"<script\b([^>]*)>(.*?)</script>", page.text, re.DOTALL)
    assert script == (f' src="{ROOT}/docs/docs.js" defer', "")
    assert re.findall(r"\son[a-z]+=|javascript:", page.text) == []


@pytest.mark.parametrize(("name", "content_type"), FILES.items())
def test_file_is_served_with_its_type_and_tag(app: TestApp, name: str, content_type: str) -> None:
    answer = app.get(f"{ROOT}/docs/{name}", status=200)
    same = app.get(f"{ROOT}/docs/{name}", headers={"If-None-Match": answer.headers["ETag"]}, status=304)
    app.get(f"{ROOT}/docs/{name}", headers={"If-None-Match": '"another"'}, status=200)
    assert answer.body == (CHECKOUT / "calendar_api" / "resources" / "static" / name).read_bytes()
    assert answer.headers["Content-Type"] == content_type
    assert answer.headers["Cache-Control"] == "public, max-age=0, must-revalidate"
    assert same.body == b""


@pytest.mark.parametrize(
    "name", ["docs.html", "nothing.js", "..%2Fapp.py", "%2e%2e%2fapp.py", "docs.js/more", "__init__.py"]
)
def test_file_that_is_not_on_the_list_is_not_there(app: TestApp, name: str) -> None:
    answer = app.get(f"{ROOT}/docs/{name}", status=404)
    assert answer.json["code"] == "rest_no_route"
    assert answer.headers["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize("path", ["/docs", "/docs/docs.js", "/docs/nothing.js"])
def test_other_methods_are_refused(app: TestApp, path: str) -> None:
    for method in ("POST", "DELETE"):
        answer = app.request(ROOT + path, method=method, status=405)
        assert answer.json["code"] == "rest_method_not_allowed"
        assert answer.headers["Allow"] == "GET, HEAD, OPTIONS"
        assert answer.headers["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize(
    ("address", "script_name", "root"),
    [
        (f"{ROOT.upper()}/Docs/", "", ROOT),
        ("/en/wp-json/tribe/events/v1/docs", "", "/en/wp-json/tribe/events/v1"),
        ("/en/?rest_route=/tribe/events/v1/docs", "", "/en/wp-json/tribe/events/v1"),
        (f"/de{ROOT}/docs", "", f"/de{ROOT}"),
        (f"{ROOT}/docs", "/below/here", "/below/here" + ROOT),
    ],
)
def test_page_keeps_to_the_root_of_the_caller(
    app: TestApp, address: str, script_name: str, root: str
) -> None:
    page = app.get(address, extra_environ={"SCRIPT_NAME": script_name}, status=200)
    assert _addresses(page) == _below(root)
    assert ('<html lang="de">' in page.text) == address.startswith("/de")


@pytest.mark.settings(base_url="https://example.org/town", language="fr")
def test_page_has_folder_and_language_of_the_site(app: TestApp) -> None:
    page = app.get(f"{ROOT}/docs", status=200)
    assert _addresses(page) == _below("/town" + ROOT)
    assert '<html lang="fr">' in page.text
