"""What the tests of editing in a browser share: signing in, the keyboard, and the checks of every page."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.keys import Keys

from tests.pages import browser as seen
from tests.pages.browser import DESK, PHONE, TABLET, click, first, opened, press, until
from tests.system import servers
from tests.system.servers import Server

PASSWORD = "a rather long sentence"
VIEWS = [(PHONE, "dark"), (TABLET, "light"), (DESK, "light")]
#: Headers of a form that was sent from our own page.
OWN = {"Sec-Fetch-Site": "same-origin", "Content-Type": "application/x-www-form-urlencoded"}


def invited(site: Server, login: str = "admin") -> str:
    """The path of a new link, which ends the sessions of the user."""
    printed = servers.done("user", "invite", login, "--role", "administrator", "--reset", env=site.env)
    return re.findall(r"http://127\.0\.0\.1:8000(/\S+)", printed)[0]


def sign_in(browser: Chrome, site: Server) -> None:
    """Sign in as the administrator, who chooses a password the first time."""
    opened(browser, site, "/edit/sign-in/")
    first(browser, "#sign-in-login").send_keys("admin")
    first(browser, "#sign-in-password").send_keys(PASSWORD)
    click(browser, "main button")
    if browser.get_cookies():
        return
    opened(browser, site, invited(site))
    for name in ("new-password", "new-password-again"):
        first(browser, f"[name={name}]").send_keys(PASSWORD)
    click(browser, "main button")
    until(browser, lambda: browser.get_cookies() != [])


def cookies(browser: Chrome) -> dict[str, str]:
    """The header that a request of this browser has."""
    return {"Cookie": "; ".join(f"{one['name']}={one['value']}" for one in browser.get_cookies())}


def follow(browser: Chrome, selector: str, *keys: str) -> None:
    """Move to a link, a button or a field with the tab key, type, and press the enter key."""
    tab_to(browser, selector)
    press(browser, *keys, Keys.ENTER)


def tab_to(browser: Chrome, selector: str) -> None:
    """Move the focus with the tab key alone."""
    for _ in range(80):
        press(browser, Keys.TAB)
        if browser.execute_script("return document.activeElement.matches(arguments[0])", selector):
            return
    pytest.fail(f"The tab key does not reach {selector}.")


def wait_for(browser: Chrome, title: str) -> None:
    until(browser, lambda: browser.title.startswith(f"{title} – "))


#: axe-core sees each page in one of the views, and in make test-all in every view.
IN_EVERY_VIEW = pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.long)])


def problems(browser: Chrome, pages: Iterator[str], *, every: bool = True) -> dict[str, list[object]]:
    """What is wrong with each of the pages that `pages` shows, at three widths."""
    seen.require_tools()
    found: dict[str, list[object]] = {}
    for number, name in enumerate(pages):
        browser.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")
        wrong = seen.problems(browser, VIEWS, number, every=every)
        files, images = seen.requests(browser)
        wrong += [one for one in files if not one.endswith(".css")]
        wrong += [one for one in images if not one.endswith(".svg")]
        wrong += [one for one in seen.console(browser) if "status of 4" not in one]
        if wrong:
            found[name] = wrong
        seen.show(browser, DESK)
    return found


def save_pages(browser: Chrome, site: Server, folder: Path, paths: Iterable[str]) -> list[int]:
    """Store pages as files; return their statuses. A path with a body after a blank is sent a form."""
    statuses = []
    for number, request in enumerate(paths):
        path, _, body = request.partition(" ")
        headers = cookies(browser) | (OWN if body else {})
        answer = site.send("POST" if body else "GET", path, body.encode() or None, headers)
        statuses.append(answer.status)
        (folder / f"{number}.html").write_bytes(answer.body)
    return statuses
