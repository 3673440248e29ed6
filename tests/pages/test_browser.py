"""Every kind of page in a browser: accessibility, layout, requests, without scripts, from the keyboard."""

import re
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.pages import browser as seen
from tests.pages import site as calendar
from tests.pages.browser import DESK, PHONE, TABLET, first, opened, press, until
from tests.system.servers import Server

pytestmark = pytest.mark.system

CSS_MOST = 12 * 1024
#: `make test` looks at every page in two ways that have nothing in common, the long run in all of them.
USUAL = [(PHONE, "dark"), (DESK, "light")]
ALL = [(width, scheme) for width in (PHONE, TABLET, DESK) for scheme in ("dark", "light")]


@pytest.fixture
def tools() -> None:
    seen.require_tools()


@pytest.mark.usefixtures("tools")
def test_pages_are_valid_html(site: Server, tmp_path: Path) -> None:
    for number, (name, path) in enumerate(calendar.pages().items()):
        answer = site.send("GET", path)
        assert answer.status == (int(name) if name.isdigit() else 200), name
        (tmp_path / f"{number} {name}.html").write_bytes(answer.body)
    assert seen.findings(tmp_path) == []


@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize(
    "views",
    [USUAL, pytest.param(ALL, marks=pytest.mark.long)],
    ids=["usual", "all"],
)
def test_pages_are_accessible_fit_the_screen_and_request_little(
    browser: Chrome, site: Server, views: list[tuple[int, str]]
) -> None:
    origin = f"http://127.0.0.1:{site.port}"
    icon = re.findall('<link rel="icon" href="([^"]*)"', site.send("GET", "/events/").body.decode())[0]
    found: dict[str, list[object]] = {}
    styles: set[str] = set()
    for number, (name, path) in enumerate(calendar.pages().items()):
        seen.console(browser)
        opened(browser, site, path)
        browser.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")
        problems = seen.problems(browser, views, number, every=views == ALL)
        if views == ALL:
            problems += [("enlarged", one) for one in seen.too_wide_when_enlarged(browser)]
        own_status = (
            "Failed to load resource: the server responded with a status of 40" if name.isdigit() else ""
        )
        problems += [one for one in seen.console(browser) if not (own_status and own_status in one)]
        files, images = seen.requests(browser)
        kinds = sorted(address.rpartition(".")[2] for address in files)
        problems += [] if kinds == (["css", "js"] if "embed" in path else ["css"]) else [kinds]
        problems += [one for one in files if not one.startswith(f"{origin}/static/")]
        problems += [one for one in images if one != icon]
        styles |= {one for one in files if one.endswith(".css")}
        if problems:
            found[name] = problems

    assert found == {}
    assert [len(site.send("GET", style).body) <= CSS_MOST for style in styles] == [True]


def test_pages_work_without_scripts(browser: Chrome, site: Server) -> None:
    seen.show(browser, PHONE)
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    opened(browser, site, "/events/")
    first(browser, "main [name=search]").send_keys("everything" + Keys.ENTER)
    until(browser, lambda: "search=everything" in browser.current_url)
    assert [one.text for one in browser.find_elements(By.CSS_SELECTOR, "main h3")] == [
        "Programme with everything"
    ]

    address = first(browser, ".subscribe input")
    assert not address.is_displayed()
    first(browser, "summary").click()
    assert address.is_displayed()
    assert str(address.get_attribute("value")).endswith("/events.ics?search=everything")

    opened(browser, site, f"/events/month/{calendar.day(40)[:7]}/")
    first(browser, ".more a").click()
    assert browser.current_url.endswith(f"/events/{calendar.day(40)}/")
    first(browser, "main .event a").click()
    assert "/event/crowd-" in browser.current_url

    opened(browser, site, "/event/protected/")
    first(browser, "[type=password]").send_keys("wrong" + Keys.ENTER)
    until(browser, lambda: bool(browser.find_elements(By.CSS_SELECTOR, "[role=alert]")))
    assert "The secret." not in first(browser, "main").text
    first(browser, "[type=password]").send_keys("open sesame" + Keys.ENTER)
    until(browser, lambda: not browser.find_elements(By.CSS_SELECTOR, "[type=password]"))
    assert "The secret." in first(browser, "main").text
    assert browser.current_url.endswith("/event/protected/")
    assert browser.get_cookies() == []


def test_colours_follow_the_scheme_and_paper_is_white(browser: Chrome, site: Server) -> None:
    found = []
    opened(browser, site, "/events/")
    for scheme, media in (("light", ""), ("dark", ""), ("dark", "print")):
        seen.show(browser, DESK, scheme, media)
        found.append(browser.execute_script(COLOURS))
    light, dark, printed = found

    assert (sum(light[0]) > 700, sum(light[1]) < 100) == (True, True)
    assert (sum(dark[0]) < 100, sum(dark[1]) > 600) == (True, True)
    assert printed == [[255, 255, 255], [0, 0, 0]]
    assert not first(browser, "footer").is_displayed()


#: The colours of the paper and of the ink.
COLOURS = """
const style = getComputedStyle(document.documentElement);
return [style.backgroundColor, style.color].map(one => one.match(/\\d+/g).slice(0, 3).map(Number));
"""


@pytest.mark.parametrize("width", [DESK, pytest.param(PHONE, marks=pytest.mark.long)])
def test_keyboard_reaches_everything_in_order(browser: Chrome, site: Server, width: int) -> None:
    seen.show(browser, width)
    names = ("list", "month", "event", "protected event", "venue")
    seen.require_order_of_focus(browser, site, *(calendar.pages()[name] for name in names))


#: On how many lines each word of a table stands.
LINES_OF_WORDS = """
return [...document.querySelectorAll('article td')].flatMap(cell => {
  const range = document.createRange()
  return [...cell.firstChild.data.matchAll(/[^ ]+/g)].map(word => {
    range.setStart(cell.firstChild, word.index)
    range.setEnd(cell.firstChild, word.index + word[0].length)
    return range.getClientRects().length
  })
})
"""


def test_wide_table_keeps_its_words_whole(browser: Chrome, site: Server) -> None:
    """It is scrolled: else each cell would be a column of letters."""
    seen.show(browser, PHONE)
    opened(browser, site, calendar.pages()["event"])
    script = "return [...document.querySelectorAll('article td')].map(cell => cell.offsetWidth)"
    assert min(browser.execute_script(script)) >= 64
    assert max(browser.execute_script(LINES_OF_WORDS)) == 1


def test_skip_link_leads_to_the_content(browser: Chrome, site: Server) -> None:
    seen.show(browser, PHONE)
    opened(browser, site, "/events/")
    press(browser, Keys.TAB)
    link = browser.switch_to.active_element
    assert link.text == "Skip to the content"
    assert link.rect["x"] >= 0
    press(browser, Keys.ENTER, Keys.TAB)
    assert browser.execute_script("return document.querySelector('main').contains(document.activeElement)")
