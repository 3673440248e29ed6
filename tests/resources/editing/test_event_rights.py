"""Who may edit which event in the browser: exactly who may do so through the interface."""

import re
from typing import Any

import pytest

from calendar_api.representations import event_form
from tests import factories
from tests.client import Client
from tests.editing import signed_in

OWNERS = ("contributor", "author", "author2")
STATES: dict[str, dict[str, Any]] = {
    "publish": {}, "draft": {}, "pending": {}, "private": {}, "trash": {},
    "future": {"date": "2040-01-01 00:00:00"},
    "protected": {"password": "sesame"}, "unlisted": {"hide_from_listings": True},
}  # fmt: skip
Events = dict[tuple[str, str], int]
NO_COST = event_form.FIELDS.digests({"cost": ""}, ["cost"])


@pytest.fixture
def events(client: Client) -> Events:
    """Ids of events by owner and state."""
    return {
        (owner, state): factories.event(
            client, author=client.ids[owner], title=f"Canary {owner} {state}",
            **{"status": state if state in ("draft", "pending", "private", "trash") else "publish", **fields},
        )["id"]
        for owner in OWNERS
        for state, fields in STATES.items()
    }  # fmt: skip


def page_of(answer: Any) -> str:
    """A page without what differs between two requests."""
    return re.sub(r"event/\d+|[0-9a-f]{16,}", "", answer.text)


@pytest.mark.parametrize("login", ["subscriber", "contributor", "author", "editor"])
def test_page_refuses_what_the_interface_refuses(client: Client, events: Events, login: str) -> None:
    browser = signed_in(client, login)
    token = browser.token()
    for key, id in events.items():
        expected = client.patch(f"/events/{id}", {}, as_=login).status_int
        path = f"/edit/event/{id}/"
        shown = browser.get(path, status=expected)
        fields = {"token": token, "action": "save", "was": NO_COST, "cost": "1", "status": "x"}
        sent = browser.post(path, fields, 303 if expected == 200 else expected)
        assert expected == 200 or "Canary" not in shown.text + sent.text, key
        stored = client.get(f"/events/{id}", as_="admin", status=200).json
        assert stored["cost"] == ("$1" if expected == 200 else ""), key
        for action, status in (("trash", "trash"), ("restore", "draft")):
            before = client.get(f"/events/{id}", as_="admin").json["status"]
            fields = {"token": token, "action": action, "status": "draft"}
            browser.post(path, fields, 303 if expected == 200 else expected)
            after = client.get(f"/events/{id}", as_="admin").json["status"]
            assert after == (status if expected == 200 else before), (key, action)


def test_hidden_events_answer_like_absent_ones(client: Client, events: Events) -> None:
    for login in ("contributor", "author"):
        browser = signed_in(client, login)
        token = browser.token()
        hidden = [id for id in events.values() if client.get(f"/events/{id}", as_=login).status_int == 404]
        assert len(hidden) == 10
        for address in ("/edit/event/{}/", "/edit/event/new/?copy={}"):
            pages = {page_of(browser.get(address.format(id), status=404)) for id in (*hidden, 999_999)}
            assert len(pages) == 1
        for action in ("save", "trash", "restore", "preview", "edit"):
            fields = {"token": token, "action": action}
            pages = {page_of(browser.post(f"/edit/event/{id}/", fields, 404)) for id in (*hidden, 999_999)}
            assert len(pages) == 1


@pytest.mark.both_databases
def test_lists_have_what_their_reader_may_edit(client: Client, events: Events) -> None:
    for login in ("contributor", "author", "editor"):
        browser = signed_in(client, login)
        lists = ["/edit/"] + (["/edit/events/"] if login == "editor" else [])
        addresses = [
            f"{path}?{query}"
            for path in lists
            for query in ("", "view=past", "view=drafts", "view=waiting", "view=trash", "search=canary")
        ]
        pages = "".join(browser.get(address).text for address in addresses)
        found = {int(id) for id in re.findall(r'/edit/event/(\d+)/"', pages)}
        own = {id for (owner, _), id in events.items() if login in ("editor", owner)}
        assert found == own, login


def test_subscriber_is_led_to_the_account(client: Client) -> None:
    assert signed_in(client, "subscriber").get("/edit/", status=303).location.endswith("/edit/account/")


def test_copy_needs_the_password_of_others(client: Client, events: Events) -> None:
    for login, state, status in (
        ("author", "protected", 403), ("author2", "protected", 200), ("author", "publish", 200)
    ):  # fmt: skip
        path = f"/edit/event/new/?copy={events['author2', state]}"
        assert ("Canary" in signed_in(client, login).get(path, status=status).text) == (status == 200)


@pytest.mark.parametrize("flag", ["featured", "image"])
def test_fields_that_the_form_does_not_show_are_refused_as_elsewhere(client: Client, flag: str) -> None:
    browser = signed_in(client, "contributor")
    fields = {
        "token": browser.token(), "action": "draft", "was": f"{flag}:0", "title": "Tea",
        "start_day": "2031-05-01", "start_time": "10:00", "featured": "1", "image": "https://a.example/i.png",
    }  # fmt: skip
    page = browser.post("/edit/event/new/", fields, 403 if flag == "featured" else 400)
    assert page.html.find(class_="errors") is not None
    assert client.get("/events?status=draft", as_="admin").json["total"] == 0
