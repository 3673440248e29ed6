"""A browser without scripts for the pages of editing: it keeps cookies and submits the forms of pages."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from webtest import TestApp, TestResponse

from calendar_api import database
from calendar_api.database.models import User
from calendar_api.domain import dates
from calendar_api.store import password_hashes, sessions, users
from tests.client import Client

COOKIE = "calendar-session"
PASSWORD = "correct horse battery"


class Browser:
    """`home` stands before every path: a language, for example."""

    def __init__(self, app: Any, home: str = "") -> None:
        self.app = TestApp(
            app, lint=True, extra_environ={"HTTP_HOST": "localhost", "HTTP_SEC_FETCH_SITE": "same-origin"}
        )
        self.home = home

    def get(self, path: str, status: int = 200, **more: Any) -> TestResponse:
        return self.app.get(self.home + path, status=status, **more)

    def post(self, path: str, fields: Any = (), status: int = 303, **more: Any) -> TestResponse:
        return self.app.post(self.home + path, dict(fields), status=status, **more)

    def submit(self, page: TestResponse, form: str, status: int = 303, **fields: Any) -> TestResponse:
        """Fill in and submit the form whose address or button's value ends in `form`.

        `_` in the name of a field stands for `-`, too.
        """
        for found in page.forms.values():
            button = next(
                (one for one in found.fields.get("do", ()) if one.value_if_submitted() == form), None
            )
            if button is not None or found.action.endswith(form):
                break
        else:
            pytest.fail(f"There is no form {form}.")
        for name, value in fields.items():
            found[name if name in found.fields else name.replace("_", "-")] = value
        return found.submit("do" if button else None, value=form if button else None, status=status)

    def token(self) -> str:
        """The token of forms in this session."""
        return str(self.get("/edit/account/").forms[0]["token"].value)

    def session(self) -> str:
        """The token of the session, "" for none."""
        return str(self.app.cookies.get(COOKIE, ""))


def new_session(login: str) -> str:
    """The token of a session of a user."""
    with database.write():
        return sessions.start(users.by_login(login), dates.text(datetime.now(UTC)))


def set_password(login: str) -> None:
    with database.write():
        User.update(password=password_hashes.event_digest(PASSWORD)).where(User.login == login).execute()


def audited(capfd: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """The audit lines since the last call, without what every line has."""
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines() if line.startswith("{")]
    assert all(line["request"] and line["route"] for line in lines)
    common = {"time", "request", "method", "route", "status", "address"}
    return [{name: line[name] for name in line if name not in common} for line in lines if "audit" in line]


def signed_in(client: Client, login: str, home: str = "") -> Browser:
    """A browser with a session of one of the users of the fixture `client`."""
    browser = Browser(client.app.app, home)
    browser.app.set_cookie(COOKIE, new_session(login))
    return browser
