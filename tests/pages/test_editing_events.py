"""The form for events, lists and moderation in a browser: with the keyboard, without scripts, by two."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.pages import browser as seen
from tests.pages import site as calendar
from tests.pages.browser import (
    DESK,
    PHONE,
    click,
    first,
    opened,
    press,
    require_order_of_focus,
    until,
)  # fmt: skip
from tests.pages.editing import (
    IN_EVERY_VIEW,
    follow,
    problems,
    save_pages,
    sign_in,
    tab_to,
    wait_for,
)  # fmt: skip
from tests.system.servers import Server

pytestmark = pytest.mark.system


@pytest.fixture
def browser(browser: Chrome, site: Server) -> Chrome:
    """A browser with a session."""
    sign_in(browser, site)
    return browser


def enter(browser: Chrome, **fields: str) -> None:
    """Fill in fields without typing, which takes long in text areas."""
    for name, value in fields.items():
        browser.execute_script(
            "document.querySelector(`#form [name=${arguments[0]}]`).value = arguments[1]", name, value
        )


def push(browser: Chrome, action: str) -> None:
    click(browser, f"main button[name=action][value={action}]")


def hostile(site: Server) -> int:
    return int(site.get("/events/by-slug/hostile").json["id"])


def made(site: Server, title: str, **fields: object) -> int:
    """The id of a new event."""
    body = {"title": title, "start_date": f"{calendar.day(1)} 10:00", "end_date": f"{calendar.day(1)} 11:00"}
    answer = site.ask("POST", "/events", body | fields)
    assert answer.status == 201, answer.body
    return int(answer.json["id"])


def pages(browser: Chrome, site: Server) -> Iterator[str]:
    """Show every page in turn; yields its name."""
    id = hostile(site)
    for path in ("", "events/?view=past", "events/?search=nothingatall", "event/new/"):
        opened(browser, site, f"/edit/{path}")
        yield path
    for language in ("de", "es", "fr", "it", "nl"):
        opened(browser, site, f"/{language}/edit/event/new/")
        yield f"new event, {language}"
    push(browser, "publish")
    yield "errors"
    opened(browser, site, f"/edit/event/{id}/")
    yield "hostile event"
    push(browser, "preview")
    yield "preview"
    opened(browser, site, f"/edit/event/{id}/")
    enter(browser, title="Mine", description="Mine", event_status_reason="Mine")
    changed = site.ask(
        "PATCH", f"/events/{id}",
        {"title": f"{calendar.MARKUP} 2", "description": calendar.LETTERS, "event_status_reason": "Theirs"},
    )  # fmt: skip
    assert changed.status == 200, changed.body
    push(browser, "save")
    yield "conflict"
    opened(browser, site, f"/edit/event/new/?copy={id}")
    yield "copy"
    opened(browser, site, "/edit/waiting/")
    yield "nothing waits"
    made(site, f"{calendar.MARKUP} {calendar.LETTERS[:100]}", status="pending", description=calendar.LONG)
    waits = made(site, "Second", status="pending", event_status="postponed")
    for path in ("/de/edit/waiting/", "/edit/waiting/"):  # German has the longest words
        opened(browser, site, path)
        yield path
    first(browser, f"input[value='{waits}'] ~ .buttons button[value=trash]").click()
    yield "undo"
    opened(browser, site, f"/edit/event/{waits}/")
    yield "event in the trash"


@IN_EVERY_VIEW
def test_pages_are_accessible_and_fit_the_screen(browser: Chrome, site: Server, *, every: bool) -> None:
    assert problems(browser, pages(browser, site), every=every) == {}


def test_pages_are_valid_html(browser: Chrome, site: Server, tmp_path: Path) -> None:
    seen.require_tools()
    waits = made(site, f"{calendar.MARKUP} waits", status="pending", description=calendar.LONG)
    id = hostile(site)
    opened(browser, site, "/edit/event/new/")
    token = first(browser, "#form [name=token]").get_attribute("value")
    was = first(browser, "#form [name=was]").get_attribute("value").replace(":", "%3A").replace(" ", "+")
    requests = (
        "events/", f"event/{id}/", "event/new/", f"event/new/?copy={id}", "waiting/",
        f"event/new/ token={token}&was={was}&title=&categories=1&action=publish",  # errors
        f"event/{id}/ token={token}&was=title%3A0&title=x&action=save",  # a conflict
        f"event/{id}/ token={token}&action=preview", f"waiting/ token={token}&id={waits}&action=publish",
    )  # fmt: skip

    statuses = save_pages(browser, site, tmp_path, (f"/edit/{request}" for request in requests))

    assert statuses == [200] * 5 + [400, 409, 200, 409]
    assert seen.findings(tmp_path) == []


def test_event_is_created_and_published_from_the_keyboard(browser: Chrome, site: Server) -> None:
    opened(browser, site, "/edit/")
    follow(browser, "main .button")
    wait_for(browser, "New event")
    tab_to(browser, "#title")
    press(browser, "Tea from the keyboard")
    follow(browser, "button[value=publish]")
    until(browser, lambda: browser.title.startswith("Error: "))
    follow(browser, "[role=alert] a")
    assert browser.execute_script("return document.activeElement.id") == "start_day"
    press(browser, "05012031")
    tab_to(browser, "#start_time")
    press(browser, "0730PM")
    tab_to(browser, "#description")
    press(browser, "One", Keys.ENTER, Keys.ENTER, "two")
    follow(browser, "button[value=preview]")
    wait_for(browser, "Preview: Tea from the keyboard")
    follow(browser, "button[value=edit]")
    until(browser, lambda: bool(browser.find_elements(By.ID, "form")))
    follow(browser, "button[value=publish]")
    until(browser, lambda: first(browser, "[role=status]").text == "The event is published.")

    stored = site.get(f"/events/{re.findall('[0-9]+', browser.current_url.partition('/edit/')[2])[0]}").json
    assert (stored["start_date"], stored["end_date"]) == ("2031-05-01 19:30:00", "2031-05-01 19:30:00")
    assert stored["description"] == "<p>One</p>\n<p>two</p>"


def test_going_back_from_a_problem_keeps_what_was_typed(browser: Chrome, site: Server) -> None:
    opened(browser, site, "/edit/event/new/")
    first(browser, "[name=title]").send_keys("Typed")
    push(browser, "draft")
    until(browser, lambda: browser.title.startswith("Error: "))
    browser.back()
    until(browser, lambda: first(browser, "[name=title]").get_attribute("value") == "Typed")


def test_two_people_without_scripts(browser: Chrome, site: Server) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    id = made(site, "Shared", description="Old")
    opened(browser, site, f"/edit/event/{id}/")
    title = first(browser, "#title")
    title.clear()
    title.send_keys("Mine")
    assert site.ask("PATCH", f"/events/{id}", {"title": "Theirs", "cost": "7"}).status == 200
    push(browser, "save")

    assert first(browser, "#title").get_attribute("value") == "Mine"
    assert first(browser, ".stored .text").text == "Theirs"
    push(browser, "save")
    assert first(browser, "[role=status]").text == "Your changes are saved."
    stored = site.get(f"/events/{id}").json
    assert (stored["title"], stored["cost"]) == ("Mine", "$7")

    push(browser, "trash")
    assert first(browser, ".done p").text == "The event is in the trash."
    click(browser, ".done button")
    assert site.get(f"/events/{id}").json["status"] == "publish"


@pytest.mark.parametrize("width", [DESK, pytest.param(PHONE, marks=pytest.mark.long)])
def test_keyboard_reaches_everything_in_order(browser: Chrome, site: Server, width: int) -> None:
    seen.show(browser, width)
    require_order_of_focus(browser, site, "/edit/", f"/edit/event/{hostile(site)}/")
