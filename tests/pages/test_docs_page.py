"""The page `/docs` in a browser: each operation with its example, login, widths, what it loads, axe-core."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from tests.pages import browser as pages
from tests.pages.browser import DESK, PHONE
from tests.system import servers
from tests.system.servers import Server

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    options = {"command": servers.serve, "migrated": False, "CALENDAR_PER_PAGE_MAX": "40"}
    with servers.running(tmp_path_factory.mktemp("site"), "--demo", **options) as server:
        (server.secret,) = servers.SECRET.findall(server.output)
        yield server


@pytest.fixture
def page(browser: Chrome, server: Server) -> Chrome:
    pages.show(browser, DESK)
    opened(browser, server)
    return browser


def opened(browser: Chrome, server: Server, root: str = servers.ROOT) -> None:
    pages.console(browser)
    browser.get("about:blank")
    browser.get(f"http://127.0.0.1:{server.port}{root}/docs")
    until(browser, lambda: browser.find_elements(By.CSS_SELECTOR, ".operation"))


def until(browser: Chrome, happened: Callable[[], Any]) -> None:
    WebDriverWait(browser, servers.PATIENCE, poll_frequency=0.05).until(lambda _: happened())


def press(browser: Chrome, element: WebElement) -> None:
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    element.click()


def operation(browser: Chrome, name: str) -> WebElement:
    """Open an operation."""
    found = browser.find_element(By.ID, name)
    if not found.get_attribute("open"):
        press(browser, found.find_element(By.CSS_SELECTOR, "summary"))
        until(browser, lambda: found.find_elements(By.CSS_SELECTOR, "form"))
    return found


def part(element: WebElement, selector: str) -> WebElement:
    found: WebElement = element.find_element(By.CSS_SELECTOR, selector)
    return found


def sign_in(browser: Chrome, secret: str) -> str:
    form = browser.find_element(By.ID, "sign-in")
    for name, value in (("user", "admin"), ("password", secret)):
        part(form, f"[name={name}]").clear()
        part(form, f"[name={name}]").send_keys(value)
    said = part(form, "[role=status] b")
    browser.execute_script("arguments[0].textContent = ''", said)
    press(browser, part(form, "button"))
    until(browser, lambda: said.text)
    return part(form, "[role=status]").text


#: Fills in the example of an operation, sends it, and returns the status line and what the response says.
TRY = """
const [name, done] = arguments;
const details = document.getElementById(name);
details.open = true;
const settled = (check) => new Promise((found) => {
    const look = () => check() ? found() : setTimeout(look, 10);
    look();
});
(async () => {
    await settled(() => details.querySelector("form"));
    const keyed = details.querySelector("[name=id], [name=slug]");
    const body = details.querySelector("textarea");
    details.querySelector("button.quiet").click();
    if (keyed && details.dataset.path.includes("{")) await settled(() => keyed.value);
    if (body) await settled(() => body.value);
    details.querySelector("form button:not(.quiet)").click();
    await settled(() => !details.querySelector(".answer").hidden);
    done([".status", ".text"].map(name => details.querySelector(name).textContent.slice(0, 300)));
})();
"""


def test_example_of_each_operation_succeeds_on_the_demo_calendar(server: Server, page: Chrome) -> None:
    assert sign_in(page, server.secret) == "Signed in as admin"

    names = [one.get_attribute("id") for one in page.find_elements(By.CSS_SELECTOR, ".operation")]
    answers = {name: page.execute_async_script(TRY, name) for name in names}

    methods = ("get", "post", "put", "patch", "delete")
    described = [path.get(method) for path in server.get("/doc").json["paths"].values() for method in methods]
    assert sorted(names) == sorted(one["operationId"] for one in described if one)
    for name, answer in answers.items():
        assert answer[0].startswith("201" if name.startswith("create") else "2"), (name, answer)
    assert pages.console(page) == []


def test_reading_needs_no_login_and_writing_says_that_it_does(server: Server, page: Chrome) -> None:
    read, write = operation(page, "listEvents"), operation(page, "createTag")
    assert "login" not in part(read, "form").text + part(read, ".about").text
    assert part(write, ".rights").text == "Needs a login."
    assert page.execute_async_script(TRY, "listEvents")[0] == "200 OK"
    assert page.execute_async_script(TRY, "createTag")[0] == "401 Unauthorized"
    assert sign_in(page, "wrong").startswith("These credentials are not valid.")


def test_page_shows_version_and_limits_of_this_server(server: Server, page: Chrome) -> None:
    version = server.get("/doc").json["info"]["version"]
    assert part(page.find_element(By.TAG_NAME, "h1"), "small").text == version
    assert "1–40, = 10" in part(operation(page, "listVenues"), "[id='listVenues-per_page']").text


def test_page_keeps_nothing_and_loads_only_its_own_files(server: Server, page: Chrome) -> None:
    sign_in(page, server.secret)
    page.execute_async_script(TRY, "readTag")

    files, images = pages.requests(page)
    kept = page.execute_script("return [localStorage.length, sessionStorage.length, document.cookie]")
    sizes = page.execute_script(
        "return performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))"
        ".filter(one => /docs|doc$/.test(one.name)).map(one => one.decodedBodySize)"
    )

    root = f"http://127.0.0.1:{server.port}{servers.ROOT}"
    assert {f"{root}/{name}" for name in ("doc", "docs/docs.css", "docs/docs.js")} <= set(files)
    assert [address for address in (*files, *images) if not address.startswith(root + "/")] == []
    assert kept == [0, 0, ""]
    assert 0 < sum(sizes) < 1_000_000


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (PHONE, "dark"), (DESK, "light"),
        pytest.param(PHONE, "light", marks=pytest.mark.long),
        pytest.param(DESK, "dark", marks=pytest.mark.long),
    ],
)  # fmt: skip
def test_page_is_accessible_and_fits(browser: Chrome, server: Server, width: int, scheme: str) -> None:
    pages.require_tools()
    pages.show(browser, width, scheme)
    opened(browser, server, "/de" + servers.ROOT)
    browser.execute_async_script(TRY, "listEvents")
    operation(browser, "createEvent")
    for details in browser.find_elements(By.CSS_SELECTOR, "#createEvent details"):
        browser.execute_script("arguments[0].open = true", details)
    titles = [one.text for one in browser.find_elements(By.CSS_SELECTOR, ".operation h3")]

    assert "" not in titles
    assert len(titles) > 50
    assert (pages.wide_elements(browser), pages.violations(browser)) == ([], [])


def test_address_of_an_operation_opens_it(browser: Chrome, server: Server) -> None:
    browser.get("about:blank")
    browser.get(f"http://127.0.0.1:{server.port}{servers.ROOT}/docs#readVenue")
    until(browser, lambda: browser.find_elements(By.CSS_SELECTOR, "#readVenue[open] form"))
    assert part(browser.find_element(By.ID, "readVenue"), "[name=id]").get_attribute("required")


def test_markup_is_sound(server: Server, tmp_path: Path) -> None:
    pages.require_tools()
    (tmp_path / "docs.html").write_bytes(server.get("/docs").body)
    assert pages.findings(tmp_path) == []
