"""Signing in and out, and how long sessions last (docs/editing.md#sign-in)."""

import re
from datetime import UTC, datetime, timedelta
from http.cookies import SimpleCookie
from typing import Any

import pytest
import time_machine

from calendar_api import database
from calendar_api.database.models import User
from calendar_api.database.tables import EditingState
from calendar_api.domain import dates
from calendar_api.store import login_attempts, sessions, users
from tests.client import Client, ClientWith
from tests.editing import COOKIE, PASSWORD, Browser, set_password, signed_in

pytestmark = pytest.mark.usefixtures("cheap_digests")
ANOTHER = {"new_password": "another password", "new_password_again": "another password"}


FIELDS = {"sign-in-login": "editor", "sign-in-password": PASSWORD}


@pytest.fixture
def browser(client: Client, cheap_digests: None) -> Browser:
    """A browser; the editor has a password."""
    set_password("editor")
    return Browser(client.app.app)


def sign_in(browser: Browser, login: str = "editor", password: str = PASSWORD, status: int = 303) -> Any:
    page = browser.get("/edit/sign-in/")
    return browser.submit(page, "/edit/sign-in/", status, sign_in_login=login, sign_in_password=password)


def is_signed_in(browser: Browser) -> bool:
    return browser.get("/edit/account/", status="*").status_int == 200


@pytest.mark.both_databases
def test_password_opens_the_page_that_was_asked_for(browser: Browser) -> None:
    asked = browser.get("/edit/account/?done=nothing", status=303)
    page = browser.get(asked.location.removeprefix("http://localhost"))
    opened = browser.submit(page, "/edit/sign-in/", **FIELDS)
    assert opened.location == "http://localhost/edit/account/?done=nothing"
    assert "editor" in browser.get("/edit/account/").text


def test_wrong_names_and_passwords_get_the_same_answer(browser: Browser) -> None:
    wrong = "wrong password"
    tries = [("editor", wrong), ("nobody", wrong), ("author", wrong), ("", "")]
    pages = [sign_in(browser, *one, status=403) for one in tries]
    assert len({re.sub(r'type="text" value="[^"]*"', "", page.text) for page in pages}) == 1
    assert 'type="text" value="editor"' in pages[0].text
    assert wrong not in pages[0].text
    assert "Error: Sign in" in pages[0].text
    assert not is_signed_in(browser)


@pytest.mark.both_databases
def test_guesses_at_one_name_are_limited(browser: Browser) -> None:
    for _ in range(10):
        sign_in(browser, password="wrong password", status=403)
    blocked = sign_in(browser, status=429)
    other = sign_in(browser, "nobody", status=403)
    assert int(blocked.headers["Retry-After"]) > 200
    assert "Too many wrong attempts" in blocked.text
    assert "do not match" in other.text


def test_guesses_at_all_names_of_one_network_are_limited(browser: Browser) -> None:
    now, rule = dates.text(datetime.now(UTC)), sessions._NETWORK
    with database.write():
        for _ in range(100):
            login_attempts.record(rule, {login_attempts.key(rule, "", ""): ""}, now)
    sign_in(browser, status=429)


def test_right_passwords_do_not_count(browser: Browser) -> None:
    assert len({(sign_in(browser), browser.session())[1] for _ in range(12)}) == 12


def test_session_of_another_user_is_never_adopted(browser: Browser, client: Client) -> None:
    planted = signed_in(client, "contributor").session()
    browser.app.set_cookie(COOKIE, planted)
    sign_in(browser)
    assert browser.session() not in ("", planted)
    assert ">editor<" in browser.get("/edit/account/").text


def test_signing_out_ends_the_sessions_of_the_user(client: Client) -> None:
    browser, phone, other = (signed_in(client, login) for login in ("editor", "editor", "author"))
    token = browser.session()
    left = browser.submit(browser.get("/edit/account/"), "/edit/sign-out/")
    kept = dict(browser.app.cookies)
    browser.app.set_cookie(COOKIE, token)

    assert left.location == "http://localhost/edit/sign-in/?done=signed-out"
    assert "You are signed out." in browser.get("/edit/sign-in/?done=signed-out").text
    assert kept == {}
    assert not is_signed_in(browser)
    assert (is_signed_in(phone), is_signed_in(other)) == (False, True)


def test_signing_out_after_the_end_of_the_session_and_in_again_stays_signed_in(browser: Browser) -> None:
    asked = browser.post("/edit/sign-out/", {"token": "ended"}, status=403)
    answer = browser.submit(asked, "/edit/sign-out/", **FIELDS)
    assert answer.location == "http://localhost/edit/"
    assert is_signed_in(browser)


@pytest.mark.parametrize("part", range(4))
def test_changed_cookie_is_none(client: Client, part: int) -> None:
    """Neither the user, the time, the random number nor the signature can be replaced."""
    browser, other = signed_in(client, "editor"), signed_in(client, "admin")
    mine, theirs = (one.session().split(".") for one in (browser, other))
    replaced = str(int(mine[1]) - 1) if part == 1 else theirs[part]
    browser.app.set_cookie(COOKIE, ".".join([*mine[:part], replaced, *mine[part + 1 :]]))
    assert not is_signed_in(browser)


def test_unreadable_cookie_is_none(browser: Browser) -> None:
    for cookie in ("", ".", "...", "1", "²...", "9" * 5000, "é", "1.2.3." + "0" * 64):
        sent = {"Cookie": f"{COOKIE}={cookie}".encode().decode("latin-1")}
        browser.get("/edit/account/", status=303, headers=sent)


def test_cookie_is_signed_with_the_key_of_the_database(client: Client) -> None:
    browser = signed_in(client, "editor")
    with database.write():
        EditingState.update(key="0" * 64).execute()
    assert not is_signed_in(browser)


def test_new_user_with_the_id_of_a_removed_one_is_not_signed_in(browser: Browser) -> None:
    sign_in(browser)
    with database.write():
        id = users.by_login("editor").id
        users.remove("editor", None)
        User.create(id=id, login="other", role="administrator", created_utc="2026-01-01 00:00:00")
    assert not is_signed_in(browser)


def test_session_ends_after_twelve_hours(client: Client) -> None:
    browser, begun = signed_in(client, "editor"), datetime.now(UTC)
    for hours, expected in ((11.99, True), (12.001, False)):
        with time_machine.travel(begun + timedelta(hours=hours)):
            assert is_signed_in(browser) is expected


@pytest.mark.both_databases
@pytest.mark.parametrize("ended_by", ["password", "role", "removal", "link"])
def test_session_is_ended(browser: Browser, client: Client, ended_by: str) -> None:
    sign_in(browser)
    other = signed_in(client, "editor") if ended_by == "password" else Browser(client.app.app)
    if ended_by == "password":
        other.submit(other.get("/edit/account/"), "change", old_password=PASSWORD, **ANOTHER)
    elif ended_by == "role":
        database.run_write(lambda: users.set_role("editor", "author"))
    elif ended_by == "removal":
        database.run_write(lambda: users.remove("editor", None))
    else:
        with database.write():
            invited = sessions.invite(users.by_login("editor"), dates.text(datetime.now(UTC)))
        other.submit(other.get(sessions.link("", invited)), "/edit/invitation/", **ANOTHER)

    assert is_signed_in(other) == (ended_by in ("password", "link"))
    assert not is_signed_in(browser)


@pytest.mark.parametrize("https", [False, True])
def test_cookie_is_for_this_host_alone(browser: Browser, client_with: ClientWith, https: bool) -> None:
    if https:
        browser = Browser(client_with(base_url="https://calendar.example").app.app)
    name = f"__Host-{COOKIE}" if https else COOKIE
    morsel = SimpleCookie(sign_in(browser).headers["Set-Cookie"])[name]
    expected = {"path": "/", "max-age": "43200", "httponly": True, "samesite": "Lax"}
    expected |= {"secure": True} if https else {}
    assert {key: value for key, value in morsel.items() if value} == expected


def test_calendars_that_share_a_host_have_own_cookies(browser: Browser, client_with: ClientWith) -> None:
    found: list[Any] = []
    for path in ("", "/one", "/two/three", ":8001", ":8001/one"):
        one = Browser(client_with(base_url=f"https://a.example{path}").app.app)
        found += SimpleCookie(one.post("/edit/sign-in/", FIELDS).headers["Set-Cookie"]).values()
    browser.app.extra_environ["SCRIPT_NAME"] = "/folder"
    found += SimpleCookie(browser.post("/edit/sign-in/", FIELDS).headers["Set-Cookie"]).values()

    assert len({cookie.key for cookie in found}) == len(found) == 6
    assert [cookie.key.startswith(f"__Host-{COOKIE}") for cookie in found] == [*[True] * 5, False]
    assert {cookie["path"] for cookie in found} == {"/"}


def test_https_accepts_no_cookie_that_http_could_have_set(client: Client, client_with: ClientWith) -> None:
    token = signed_in(client, "editor").session()
    browser = Browser(client_with(base_url="https://calendar.example").app.app)
    for name, status in ((COOKIE, 303), (f"__Host-{COOKIE}", 200)):
        browser.get("/edit/account/", status=status, headers={"Cookie": f"{name}={token}"})


def test_signing_in_leads_to_pages_of_editing_alone(browser: Browser) -> None:
    for next in (
        "https://evil.example/", "//evil.example/", "/\\evil.example", "/edit//evil.example/", "/events/",
        "/edit/../../other/", "/edit/\r\nSet-Cookie: a=b", "/edit/@evil.example", "edit/", "",
    ):  # fmt: skip
        answer = browser.post("/edit/sign-in/", FIELDS | {"next": next})
        assert answer.location == "http://localhost/edit/", next


def test_language_and_sub_path_stay(browser: Browser) -> None:
    browser.app.extra_environ["SCRIPT_NAME"] = "/kalender"
    browser.home = "/de"
    asked = browser.get("/edit/account/", status=303)
    page = browser.get("/edit/sign-in/?next=/edit/account/")
    opened = browser.submit(page, "/de/edit/sign-in/", **FIELDS)
    assert asked.location == "http://localhost/kalender/de/edit/sign-in/?next=%2Fedit%2Faccount%2F"
    assert opened.location == "http://localhost/kalender/de/edit/account/"
    assert "Abmelden" in browser.get("/edit/account/").text


def test_form_is_kept_while_a_user_signs_in_again(browser: Browser, client: Client) -> None:
    set_password("admin")
    admin = signed_in(client, "admin")
    page = admin.get("/edit/users/")
    with database.write():
        sessions.end_all(client.ids["admin"])

    asked = admin.submit(page, "/edit/users/", 403, login="bea <b>", role="author")
    login = {"sign_in_login": "admin"}
    wrong = admin.submit(asked, "/edit/users/", 403, **login, sign_in_password="wrong password")
    answer = admin.submit(wrong, "/edit/users/", 200, **login, sign_in_password=PASSWORD)

    assert "What you have entered is kept" in asked.text
    assert asked.forms[0]["login"].value == "bea <b>"
    assert "Send this link to bea &lt;b&gt;." in answer.text
    assert is_signed_in(admin)


def test_interface_and_public_pages_ignore_the_cookie(client: Client) -> None:
    browser, plain = signed_in(client, "admin"), Browser(client.app.app)
    root = "/calendar/events/v1"
    for path in (f"{root}/events?status=draft", f"{root}/events", "/events/", "/events/month/"):
        with_cookie, without = (one.get(path, status="*") for one in (browser, plain))
        assert (with_cookie.status, with_cookie.body) == (without.status, without.body)
        assert "Set-Cookie" not in with_cookie.headers
    written = browser.app.post_json(f"{root}/tags", {"name": "Jazz"}, status=401)
    assert written.json["code"] == "rest_forbidden"


def test_activity_is_noted_once_in_an_hour(client: Client) -> None:
    begun = datetime(2026, 5, 1, 12, tzinfo=UTC)
    noted = []
    with time_machine.travel(begun, tick=False):
        browser = signed_in(client, "editor")
    for minutes in (0, 59, 61):
        with time_machine.travel(begun + timedelta(minutes=minutes), tick=False):
            browser.get("/edit/account/")
        with database.read():
            noted.append(User.get(User.login == "editor").last_active_utc[11:])

    assert noted == ["12:00:00", "12:00:00", "13:01:00"]
