"""A headless Chromium for the tests that need a browser."""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service

from tests.system.servers import PATIENCE

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage",
)  # fmt: skip


@contextlib.contextmanager
def started(profile: Path, *flags: str) -> Iterator[Chrome]:
    programs = [shutil.which(name) for name in ("chromium", "chromedriver")]
    if None in programs:
        pytest.fail("This test needs a browser: apt-get install chromium chromium-driver")
    options = ChromeOptions()
    options.binary_location = str(programs[0])
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for flag in (*FLAGS, f"--user-data-dir={profile}", *flags):
        options.add_argument(flag)
    browser = Chrome(options=options, service=Service(str(programs[1])))
    browser.set_script_timeout(PATIENCE)
    browser.set_page_load_timeout(PATIENCE)
    try:
        yield browser
    finally:
        browser.quit()


def forget(browser: Chrome) -> None:
    """Leave the page and delete all cookies, for the next test; scripts run again."""
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    browser.execute_cdp_cmd("Network.clearBrowserCookies", {})
    browser.get("about:blank")
