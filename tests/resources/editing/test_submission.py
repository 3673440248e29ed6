"""Events from visitors (docs/editing.md#submissions)."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import time_machine
from webtest import TestResponse

from calendar_api import database
from calendar_api.app import create_app
from calendar_api.config import Config
from calendar_api.database.models import Event, Organizer, User, Venue
from calendar_api.database.tables import Submission
from calendar_api.store import login_attempts, submissions
from tests import factories
from tests.client import Client
from tests.editing import Browser, signed_in

Json = dict[str, Any]
Submit = Callable[..., str]
HOSTILE = "<script>alert(1)</script>\"'&amp;"
both = pytest.mark.both_databases


pytestmark = pytest.mark.settings(submissions="on")
Clock = time_machine.Traveller


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel("2026-06-15T12:00:00Z", tick=False) as clock:
        yield clock


@pytest.fixture
def visitor(client: Client, clock: Clock) -> Browser:
    return Browser(client.app.app)


def fields(**more: Any) -> Json:
    return {
        "title": "Choir", "start_day": "2026-07-01", "start_time": "19:00", "end_time": "21:00",
        "contributor_name": "Ann", "contributor_email": "ann@example.org", **more,
    }  # fmt: skip


@pytest.fixture
def form(visitor: Browser, clock: Clock) -> TestResponse:
    """A form that has been open long enough."""
    return opened(visitor, clock)


def opened(visitor: Browser, clock: Clock) -> TestResponse:
    page: TestResponse = visitor.get("/submit/")
    clock.shift(10)
    return page


@pytest.fixture
def submit(visitor: Browser, clock: Clock) -> Callable[..., str]:
    """Submit an event; return the path of the secret link."""
    return lambda **more: link(visitor.submit(opened(visitor, clock), "/submit/", **fields(**more)).follow())


def link(page: Any) -> str:
    (found,) = re.findall(r'class="secret" href="http://localhost(/submit/[0-9a-f]{64}/)"', page.text)
    return str(found)


def counted_before(rule: login_attempts.Rule, address: str) -> None:
    """Leave one submission to what a rule allows."""
    with database.write():
        for _ in range(rule.failures - 1):
            login_attempts.record(rule, {login_attempts.key(rule, "", address): ""}, "2026-06-15 12:00:00")


@both
def test_submitted_event_waits_and_nobody_sees_it(client: Client, visitor: Browser, submit: Submit) -> None:
    paths = ["/events", "/venues", "/organizers", "/categories", "/tags", "/events?status=publish"]
    pages = ["/events/", "/events.ics", "/sitemap.xml", "/events/month/2026-07/", "/feed/", "/venues.csv"]
    category = factories.category(client)

    def seen() -> list[object]:
        shown = [re.sub("T[0-9:.]+", "", visitor.app.get(path, expect_errors=True).text) for path in pages]
        every = {"hide_empty": "false"}
        return shown + [client.get(path, every if path[1] in "ct" else None).json for path in paths]

    before = seen()
    submit(
        venue="New hall", venue_city="Ulm", organizer="New club", description="A secret text", cost="5",
        website="https://example.org", categories=[str(category["id"])],
    )  # fmt: skip
    assert seen() == before
    event, venue, organizer = Event.get(), Venue.get(), Organizer.get()
    assert [one.status for one in (event, venue, organizer)] == ["pending"] * 3
    assert (event.title, event.start_date[11:], event.end_date[11:]) == ("Choir", "19:00:00", "21:00:00")
    assert (venue.venue, venue.city, organizer.organizer) == ("New hall", "Ulm", "New club")
    owner = User.get_by_id(event.author_id)
    assert (owner.login, owner.role, owner.password) == ("submissions", "contributor", None)
    for login in ("contributor", "author", "subscriber"):
        assert client.get(f"/events/{event.id}", as_=login).status_int == 404
        assert client.get(f"/venues/{venue.id}", as_=login).status_int == 404


@both
@pytest.mark.parametrize("by", ["api", "moderation"])
def test_venue_and_organizer_are_published_with_the_event(client: Client, submit: Submit, by: str) -> None:
    submit(venue="New hall", organizer="New club")
    id = Event.get().id
    if by == "api":
        client.patch(f"/events/{id}", {"status": "publish"}, as_="editor", status=200)
    else:
        waiting = signed_in(client, "editor").get("/edit/waiting/")
        assert "ann@example.org" in waiting
        published = decision(waiting).submit("action", value="publish", status=303).follow()
        assert "The event is published" in published

    shown = client.get(f"/events/{id}").json
    assert (shown["venue"]["venue"], shown["organizer"][0]["organizer"]) == ("New hall", "New club")
    assert "ann@example.org" not in client.get(f"/events/{id}", as_="editor").text
    client.patch(f"/events/{id}", {"status": "pending"}, as_="editor", status=200)
    assert (Venue.get().status, Organizer.get().status) == ("pending", "pending")


def decision(waiting: TestResponse) -> Any:
    """The form of the event that waits."""
    return next(one for one in waiting.forms.values() if "seen" in one.fields)


@both
def test_public_venue_of_the_name_is_linked(client: Client, submit: Submit) -> None:
    ulm = factories.venue(client, venue="Hall", city="Ulm", date="2026-01-01")
    factories.venue(client, venue="Draft hall", status="draft")
    for given in ({"venue": "hall"}, {"venue": "HALL", "venue_city": "ulm"}, {"venue": "Hall"}):
        submit(**given)
    assert Venue.select().count() == 2
    for given in ({"venue": "Hall", "venue_city": "Bonn"}, {"venue": "Draft hall"}, {"venue": "Draft hall"}):
        submit(**given)
    assert Venue.select().where(Venue.status == "pending").count() == 3
    assert client.get(f"/venues/{ulm['id']}").json["venue"] == "Hall"
    submit(venue="Hall", venue_address="Main St 7")
    assert "Main St 7" in signed_in(client, "editor").get("/edit/waiting/")
    assert (Venue.select().order_by(Venue.id.desc()).get().address, Venue.get().address) == ("Main St 7", "")


@both
def test_link_changes_the_event_until_it_is_decided(client: Client, visitor: Browser, submit: Submit) -> None:
    path = submit(venue="New hall", venue_city="Ulm", description="Old")
    form = visitor.get(path)
    assert 'value="ann@example.org"' in form
    assert "New hall" in form
    saved = visitor.submit(form, path, title="Band", venue="Other hall", contributor_name="Eve").follow()
    assert "Your changes are saved" in saved
    event = Event.get()
    assert (event.title, event.status, Submission.get().name) == ("Band", "pending", "Eve")
    assert [(one.venue, one.status) for one in Venue.select()] == [("Other hall", "pending")]
    visitor.submit(saved, path, venue="").follow()
    assert Venue.get().status == "trash"

    for status, text in (("publish", "published"), ("private", "accepted"), ("trash", "declined")):
        client.patch(f"/events/{event.id}", {"status": status}, as_="editor", status=200)
        late = visitor.submit(form, path, status=200, title="Late")
        assert (f"was {text}" in visitor.get(path), f"was {text}" in late) == (True, True)
        assert Event.get().title == "Band"
    client.patch(f"/events/{event.id}", {"status": "pending"}, as_="editor", status=200)
    assert "Band" in visitor.get(path)


def test_returned_event_is_corrected_and_sent_again(client: Client, visitor: Browser, submit: Submit) -> None:
    path = submit(venue="New hall")
    form = decision(signed_in(client, "editor").get("/edit/waiting/"))
    form["text"] = f"Which room? {HOSTILE}"
    form.submit("action", value="return", status=303)
    page = visitor.get(path)

    assert ("Which room?" in page, "<script>alert" in page) == (True, False)
    assert Event.get().status == "draft"
    saved = visitor.submit(page, path, title="Choir in room 1").follow()
    assert ("waits for review" in saved, "Which room?" in saved) == (True, False)
    assert (Event.get().title, Event.get().status) == ("Choir in room 1", "pending")
    assert [(one.venue, one.status) for one in Venue.select()] == [("New hall", "pending")]
    assert "Choir in room 1" in signed_in(client, "editor").get("/edit/waiting/")


@both
def test_correction_of_name_and_address_alone_is_kept(visitor: Browser, form: TestResponse) -> None:
    links = []
    for email in ("ann@exmaple.org", "ann@example.photography"):
        sent = fields(contributor_name="An\u202en", contributor_email=email)
        links.append(visitor.submit(form, "/submit/", **sent).location)
    wrong = visitor.submit(form, "/submit/", status=400, **fields(contributor_email="ann@"))
    marks = visitor.submit(form, "/submit/", status=400, **fields(contributor_name="a" + "\u0301" * 40))

    assert links[0] == links[1]
    assert 'href="#contributor_email"' in wrong
    assert "Send at most 30 combining marks in a row." in marks
    assert (Event.select().count(), Submission.get().email) == (1, "ann@example.photography")
    assert Submission.get().name == "Ann"  # without the character that would reverse the address beside it


def test_unknown_links(visitor: Browser) -> None:
    for token in ("0" * 64, "x", "%00", "a" * 5000):
        visitor.get(f"/submit/{token}/", status=404)
        visitor.post(f"/submit/{token}/", fields(), status=404)
    assert "secret" not in visitor.get("/submit/?done=javascript:alert(1)")


@both
def test_double_submit_creates_one_event(visitor: Browser, form: TestResponse, clock: Clock) -> None:
    links = [visitor.submit(form, "/submit/", **fields()).location for _ in range(2)]
    other = visitor.submit(form, "/submit/", status=422, **fields(title="Other"))
    assert links[0] == links[1]
    assert "You have sent this form before" in other
    assert 'value="Other"' in other
    clock.shift(10)
    visitor.submit(other, "/submit/")
    assert sorted(event.title for event in Event.select()) == ["Choir", "Other"]


def test_problems_are_shown_at_once_and_keep_what_was_entered(visitor: Browser, form: TestResponse) -> None:
    again, right = form, {"description": "Long text", "venue": "Hall", "website": "", "end_day": ""}
    for wrong in (
        dict.fromkeys(("title", "start_day", "contributor_name", "contributor_email"), ""),
        {"end_day": "2026-06-01"}, {"title": "x" * 300},
        {"contributor_name": " ", "contributor_email": "ann", "website": "javascript:alert(1)"},
        {"contributor_name": "\u200b", "contributor_email": "ann@example..org"},
    ):  # fmt: skip
        again = visitor.submit(again, "/submit/", status=400, **fields() | right | wrong)
        shown = ["<title>Error: ", "Long text</textarea>", 'value="Hall"']
        assert [one for one in (*shown, *(f'href="#{name}"' for name in wrong)) if one not in again] == []
        assert (Event.select().count(), Venue.select().count()) == (0, 0)
    visitor.submit(again, "/submit/", **fields())
    assert Event.get().description == "<p>Long text</p>"


def test_programs_are_answered_as_if_accepted(visitor: Browser, form: TestResponse) -> None:
    told = link(visitor.submit(form, "/submit/", **fields(subject="Buy")).follow())
    assert not Event.select().exists()
    visitor.get(told, status=404)


@pytest.mark.parametrize(
    ("seconds", "change", "text"),
    [
        (2, "", "Take a moment"), (86_401, "", "open for a long time"), (10, "x", "open for a long time"),
        (10, "9", "open for a long time"),
    ],
)  # fmt: skip
def test_stamp_of_a_form(visitor: Browser, clock: Clock, seconds: int, change: str, text: str) -> None:
    form = visitor.get("/submit/")
    clock.shift(seconds)
    key = change + form.forms["form"]["key"].value
    again = visitor.submit(form, "/submit/", status=400, **fields(key=key))
    assert (text in again, 'value="Choir"' in again, Event.select().exists()) == (True, True, False)
    clock.shift(10)
    visitor.submit(again, "/submit/")
    assert Event.select().count() == 1


def test_stamps_survive_other_processes(form: TestResponse, config: Config) -> None:
    sent = {name: form.forms["form"][name].value for name in ("was", "key")} | fields()
    Browser(create_app(config)).post("/submit/", sent)
    assert Event.select().count() == 1


@both
def test_limit_of_a_network(visitor: Browser, clock: Clock, submit: Submit, capfd: Any) -> None:
    visitor.app.extra_environ["REMOTE_ADDR"] = "127.0.0.1"
    counted_before(submissions._NETWORK, "127.0.0.1")
    submit()
    refused = visitor.submit(opened(visitor, clock), "/submit/", status=429, **fields(title="One more"))
    assert "Too many events" in refused
    assert 'value="One more"' in refused
    assert int(refused.headers["Retry-After"]) > 3000
    assert '"audit":"throttled"' in capfd.readouterr().err
    visitor.app.extra_environ["REMOTE_ADDR"] = "192.0.2.9"
    visitor.submit(refused, "/submit/")
    assert Event.select().count() == 2
    clock.shift(3601)
    visitor.app.extra_environ["REMOTE_ADDR"] = "127.0.0.1"
    submit()


def test_limit_of_all_networks(visitor: Browser, clock: Clock, submit: Submit) -> None:
    counted_before(submissions._TOTAL, "")
    submit()
    form = opened(visitor, clock)
    visitor.app.extra_environ["REMOTE_ADDR"] = "192.0.2.9"
    visitor.submit(form, "/submit/", status=429, **fields())
    assert (submissions._NETWORK.failures, submissions._TOTAL.failures) == (20, 200)


def test_visitors_cannot_send_more_than_the_form_has(
    client: Client, visitor: Browser, clock: Clock, submit: Submit
) -> None:
    submit(title="Other", venue="Secret hall", venue_city="Ulm", description="Secret")
    other, venue, form = Event.get(), Venue.get(), opened(visitor, clock)
    assert "Secret" not in form
    sent = {name: form.forms["form"][name].value for name in ("was", "key")} | fields() | {
        "image": "https://example.org/a.png", "tags": "new", "featured": "on", "password": "x",
        "status": "publish", "action": "publish", "copy": str(other.id), "event_status": "canceled",
        "venues": str(venue.id), "timezone": "Asia/Tokyo",
        "author": "1", "sticky": "1", "hide_from_listings": "1", "organizer_email": "x@example.org",
    }  # fmt: skip
    sent["was"] = re.sub(":[0-9a-f]+", ":0", sent["was"])
    visitor.post("/submit/", sent)
    event = Event.get(Event.id != other.id, Event.title == "Choir")

    stored = [getattr(event, name) for name in ("status", "featured", "password", "event_status", "timezone")]
    assert stored == ["pending", False, "", "scheduled", "UTC"]
    shown = client.get(f"/events/{event.id}", as_="editor").json
    assert (shown["venue"], shown["image"], shown["tags"], shown["description"]) == ([], False, [], "")
    assert Submission.select().count() == 2


def test_hostile_texts(client: Client, visitor: Browser, submit: Submit) -> None:
    names = ("title", "venue", "venue_city", "organizer", "description", "cost", "contributor_name")
    path, editor = submit(**dict.fromkeys(names, HOSTILE)), signed_in(client, "editor")
    pages = [visitor.get(path), editor.get("/edit/waiting/"), editor.get(f"/edit/event/{Event.get().id}/")]
    assert all("<script>alert" not in page for page in pages)


def test_pages_use_no_cookies_and_no_session(client: Client, visitor: Browser, submit: Submit) -> None:
    path, editor = submit(), signed_in(client, "editor")
    for page in (visitor.get("/submit/"), visitor.get(path), editor.get("/submit/"), editor.get(path)):
        assert "Set-Cookie" not in page.headers
        assert "Sign out" not in page
        assert page.headers["Cache-Control"] == "private, no-store"
        assert page.headers["Referrer-Policy"] == "same-origin"
        assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
    assert visitor.app.cookies == {}


def test_log_has_no_secrets(visitor: Browser, submit: Submit, capfd: pytest.CaptureFixture[str]) -> None:
    path = submit()
    visitor.submit(visitor.get(path), path, title="Band")
    logged = capfd.readouterr().err
    secrets = (path.split("/")[2], "ann@example.org")
    audited = ('"audit":"event_submitted"', '"audit":"submission_changed"')
    assert [one in logged for one in (*secrets, *audited)] == [False, False, True, True]


def test_form_is_off_by_default_and_linked_from_every_page(client: Client, database_url: str) -> None:
    visitor = Browser(create_app(Config(database_url=database_url)))
    visitor.get("/submit/", status=404)
    visitor.post("/submit/", fields(), status=404)
    visitor.get(f"/submit/{'0' * 64}/", status=404)
    assert "/submit/" not in visitor.get("/events/")
    assert 'href="http://localhost/de/submit/"' in client.app.get("/de/events/")


def test_conflict_keeps_who_has_submitted(client: Client, visitor: Browser, submit: Submit) -> None:
    path = submit()
    page, event = visitor.get(path), Event.get()
    client.patch(f"/events/{event.id}", {"title": "Band"}, as_="editor", status=200)
    conflict = visitor.submit(page, path, 409, title="Orchestra", contributor_name="Eve")
    kept = [conflict.forms[0][name].value for name in ("title", "contributor_name", "contributor_email")]
    assert kept == ["Orchestra", "Eve", "ann@example.org"]
    visitor.submit(conflict, path)
    assert (Event.get().title, Submission.get().name) == ("Orchestra", "Eve")
