"""The pages in a real browser: what they load, how they fit, and their forms, all without a script."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from selenium.webdriver import Chrome, Keys
from selenium.webdriver.common.by import By

from tests import chrome
from tests.system import servers

pytestmark = pytest.mark.system

SIZES = ((320, 640), (800, 1000), (1280, 900))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    options = {"command": servers.serve, "migrated": False}
    with servers.running(tmp_path_factory.mktemp("site"), "--demo", **options) as server:
        yield f"http://127.0.0.1:{server.port}"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    with chrome.started(tmp_path_factory.mktemp("profile")) as started:
        yield started


def resize(browser: Chrome, width: int, height: int, scheme: str = "light") -> None:
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def texts(browser: Chrome, selector: str) -> list[str]:
    return [element.text for element in browser.find_elements(By.CSS_SELECTOR, selector)]


@pytest.mark.parametrize(
    "path", ["/events/", "/de/events/?eventDisplay=past", "/event/bass-for-wading-birds/"]
)
def test_page_fits_every_screen_and_loads_its_own_files_alone(site: str, browser: Chrome, path: str) -> None:
    for width, height in SIZES:
        resize(browser, width, height)
        browser.get(site + path)
        browser.execute_script("document.querySelector('details').open = true")

        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        loaded = browser.execute_script(
            "return performance.getEntriesByType('resource').map(one => one.name)"
        )
        hosts = {urlsplit(address).netloc for address in loaded}
        assert hosts <= {urlsplit(site).netloc}
        assert len([address for address in loaded if not address.endswith(".svg")]) == 1
    assert browser.get_log("browser") == []


def test_colours_follow_the_scheme(site: str, browser: Chrome) -> None:
    found = []
    for scheme in ("light", "dark"):
        resize(browser, *SIZES[-1], scheme)
        browser.get(f"{site}/events/")
        found.append(
            browser.execute_script("return getComputedStyle(document.documentElement).backgroundColor")
        )

    assert len(set(found)) == 2


def test_keyboard_reaches_the_content_first(site: str, browser: Chrome) -> None:
    browser.get(f"{site}/events/")

    browser.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)

    skip = browser.switch_to.active_element
    assert skip.get_attribute("href") == f"{site}/events/#main"
    assert skip.rect["x"] >= 0
    assert skip.value_of_css_property("outline-style") == "solid"


def test_search_form_narrows_the_list(site: str, browser: Chrome) -> None:
    browser.get(f"{site}/event/bass-for-wading-birds/")

    browser.find_element(By.NAME, "search").send_keys("tram", Keys.ENTER)

    assert urlsplit(browser.current_url).query == "search=tram"
    assert texts(browser, ".event h3") == ["Last Tram Techno"]
    browser.find_element(By.LINK_TEXT, "Show all").click()
    assert len(texts(browser, ".event h3")) == 10


def test_password_form_shows_the_event_at_the_same_address(site: str, browser: Chrome) -> None:
    address = f"{site}/event/secret-supper/"
    browser.get(address)
    assert texts(browser, "aside") == []

    for password, shown in (("candle", False), ("lantern", True)):
        browser.find_element(By.NAME, "password").send_keys(password, Keys.ENTER)
        assert browser.current_url == address
        assert bool(texts(browser, "aside")) is shown
    assert browser.get_cookies() == []
