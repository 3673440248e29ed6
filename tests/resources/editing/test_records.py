"""Lists and forms of venues, organizers, categories and tags."""

from typing import Any

import pytest
from webtest import TestResponse

from calendar_api.database.models import Organizer, Term, Venue
from tests import factories
from tests.client import Client
from tests.editing import Browser, audited, signed_in
from tests.resources.records import ids, listed

Json = dict[str, Any]
HOSTILE = "<script>alert(1)</script>\"'&amp;"
MODELS: Json = {"venues": Venue, "organizers": Organizer, "categories": Term, "tags": Term}
NOUNS = {"venues": "venue", "organizers": "organizer", "categories": "category", "tags": "tag"}
NAMES = {"venues": "venue", "organizers": "organizer", "categories": "name", "tags": "name"}
#: What links an event to records of each kind.
FIELDS = NOUNS | {"categories": "categories", "tags": "tags"}
PLURALS = pytest.mark.parametrize("plural", list(NOUNS))
MAKE: Json = {plural: getattr(factories, noun) for plural, noun in NOUNS.items()}
both = pytest.mark.both_databases


@pytest.fixture
def browser(client: Client) -> Browser:
    return signed_in(client, "editor")


def counts(page: TestResponse) -> list[str]:
    """The numbers of events in a list; each cell says the name of its column, for narrow screens."""
    rows = [row.find_all("td") for row in page.html.select(".records tbody tr")]
    assert all([cell["data-label"] for cell in row] == ["Name", "Details", "Events"] for row in rows)
    return sorted(row[2].text for row in rows)


@both
@PLURALS
def test_list_shows_names_and_numbers_of_events(client: Client, browser: Browser, plural: str) -> None:
    used = MAKE[plural](client, **{NAMES[plural]: f"Used {HOSTILE}"})
    MAKE[plural](client, **{NAMES[plural]: "Unused"})
    for _ in range(2):
        factories.event(client, **{FIELDS[plural]: [used["id"]]})
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
    name, text = NAMES[plural], "First\n\nSee https://example.org"
    page = browser.get(f"/edit/{plural}/").click("New ", index=0)
    shown = browser.submit(page, "/new/", **{name: f" Hall {HOSTILE} ", "description": text}).follow()
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
    lines = {
        "venue": "Hall", "address": "Market 1", "zip": "89073", "city": "Ulm", "country": "Germany",
        "phone": "1", "website": "https://example.org",
    }  # fmt: skip
    others = {"geo_lat": "48.4", "geo_lng": "9.99", "image": "https://example.org/a.png", "show_map": None}
    page = browser.submit(browser.get("/edit/venues/new/"), "/new/", **lines, **others).follow()
    (found,) = listed(client, "/venues")

    assert {name: found[name] for name in lines} == lines
    assert (found["geo_lat"], found["image"]["url"]) == (48.4, others["image"])
    assert (found["show_map"], found["show_map_link"]) == (False, True)
    browser.submit(page, f"/{found['id']}/", geo_lat="", geo_lng="", image="", city="", website="")
    assert not {"geo_lat", "city", "website"} & listed(client, "/venues")[0].keys()


@PLURALS
def test_saving_nothing_changes_nothing(client: Client, browser: Browser, plural: str) -> None:
    html = "<h2>Title</h2><ul><li>one</li></ul>"
    made = MAKE[plural](client, description=html)
    page = browser.get(f"/edit/{plural}/{made['id']}/")
    assert "This description is HTML" in page
    browser.submit(page, f"/{made['id']}/")
    after = MODELS[plural].get_by_id(made["id"])
    assert (after.description, after.slug) == (html, made["slug"])


@PLURALS
def test_problems_keep_what_was_entered(browser: Browser, plural: str) -> None:
    name, page = NAMES[plural], browser.get(f"/edit/{plural}/new/")
    wrong = browser.submit(page, "/new/", status=400, **{name: "", "description": "Long text"})
    for shown in ('role="alert"', "<title>Error: ", f'href="#{name}"', 'aria-invalid="true"', "Long text<"):
        assert shown in wrong
    assert not MODELS[plural].select().exists()
    answers = [browser.submit(wrong, "/new/", **{name: "Hall"}).location for _ in range(2)]
    assert answers[0] == answers[1]
    assert MODELS[plural].select().count() == 1


def test_taken_name_is_a_problem_of_a_category_and_none_of_a_venue(client: Client, browser: Browser) -> None:
    factories.category(client, name="Music")
    page = browser.submit(browser.get("/edit/categories/new/"), "/new/", status=400, name="Music", slug="x")
    assert ('href="#name"' in page, 'value="x"' in page) == (True, True)
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


def trash_form(page: TestResponse) -> Any:
    """The form that moves a record to the trash, deletes it, or takes it out of the trash."""
    return next(form for form in page.forms.values() if "action" in form.fields)


@pytest.mark.parametrize("status", ["publish", "draft"])
def test_trash_and_undo(client: Client, browser: Browser, status: str) -> None:
    made = factories.venue(client, status=status)
    trashed = trash_form(browser.get(f"/edit/venues/{made['id']}/")).submit().follow()
    assert Venue.get().status == "trash"
    assert ("The record is in the trash" in trashed, made["venue"] in trashed) == (True, False)
    assert made["venue"] in browser.get("/edit/venues/?status=trash")
    assert "The record is back" in trash_form(trashed).submit().follow()
    assert Venue.get().status == status


@pytest.mark.parametrize("login", ["editor", "author", "contributor"])
def test_record_is_taken_out_of_the_trash(client: Client, login: str) -> None:
    venue = factories.venue(client, login, status="draft")
    client.delete(f"/venues/{venue['id']}", as_=login, status=200)
    page = signed_in(client, login).get("/edit/venues/?status=trash").click(venue["venue"])
    assert "Merge into another one" not in page
    assert "The record is back." in trash_form(page).submit("action").follow()
    assert client.get(f"/venues/{venue['id']}", as_=login).json["status"] == "draft"


def test_terms_are_deleted(client: Client, browser: Browser) -> None:
    page = browser.get(f"/edit/tags/{factories.tag(client)['id']}/")
    assert "The record was deleted" in trash_form(page).submit().follow()
    assert not Term.select().exists()


@both
@PLURALS
def test_merge_asks_first(client: Client, browser: Browser, plural: str) -> None:
    field = FIELDS[plural]
    old = MAKE[plural](client, **{NAMES[plural]: "Hal"})
    new = MAKE[plural](client, **{NAMES[plural]: f"Hall {HOSTILE}"})
    event = factories.event(client, **{field: [old["id"]]})
    page = browser.get(f"/edit/{plural}/{old['id']}/").click("Merge into another one")
    assert "<script>alert" not in page
    preview = browser.submit(page, "/merge/", status=200, into=page.html.find("option")["value"])
    assert "Events that move to it: 1" in preview
    assert MODELS[plural].get_or_none(id=old["id"]) is not None
    merged = browser.submit(preview, "/merge/").follow()

    assert "The two records are one now" in merged
    assert browser.submit(preview, "/merge/").follow().text == merged.text  # a button that was pressed twice
    assert ids(client.get(f"/events/{event['id']}").json[field]) == [new["id"]]


@both
@pytest.mark.parametrize("plural", ["venues", "organizers", "categories"])
def test_merge_counts_no_events_that_its_user_may_not_read(client: Client, plural: str) -> None:
    old, new = (MAKE[plural](client, "author" if plural != "categories" else "admin") for _ in range(2))
    for fields in ({"status": "draft"}, {"status": "private"}, {"password": "secret"}, {}):
        factories.event(client, **{FIELDS[plural]: [old["id"]]}, **fields)
    for login, number in (("author", 1), ("editor", 4)):
        browser = signed_in(client, login)
        page = browser.get(f"/edit/{plural}/{old['id']}/merge/")
        asked = browser.submit(page, "/merge/", status=200, into=str(new["id"]))
        assert f"Events that move to it: {number}<" in asked.text


@pytest.mark.parametrize("into", ["", "no such", "#999", "Hal", "(#{own})", "(#{draft})"])
def test_merge_explains_what_is_impossible(client: Client, browser: Browser, into: str) -> None:
    old, _ = (factories.venue(client, venue=name) for name in ("Halle", "Hall"))
    draft = factories.venue(client, status="draft")
    page = browser.get(f"/edit/venues/{old['id']}/merge/")
    typed = into.format(own=old["id"], draft=draft["id"])
    wrong = browser.submit(page, "/merge/", status=400, into=typed)
    assert 'href="#into"' in wrong
    assert f'value="{typed}"' in wrong


@pytest.mark.parametrize("plural", ["venues", "organizers"])
def test_records_of_others_are_not_for_authors(client: Client, plural: str) -> None:
    browser = signed_in(client, "author")
    hidden, others = MAKE[plural](client, status="draft"), MAKE[plural](client)
    mine = MAKE[plural](client, "author")
    page = browser.get(f"/edit/{plural}/")

    assert hidden[NOUNS[plural]] not in page
    assert (f"/{others['id']}/" in page, f"/{mine['id']}/" in page) == (False, True)
    for id, status in ((hidden["id"], 404), (others["id"], 403), (mine["id"], 200), (99, 404)):
        browser.get(f"/edit/{plural}/{id}/", status=status)
        browser.get(f"/edit/{plural}/{id}/merge/", status=status)
    token = browser.token()
    sent = {"token": token, "into": str(others["id"]), "confirmed": "1"}
    browser.post(f"/edit/{plural}/{mine['id']}/merge/", sent, status=403)
    browser.post(f"/edit/{plural}/{others['id']}/", {"token": token, "action": "trash"}, status=403)
    assert {row.status for row in MODELS[plural].select()} == {"draft", "publish"}


def test_changes_are_logged(client: Client, browser: Browser, capfd: pytest.CaptureFixture[str]) -> None:
    old, new = (factories.venue(client)["id"] for _ in range(2))
    sent = {"token": browser.token(), "into": str(new), "confirmed": "1"}
    browser.post(f"/edit/venues/{old}/merge/", sent)
    assert audited(capfd) == [{"audit": "venue_merged", "user": "editor", "record": old, "into": new}]


def test_problems_have_the_names_of_the_form(client: Client) -> None:
    browser = signed_in(client, "editor", "/de")
    form = browser.get("/edit/venues/new/").forms["form"]
    form["venue"], form["geo_lng"], form["image"] = "Hall", "x", "y"
    texts = [one.text for one in form.submit(status=400).html.find_all(class_="error")]
    assert {text.split()[0] for text in texts} == {"Längengrad", "Bildadresse"}
