"""Signing in, users and passwords in a browser: from the keyboard, accessible at three widths, in frames."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.pages import browser as seen
from tests.pages.browser import (
    DESK,
    PHONE,
    click,
    first,
    opened,
    press,
    require_order_of_focus,
    until,
)  # fmt: skip
from tests.pages.editing import (
    IN_EVERY_VIEW,
    PASSWORD,
    follow,
    invited,
    problems,
    save_pages,
    sign_in,
    tab_to,
    wait_for,
)  # fmt: skip
from tests.system.servers import Server

pytestmark = pytest.mark.system


def test_everything_works_from_the_keyboard(browser: Chrome, site: Server) -> None:
    opened(browser, site, invited(site))
    tab_to(browser, "#new-password")
    press(browser, PASSWORD, Keys.TAB, PASSWORD + "x", Keys.ENTER)
    until(browser, lambda: browser.title.startswith("Error: "))
    assert first(browser, "#new-password-again").get_attribute("aria-invalid") == "true"
    follow(browser, "[role=alert] a")
    press(browser, Keys.TAB)
    follow(browser, "#new-password", PASSWORD, Keys.TAB, PASSWORD)
    wait_for(browser, "My events")
    follow(browser, "nav a[href$='/edit/users/']")
    wait_for(browser, "Users")
    follow(browser, "#login", "bea", Keys.TAB, "Con", Keys.TAB)
    until(browser, lambda: bool(browser.find_elements(By.CSS_SELECTOR, ".secret")))
    assert first(browser, "[role=status]").text.startswith("Send this link to bea.")
    follow(browser, "header form button")
    wait_for(browser, "Sign in")
    assert first(browser, "[role=status]").text == "You are signed out."
    follow(browser, "[name=sign-in-login]", "admin", Keys.TAB, PASSWORD)
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
    signed_in, others = tmp_path / "signed in", tmp_path / "others"
    signed_in.mkdir()
    others.mkdir()
    sign_in(browser, site)
    requests = ["users/", "users/1/", "account/", "users/ login=bea&role=author"]  # the last without a token
    statuses = save_pages(browser, site, signed_in, (f"/edit/{one}" for one in requests))
    link = invited(site)  # ends the session
    browser.delete_all_cookies()
    fields = f"invitation={link.partition('=')[2]}&new-password=short"
    statuses += save_pages(browser, site, others, (
        "/edit/sign-in/?done=signed-out", "/edit/sign-in/ sign-in-login=nobody&sign-in-password=guess", link,
        f"/edit/invitation/ {fields}",
    ))  # fmt: skip

    assert statuses == [200, 200, 200, 403, 200, 403, 200, 400]
    assert seen.findings(signed_in) + seen.findings(others) == []


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
