"""The page `/docs` in a real browser: content, requests, and its request form."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from tests import chrome
from tests.system import servers

pytestmark = pytest.mark.system


@dataclass
class Site:
    """A server with demo records; `root` is the interface's URL, `secret` the administrator's password."""

    root: str
    secret: str


@pytest.fixture(
    scope="module",
    params=["", pytest.param("/below/here", marks=pytest.mark.long)],
    ids=["at the root", "under a sub-path"],
)
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    options = {"command": servers.serve, "migrated": False, "SCRIPT_NAME": request.param}
    with servers.running(tmp_path_factory.mktemp("site"), "--demo", **options) as server:
        root = f"http://127.0.0.1:{server.port}{request.param}{servers.ROOT}"
        yield Site(root, servers.SECRET.findall(server.output)[0])


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    with chrome.started(tmp_path_factory.mktemp("profile"), "--window-size=1280,1000") as browser:
        yield browser


@pytest.fixture
def browser(started: Chrome) -> Iterator[Chrome]:
    """A new tab for each test; starting a browser would take longer."""
    first = started.current_window_handle
    started.switch_to.new_window("tab")
    _console(started)
    try:
        yield started
    finally:
        started.close()
        started.switch_to.window(first)


def test_page_shows_operations_and_loads_nothing_from_other_hosts(
    site: Site, browser: Chrome, tmp_path: Path
) -> None:
    browser.get(f"{site.root}/docs")

    _open(browser, "get-/events")
    browser.save_screenshot(str(tmp_path / "docs.png"))
    listed = {id.removeprefix("link-get-/") for id in _ids(browser) if id.startswith("link-get-/")}
    operation = _below(browser, "#get-\\/events").text

    assert {"events", "venues", "organizers", "categories", "tags"} <= listed
    assert operation.startswith("EVENT\nList events\nGET /events\n")
    assert sorted(_asked(browser)) == [
        f"{site.root}/{path}" for path in ("doc", "docs/docs.css", "docs/docs.js", "docs/rapidoc-min.js")
    ]
    assert _console(browser) == []


def test_page_sends_credentials_and_does_not_store_them(site: Site, browser: Chrome, tmp_path: Path) -> None:
    browser.get(f"{site.root}/docs/")

    _sign_in(browser, site.secret)
    _open(browser, "post-/tags")
    operation = _below(browser, "#post-\\/tags api-request")
    _write(browser, operation, '{"name": "From the page"}')
    _press(browser, operation.shadow_root.find_element(By.CSS_SELECTOR, "[part~=btn-try]"))
    _until(browser, lambda: _answer(operation) != "")
    browser.save_screenshot(str(tmp_path / "docs.png"))
    kept = browser.execute_script("return [localStorage.length, sessionStorage.length, document.cookie]")

    assert _answer(operation).startswith("Response Status: Created:201")
    assert '"name": "From the page"' in _texts(operation, "pre")
    assert [address for address in _asked(browser) if not address.startswith(site.root + "/")] == []
    assert kept == [0, 0, ""]
    assert _console(browser) == []


def test_page_fits_a_phone(site: Site, browser: Chrome) -> None:
    phone = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)

    browser.get(f"{site.root}/docs")
    _until(browser, lambda: "get-/events" in _ids(browser))
    operation = _below(browser, "#get-\\/events")
    before = operation.text
    _press(browser, operation.find_element(By.CSS_SELECTOR, "summary"))
    _until(browser, lambda: operation.find_elements(By.CSS_SELECTOR, "api-request") != [])

    assert before == "GET\n/events"
    assert browser.execute_script("return document.documentElement.scrollWidth") == 390
    assert _console(browser) == []


def test_page_follows_the_dark_color_scheme(site: Site, browser: Chrome) -> None:
    def prefer(scheme: str) -> None:
        wishes = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": wishes})

    prefer("dark")
    browser.get(f"{site.root}/docs")
    page = browser.find_element(By.CSS_SELECTOR, "rapi-doc")
    first = page.get_attribute("theme")
    prefer("light")
    _until(browser, lambda: page.get_attribute("theme") != first)

    assert (first, page.get_attribute("theme")) == ("dark", "light")


def _open(browser: Chrome, id: str) -> None:
    """Select an item in the navigation and wait for it."""
    _until(browser, lambda: f"link-{id}" in _ids(browser))
    _press(browser, _below(browser, "#link-" + id.replace("/", "\\/")))
    _until(browser, lambda: id in _ids(browser))


def _sign_in(browser: Chrome, secret: str) -> None:
    _open(browser, "auth")
    _below(browser, ".api-key-user").send_keys("admin")
    _below(browser, ".api-key-password").send_keys(secret)
    _press(browser, _below(browser, ".api-key-password ~ button"))
    _until(browser, lambda: "1 API key applied" in _below(browser, "#auth").text)


def _write(browser: Chrome, operation: WebElement, body: str) -> None:
    """Replace the example request body."""
    field = operation.shadow_root.find_element(By.CSS_SELECTOR, ".request-body-param-user-input")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", field)
    field.clear()
    field.send_keys(body)


def _answer(operation: WebElement) -> str:
    """The status line of the response in RapiDoc; empty before there is one."""
    return _texts(operation, ".response-message")


def _texts(operation: WebElement, selector: str) -> str:
    return "".join(element.text for element in operation.shadow_root.find_elements(By.CSS_SELECTOR, selector))


def _press(browser: Chrome, button: WebElement) -> None:
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()


def _below(browser: Chrome, selector: str) -> WebElement:
    """An element rendered by RapiDoc."""
    element: WebElement = browser.find_element(By.CSS_SELECTOR, "rapi-doc").shadow_root.find_element(
        By.CSS_SELECTOR, selector
    )
    return element


def _ids(browser: Chrome) -> set[str]:
    """The ids of all elements rendered by RapiDoc."""
    return set(
        browser.execute_script(
            "const root = document.querySelector('rapi-doc').shadowRoot || document;"
            "return [...root.querySelectorAll('[id]')].map(element => element.id)"
        )
    )


def _asked(browser: Chrome) -> list[str]:
    """Every URL that the page requested."""
    names: list[str] = browser.execute_script(
        "return performance.getEntriesByType('resource').map(entry => entry.name)"
    )
    return names


def _console(browser: Chrome) -> list[Any]:
    """Browser errors and violations of the content security policy."""
    entries: list[Any] = browser.execute("getLog", {"type": "browser"})["value"]
    return entries


def _until(browser: Chrome, happened: Callable[[], bool]) -> None:
    WebDriverWait(browser, servers.PATIENCE, poll_frequency=0.1).until(lambda _: happened())
