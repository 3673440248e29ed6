"""Submission by visitors, and pages of records, in a browser: keyboard, no scripts, accessibility."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.pages import browser as seen
from tests.pages.browser import click, first, opened, until
from tests.pages.editing import cookies, follow, problems, sign_in
from tests.system.servers import Server

pytestmark = pytest.mark.system

SUBMIT = "main form button[type=submit]"
LONG = "Donaudampfschifffahrtsgesellschaftskapitänsmützenmuseum"


FOUND = "/events?start_date=2031-01-01&end_date=2032-01-01&search=choir+of+the+town"


def heading(browser: Chrome, text: str) -> None:
    """Wait for the page with this heading."""
    until(browser, lambda: browser.execute_script("return document.querySelector('h1')?.textContent") == text)


def fill(browser: Chrome, **inputs: str) -> None:
    for name, value in inputs.items():
        field = first(browser, f"[name={name}]")
        field.clear()
        field.send_keys(value)


def send(browser: Chrome) -> None:
    """Submit the form, again if that was too fast."""
    click(browser, SUBMIT)
    while browser.find_elements(By.CSS_SELECTOR, "[role=alert] a[href='#form']"):
        click(browser, SUBMIT)


def decide(browser: Chrome, site: Server, address: str, action: str) -> None:
    """Publish the event of the visitor with this e-mail address, or move it to the trash."""
    opened(browser, site, "/edit/waiting/")
    row = browser.find_element(By.XPATH, f"//main//li[contains(., '{address}')]")
    row.find_element(By.CSS_SELECTOR, f"button[value={action}]").click()
    until(browser, lambda: "done=" in browser.current_url)


def test_visitor_submits_an_event_that_an_editor_publishes(browser: Chrome, site: Server) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    opened(browser, site, "/events/")
    click(browser, "footer a[href$='/submit/']")
    assert not first(browser, "[name=subject]").is_displayed()
    fill(browser, title="Choir", venue="New hall", description="Bring friends.", contributor_name="Ann",
         contributor_email="ann@example.org")  # fmt: skip
    send(browser)
    assert browser.title.startswith("Error: ")
    assert first(browser, "[name=title]").get_attribute("value") == "Choir"
    first(browser, "[name=start_day]").send_keys("07012031")
    first(browser, "[name=start_time]").send_keys("0700PM")
    send(browser)
    assert first(browser, "h1").text == "Thank you"
    secret = first(browser, "a.secret")
    address = str(secret.get_attribute("href"))
    click(browser, "a.secret")
    fill(browser, title="Choir of the town")
    send(browser)
    assert first(browser, "[role=status]").text == "Your changes are saved."
    assert browser.get_cookies() == []
    assert site.get(FOUND).json["total"] == 0

    sign_in(browser, site)
    decide(browser, site, "ann@example.org", "publish")
    (event,) = site.get(FOUND).json["events"]
    assert (event["title"], event["venue"]["venue"]) == ("Choir of the town", "New hall")
    browser.get(address)
    assert first(browser, "[role=status]").text == "The event was published."
    click(browser, "main a")
    assert first(browser, "h1").text == "Choir of the town"


def test_records_are_edited_and_merged_from_the_keyboard(browser: Chrome, site: Server) -> None:
    sign_in(browser, site)
    opened(browser, site, "/edit/venues/")
    made: list[str] = []
    for name in ("Town hall", "Townhall"):
        follow(browser, "main a[href$='/new/']")
        heading(browser, "New venue")
        follow(browser, "#venue", name)
        heading(browser, name)
        assert first(browser, "[role=status]").text == "The record was created."
        made.append(re.findall(r"/edit/venues/(\d+)/", browser.current_url)[0])
        follow(browser, "nav a[href$='/edit/venues/']")
        heading(browser, "Venues")
    follow(browser, "[type=search]", "townhall")
    until(browser, lambda: "search=townhall" in browser.current_url)
    follow(browser, ".records a")
    heading(browser, "Townhall")
    follow(browser, "main a[href$='/merge/']")
    heading(browser, "Merge Townhall")
    follow(browser, "#into", made[0], Keys.ESCAPE)
    until(browser, lambda: bool(browser.find_elements(By.CSS_SELECTOR, "[name=confirmed]")))
    assert "Town hall stays as it is." in first(browser, "main").text
    follow(browser, "main button")
    heading(browser, "Town hall")
    assert first(browser, "[role=status]").text == "The two records are one now."


def pages(browser: Chrome, site: Server) -> Iterator[str]:
    """Show every page in turn; yields its name."""
    opened(browser, site, "/submit/")
    yield "submit"
    click(browser, SUBMIT)
    yield "submit with errors"
    fill(browser, title=LONG, start_day="07012031", start_time="0700PM", venue=LONG,
         contributor_name="Bob", contributor_email="bob@example.org")  # fmt: skip
    send(browser)
    yield "submitted"
    click(browser, "a.secret")
    yield "submission"
    address = browser.current_url
    sign_in(browser, site)
    decide(browser, site, "bob@example.org", "trash")
    browser.get(address)
    yield "declined"
    names = {"venues": "venue", "organizers": "organizer", "categories": "name", "tags": "name"}
    for plural, name in names.items():
        opened(browser, site, f"/edit/{plural}/new/")
        yield f"new {plural}"
        fill(browser, **{name: LONG})
        click(browser, SUBMIT)
        yield f"created {plural}"
        here = browser.current_url.partition("?")[0]
        opened(browser, site, f"/edit/{plural}/")
        yield f"list of {plural}"
        browser.get(f"{here}merge/")
        yield f"merge {plural}"
        fill(browser, into="no such" + Keys.ESCAPE)
        click(browser, SUBMIT)
        yield f"merge {plural} with errors"
    opened(browser, site, "/edit/venues/?status=trash")
    yield "trash"
    opened(browser, site, "/edit/venues/new/")
    click(browser, SUBMIT)
    yield "form with errors"


@pytest.mark.long
def test_pages_are_accessible_valid_and_fit_the_screen(browser: Chrome, site: Server, tmp_path: Path) -> None:
    def stored() -> Iterator[str]:
        for name in pages(browser, site):
            path = browser.current_url.removeprefix(f"http://127.0.0.1:{site.port}")
            answer = site.send("GET", path, headers=cookies(browser))
            assert answer.status == 200, name
            (tmp_path / f"{name}.html").write_bytes(answer.body)
            yield name

    assert problems(browser, stored()) == {}
    assert seen.findings(tmp_path) == []
