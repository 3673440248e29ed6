"""Moderation: events that wait are published, returned or moved to the trash, each with undo."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations_with_replacement
from typing import Any

import pytest
from webtest import TestResponse

from calendar_api import database
from calendar_api.database.models import Venue
from calendar_api.database.tables import Submission
from tests import factories
from tests.client import Client
from tests.editing import Browser, signed_in
from tests.resources.editing.event_pages import HOSTILE, create, errors, send, undo_fields


@pytest.fixture
def browser(client: Client) -> Browser:
    return signed_in(client, "editor")


def waiting(client: Client, **fields: Any) -> int:
    return int(factories.event(client, "contributor", status="pending", **fields)["id"])


def form_of(page: TestResponse, id: int) -> Any:
    return next(form for form in page.forms.values() if form.fields.get("id") and form["id"].value == str(id))


def decide(page: TestResponse, id: int, action: str, status: int = 303, **fields: str) -> TestResponse:
    form = form_of(page, id)
    for name, value in fields.items():
        form[name] = value
    sent: TestResponse = form.submit("action", value=action, expect_errors=True)
    assert sent.status_int == status, sent.text[:2000]
    return sent


def state(client: Client, id: int) -> str:
    return str(client.get(f"/events/{id}", as_="admin").json["status"])


@pytest.mark.both_databases
def test_oldest_are_first_with_what_will_be_public(client: Client, browser: Browser) -> None:
    ids = [waiting(client, title=f"E{number}", start_date=f"2031-01-0{9 - number}") for number in range(3)]
    factories.event(client, title="Published")
    address = "https://shop.example/?a=1&b=2"
    public = {"cost": "Donation", "website": address, "organizer": {"organizer": "Choir & Co"}}
    client.patch(f"/events/{ids[0]}", public, as_="contributor", status=200)
    main = browser.get("/edit/waiting/").html.find("main")

    assert [heading.text for heading in main.find_all("h2")] == ["E0", "E1", "E2"]
    assert "Waiting (3)" in main.parent.text
    row = main.find("li")
    assert "From contributor" in row.text
    assert row.find("a", href=address)["rel"] == ["nofollow", "noopener", "ugc"]
    assert "Choir & Co · Donation" in row.text


def test_times_name_their_zone(client: Client, browser: Browser) -> None:
    """An editor who reads 19:30 has to know on which clock; the site's own is not named."""
    waiting(client, title="There", start_date="2031-06-07 19:30", timezone="Asia/Tokyo")
    waiting(client, title="Here", start_date="2031-06-08 19:30", timezone="UTC")

    for path in ("/edit/waiting/", "/edit/events/?view=waiting"):
        rows = browser.get(path).html.find("main").find(class_="rows").find_all("li")
        times = {row.find("a").text: re.findall(r"19:30(?: [A-Z]+)?", row.text) for row in rows}
        assert times == {"There": ["19:30 JST"], "Here": ["19:30"]}


def test_texts_that_only_the_interface_takes_can_be_read_before(client: Client, browser: Browser) -> None:
    hall = factories.venue(client, "contributor", status="draft", venue="Hall", description="Buy this")
    known = factories.organizer(client)
    fields = {"event_status": "canceled", "event_status_reason": "No singer", "excerpt": "In short"}
    waiting(client, venue=hall["id"], organizer=known["id"], **fields)
    row = browser.get("/edit/waiting/").html.find("main").find("li")

    assert "No singer" in row.text
    assert "In short" in row.find("article").text
    records = [a["href"] for a in row.find_all("a") if "/venues/" in a["href"] or "/organizers/" in a["href"]]
    assert records == [f"http://localhost/edit/venues/{hall['id']}/"]


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("action", "after", "word"),
    [("publish", "publish", "published"), ("trash", "trash", "trashed"), ("return", "draft", "returned")],
)
def test_decision_and_undo(client: Client, browser: Browser, action: str, after: str, word: str) -> None:
    id = waiting(client)
    page = browser.get("/edit/waiting/")
    answer = decide(page, id, action)
    assert answer.location == f"http://localhost/edit/waiting/?done={word}&id={id}"
    assert state(client, id) == after
    decide(page, id, action, 409)
    assert state(client, id) == after

    browser.post("/edit/waiting/", undo_fields(answer.follow()))
    assert state(client, id) == "pending"


@pytest.mark.both_databases
@pytest.mark.parametrize("actions", [*combinations_with_replacement(("publish", "trash", "return"), 2)])
def test_of_two_decisions_at_once_one_counts(client: Client, actions: tuple[str, str]) -> None:
    id, start, after = waiting(client), threading.Barrier(2), {"publish": "publish", "return": "draft"}
    forms = [form_of(signed_in(client, login).get("/edit/waiting/"), id) for login in ("editor", "admin")]

    def press(form: Any, action: str) -> int:
        start.wait()
        try:
            return int(form.submit("action", value=action, expect_errors=True).status_int)
        finally:
            database.close_connection()

    with ThreadPoolExecutor(2) as threads:
        statuses = list(threads.map(press, forms, actions))

    assert sorted(statuses) == [303, 409]
    won = actions[statuses.index(303)]
    assert state(client, id) == after.get(won, won)


def test_author_reads_why_an_event_was_returned(client: Client, browser: Browser) -> None:
    id = waiting(client, title="Tea")
    author = signed_in(client, "contributor")
    for text in ("", HOSTILE):
        decide(browser.get("/edit/waiting/"), id, "return", text=text)
        for path in ("/edit/", f"/edit/event/{id}/"):
            page = author.get(path)
            assert page.html.find(class_="notice").text.endswith(f": {text or '–'}")
            assert "<script>" not in page.text
        send(author.get(f"/edit/event/{id}/"), "submit", title="Better")
        assert state(client, id) == "pending"
    decide(browser.get("/edit/waiting/"), id, "publish")
    client.patch(f"/events/{id}", {"status": "draft"}, as_="admin", status=200)
    assert signed_in(client, "editor").get(f"/edit/event/{id}/").html.find(class_="notice") is None


def test_only_what_an_editor_has_read_is_published(client: Client, browser: Browser) -> None:
    """The message of the editor is kept."""
    id, other = waiting(client, description="Harmless"), waiting(client, venue={"venue": "Hall"})
    page = browser.get("/edit/waiting/")
    client.patch(f"/events/{id}", {"description": "Buy this"}, as_="contributor", status=200)
    again = decide(page, id, "publish", 409, text="Please add a picture.")

    assert list(errors(again)) == ["waiting"]
    assert state(client, id) == "pending"
    assert "Buy this" in again.text
    assert again.html.find(id=f"text-{id}").text.strip() == "Please add a picture."
    decide(again, id, "publish")
    decide(page, other, "publish")


def test_event_of_a_visitor_shows_who_sent_it(client: Client, browser: Browser) -> None:
    id = waiting(client)
    sender = {"name": HOSTILE, "email": "a@b.example", "created_utc": "2026-01-01 00:00:00"}
    with database.write():
        Submission.create(event=id, digest="0" * 64, **sender)
    page = browser.get("/edit/waiting/")

    assert f"From a visitor: {HOSTILE}, a@b.example" in page.html.text
    assert "<script>alert" not in page.text
    browser.post("/edit/waiting/", {"token": browser.token(), "id": "x", "action": "publish"}, 404)
    browser.post("/edit/waiting/", {"token": browser.token(), "id": str(id), "action": "accept"}, 400)


@pytest.mark.parametrize("by", ["form", "waiting", "interface"])
def test_new_venue_and_organizer_of_a_contributor_are_published_with_the_event(
    client: Client, browser: Browser, by: str
) -> None:
    other = factories.venue(client, "author", status="draft")
    id = create(signed_in(client, "contributor"), "submit", venue="New hall", organizer="New club")
    venues = [Venue.get(Venue.venue == "New hall").id, other["id"]]
    client.patch(f"/events/{id}", {"venue": venues}, as_="admin", status=200)
    assert client.get("/venues").json["total"] == 0

    if by == "form":
        send(browser.get(f"/edit/event/{id}/"), "publish")
    elif by == "waiting":
        decide(browser.get("/edit/waiting/"), id, "publish")
    else:
        client.patch(f"/events/{id}", {"status": "publish"}, as_="editor", status=200)

    shown = client.get(f"/events/{id}").json
    assert (shown["venue"]["venue"], shown["organizer"][0]["organizer"]) == ("New hall", "New club")
    assert client.get(f"/venues/{other['id']}", as_="admin").json["status"] == "draft"
