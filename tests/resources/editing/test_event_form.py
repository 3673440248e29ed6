"""The form for an event: what it saves, what it refuses, and that nothing is lost."""

import os
from html import unescape
from typing import Any

import pytest

from calendar_api import database
from calendar_api.commands import demo
from calendar_api.database.models import Event
from tests import factories
from tests.client import Client
from tests.editing import PASSWORD, Browser, audited, set_password, signed_in
from tests.resources.editing.event_pages import (
    HOSTILE,
    WHEN,
    create,
    errors,
    made,
    send,
    undo_fields,
    versions,
)  # fmt: skip
from tests.system import conferences


@pytest.fixture
def browser(client: Client) -> Browser:
    return signed_in(client, "editor")


def event(client: Client, id: int) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"/events/{id}", as_="admin", status=200).json
    return found


# -- saving


@pytest.mark.both_databases
def test_every_field_is_saved(client: Client, browser: Browser) -> None:
    category, tag = factories.category(client), factories.tag(client, name="open, air")
    id = create(
        browser, title="Tea & <b>talk</b>", end_day="2031-05-02", end_time="01:30", timezone="Europe/Berlin",
        venue="Hall", venue_address="Main St 1", venue_city="Ulm", organizer="Ann",
        organizer_email="a@b.example", description="One\n\ntwo https://a.example/",
        categories=[str(category["id"])], tags='new, "open, air"',
        cost="5 €", website="https://b.example/", image="https://c.example/i.png", featured=True,
        event_status="postponed", event_status_reason="rain", password="sesame",
    )  # fmt: skip
    found = event(client, id)
    plain = {
        "title": "Tea &#038; talk", "status": "publish", "timezone": "Europe/Berlin",
        "start_date": "2031-05-01 10:00:00", "end_date": "2031-05-02 01:30:00", "cost": "5€",
        "website": "https://b.example/", "featured": True, "event_status": "postponed",
        "event_status_reason": "rain",
    }  # fmt: skip
    assert {name: found[name] for name in plain} == plain
    assert (found["venue"]["address"], found["venue"]["city"]) == ("Main St 1", "Ulm")
    assert (found["organizer"][0]["organizer"], found["organizer"][0]["email"]) == ("Ann", "a@b.example")
    assert found["description"].startswith("<p>One</p>\n<p>two <a href=")
    assert [one["id"] for one in found["categories"]] == [category["id"]]
    assert sorted(one["name"] for one in found["tags"]) == ["new", "open, air"]
    assert tag["id"] in [one["id"] for one in found["tags"]]
    assert found["image"]["url"] == "https://c.example/i.png"
    assert client.get(f"/events/{id}").json["code"] == "event-password-protected"


def test_all_day_needs_no_times(client: Client, browser: Browser) -> None:
    id = create(browser, start_time="", all_day=True, end_day="2031-05-03")
    whole = event(client, id)
    send(browser.get(f"/edit/event/{id}/"), "save", all_day=False, start_time="09:00", end_time="10:30")
    timed = event(client, id)
    assert [one["start_date"] for one in (whole, timed)] == ["2031-05-01 00:00:00", "2031-05-01 09:00:00"]
    assert [one["end_date"] for one in (whole, timed)] == ["2031-05-03 23:59:59", "2031-05-03 10:30:00"]


def test_button_sets_the_status(client: Client) -> None:
    for login, action, status in (
        ("contributor", "draft", "draft"), ("contributor", "submit", "pending"),
        ("contributor", "publish", "pending"), ("author", "draft", "draft"), ("author", "publish", "publish"),
    ):  # fmt: skip
        browser = signed_in(client, login)
        form = browser.get("/edit/event/new/").forms["form"]
        fields = {name: field[0].value for name, field in form.fields.items() if name and field[0].value}
        sent = browser.post("/edit/event/new/", fields | {"title": "Tea", **WHEN, "action": action})
        found = event(client, made(sent))
        assert (found["status"], found["author"]) == (status, str(client.ids[login]))


def test_buttons_are_those_of_the_role_and_the_status(client: Client, browser: Browser) -> None:
    def buttons(who: Browser, path: str) -> list[str]:
        form = who.get(path).forms["form"]
        return [field.value_if_submitted() for field in form.fields["action"]]

    id = create(browser)
    assert buttons(signed_in(client, "contributor"), "/edit/event/new/") == ["draft", "submit", "preview"]
    assert buttons(browser, "/edit/event/new/") == ["draft", "publish", "preview"]
    assert buttons(browser, f"/edit/event/{id}/") == ["save", "preview", "draft"]


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.long)])
def test_untouched_form_of_demo_events_writes_nothing(client: Client, browser: Browser, step: int) -> None:
    records, ids = demo.records(demo.datetime.date(2031, 5, 1)), {}
    for payload in records.categories:
        payload["parent"] = ids.get(payload.get("parent"), 0)
        ids[payload["name"]] = client.post("/categories", payload, as_="admin", status=201).json["id"]
    for archive in ("tags", "venues", "organizers", "events"):
        for payload in getattr(records, archive):
            if "post_parent" in payload:
                payload["post_parent"] = ids[payload["post_parent"]]
            stored = client.post(f"/{archive}", payload, as_="admin", status=201).json
            ids[payload.get("slug", "")] = stored["id"]

    assert _unchanged(browser, step) == 60 // step


@pytest.mark.long
def test_untouched_form_of_conferences_writes_nothing(client: Client, browser: Browser) -> None:
    lines = conferences.stored(conferences.read(conferences.source(os.environ)))
    for line in lines[:: max(1, len(lines) // 300)][:300]:
        client.post("/events", line.payload(), as_="admin", status=201)
    assert _unchanged(browser) > 30


def _unchanged(browser: Browser, step: int = 1) -> int:
    """Send the form of every event, or of one in so many, as it is; return their number."""
    before = versions()
    sent = list(before)[::step]
    for id in sent:
        browser.get(f"/edit/event/{id}/").forms["form"].submit("action", index=0, status=303)
    assert versions() == before
    return len(sent)


def test_only_what_was_changed_is_written(client: Client, browser: Browser) -> None:
    """Also where the form cannot show everything: several costs and venues, hidden parts of the time."""
    fields = {
        "start_date": "2031-05-01 10:00:30", "cost": ["5", "10", "15"], "show_map": True, "excerpt": "Short",
        "description": '<h2>Head</h2>\n<p class="x">One <img src="https://a.example/i.png"></p>',
        "venue": [{"venue": "Hall"}, {"venue": "Yard"}], "timezone": "UTC+5:30", "sticky": True,
        "image": "https://a.example/i.png", "tags": ["2031", "a, b"],
    }  # fmt: skip
    before = event(client, factories.event(client, "author", **fields)["id"])
    send(browser.get(f"/edit/event/{before['id']}/"), "save", title="Other title")
    after = event(client, before["id"])

    same = before.keys() - {"title", "modified", "modified_utc", "slug", "url", "json_ld"}
    assert {name: after[name] for name in same} == {name: before[name] for name in same}
    assert after["title"] == "Other title"


def test_fields_that_the_form_does_not_show_stay(client: Client) -> None:
    id = factories.event(
        client, author=client.ids["contributor"], status="draft", featured=True, image="https://a.example/i.png"
    )["id"]  # fmt: skip
    browser = signed_in(client, "contributor")
    send(browser.get(f"/edit/event/{id}/"), "submit", title="Other")
    found = event(client, id)
    assert (found["title"], found["status"], found["featured"]) == ("Other", "pending", True)
    assert found["image"]["url"] == "https://a.example/i.png"


def test_venues_can_be_chosen_added_and_removed(client: Client, browser: Browser) -> None:
    cities = ("Ulm", "Rome")
    twins = [factories.venue(client, venue="Hall", city=city, description=city)["id"] for city in cities]
    id = create(browser, venue="Hall, Rome", organizer="New")
    page = browser.get(f"/edit/event/{id}/")
    assert (event(client, id)["venue"]["id"], page.forms["form"]["venue"].value) == (twins[1], "Hall, Rome")
    send(page, "save", venue="", organizer="Newer")
    changed = event(client, id)
    assert (changed["venue"], changed["organizer"][0]["organizer"]) == ([], "Newer")

    client.patch(f"/events/{id}", {"venue": twins}, as_="admin", status=200)
    send(browser.get(f"/edit/event/{id}/"), "save", venues=[str(twins[0])], venue="Third")
    assert [one["venue"] for one in event(client, id)["venue"]] == ["Hall", "Third"]


@pytest.mark.parametrize("login", ["editor", "contributor"])
def test_venue_with_another_address_is_another_one(client: Client, login: str) -> None:
    """Otherwise what was typed would be lost without a word."""
    browser, publish = signed_in(client, login), "publish" if login == "editor" else "submit"
    first = factories.venue(client, venue="Hall", city="Ulm", address="A 1", description="Big")["id"]
    found = []
    for typed in (
        {"venue": "Hall"}, {"venue": "hall", "venue_city": "ULM"}, {"venue": "Hall", "venue_address": "A 1"},
        {"venue": "Hall", "venue_address": "B 2"},
    ):  # fmt: skip
        id = create(browser, publish, organizer="Ann", organizer_email="", **typed)
        found.append(client.get(f"/events/{id}", as_=login).json["venue"])
    assert [one["id"] == first for one in found] == [True, True, True, False]
    assert (found[-1]["venue"], found[-1]["address"], found[-1].get("city")) == ("Hall", "B 2", None)

    page = browser.get(f"/edit/event/{id}/")
    send(page, "save", venue_city="Rome", organizer_email="ann@example.org")
    changed = client.get(f"/events/{id}", as_=login).json
    assert (changed["venue"]["venue"], changed["venue"]["city"]) == ("Hall", "Rome")
    assert changed["organizer"][0]["email"] == "ann@example.org"
    assert changed["organizer"][0]["organizer"] == "Ann"


@pytest.mark.parametrize("status", ["publish", "private", "draft", "future"])
def test_form_links_the_page_if_there_is_one(client: Client, browser: Browser, status: str) -> None:
    """Pages do not read the session, so that a private event has none for its author either."""
    fields = {"date": factories.day(9)} if status == "future" else {"status": status}
    id = factories.event(client, **fields)["id"]
    page = browser.get(f"/edit/event/{id}/")

    links = [link["href"] for link in page.html.find_all("a", string="Show the page")]
    assert [client.app.get(link).status_int for link in links] == [200] * (status == "publish")


# -- problems


def test_all_problems_are_shown_at_once_and_nothing_is_lost(browser: Browser) -> None:
    entered = {
        "title": " ", "start_day": "", "timezone": "Mars/Base", "website": "no address", "tags": "x" * 300,
        "image": "ftp://x", "cost": "1\u200b" * 300, "description": HOSTILE, "venue": "", "venue_city": "Ulm",
        "event_status_reason": "kept",
    }  # fmt: skip

    page = send(browser.get("/edit/event/new/"), "publish", 400, **entered)

    found = errors(page)
    assert found.keys() >= {"title", "start_day", "timezone", "website", "tags", "image", "venue"}
    assert found["title"] == "Enter a title."
    assert found["start_day"] == "Enter the day on which the event starts."
    assert found["timezone"].startswith("Time zone must be")
    assert page.html.title.text.startswith("Error: ")
    form = page.forms["form"]
    assert {name: form[name].value for name in entered} == entered
    for name in found:
        box = page.html.find(id=name)
        assert (box["aria-invalid"], f"{name}-error" in box["aria-describedby"]) == ("true", True)
    assert versions() == {}
    right = {**dict.fromkeys(("timezone", "website", "image", "tags", "cost"), ""), "venue": "Hall", **WHEN}
    assert made(send(page, "publish", title="Tea", **right))


def test_end_before_the_start_asks_for_the_last_day(client: Client, browser: Browser) -> None:
    night = {"start_time": "22:00", "end_time": "03:00"}
    page = send(browser.get("/edit/event/new/"), "publish", 400, title="Club", **{**WHEN, **night})
    expected = "The end is before the start. If it is on another day, enter that as the last day."
    assert errors(page) == {"end_day": expected}
    id = made(send(page, "publish", end_day="2031-05-02"))
    assert event(client, id)["end_date"] == "2031-05-02 03:00:00"


def test_ids_of_venues_that_are_no_ids_are_ignored(client: Client, browser: Browser) -> None:
    page = browser.get("/edit/event/new/")
    fields = {"token": browser.token(), "was": page.forms["form"]["was"].value, "title": "Tea", **WHEN}
    for id in ("9" * 19, "9" * 5000, "-1", "²"):
        made(browser.post("/edit/event/new/", {**fields, "venues": id, "organizers": id}))
    assert all(event(client, id)["venue"] == [] for id in versions())


def test_rights_on_fields_are_problems_of_the_form(client: Client) -> None:
    browser = signed_in(client, "contributor")
    page = send(browser.get("/edit/event/new/"), "draft", 403, title="Tea", tags="brand-new", **WHEN)
    assert "does not allow you to create new tags" in errors(page)["form"]
    assert page.forms["form"]["title"].value == "Tea"
    assert not {"featured", "image"} & set(page.forms["form"].fields)


@pytest.mark.both_databases
def test_two_submissions_create_one_event(browser: Browser) -> None:
    page = browser.get("/edit/event/new/")
    # The venue that the first one creates is known to the second one.
    first, second = (send(page, "publish", title="Tea", venue="Hall", **WHEN) for _ in range(2))
    third = send(page, "publish", 422, title="Other")
    assert first.location == second.location
    assert "saved before" in errors(third)["form"]
    assert len(versions()) == 1
    assert made(send(third, "publish")) != made(first)


@pytest.mark.sqlite
@pytest.mark.parametrize("fault", ["full disk", "read only", "out of reach"])
def test_failed_write_keeps_what_was_entered(
    browser: Browser, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, text = browser.get("/edit/event/new/"), "word " * 12_000
    with monkeypatch.context() as broken:
        if fault == "full disk":
            database.db.pragma("max_page_count", database.db.pragma("page_count"))
        elif fault == "read only":
            database.db.pragma("query_only", 1)
        else:  # every statement, those of the session as well
            broken.setattr(database.bound(), "run_with_retry", _unreachable)
        status = 507 if fault == "full disk" else 503
        again = send(page, "publish", status, title=HOSTILE, description=text, **WHEN)
    database.db.pragma("max_page_count", 2**30)
    database.db.pragma("query_only", 0)

    if fault == "full disk":
        full = "The disk is full: nothing was stored. Make room and send the request again."
        assert errors(again) == {"form": full}
    else:
        assert again.headers["Retry-After"] == "1"
    kept = next(form for form in again.forms.values() if "title" in form.fields)
    assert (kept["title"].value, kept["description"].value) == (HOSTILE, text)
    assert (send(again, "publish") if status == 507 else kept.submit()).status_int == 303
    assert Event.select().count() == 1


def _unreachable(*_: object) -> None:
    raise database.DatabaseUnavailable("The database is out of reach.")


def test_form_comes_back_after_the_session_has_ended(client: Client, browser: Browser) -> None:
    page = browser.get("/edit/event/new/")
    browser.app.reset()
    sign_in = send(page, "publish", 403, title=HOSTILE, description="a\n\nb", **WHEN)
    set_password("editor")
    entered = {"sign_in_login": "editor", "sign_in_password": PASSWORD}
    again = browser.submit(sign_in, "/edit/event/new/", 200, **entered)

    assert versions() == {}
    form = again.forms["form"]
    assert (form["title"].value, form["description"].value) == (HOSTILE, "a\n\nb")
    assert "not saved yet" in again.html.find(role="status").text
    assert made(send(again, "publish"))


# -- two people


@pytest.mark.both_databases
def test_changes_of_two_people_to_different_fields_are_both_kept(client: Client, browser: Browser) -> None:
    before = factories.event(client, cost="1", description='See <a href="https://a.example/">this</a>.')
    id = before["id"]
    page = browser.get(f"/edit/event/{id}/")
    assert "See [this](https://a.example/)." in page.text
    client.patch(f"/events/{id}", {"cost": "2", "tags": ["x"]}, as_="admin", status=200)
    send(page, "save", title="Mine")

    found = event(client, id)
    assert found["description"] == before["description"]
    assert (found["title"], found["cost"], len(found["tags"])) == ("Mine", "$2", 1)


def test_conflict_shows_both_versions(client: Client, browser: Browser) -> None:
    id = factories.event(client, title="Tea", cost="1", categories=["A"], status="draft")["id"]
    page = browser.get(f"/edit/event/{id}/")
    theirs = {"title": HOSTILE, "cost": "2", "description": "theirs", "venue": {"venue": "Barn"}}
    client.patch(f"/events/{id}", theirs, as_="admin", status=200)

    again = send(page, "draft", 409, title="Mine", description="mine", venue="Hall")

    assert errors(again).keys() == {"title", "description", "venue"}
    entered = [again.forms["form"][name].value for name in ("title", "description", "venue", "cost")]
    assert entered == ["Mine", "mine", "Hall", "$2"]
    shown = [box.find(class_="text").text for box in again.html.find_all(class_="stored")]
    assert shown == [unescape(event(client, id)["title"]), "Barn", "theirs"]
    assert event(client, id)["title"] != "Mine"
    send(again, "draft", description="joined")
    found = event(client, id)
    assert (found["title"], found["cost"], found["venue"]["venue"]) == ("Mine", "$2", "Hall")
    assert found["description"] == "<p>joined</p>"


def test_status_that_others_have_set_is_a_conflict(client: Client, browser: Browser) -> None:
    id = factories.event(client, status="draft")["id"]
    page = browser.get(f"/edit/event/{id}/")
    client.patch(f"/events/{id}", {"status": "private"}, as_="admin", status=200)
    again = send(page, "draft", 409, title="Mine")
    assert ("status" in errors(again), event(client, id)["status"]) == (True, "private")
    send(again, "save")
    assert (event(client, id)["title"], event(client, id)["status"]) == ("Mine", "private")


# -- preview, copy, trash


@pytest.mark.parametrize("new", [True, False])
def test_preview_stores_nothing(client: Client, browser: Browser, new: bool) -> None:
    path = "/edit/event/new/" if new else f"/edit/event/{factories.event(client, title='Before')['id']}/"
    before, entered = versions(), {"title": "Tea & cake", "venue": "Preview hall"}
    wrong = send(browser.get(path), "preview", 400, title="", start_day="")
    assert errors(wrong).keys() == {"title", "start_day"}
    shown = send(browser.get(path), "preview", 200, **entered, tags="t", **WHEN)

    assert shown.html.h1.text == "Tea & cake"
    assert "Preview hall" in shown.text
    assert (versions(), client.get("/venues").json["total"]) == (before, 0)
    form = next(form for form in shown.forms.values() if "was" in form.fields)
    back = form.submit("action", value="edit")
    assert {name: back.forms["form"][name].value for name in entered} == entered
    assert event(client, made(send(back, "publish")))["venue"]["venue"] == "Preview hall"


def test_copy_is_a_week_later(client: Client, browser: Browser) -> None:
    id = factories.event(
        client, start_date="2031-05-01 10:00", end_date="2031-05-01 11:00", cost=["1", "2", "3"], sticky=True,
        venue=[{"venue": "Hall"}, {"venue": "Yard"}], excerpt="Short", password="sesame", image="https://a.example/i",
        event_status="canceled", event_status_reason="rain", description="<h2>x</h2>", tags=["7"],
        website="https://b.example/", show_map=True, featured=True, organizer={"organizer": "Ann"},
    )["id"]  # fmt: skip
    wrong = send(browser.get(f"/edit/event/new/?copy={id}"), "draft", 400, title="")
    copy = made(send(wrong, "draft", title="Next"))
    before, after = event(client, id), event(client, copy)

    same = ("cost_details", "venue", "organizer", "excerpt", "image", "description", "website", "show_map",
            "featured", "sticky")  # fmt: skip
    assert {name: after[name] for name in same} == {name: before[name] for name in same}
    assert [tag["id"] for tag in after["tags"]] == [tag["id"] for tag in before["tags"]]
    new = {
        "start_date": "2031-05-08 10:00:00", "end_date": "2031-05-08 11:00:00", "status": "draft",
        "event_status": "scheduled", "event_status_reason": "", "slug": "",
    }  # fmt: skip
    assert {name: after[name] for name in new} == new
    assert after["uid"] != before["uid"]
    assert Event.get_by_id(copy).password == ""


@pytest.mark.parametrize("day", ["2031-05-07", "2031-05-12"])
@pytest.mark.parametrize("is_copy", [True, False])
def test_end_moves_with_the_first_day(client: Client, browser: Browser, day: str, is_copy: bool) -> None:
    id = create(browser, end_time="12:00")
    form = browser.get(f"/edit/event/new/?copy={id}" if is_copy else f"/edit/event/{id}/")
    moved = event(client, made(send(form, "draft", start_day=day)))
    assert [moved["start_date"], moved["end_date"]] == [f"{day} 10:00:00", f"{day} 12:00:00"]


def test_trash_and_undo(client: Client, browser: Browser) -> None:
    id = factories.event(client)["id"]
    page = browser.get(f"/edit/event/{id}/")
    trash = next(form for form in page.forms.values() if form.method == "post" and form.id != "form"
                 and form.action.endswith(f"/{id}/"))  # fmt: skip

    listed = trash.submit("action", value="trash").follow()
    assert event(client, id)["status"] == "trash"
    assert trash.submit("action", value="trash").status_int == 303

    fields = undo_fields(listed)
    browser.post(f"/edit/event/{id}/", fields)
    assert event(client, id)["status"] == "publish"
    client.patch(f"/events/{id}", {"status": "draft"}, as_="admin", status=200)
    browser.post(f"/edit/event/{id}/", fields)  # of a page that has been left open
    assert event(client, id)["status"] == "draft"


@pytest.mark.parametrize("home", ["", "/de"])
def test_hostile_texts_in_any_language(client: Client, home: str) -> None:
    browser = signed_in(client, "editor", home)
    id = create(browser, title=HOSTILE, description=HOSTILE, cost="0", venue=HOSTILE, tags='"a, b"')
    before = versions()
    for path in (f"/edit/event/{id}/", "/edit/", "/edit/events/", "/edit/waiting/"):
        page = browser.get(path)
        assert "<script" not in page.text
        assert "onerror=alert(1)>" not in page.text.replace("&lt;img src=x onerror=alert(1)>", "")
        assert page.html.html["lang"] == (home[1:] or "en")
    send(browser.get(f"/edit/event/{id}/"), "save")
    assert versions() == before


def test_changes_are_in_the_audit_log(browser: Browser, capfd: pytest.CaptureFixture[str]) -> None:
    id = create(browser)
    send(browser.get(f"/edit/event/{id}/"), "save", title="Other")
    changes = [{"audit": f"event_{done}", "record": id, "user": "editor"} for done in ("created", "changed")]
    assert audited(capfd) == changes
