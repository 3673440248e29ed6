"""Signing in and out, and what sessions are."""

import pytest

from calendar_api import database
from calendar_api.database.models import User
from calendar_api.store import password_hashes
from tests.client import Client
from tests.editing import Browser, signed_in

PASSWORD = "correct horse battery"


@pytest.fixture
def browser(client: Client) -> Browser:
    """A browser; the editor has a password."""
    with database.write():
        User.update(password=password_hashes.event_digest(PASSWORD)).where(User.login == "editor").execute()
    return Browser(client.app.app)


def test_password_opens_the_page_that_was_asked_for(browser: Browser) -> None:
    asked = browser.get("/edit/?done=nothing", status=303)
    form = browser.get(asked.location.removeprefix("http://localhost"))
    opened = browser.submit(form, "/edit/sign-in/", sign_in_login="editor", sign_in_password=PASSWORD)

    assert opened.location == "http://localhost/edit/?done=nothing"
    assert "editor" in browser.get("/edit/").text


def test_signing_out_ends_the_session(client: Client) -> None:
    browser = signed_in(client, "editor")
    token = browser.session()

    left = browser.submit(browser.get("/edit/"), "/edit/sign-out/")
    browser.app.set_cookie("calendar-session", token)

    assert left.location == "http://localhost/edit/sign-in/?done=signed-out"
    assert browser.get("/edit/", status=303).location.endswith("/edit/sign-in/?next=%2Fedit%2F")
