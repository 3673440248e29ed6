"""Every route of editing: what nobody, other sites and old forms get; a new page needs no line here."""

import re

import pytest

from calendar_api.database.models import Event, User
from calendar_api.resources.page_routes import EDITING, SUBMISSION
from tests import factories
from tests.client import Client
from tests.editing import Browser, signed_in

pytestmark = pytest.mark.settings(submissions="on")
ROUTES = {**EDITING, **SUBMISSION}


@pytest.fixture
def record(client: Client) -> int:
    return int(factories.event(client, as_="editor")["id"])


def path_of(route: str, record: int) -> str:
    return re.sub(r"\{[^}]*\}", str(record), route) + "/"


@pytest.mark.parametrize("route", ROUTES)
def test_page_asks_nobody_in_without_a_session(client: Client, record: int, route: str) -> None:
    browser, path = Browser(client.app.app), path_of(route, record)
    shown = browser.get(path, status="*")
    sent = browser.post(path, {"title": "planted"}, status="*")

    assert shown.headers["Cache-Control"] == "private, no-store"
    if ROUTES[route].is_open:
        assert shown.status_int in (200, 404, 410)
        return
    assert (shown.status_int, sent.status_int) == (303, 403)
    assert shown.location.startswith("http://localhost/edit/sign-in/?next=%2Fedit%2F")
    assert "What you have entered is kept" in sent.text


@pytest.mark.parametrize("route", ROUTES)
def test_page_refuses_forms_of_other_sites_and_sessions(client: Client, record: int, route: str) -> None:
    browser, path = signed_in(client, "admin"), path_of(route, record)
    before = [model.select().count() for model in (Event, User)]
    own = {"token": browser.token(), "title": "planted", "login": "planted"}
    foreign = browser.post(path, own, status="*", headers={"Sec-Fetch-Site": "cross-site"})
    assert (foreign.status_int, "This form was not sent from" in foreign.text) == (403, True)
    if not ROUTES[route].is_open:
        old = browser.post(path, own | {"token": "0" * 64}, status="*")
        assert (old.status_int, "What you have entered is kept" in old.text) == (403, True)
    assert [model.select().count() for model in (Event, User)] == before


@pytest.mark.parametrize("route", ROUTES)
def test_page_is_for_its_roles(client: Client, record: int, route: str) -> None:
    page = ROUTES[route]
    for login in ("subscriber", "contributor", "author", "editor", "admin"):
        role = "administrator" if login == "admin" else login
        shown = signed_in(client, login).get(path_of(route, record), status="*")
        if not page.is_open and role not in page.roles:
            assert (shown.status_int, "Your role does not allow" in shown.text) == (403, True), login
            assert shown.headers["X-Request-Id"] in shown.text
            continue
        assert shown.status_int in (200, 303, 404, 405, 410) or "Your role" in shown.text, login
        if shown.status_int == 200:
            assert "frame-ancestors 'none'" in shown.headers["Content-Security-Policy"]
            assert shown.headers["X-Robots-Tag"] == "noindex"
            assert "<script" not in shown.text
