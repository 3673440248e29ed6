"""Lists of events to edit: views, search, pages, and the number of statements."""

import re

import pytest
from playhouse.test_utils import count_queries

from calendar_api import database
from calendar_api.store import submissions
from tests import factories
from tests.client import Client
from tests.editing import Browser, signed_in
from tests.factories import day

pytestmark = [pytest.mark.both_databases, pytest.mark.settings(cache=0)]


def titles(text: str) -> list[str]:
    return re.findall(r'<a href="[^"]*/edit/event/\d+/">([^<]*)</a>', text)


def test_views(client: Client) -> None:
    states = (
        (3, "publish"), (1, "draft"), (-2, "publish"), (-5, "private"), (2, "pending"), (9, "trash"),
        (0, "publish"),
    )  # fmt: skip
    for number, (offset, status) in enumerate(states):
        factories.event(client, "editor", title=f"E{number} {status}", start_date=day(offset), status=status)
    factories.event(client, "author", title="Other", start_date=day(1, "11:00:00"))
    factories.event(client, "editor", title="Later", start_date=day(5), date=day(4))
    browser = signed_in(client, "editor")

    found = {view: titles(browser.get(f"/edit/?view={view}").text)
             for view in ("upcoming", "past", "drafts", "waiting", "trash")}  # fmt: skip

    assert found == {
        "upcoming": ["E6 publish", "E1 draft", "E4 pending", "E0 publish", "Later"],
        "past": ["E2 publish", "E3 private"], "drafts": ["E1 draft"], "waiting": ["E4 pending"],
        "trash": ["E5 trash"],
    }  # fmt: skip
    assert titles(browser.get("/edit/").text) == found["upcoming"]
    assert "Other" in titles(browser.get("/edit/events/").text)
    page = browser.get("/edit/").html
    badges = [item.find(class_="badge").text for item in page.find_all(class_="rows")[0].find_all("li")]
    assert badges == ["Published", "Draft", "Waiting for review", "Published", "Scheduled"]
    assert titles(browser.get("/edit/?search=e3").text) == ["E3 private"]
    assert titles(browser.get("/edit/?search=e3&view=trash").text) == []
    assert "No events found." in browser.get("/edit/?search=nothing").text


def test_pages_have_fifty_events(client: Client) -> None:
    for number in range(51):
        factories.event(client, "author", title=f"E{number:02}", start_date=day(1 + number), status="draft")
    browser = signed_in(client, "author")
    first = browser.get("/edit/")
    second = browser.get(first.html.find(rel="next")["href"].removeprefix("http://localhost"))

    assert titles(first.text) + titles(second.text) == [f"E{number:02}" for number in range(51)]
    last = browser.get("/edit/?view=drafts&page=2")
    assert titles(last.text) == ["E00"]
    assert (second.html.find(rel="next"), last.html.find(rel="next")) == (None, None)
    browser.get("/edit/?page=3", status=404)
    assert len(titles(browser.get("/edit/?page=x%26").text)) == 50


def selects(browser: Browser, path: str) -> int:
    """The statements that read, of a page that has been opened before."""
    browser.get(path)
    with count_queries() as counter:
        browser.get(path)
    return len([one for one in counter.get_queries() if "SELECT" in one.msg[0]])


def test_list_takes_a_fixed_number_of_statements(client: Client) -> None:
    browser = signed_in(client, "editor")
    counts: dict[str, list[int]] = {"/edit/events/": [], "/edit/events/?search=event": []}
    for _ in range(3):
        id = factories.event(client, venue={"venue": "Hall"}, tags=["a"], status="draft")["id"]
        factories.event(client, image="https://a.example/")
        with database.write():
            submissions.add_review(id, None, "why", "2026-01-01 00:00:00")
        for path, found in counts.items():
            found.append(selects(browser, path))

    assert counts["/edit/events/"] == [5, 5, 5]
    # SQLite asks an index first, and then checks the texts that it has found.
    assert counts["/edit/events/?search=event"] in ([5, 5, 5], [7, 7, 7])


def test_form_takes_a_fixed_number_of_statements(client: Client) -> None:
    browser, counts = signed_in(client, "editor"), []
    for number in range(3):
        factories.category(client)
        venues = [{"venue": f"A{number}"}, {"venue": f"B{number}"}]
        event = factories.event(client, venue=venues, tags=[f"t{number}"])
        counts.append(selects(browser, f"/edit/event/{event['id']}/"))
    assert counts == [counts[0]] * 3
    assert counts[0] <= 14
