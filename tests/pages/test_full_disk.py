"""A disk that is full while people work in a browser: nothing that they have entered is lost."""

import errno
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome

from tests.faults import disks
from tests.faults.disks import Disk
from tests.pages.browser import click, console, first, opened
from tests.pages.editing import sign_in
from tests.system.servers import Server

pytestmark = [pytest.mark.system, pytest.mark.long]

FULL = "The disk is full: nothing was stored. Make room and send the request again."


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path)


@pytest.fixture
def site(tmp_path: Path, disk: Disk) -> Iterator[Server]:
    with disks.serving(tmp_path, disk.env) as service:
        yield service.server


def push_in_vain(browser: Chrome, disk: Disk, button: str) -> None:
    """Push a button while the disk is full."""
    console(browser)  # forget what earlier pages wrote
    with disk.failing(errno.ENOSPC, "wt"):
        click(browser, button)
    assert FULL in first(browser, "[role=alert]").text
    assert ["status of 507" in one for one in console(browser)] == [True]


def created(browser: Chrome) -> str:
    """The id of the record that was just created."""
    return re.findall(r"/(\d+)/\?done=", browser.current_url)[0]


def test_events_are_saved_trashed_and_restored_after_all(browser: Chrome, site: Server, disk: Disk) -> None:
    sign_in(browser, site)
    opened(browser, site, "/edit/event/new/")
    for name, keys in (("title", "Tea"), ("start_day", "05012031"), ("start_time", "0730PM")):
        first(browser, f"[name={name}]").send_keys(keys)
    push_in_vain(browser, disk, "button[value=publish]")
    assert first(browser, "#title").get_attribute("value") == "Tea"
    click(browser, "button[value=publish]")
    assert first(browser, "[role=status]").text == "The event is published."
    id = created(browser)

    push_in_vain(browser, disk, "button[value=trash]")
    assert site.get(f"/events/{id}").json["status"] == "publish"
    click(browser, "main button")
    push_in_vain(browser, disk, ".done button")
    click(browser, "main button")

    assert first(browser, "[role=status]").text == "The event is back."
    assert site.get(f"/events/{id}").json["title"] == "Tea"


def test_venues_are_merged_after_all(browser: Chrome, site: Server, disk: Disk) -> None:
    sign_in(browser, site)
    ids = []
    for name in ("Town hall", "Townhall"):
        opened(browser, site, "/edit/venues/new/")
        first(browser, "#venue").send_keys(name)
        click(browser, "#form button")
        ids.append(created(browser))
    opened(browser, site, f"/edit/venues/{ids[1]}/merge/")
    first(browser, "#into").send_keys(ids[0])
    click(browser, "main button")
    push_in_vain(browser, disk, "main button")
    assert site.get(f"/venues/{ids[1]}").status == 200
    click(browser, "main button")
    click(browser, "main button")

    assert first(browser, "[role=status]").text == "The two records are one now."
    assert site.get(f"/venues/{ids[1]}").status == 404
