"""Signing in, users and passwords in a browser: from the keyboard, accessible at three widths, in frames."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.pages import browser as seen
from tests.pages.browser import DESK, PHONE, first
from tests.pages.editing import (
    IN_EVERY_VIEW,
    OWN,
    PASSWORD,
    cookies,
    invited,
    press,
    problems,
    require_order_of_focus,
    sign_in,
    tab_to,
    wait_for,
)
from tests.pages.test_browser import click, opened, until
from tests.system.servers import Server

pytestmark = pytest.mark.system


def test_everything_works_from_the_keyboard(browser: Chrome, site: Server) -> None:
    opened(browser, site, invited(site))
    tab_to(browser, "#new-password")
    press(browser, PASSWORD, Keys.TAB, PASSWORD + "x", Keys.ENTER)
    until(browser, lambda: browser.title.startswith("Error: "))
    assert first(browser, "#new-password-again").get_attribute("aria-invalid") == "true"
    tab_to(browser, "[role=alert] a")
    press(browser, Keys.ENTER, Keys.TAB)
    tab_to(browser, "#new-password")
    press(browser, PASSWORD, Keys.TAB, PASSWORD, Keys.ENTER)
    wait_for(browser, "My events")
    tab_to(browser, "nav a[href$='/edit/users/']")
    press(browser, Keys.ENTER)
    wait_for(browser, "Users")
    tab_to(browser, "#login")
    press(browser, "bea", Keys.TAB, "Con", Keys.TAB, Keys.ENTER)
    until(browser, lambda: bool(browser.find_elements(By.CSS_SELECTOR, ".secret")))
    assert first(browser, "[role=status]").text.startswith("Send this link to bea.")
    tab_to(browser, "header form button")
    press(browser, Keys.ENTER)
    wait_for(browser, "Sign in")
    assert first(browser, "[role=status]").text == "You are signed out."
    tab_to(browser, "[name=sign-in-login]")
    press(browser, "admin", Keys.TAB, PASSWORD, Keys.ENTER)
    wait_for(browser, "My events")
    assert site.ask("GET", "/events").status == 200


def pages(browser: Chrome, site: Server) -> Iterator[str]:
    """Show every page in turn; yields its name."""
    opened(browser, site, invited(site))
    yield "invitation"
    first(browser, "main button").click()  # the browser itself asks for the fields
    for name in ("new-password", "new-password-again"):
        first(browser, f"[name={name}]").send_keys(f"{PASSWORD} {name}")
    click(browser, "main button")
    yield "invitation with errors"
    opened(browser, site, "/edit/invitation/?token=none")
    yield "used link"
    opened(browser, site, "/edit/sign-in/?next=/edit/users/")
    yield "sign-in"
    first(browser, "#sign-in-login").send_keys("nobody")
    first(browser, "#sign-in-password").send_keys("guess" + Keys.ENTER)
    until(browser, lambda: browser.title.startswith("Error: "))
    yield "sign-in with errors"
    sign_in(browser, site)
    for path in ("/edit/", "/edit/users/", "/edit/account/", "/de/edit/account/", "/edit/users/1/"):
        opened(browser, site, path)
        yield path
    first(browser, "[name=name]").send_keys("x" * 100)
    click(browser, "button[value=add]")
    yield "new password"
    opened(browser, site, "/edit/users/")
    for name in ("new user", "user who exists"):
        first(browser, "#login").clear()
        first(browser, "#login").send_keys("W" * 60)
        click(browser, "main button")
        yield name
    opened(browser, site, "/edit/users/2/")
    yield "user who can be removed"


@IN_EVERY_VIEW
def test_pages_are_accessible_and_fit_the_screen(browser: Chrome, site: Server, *, every: bool) -> None:
    assert problems(browser, pages(browser, site), every=every) == {}


def test_pages_are_valid_html(browser: Chrome, site: Server, tmp_path: Path) -> None:
    seen.require_tools()
    sign_in(browser, site)
    cookie = cookies(browser)
    answers = [
        *(
            site.send("GET", path, headers=cookie)
            for path in ("/edit/users/", "/edit/users/1/", "/edit/account/")
        ),
        site.send("POST", "/edit/users/", b"login=bea&role=author", cookie | OWN),  # without a token
        site.send("GET", "/edit/sign-in/?done=signed-out"),
        site.send("POST", "/edit/sign-in/", b"sign-in-login=nobody&sign-in-password=guess", OWN),
    ]
    link = invited(site)  # ends the session
    fields = f"invitation={link.partition('=')[2]}&new-password=short".encode()
    answers += [site.send("GET", link), site.send("POST", "/edit/invitation/", fields, OWN)]

    for number, answer in enumerate(answers):
        (tmp_path / f"{number}.html").write_bytes(answer.body)

    assert [answer.status for answer in answers] == [200, 200, 200, 403, 200, 403, 200, 400]
    assert seen.findings(tmp_path) == []


@pytest.mark.parametrize("width", [DESK, pytest.param(PHONE, marks=pytest.mark.long)])
def test_keyboard_reaches_everything_in_order(browser: Chrome, site: Server, width: int) -> None:
    sign_in(browser, site)
    seen.show(browser, width)

    require_order_of_focus(browser, site, "/edit/users/", "/edit/account/")


def test_no_other_page_frames_or_submits(browser: Chrome, site: Server, tmp_path: Path) -> None:
    """A page of another site, a file: what it frames is not shown, what it submits does nothing."""
    sign_in(browser, site)
    address = f"http://127.0.0.1:{site.port}/edit/account/"
    other = tmp_path / "other.html"
    other.write_text(
        f'<iframe src="{address}"></iframe><form method="post" action="{address}">'
        '<input name="do" value="add"><input name="name" value="planted"><button>Win</button></form>'
    )
    seen.console(browser)

    browser.get(other.as_uri())
    browser.switch_to.frame(0)
    framed = browser.page_source
    browser.switch_to.default_content()
    refusals = seen.console(browser)
    click(browser, "button")

    assert "Application passwords" not in framed
    assert any("frame-ancestors" in one for one in refusals)
    assert "This form was not sent from" in first(browser, "main").text
    opened(browser, site, "/edit/account/")
    assert "planted" not in first(browser, "main").text
