"""Pages in frames of other sites: what they leave out, and who may show them (docs/embedding.md)."""

import re

import pytest

from calendar_api.config import Config
from tests import factories
from tests.client import Client


@pytest.fixture
def config(database_url: str, request: pytest.FixtureRequest) -> Config:
    return Config(database_url=database_url, embed=getattr(request, "param", "*"))


def policy(client: Client, path: str) -> dict[str, str]:
    directives = client.app.get(path, expect_errors=True).headers["Content-Security-Policy"].split("; ")
    return dict(directive.split(" ", 1) for directive in directives)


@pytest.fixture
def event(client: Client) -> str:
    return str(factories.event(client, title="Open day")["slug"])


PAGES = ("/events/", "/event/open-day/", "/events/?start_date=never", "/event/none/")


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.usefixtures("event")
def test_embedded_page_is_the_content_alone(client: Client, path: str) -> None:
    address = f"{path}{'&' if '?' in path else '?'}embed=1"
    page = client.app.get(address, expect_errors=True)

    assert re.findall("<(header|footer|script src|base)", page.text) == ["base", "script src"]
    assert '<base target="_top">' in page.text
    assert page.headers["X-Robots-Tag"] == "noindex"
    assert "embed=" not in page.text
    assert policy(client, address) == {**policy(client, path), "script-src": "'self'", "frame-ancestors": "*"}


def test_password_leads_to_the_whole_page(client: Client) -> None:
    """The form opens in the top window, as links do."""
    slug = factories.event(client, password="sesame")["slug"]
    form = client.app.get(f"/event/{slug}/?embed=1").forms[0]

    page = form.set("password", "sesame") or form.submit()
    assert page.request.path_qs == f"/event/{slug}/"
    assert "<footer>" in page.text


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.usefixtures("event")
def test_other_pages_have_no_script_and_no_foreign_frame(client: Client, path: str) -> None:
    found = policy(client, path)

    assert (found["script-src"], found["frame-ancestors"]) == ("'none'", "'self'")
    assert "<script src" not in client.app.get(path, expect_errors=True).text


@pytest.mark.parametrize(
    ("config", "ancestors"),
    [("", "'none'"), ("'self' https://example.org", "'self' https://example.org")],
    indirect=["config"],
)
def test_setting_names_the_sites_that_may_embed(client: Client, ancestors: str) -> None:
    assert policy(client, "/events/?embed=1")["frame-ancestors"] == ancestors


def test_scripts_are_served_to_other_sites(client: Client) -> None:
    (script,) = re.findall('<script src="([^"]+)"', client.app.get("/events/?embed=1").text)

    for path, caching in (("/embed.js", "max-age=86400"), (script, "immutable")):
        sent = client.app.get(path)
        assert sent.headers["Content-Type"] == "text/javascript; charset=utf-8"
        assert sent.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
        assert caching in sent.headers["Cache-Control"]
        assert len(sent.body) < 3 * 1024
        client.app.get(path, headers={"If-None-Match": sent.headers["ETag"]}, status=304)
