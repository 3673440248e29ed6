"""Lists and forms of venues, organizers, categories and tags."""

import json
from typing import Any

import pytest
from webtest import TestResponse

from calendar_api.database.models import Organizer, Term, Venue
from tests import factories
from tests.client import Client
from tests.editing import Browser, signed_in

Json = dict[str, Any]
HOSTILE = "<script>alert(1)</script>\"'&amp;"
MODELS: Json = {"venues": Venue, "organizers": Organizer, "categories": Term, "tags": Term}
NOUNS = {"venues": "venue", "organizers": "organizer", "categories": "category", "tags": "tag"}
NAMES = {"venues": "venue", "organizers": "organizer", "categories": "name", "tags": "name"}
PLURALS = pytest.mark.parametrize("plural", list(NOUNS))
MAKE: Json = {plural: getattr(factories, noun) for plural, noun in NOUNS.items()}
both = pytest.mark.both_databases


@pytest.fixture
def browser(client: Client) -> Browser:
    return signed_in(client, "editor")


def counts(page: TestResponse) -> list[str]:
    """The numbers of events in a list; each cell says the name of its column, for narrow screens."""
    rows = page.html.find(class_="records").find("tbody").find_all("tr")
    assert all(
        [cell["data-label"] for cell in row] == ["Name", "Details", "Events"] for row in map(cells, rows)
    )
    return sorted(cells(row)[2].text for row in rows)


def cells(row: Any) -> list[Any]:
    return list(row.find_all("td"))


@both
@PLURALS
def test_list_shows_names_and_numbers_of_events(client: Client, browser: Browser, plural: str) -> None:
    field = {"categories": "categories", "tags": "tags"}.get(plural, NOUNS[plural])
    used = MAKE[plural](client, **{NAMES[plural]: f"Used {HOSTILE}"})
    MAKE[plural](client, **{NAMES[plural]: "Unused"})
    for _ in range(2):
        factories.event(client, **{field: [used["id"]]})
    page = browser.get(f"/edit/{plural}/")

    assert counts(page) == ["0", "2"]
    assert "<script>alert" not in page
    found = browser.get(f"/edit/{plural}/?search=unused")
    assert ("Unused" in found, counts(found)) == (True, ["0"])
    assert "Nothing found" in browser.get(f"/edit/{plural}/?search=nosuch")
    browser.get(f"/edit/{plural}/?page=9", status=200)
    browser.get(f"/edit/{plural}/?page=none", status=400)


def test_list_has_pages(client: Client, browser: Browser) -> None:
    for number in range(51):
        factories.tag(client, name=f"Tag {number:03}")
    first = browser.get("/edit/tags/?search=tag")
    second = first.click("Next page", index=0)

    assert [len(counts(page)) for page in (first, second, second.click("Previous page"))] == [50, 1, 50]


@PLURALS
def test_form_creates_and_changes(client: Client, browser: Browser, plural: str) -> None:
    name = NAMES[plural]
    page = browser.get(f"/edit/{plural}/").click("New ", index=0)
    text = "First\n\nSee https://example.org"
    made = browser.submit(page, "/new/", **{name: f" Hall {HOSTILE} ", "description": text})
    shown = made.follow()
    assert 'role="status"' in shown
    assert "The record was created" in shown
    row = MODELS[plural].get()
    form = next(form for form in shown.forms.values() if "was" in form.fields)
    assert (form[name].value, form["description"].value) == (getattr(row, name), text)
    assert '<a href="https://example.org"' in row.description

    changed = browser.submit(shown, f"/{row.id}/", **{name: "Cellar"}).follow()
    assert "Your changes are saved" in changed
    after = MODELS[plural].get()
    assert (getattr(after, name), after.description) == ("Cellar", row.description)


def test_venue_form_has_all_fields(client: Client, browser: Browser) -> None:
    given = {
        "venue": "Hall", "address": "Market 1", "zip": "89073", "city": "Ulm", "country": "Germany",
        "geo_lat": "48.4", "geo_lng": "9.99", "phone": "1", "website": "https://example.org",
        "image": "https://example.org/a.png", "show_map": None,
    }  # fmt: skip
    page = browser.submit(browser.get("/edit/venues/new/"), "/new/", **given).follow()
    found = client.get("/venues").json["venues"][0]

    assert {
        name: found[name] for name in given if name not in ("image", "show_map", "geo_lat", "geo_lng")
    } == {
        name: value
        for name, value in given.items()
        if name not in ("image", "show_map", "geo_lat", "geo_lng")
    }
    assert (found["geo_lat"], found["image"]["url"]) == (48.4, given["image"])
    assert (found["show_map"], found["show_map_link"]) == (False, True)
    cleared = browser.submit(page, f"/{found['id']}/", geo_lat="", geo_lng="", image="", city="", website="")
    assert cleared.status_int == 303
    found = client.get("/venues").json["venues"][0]
    assert not {"geo_lat", "city", "website"} & found.keys()


@PLURALS
def test_saving_nothing_changes_nothing(client: Client, browser: Browser, plural: str) -> None:
    html = "<h2>Title</h2><ul><li>one</li></ul>"
    made = MAKE[plural](client, description=html)
    path = f"/edit/{plural}/{made['id']}/"
    before = MODELS[plural].get_by_id(made["id"])
    page = browser.get(path)
    assert "This description is HTML" in page
    browser.submit(page, f"/{made['id']}/")
    after = MODELS[plural].get_by_id(made["id"])

    assert after.description == before.description == html
    assert after.slug == before.slug


@PLURALS
def test_problems_keep_what_was_entered(client: Client, browser: Browser, plural: str) -> None:
    page = browser.get(f"/edit/{plural}/new/")
    wrong = browser.submit(page, "/new/", status=400, **{NAMES[plural]: "", "description": "Long text"})

    assert 'role="alert"' in wrong
    assert "<title>Error: " in wrong
    assert f'href="#{NAMES[plural]}"' in wrong
    assert 'aria-invalid="true"' in wrong
    assert "Long text</textarea>" in wrong
    assert not MODELS[plural].select().exists()
    right = browser.submit(wrong, "/new/", **{NAMES[plural]: "Hall"})
    assert right.status_int == 303


def test_taken_name_of_a_category_is_a_problem_of_the_form(client: Client, browser: Browser) -> None:
    factories.category(client, name="Music")
    page = browser.submit(browser.get("/edit/categories/new/"), "/new/", status=400, name="Music", slug="x")

    assert 'href="#name"' in page
    assert 'value="x"' in page


@PLURALS
def test_double_submit_creates_one_record(client: Client, browser: Browser, plural: str) -> None:
    page = browser.get(f"/edit/{plural}/new/")
    answers = [browser.submit(page, "/new/", **{NAMES[plural]: "Hall"}).location for _ in range(2)]

    assert answers[0] == answers[1]
    assert MODELS[plural].select().count() == 1


def test_new_venue_of_a_known_name_is_another_one(client: Client, browser: Browser) -> None:
    factories.venue(client, venue="Hall", city="Ulm")
    browser.submit(browser.get("/edit/venues/new/"), "/new/", venue="Hall", city="Bonn")

    assert sorted(venue.city for venue in Venue.select()) == ["Bonn", "Ulm"]


@PLURALS
def test_conflict_shows_both_versions(client: Client, browser: Browser, plural: str) -> None:
    name, made = NAMES[plural], MAKE[plural](client, description="<p>Old</p>")
    page = browser.get(f"/edit/{plural}/{made['id']}/")
    client.patch(f"/{plural}/{made['id']}", {name: f"Theirs {HOSTILE}"}, as_="admin", status=200)
    conflict = browser.submit(page, f"/{made['id']}/", status=409, **{name: "Mine", "description": "New"})

    assert 'value="Mine"' in conflict
    assert ">Theirs" in conflict.text.split("Stored meanwhile:")[1]
    assert "<script>alert" not in conflict
    assert getattr(MODELS[plural].get(), name).startswith("Theirs")
    browser.submit(conflict, f"/{made['id']}/")
    row = MODELS[plural].get()
    assert (getattr(row, name), row.description) == ("Mine", "<p>New</p>")


@pytest.mark.parametrize("status", ["publish", "draft"])
def test_trash_and_undo(client: Client, browser: Browser, status: str) -> None:
    made = factories.venue(client, status=status)
    page = browser.get(f"/edit/venues/{made['id']}/")
    trash = next(form for form in page.forms.values() if "action" in form.fields)
    trashed = trash.submit().follow()
    assert Venue.get().status == "trash"
    assert "The record is in the trash" in trashed
    assert made["venue"] not in trashed
    assert made["venue"] in browser.get("/edit/venues/?status=trash")
    restored = next(form for form in trashed.forms.values() if "action" in form.fields).submit().follow()
    assert "The record is back" in restored
    assert Venue.get().status == status


def test_terms_are_deleted(client: Client, browser: Browser) -> None:
    made = factories.tag(client)
    page = browser.get(f"/edit/tags/{made['id']}/")
    gone = next(form for form in page.forms.values() if "action" in form.fields).submit().follow()

    assert "The record was deleted" in gone
    assert not Term.select().exists()


@both
@PLURALS
def test_merge_asks_first(client: Client, browser: Browser, plural: str) -> None:
    field = {"categories": "categories", "tags": "tags"}.get(plural, NOUNS[plural])
    old = MAKE[plural](client, **{NAMES[plural]: "Hal"})
    new = MAKE[plural](client, **{NAMES[plural]: f"Hall {HOSTILE}"})
    event = factories.event(client, **{field: [old["id"]]})
    page = browser.get(f"/edit/{plural}/{old['id']}/").click("Merge into another one")
    assert "<script>alert" not in page
    label = next(value for value in page.html.find_all("option"))["value"]
    preview = browser.submit(page, "/merge/", status=200, into=label)
    assert "Events that move to it: 1" in preview
    assert MODELS[plural].get_or_none(id=old["id"]) is not None
    merged = browser.submit(preview, "/merge/").follow()

    assert "The two records are one now" in merged
    shown = client.get(f"/events/{event['id']}").json[field]
    assert (shown if isinstance(shown, dict) else shown[0])["id"] == new["id"]


@pytest.mark.parametrize("into", ["", "no such", "#999", "Hal", "(#{own})", "(#{draft})"])
def test_merge_explains_what_is_impossible(client: Client, browser: Browser, into: str) -> None:
    old, _ = (factories.venue(client, venue=name) for name in ("Halle", "Hall"))
    draft = factories.venue(client, status="draft")
    page = browser.get(f"/edit/venues/{old['id']}/merge/")
    typed = into.format(own=old["id"], draft=draft["id"])
    wrong = browser.submit(page, "/merge/", status=400, into=typed)

    assert 'href="#into"' in wrong
    assert f'value="{typed}"' in wrong


@pytest.mark.parametrize(
    ("login", "allowed"),
    [("admin", 4), ("editor", 4), ("author", 3), ("contributor", 2), ("subscriber", 0)],
)
def test_roles(client: Client, login: str, allowed: int) -> None:
    browser = signed_in(client, login)
    for number, plural in enumerate(NOUNS):
        status = 200 if number < allowed else 403
        browser.get(f"/edit/{plural}/", status=status)
        browser.get(f"/edit/{plural}/new/", status=status)
        sent = {"token": browser.token(), NAMES[plural]: "Hall"}
        browser.post(f"/edit/{plural}/new/", sent, status=303 if status == 200 else 403)


@pytest.mark.parametrize("plural", ["venues", "organizers"])
def test_records_of_others_are_not_for_authors(client: Client, plural: str) -> None:
    browser = signed_in(client, "author")
    hidden = MAKE[plural](client, status="draft")
    others = MAKE[plural](client)
    mine = MAKE[plural](client, "author")
    page = browser.get(f"/edit/{plural}/")

    assert hidden[NOUNS[plural]] not in page
    assert (f"/{others['id']}/" in page, f"/{mine['id']}/" in page) == (False, True)
    for id, status in ((hidden["id"], 404), (others["id"], 403), (mine["id"], 200), (99, 404)):
        browser.get(f"/edit/{plural}/{id}/", status=status)
        browser.get(f"/edit/{plural}/{id}/merge/", status=status)
    form = browser.get(f"/edit/{plural}/{mine['id']}/").forms
    token = next(iter(form.values()))["token"].value
    sent = {"token": token, "into": str(others["id"]), "confirmed": "1"}
    browser.post(f"/edit/{plural}/{mine['id']}/merge/", sent, status=403)
    browser.post(f"/edit/{plural}/{others['id']}/", {"token": token, "action": "trash"}, status=403)
    assert {row.status for row in MODELS[plural].select()} == {"draft", "publish"}


@PLURALS
def test_forms_need_the_token(client: Client, browser: Browser, plural: str) -> None:
    made = MAKE[plural](client)
    for path in (
        f"/edit/{plural}/new/",
        f"/edit/{plural}/{made['id']}/",
        f"/edit/{plural}/{made['id']}/merge/",
    ):
        answer = browser.post(path, {NAMES[plural]: "Stolen", "action": "trash"}, status=403)
        assert "sign-in-password" in answer
    assert getattr(MODELS[plural].get(), NAMES[plural]) == made[NAMES[plural]]


def test_changes_are_logged(client: Client, browser: Browser, capfd: pytest.CaptureFixture[str]) -> None:
    old, new = (factories.venue(client) for _ in range(2))
    token = browser.token()
    sent = {"token": token, "into": str(new["id"]), "confirmed": "1"}
    browser.post(f"/edit/venues/{old['id']}/merge/", sent)
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    (line,) = [line for line in lines if "audit" in line]

    assert (line["audit"], line["user"], line["record"], line["into"]) == (
        "venue_merged", "editor", old["id"], new["id"],
    )  # fmt: skip


@pytest.mark.parametrize("language", ["de", "es", "fr", "it", "nl"])
def test_pages_have_no_english_left(client: Client, language: str) -> None:
    made = factories.category(client)
    browser = signed_in(client, "editor", f"/{language}")
    english = signed_in(client, "editor")
    for path in ("/edit/venues/", "/edit/venues/new/", f"/edit/categories/{made['id']}/merge/"):
        assert browser.get(path).html.main.get_text() != english.get(path).html.main.get_text()
