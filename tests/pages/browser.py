"""What a browser, axe-core and html-validate say about a page."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from selenium.common.exceptions import WebDriverException
from selenium.webdriver import ActionChains, Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.expected_conditions import staleness_of
from selenium.webdriver.support.ui import WebDriverWait

from tests.system.servers import PATIENCE, Server

TOOLS = Path(__file__).parents[2] / "build" / "validators" / "node_modules"
PHONE, TABLET, DESK = 320, 768, 1280
#: WCAG 2.0 to 2.2, levels A and AA; axe-core leaves out the size of targets unless it is asked.
_RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "rules": {"target-size": {"enabled": True}},
    "resultTypes": ["violations"],
}
_AXE = """
const [rules, done] = arguments;
axe.run(document, rules).then(
    found => done(found.violations.map(one => [one.id, one.nodes.map(node => node.html.slice(0, 200))])),
    error => done([["axe-core failed", [String(error)]]]));
"""
#: Elements beyond the right edge of the window, which do not scroll by themselves.
_WIDE = """
const width = document.documentElement.clientWidth;  // innerWidth grows with the page on a phone
const beyond = [...document.body.querySelectorAll("*")].filter(one =>
    one.getBoundingClientRect().right > width + 1 && !one.closest("table:not(.month), .unseen, .skip"));
return beyond.map(one => one.outerHTML.slice(0, 200))
    .concat(document.documentElement.scrollWidth > width ? ["scrollWidth"] : []);
"""
_SPACED = """
document.documentElement.style.fontSize = "";
for (const one of document.querySelectorAll("body *"))
    Object.assign(one.style, { letterSpacing: ".12em", wordSpacing: ".16em", lineHeight: "1.5" });
"""
#: Rules of html-validate that do not fit: titles and telephone numbers are those of records, and without
#: roles a table that is shown as a list on a phone is no table for screen readers.
_HTML: dict[str, Any] = dict.fromkeys(
    ("doctype-style", "long-title", "no-redundant-role", "tel-non-breaking"), "off"
)
_HTML["form-dup-name"] = ["error", {"shared": ["radio", "button", "reset", "submit", "checkbox"]}]
_REQUESTED = "return performance.getEntriesByType('resource').map(one => [one.initiatorType, one.name])"


def require_tools() -> None:
    """In CI missing tools are a failure; elsewhere their tests are left out, and say so."""
    if (TOOLS / "axe-core").is_dir() and (TOOLS / "html-validate").is_dir():
        return
    missing = "axe-core and html-validate are not installed: run `make build/validators/installed`"
    if os.environ.get("CI"):
        pytest.fail(missing)
    pytest.skip(missing)


def show(browser: Chrome, width: int, scheme: str = "light", media: str = "") -> None:
    """Set the width of the window in CSS pixels, and the colour scheme."""
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width == PHONE}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}  # colours change at once
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"media": media, "features": [{"name": name, "value": value} for name, value in features.items()]},
    )


def problems(browser: Chrome, views: list[tuple[int, str]], number: int, *, every: bool) -> list[object]:
    """What is wrong with the page in these views: too wide elements, and what axe-core finds.

    axe-core takes longest: it sees the page in `every` view or in one, another one for the next `number`.
    """
    found: list[object] = []
    for at, (width, scheme) in enumerate(views):
        show(browser, width, scheme)
        if every or at == number % len(views):
            found += [(width, scheme, one) for one in violations(browser)]
        found += [(width, one) for one in wide_elements(browser)]
    return found


def violations(browser: Chrome) -> list[Any]:
    """Rules of axe-core that the page breaks, with the elements that break them."""
    if not browser.execute_script("return !!window.axe"):
        browser.execute_script((TOOLS / "axe-core" / "axe.min.js").read_text("utf-8"))
    found: list[Any] = browser.execute_async_script(_AXE, _RULES)
    return found


def too_wide_when_enlarged(browser: Chrome) -> list[str]:
    """What does not fit with text of twice the size, and with wide spacing (WCAG 1.4.4, 1.4.12)."""
    browser.execute_script("document.documentElement.style.fontSize = '200%'")
    show(browser, 2 * PHONE)
    found = wide_elements(browser)
    browser.execute_script(_SPACED)
    show(browser, PHONE)
    return found + wide_elements(browser)


def wide_elements(browser: Chrome) -> list[str]:
    found: list[str] = browser.execute_script(_WIDE)
    return found


def requests(browser: Chrome) -> tuple[list[str], list[str]]:
    """The addresses that the page requested: files, and images with the icon."""
    asked = browser.execute_script(_REQUESTED)
    images = [name for kind, name in asked if kind == "img" or name.endswith(".svg")]
    return [name for _, name in asked if name not in images], images


def console(browser: Chrome) -> list[str]:
    """Errors, and violations of the content security policy, since the last call."""
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def findings(folder: Path) -> list[str]:
    """What html-validate says about the HTML files of a folder."""
    config = folder / ".htmlvalidate.json"
    config.write_text(json.dumps({"root": True, "extends": ["html-validate:recommended"], "rules": _HTML}))
    report = folder / "report.json"
    command = ["node", str(TOOLS / "html-validate" / "bin" / "html-validate.mjs")]
    ran = subprocess.run(
        [*command, "--formatter", f"json={report}", "--config", str(config), str(folder)],
        capture_output=True, text=True, timeout=300, check=False, cwd=folder,
    )  # fmt: skip
    assert report.exists(), ran.stderr
    return [
        f"{Path(page['filePath']).stem}:{one['line']} {one['ruleId']}: {one['message']}"
        for page in json.loads(report.read_text("utf-8"))
        for one in page["messages"]
    ]


def first(browser: Chrome, selector: str) -> WebElement:
    return browser.find_element(By.CSS_SELECTOR, selector)


def opened(browser: Chrome, site: Server, path: str) -> None:
    browser.get(f"http://127.0.0.1:{site.port}{path}")


def until(browser: Chrome, happened: Callable[[], bool]) -> None:
    """Wait for what a key starts: the driver waits for the pages of links alone."""
    # While one page takes the place of another, the driver fails in more than one way.
    wait = WebDriverWait(browser, PATIENCE, ignored_exceptions=(WebDriverException,))
    wait.until(lambda _: happened())


def click(browser: Chrome, selector: str) -> None:
    """Click, and wait for the next page."""
    page = first(browser, "html")
    first(browser, selector).click()
    until(browser, lambda: bool(staleness_of(page)(browser)))


def press(browser: Chrome, *keys: str) -> None:
    ActionChains(browser).send_keys(*keys).perform()


#: What a keyboard must reach, in the order of the document.
_REACHABLE = """
return [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
    .filter(one => one.type !== "hidden" && one.checkVisibility({ contentVisibilityAuto: true }));
"""
#: The element that has the focus, whether its outline shows, and whether something covers it.
_FOCUSED = """
const one = document.activeElement, style = getComputedStyle(one), box = one.getBoundingClientRect();
const down = one.tagName === "TEXTAREA" ? 12 : box.height / 2;  // the caret is at the beginning
const top = document.elementFromPoint(box.left + Math.min(box.width / 2, 8), box.top + down);
return [one, style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
        top !== null && (one.contains(top) || top.contains(one))];
"""


def require_order_of_focus(browser: Chrome, site: Server, *paths: str) -> None:
    """The tab key reaches everything, visibly, in the order of the page."""
    for path in paths:
        opened(browser, site, path)
        wanted, reached = browser.execute_script(_REACHABLE), []
        while len(reached) < len(wanted):
            press(browser, Keys.TAB)
            one, *is_seen = browser.execute_script(_FOCUSED)
            if one.tag_name in ("body", "html"):  # the end of the page
                break
            if not reached or one != reached[-1]:  # a date has a stop for each of its parts
                assert is_seen == [True, True], one.get_attribute("outerHTML")  # outline, uncovered
                reached.append(one)
        assert reached == wanted
