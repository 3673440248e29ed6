"""A calendar in a page of another origin, in a real browser (docs/embedding.md)."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from tests import chrome
from tests.documentation import blocks
from tests.loopback import Answer, serving
from tests.system import servers
from tests.system.servers import CHECKOUT, PATIENCE

pytestmark = pytest.mark.system

#: The strictest policy of a site that works: no style of its own, and only this calendar.
POLICY = "default-src 'none'; script-src {calendar}; frame-src {calendar}"
PAGE = '<!doctype html><title>Club</title><script src="{calendar}/embed.js" async></script>{content}'
DEFAULT_HEIGHT = 600


@dataclass
class Host:
    """Another site, whose only page has `content`; its policy allows frames and scripts of `calendar`."""

    port: int = 0
    content: str = ""
    calendar: str = ""

    def answer(self, _path: str) -> Answer:
        policy = {"Content-Security-Policy": POLICY.format(calendar=self.calendar)}
        body = PAGE.format(calendar=self.calendar, content=self.content)
        return 200, {"Content-Type": "text/html", **policy}, body.encode()


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    found = Host()
    with serving(found.answer) as site:
        settings = {"CALENDAR_EMBED": f"http://localhost:{site.port}"}
        folder = tmp_path_factory.mktemp("calendar")
        with servers.running(folder, "--demo", command=servers.serve, migrated=False, **settings) as calendar:
            found.port, found.calendar = site.port, f"http://127.0.0.1:{calendar.port}"
            yield found


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    with chrome.started(tmp_path_factory.mktemp("profile"), "--window-size=1000,900") as browser:
        yield browser


def opened(browser: Chrome, host: Host, content: str, name: str = "localhost") -> None:
    host.content = content
    browser.get_log("browser")
    browser.get(f"http://{name}:{host.port}/")


def height(browser: Chrome) -> int:
    """Of the frame, as the site shows it."""
    found: int = browser.execute_script("return document.querySelector('iframe')?.offsetHeight ?? 0")
    return found


@contextlib.contextmanager
def inside(browser: Chrome) -> Iterator[None]:
    browser.switch_to.frame(browser.find_element(By.TAG_NAME, "iframe"))
    try:
        yield
    finally:
        browser.switch_to.default_content()


def is_fitted(browser: Chrome) -> bool:
    """Whether the frame is as high as its content, so that it has no scroll bar and no gap."""
    if height(browser) in (0, DEFAULT_HEIGHT):
        return False
    with inside(browser):
        page, window = browser.execute_script(
            "return [document.documentElement.getBoundingClientRect().height, innerHeight]"
        )
    return 0 <= window - page < 1


def wait(browser: Chrome, condition: Callable[[], object]) -> None:
    WebDriverWait(browser, PATIENCE).until(lambda _: condition())


def wait_until_fitted(browser: Chrome) -> None:
    wait(browser, lambda: is_fitted(browser))


def test_frame_is_as_high_as_its_content_in_any_width(browser: Chrome, host: Host) -> None:
    opened(browser, host, "<calendar-embed></calendar-embed>")
    wait_until_fitted(browser)
    wide = height(browser)

    browser.set_window_size(360, 900)
    wait(browser, lambda: height(browser) > wide)
    wait_until_fitted(browser)

    browser.set_window_size(1000, 900)
    wait(browser, lambda: height(browser) == wide)
    assert browser.get_log("browser") == []


def test_attributes_are_the_page_and_its_filters(browser: Chrome, host: Host) -> None:
    opened(
        browser,
        host,
        f'<calendar-embed src="{host.calendar}/de/events/" view="list" search="x &amp; y" title="Termine">'
        "<p>Termine</p></calendar-embed>",
    )
    wait_until_fitted(browser)

    assert browser.find_elements(By.TAG_NAME, "p") == []
    frame = browser.find_element(By.TAG_NAME, "iframe")
    assert frame.get_attribute("title") == "Termine"
    assert frame.get_attribute("src") == f"{host.calendar}/de/events/list/?search=x+%26+y&embed=1"

    browser.execute_script("document.querySelector('calendar-embed').removeAttribute('search')")
    wait_until_fitted(browser)
    with inside(browser):
        link = browser.find_element(By.CSS_SELECTOR, "main li a")
        target = str(link.get_attribute("href"))
        link.click()
    wait(browser, lambda: browser.current_url == target)
    assert browser.find_elements(By.TAG_NAME, "footer")


def documented_markup() -> list[str]:
    """What README.md and docs/embedding.md tell to put into a page."""
    return [
        block.text
        for name in ("README.md", "docs/embedding.md")
        for block in blocks.of(CHECKOUT / name)
        if block.language == "html"
    ]


@pytest.mark.parametrize("markup", documented_markup())
def test_markup_of_the_documents_shows_the_calendar(browser: Chrome, host: Host, markup: str) -> None:
    for address in ("https://calendar.example.org", "http://127.0.0.1:8000"):
        markup = markup.replace(address, host.calendar)

    opened(browser, host, markup)

    wait(browser, lambda: height(browser) > 0)
    with inside(browser):
        wait(browser, lambda: len(browser.find_elements(By.CSS_SELECTOR, "main li a, main td a")) > 5)


def test_height_of_other_senders_is_ignored(browser: Chrome, host: Host) -> None:
    opened(browser, host, "<calendar-embed></calendar-embed>")
    wait_until_fitted(browser)
    before = height(browser)

    send = """
        const frame = document.querySelector("iframe");
        const theirs = { source: frame.contentWindow, origin: new URL(frame.src).origin };
        const send = (height, from) => dispatchEvent(
            new MessageEvent("message", { data: { calendarHeight: height }, ...theirs, ...from }));
    """
    browser.execute_script(f"{send} send(11, {{ source: window }})")
    browser.execute_script(f"{send} send(12, {{ origin: location.origin }})")
    browser.execute_script(f"{send} send('13px'); send(-14); send(NaN)")
    assert height(browser) == before
    browser.execute_script(f"{send} send(15)")
    assert height(browser) == 15


@pytest.mark.parametrize(("name", "path"), [("127.0.0.1", "/events/?embed=1"), ("localhost", "/events/")])
def test_sites_that_are_not_listed_and_other_pages_are_refused(
    browser: Chrome, host: Host, name: str, path: str
) -> None:
    opened(browser, host, f'<iframe src="{host.calendar}{path}"></iframe>', name)

    wait(browser, lambda: any("frame-ancestors" in entry["message"] for entry in browser.get_log("browser")))
    with inside(browser):
        assert browser.find_elements(By.TAG_NAME, "main") == []


def test_element_accepts_web_addresses_only(browser: Chrome, host: Host, tmp_path: Path) -> None:
    opened(browser, host, '<calendar-embed src="javascript:document.title=1"><p>Events</p></calendar-embed>')
    wait(browser, lambda: browser.execute_script("return !!customElements.get('calendar-embed')"))

    assert browser.find_elements(By.TAG_NAME, "iframe") == []
    assert [found.text for found in browser.find_elements(By.TAG_NAME, "p")] == ["Events"]
