"""Invitations, users, roles and application passwords, and what the log says of them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from webtest import TestResponse

from calendar_api import database
from calendar_api.database.models import ApplicationPassword, User
from calendar_api.domain import dates
from calendar_api.domain.auth import ROLES
from calendar_api.store import sessions, users
from tests import factories
from tests.client import Client
from tests.command_line import Run
from tests.editing import Browser, audited, set_password, signed_in

pytestmark = pytest.mark.usefixtures("cheap_digests")
CHOSEN = {"new_password": "a new passphrase", "new_password_again": "a new passphrase"}


def link(login: str) -> str:
    """The path of a new link for a user."""
    with database.write():
        return sessions.link("", sessions.invite(users.by_login(login), dates.text(datetime.now(UTC))))


def shown_secret(page: Any) -> str:
    return str(page.html.select_one(".secret").text)


@pytest.fixture
def admin(client: Client) -> Browser:
    return signed_in(client, "admin")


@pytest.fixture
def visitor(client: Client) -> Browser:
    return Browser(client.app.app)


@pytest.mark.both_databases
def test_link_works_once(client: Client) -> None:
    path = link("author")
    first, second, third = (Browser(client.app.app) for _ in range(3))
    pages = [one.get(path) for one in (first, second, third)]
    used = first.submit(pages[0], "/edit/invitation/", **CHOSEN)
    replayed = second.submit(pages[1], "/edit/invitation/", 410, **CHOSEN)
    third.get(path, status=410)

    assert used.location == "http://localhost/edit/"
    assert "was used already" in replayed.text
    assert (bool(first.session()), second.session()) == (True, "")
    assert first.get("/edit/account/").html.select_one("a[aria-current]").text == "author"


def test_link_expires_and_is_replaced_by_the_next(visitor: Browser) -> None:
    old, new = link("author"), link("author")
    visitor.get(old, status=410)
    visitor.get(new)
    with time_machine.travel(datetime.now(UTC) + timedelta(minutes=31)):
        visitor.get(new, status=410)
    visitor.get("/edit/invitation/", status=410)
    used = visitor.get("/edit/invitation/?token=0000", status=410)
    assert used.html.find("main").find("a", string="Sign in", href="http://localhost/edit/")


def test_unusable_password_keeps_the_link(visitor: Browser) -> None:
    page = visitor.get(link("author"))
    for new, again, text in (
        ("ninechars", "ninechars", "at least 10 characters"),
        ("a new passphrase", "another one", "not the same"),
    ):
        fields = {"new_password": new, "new_password_again": again}
        page = visitor.submit(page, "/edit/invitation/", 400, **fields)
        assert text in page.html.select_one(".error").text
        assert new not in page.text
    visitor.submit(page, "/edit/invitation/", **CHOSEN)


@pytest.mark.both_databases
def test_administrator_invites_and_the_user_signs_in(
    admin: Browser, visitor: Browser, capfd: pytest.CaptureFixture[str]
) -> None:
    made = admin.submit(admin.get("/edit/users/"), "/edit/users/", 200, login="Bea", role="contributor")
    path = shown_secret(made).removeprefix("http://localhost")
    visitor.submit(visitor.get(path), "/edit/invitation/", **CHOSEN)
    visitor.submit(visitor.get("/edit/account/"), "/edit/sign-out/")
    fields = {"sign_in_login": "Bea", "sign_in_password": CHOSEN["new_password"]}
    visitor.submit(visitor.get("/edit/sign-in/"), "/edit/sign-in/", **fields)

    assert "Send this link to Bea." in made.text
    assert visitor.session()
    done = ("signed_in", "password_chosen", "signed_out", "signed_in")
    assert audited(capfd) == [
        {"audit": "user_added", "login": "Bea", "role": "contributor", "user": "admin"},
        *({"audit": one, "user": "Bea"} for one in done),
    ]


def test_unusable_name_is_refused_and_kept(admin: Browser) -> None:
    for login in ("author", "", "a:b", "x" * 61, "author "):
        answer = admin.submit(admin.get("/edit/users/"), "/edit/users/", 400, login=login, role="author")
        assert [answer.forms[1][name].value for name in ("role", "login")] == ["author", login]
        assert answer.html.select_one("#login-error")


def test_role_is_changed_and_the_last_administrator_stays(
    admin: Browser, client: Client, capfd: pytest.CaptureFixture[str]
) -> None:
    path = f"/edit/users/{client.ids['author']}/"
    changed = admin.submit(admin.get(path), "role", role="editor")
    own = admin.get(f"/edit/users/{client.ids['admin']}/")
    refused = admin.submit(own, "role", 400, role="editor")

    assert changed.location == f"http://localhost{path}?done=role"
    assert "The role is changed." in admin.get(f"{path}?done=role").text
    assert "is the only administrator" in refused.html.select_one("#role-error").text
    assert audited(capfd) == [{"audit": "role_changed", "login": "author", "role": "editor", "user": "admin"}]
    with database.read():
        assert [users.by_login(login).role for login in ("admin", "author")] == ["administrator", "editor"]


@pytest.mark.both_databases
def test_removed_user_leaves_their_records(
    admin: Browser, client: Client, capfd: pytest.CaptureFixture[str]
) -> None:
    event = factories.event(client, as_="author")
    capfd.readouterr()
    path = f"/edit/users/{client.ids['author']}/"
    refused = admin.submit(admin.get(path), "remove", 400)
    removed = admin.submit(refused, "remove", heir="editor")

    assert "Choose the new owner" in refused.html.select_one("#heir-error").text
    assert removed.location == "http://localhost/edit/users/?done=removed"
    assert client.get(f"/events/{event['id']}", status=200).json["author"] == str(client.ids["editor"])
    assert audited(capfd) == [{"audit": "user_removed", "login": "author", "heir": "editor", "user": "admin"}]
    admin.get(path, status=404)


@pytest.mark.parametrize("of", ["account", "users"])
def test_application_passwords_are_shown_once_and_revoked(
    client: Client, of: str, capfd: pytest.CaptureFixture[str]
) -> None:
    login = "contributor" if of == "account" else "subscriber"
    browser = signed_in(client, login if of == "account" else "admin")
    path = "/edit/account/" if of == "account" else f"/edit/users/{client.ids[login]}/"

    secret = shown_secret(browser.submit(browser.get(path), "add", 200, name="Phone"))
    client.secrets[login] = secret
    client.get("/events", as_=login, status=200)
    page = browser.get(path)
    with database.read():
        number = str(ApplicationPassword.get(ApplicationPassword.name == "Phone").id)
    form = next(
        one for one in page.forms.values() if number in [f.value for f in one.fields.get("number", ())]
    )
    form.submit("do", value="revoke", status=303)
    again = form.submit("do", value="revoke", status=303)

    assert secret not in page.text
    client.get("/events", as_=login, status=401)
    assert "is revoked" in browser.app.get(again.location).text
    names = [line["audit"] for line in audited(capfd)]
    assert names == ["password_added", "password_revoked", "login_failed"]


def test_nobody_revokes_passwords_of_others_on_their_own_page(client: Client) -> None:
    browser = signed_in(client, "contributor")
    with database.read():
        number = ApplicationPassword.get(ApplicationPassword.user == client.ids["admin"]).id
    browser.post("/edit/account/", {"token": browser.token(), "do": "revoke", "number": number})
    browser.post("/edit/account/", {"token": browser.token(), "do": "role", "role": "editor"}, status=200)
    client.get("/events", {"per_page": 1}, as_="admin", status=200)
    with database.read():
        assert users.by_login("contributor").role == "contributor"


def test_password_is_changed_by_who_knows_it(visitor: Browser, capfd: pytest.CaptureFixture[str]) -> None:
    visitor.submit(visitor.get(link("author")), "/edit/invitation/", **CHOSEN)
    page = visitor.get("/edit/account/")
    audited(capfd)
    old = {"old_password": CHOSEN["new_password"]}
    new = dict.fromkeys(("new_password", "new_password_again"), "one more passphrase")

    wrong = visitor.submit(page, "change", 400, old_password="not this one", **new)
    short = visitor.submit(page, "change", 400, **old, **dict.fromkeys(new, "short"))
    right = visitor.submit(page, "change", **old, **new)

    assert "This is not your password." in wrong.html.select_one("#old-password-error").text
    assert short.html.select_one("#new-password-error")
    assert right.location.endswith("/edit/account/?done=password")
    assert "You are signed out everywhere else." in visitor.app.get(right.location).text
    assert [line["audit"] for line in audited(capfd)] == ["login_failed", "signed_in", "password_changed"]


@pytest.mark.sqlite
def test_passwords_are_asked_for_once_more_after_a_failure_to_store(visitor: Browser) -> None:
    address = link("author")
    new = dict.fromkeys(("new_password", "new_password_again"), "one more passphrase")

    def tried_again(path: str, form: str, **fields: str) -> TestResponse:
        page = visitor.get(path)
        database.db.pragma("query_only", 1)
        failed = visitor.submit(page, form, 503, **fields)
        database.db.pragma("query_only", 0)
        assert "passphrase" not in failed
        assert "Passwords are not kept" in failed
        again: TestResponse = list(failed.forms.values())[-1].submit()
        assert (again.status_int, again.html.find(class_="errors")) == (200, None)
        return again

    visitor.submit(tried_again(address, "/edit/invitation/", **CHOSEN), "/edit/invitation/", **CHOSEN)
    fields = {"old_password": CHOSEN["new_password"], **new}
    change = tried_again("/edit/account/", "change", **fields)
    assert visitor.submit(change, "change", **fields).status_int == 303


def test_command_invites(run: Run, visitor: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    status, out, err = run("user", "invite", "Bea", "--role", "author")
    path = out.split("http://127.0.0.1:8000")[1].split()[0]
    visitor.submit(visitor.get(path), "/edit/invitation/", **CHOSEN)
    monkeypatch.setenv("CALENDAR_BASE_URL", "https://calendar.example/sub")
    reset = run("user", "invite", "Bea", "--reset")

    said = f"Sign in as Bea: http://127.0.0.1:8000{path} (once, within 30 minutes)\n"
    assert (status, out, err) == (0, said, "")
    assert reset[1].startswith("Sign in as Bea: https://calendar.example/sub/edit/invitation/?token=")
    with database.read():
        assert User.get(User.login == "Bea").role == "author"


def test_command_refuses(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with database.write():
        users.add("with password", "author", "2026-01-01 00:00:00")
    set_password("with password")
    for arguments, reason in (
        (("nobody",), f"There is no user 'nobody'; give a new one a --role: {', '.join(ROLES)}."),
        (("author", "--role", "editor"), "'author' is author; change that with `calendar-api user role`."),
        (("with password",), "'with password' has a password; --reset makes a link for a new one."),
        (("a:b", "--role", "editor"), "A login has 1 to 60 printable characters and no colon."),
    ):
        assert run("user", "invite", *arguments) == (1, "", f"calendar-api: {reason}\n")
    monkeypatch.setenv("CALENDAR_EDITING", "off")
    assert run("user", "invite", "author")[0] == 1
