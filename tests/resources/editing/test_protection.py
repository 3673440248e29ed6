"""Attempts from other sites, headers, and names that are markup (docs/editing.md#security).

`test_every_page.py` has every route, tests/confidentiality/matrix.csv the roles that may use it.
"""

import pytest

from calendar_api import database
from calendar_api.database.models import ApplicationPassword, User
from tests.client import Client, ClientWith
from tests.editing import Browser, signed_in

#: Forms with an effect, by their page: fields beside the token.
FORMS = {
    "/edit/account/": {"do": "add", "name": "planted"},
    "/edit/users/": {"login": "planted", "role": "administrator"},
}
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' https:; script-src 'none'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)


def planted() -> int:
    """How many users and passwords the forms have made."""
    with database.read():
        added = User.select().where(User.login == "planted").count()
        return int(added + ApplicationPassword.select().where(ApplicationPassword.name == "planted").count())


@pytest.mark.parametrize("sent", [None, "", "é", "other"])
def test_form_without_the_token_of_this_session_does_nothing(client: Client, sent: str | None) -> None:
    browser, path = signed_in(client, "admin"), "/edit/users/"
    token = signed_in(client, "admin").token() if sent == "other" else sent
    answer = browser.post(path, FORMS[path] | ({} if token is None else {"token": token}), status=403)
    assert "What you have entered is kept" in answer.text
    assert planted() == 0


def test_forms_of_other_sites_are_refused_and_own_ones_accepted(client: Client) -> None:
    browser = signed_in(client, "admin")
    token = browser.token()
    del browser.app.extra_environ["HTTP_SEC_FETCH_SITE"]

    for headers in (
        {}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
        {"Origin": "https://evil.example"}, {"Origin": "http://localhost.evil.example"},
        {"Origin": "https://localhost"}, {"Origin": "http://localhost:8080"}, {"Origin": "null"},
    ):  # fmt: skip
        for path in (*FORMS, "/edit/sign-in/", "/edit/sign-out/"):
            answer = browser.post(path, {**FORMS.get(path, {}), "token": token}, headers=headers, status=403)
            assert "This form was not sent from http://localhost." in answer.text
        assert planted() == 0
    assert browser.token() == token  # is still signed in
    own = {**FORMS["/edit/account/"], "token": token}
    for number, headers in enumerate(
        ({"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}, {"Origin": "http://localhost"}), 1
    ):
        browser.post("/edit/account/", own, headers=headers, status=200)
        assert planted() == number


@pytest.mark.parametrize("login", ["admin", "subscriber", None])
def test_pages_are_not_framed_stored_or_listed(client: Client, login: str | None) -> None:
    browser = signed_in(client, login) if login else Browser(client.app.app)
    for path in ("/edit/", "/edit/users/?embed=1", "/edit/sign-in/", "/edit/nothing/", "/edit/invitation/"):
        answer = browser.get(path, status="*")

        given = answer.headers
        policies = ("Cache-Control", "Referrer-Policy", "Cross-Origin-Resource-Policy")
        assert [given[name] for name in policies] == ["private, no-store", "same-origin", "same-origin"]
        assert "Set-Cookie" not in given
        if answer.status_int != 303:
            assert (given["Content-Security-Policy"], given["X-Robots-Tag"]) == (POLICY, "noindex")
            assert "<script" not in answer.text
            assert 'rel="canonical"' not in answer.text


def test_other_methods_are_refused(client: Client) -> None:
    browser = signed_in(client, "admin")
    for method in ("PUT", "PATCH", "DELETE"):
        browser.app.request("/edit/users/", method=method, status=405)
        browser.post(f"/edit/users/?_method={method}", {"token": browser.token()}, status=405)
    assert browser.get("/edit/sign-out/", status=405).headers["Allow"] == "POST, HEAD, OPTIONS"


@pytest.mark.parametrize("setting", ["editing", "pages"])
def test_editing_can_be_switched_off(client_with: ClientWith, setting: str) -> None:
    browser = Browser(client_with(**{setting: "off"}).app.app)
    for path in (*FORMS, "/edit/", "/edit/sign-in/"):
        browser.get(path, status=404)
    assert "/edit/" not in browser.get("/events/", status="*")


def test_public_pages_link_to_the_sign_in(client: Client) -> None:
    shown = Browser(client.app.app, "/de").get("/events/")
    assert shown.html.footer.find("a", string="Anmelden")["href"] == "http://localhost/de/edit/sign-in/"
    assert "private" not in shown.headers["Cache-Control"]
    assert shown.click("Anmelden").html.footer.find("a", string="Anmelden") is None


def test_other_spellings_lead_to_the_page(client: Client) -> None:
    browser = signed_in(client, "admin")
    assert browser.get("/Edit//USERS?x=1", status=301).location == "http://localhost/edit/users/?x=1"


def test_names_are_shown_as_text(client: Client) -> None:
    hostile = "<img src=x onerror=alert(1)>\"'&"
    browser = signed_in(client, "admin")
    page = browser.submit(browser.get("/edit/users/"), "/edit/users/", 200, login=hostile, role="author")
    with database.read():
        id = User.get(User.login == hostile).id
    one = browser.get(f"/edit/users/{id}/")
    made = browser.submit(one, "add", 200, name=hostile)

    for shown in (page, one, made, browser.get(f"/edit/users/{id}/")):
        assert "<img src=x" not in shown.text
        assert "&lt;img src=x onerror=alert(1)&gt;" in shown.text
