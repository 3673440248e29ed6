"""Pages in frames of other sites: what they leave out, and who may show them (docs/embedding.md)."""

import re

import pytest

from tests import factories
from tests.client import Client, ClientWith

pytestmark = pytest.mark.settings(embed="*")


def policy(client: Client, path: str) -> dict[str, str]:
    directives = client.app.get(path, expect_errors=True).headers["Content-Security-Policy"].split("; ")
    return dict(directive.split(" ", 1) for directive in directives)


@pytest.mark.parametrize("path", ["/events/", "/event/open-day/", "/events/?venue=none", "/event/none/"])
def test_embedded_page_is_the_content_alone(client: Client, path: str) -> None:
    """Other pages have no script and no frame of another site."""
    factories.event(client, title="Open day")
    address = f"{path}{'&' if '?' in path else '?'}embed=1"
    page, own = client.app.get(address, expect_errors=True), policy(client, path)
    assert re.findall("<(header|footer|script src|base)", page.text) == ["base", "script src"]
    assert '<base target="_top">' in page.text
    assert page.headers["X-Robots-Tag"] == "noindex"
    assert "embed=" not in page.text
    assert policy(client, address) == {**own, "script-src": "'self'", "frame-ancestors": "*"}
    assert (own["script-src"], own["frame-ancestors"]) == ("'none'", "'self'")
    assert "<script src" not in client.app.get(path, expect_errors=True).text


def test_password_leads_to_the_whole_page(client: Client) -> None:
    """The form opens in the top window, as links do."""
    slug = factories.event(client, password="sesame")["slug"]
    form = client.app.get(f"/event/{slug}/?embed=1").forms[0]
    page = form.set("password", "sesame") or form.submit()
    assert page.request.path_qs == f"/event/{slug}/"
    assert "<footer>" in page.text


def test_setting_names_the_sites_that_may_embed(client_with: ClientWith) -> None:
    site = "'self' https://example.org"
    for embed, ancestors in (("", "'none'"), (site, site)):
        assert policy(client_with(embed=embed), "/events/?embed=1")["frame-ancestors"] == ancestors


def test_scripts_are_served_to_other_sites(client: Client) -> None:
    (script,) = re.findall('<script src="([^"]+)"', client.app.get("/events/?embed=1").text)
    for path, caching in (("/embed.js", "max-age=86400"), (script, "immutable")):
        sent = client.app.get(path)
        assert sent.headers["Content-Type"] == "text/javascript; charset=utf-8"
        assert sent.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
        assert caching in sent.headers["Cache-Control"]
        assert len(sent.body) < 3 * 1024
        client.app.get(path, headers={"If-None-Match": sent.headers["ETag"]}, status=304)
