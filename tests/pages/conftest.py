"""One browser for all tests of a worker, and one server with demo records and hostile ones."""

from collections.abc import Iterator

import pytest
from selenium.webdriver import Chrome

from tests import chrome
from tests.pages import browser as seen
from tests.pages import site as calendar
from tests.system.servers import Server


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    with chrome.started(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture
def browser(chromium: Chrome) -> Chrome:
    """A browser without cookies, as wide as a desk."""
    chrome.forget(chromium)
    seen.show(chromium, seen.DESK)
    return chromium


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Tests may add records, and change those that they added; modules with other settings have their own."""
    with calendar.running(tmp_path_factory.mktemp("site")) as server:
        yield server
