"""A copy of a live site of this service answers like the original."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlencode

import pytest

from calendar_api import database
from calendar_api.commands.sources.site_records import LISTS
from calendar_api.database.models import Event
from calendar_api.database.tables import ImportItem
from tests import factories
from tests.client import Client
from tests.command_line import Run
from tests.system import servers
from tests.system.servers import Answer, Server

pytestmark = pytest.mark.sqlite

EVER = {"start_date": "1970-01-01", "end_date": "2100-01-01"}
STATUSES = {"status": "publish,future,draft,pending,private"}
#: Demo events that a password protects, or that no list shows.
HIDDEN = ("secret-supper", "midnight-soundcheck")
ADDRESS = re.compile(
    r"(?:http|webcal)://(127\.0\.0\.1|localhost)(:[0-9]+)?|(127\.0\.0\.1|localhost)(?=\?id=)"
)


POSTER = "https://old.example/poster.png"
TIMES = {"start_date": "2031-10-26 02:30", "end_date": "2031-10-26 02:45", "timezone": "Europe/Berlin"}
EVENTS: tuple[dict[str, Any], ...] = (
    {"title": "Draft & more", "status": "draft"},
    {"title": "Members <only>", "status": "private", "slug": "for-members", "sticky": True},
    {"title": "With a poster", "image": POSTER, "cost": "5, 10, 15 EUR", "date": "2020-02-02 02:02:02"},
    {"title": "Off", "event_status": "canceled", "event_status_reason": "Rain & storm"},
    {"title": "After the clock changed", "start_date": "2031-10-26 02:30+01:00",
     "end_date": "2031-10-26 05:00", "cost": "10 – 25 €", "tags": ["2031"], "venue": {"venue": "Hall, west"}},
    {"title": "Fair", "start_date": "2031-05-01", "end_date": "2031-05-03", "all_day": True,
     "timezone": "America/New_York", "website": "https://fair.example/?a=1&b=2"},
)  # fmt: skip


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The demo records without those that are missing in lists, and a few more."""
    folder = tmp_path_factory.mktemp("original")
    with servers.running(folder, "--demo", command=servers.serve, migrated=False) as server:
        (server.secret,) = servers.SECRET.findall(server.output)
        for slug in HIDDEN:
            assert server.ask("DELETE", f"/events/by-slug/{slug}").status == 200
        for fields in EVENTS:
            assert server.post("/events", TIMES | fields).status == 201
        server.post("/venues", {"venue": "With a poster", "image": POSTER, "status": "draft"})
        yield server


def pages(query: dict[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The first three pages of each list."""
    for name, noun in LISTS.items():
        own = EVER | query if noun == "event" else {"hide_empty": "false"}
        own = query if noun in ("venue", "organizer") else own
        for page in range(1, 4):
            yield f"/{name}", {**own, "per_page": 25, "page": page}


def without_addresses(body: bytes) -> Any:
    return json.loads(ADDRESS.sub("HOST", body.decode()))


FEEDS = ("events.ics", "events.rss", "events.csv", "venues.csv", "organizers.csv")
#: Feeds, files and pages; {event}, {venue} and {organizer} are slugs.
DOCUMENTS = (
    *(f"{servers.ROOT}/{name}" for name in FEEDS), f"{servers.ROOT}/events/by-slug/{{event}}.ics",
    "/events/list/", "/events/list/?tribe-bar-date=2031-10-01", "/events/month/", "/events/month/2031-10/",
    "/event/{event}/", "/event/with-a-poster/", "/venue/{venue}/", "/organizer/{organizer}/",
    "/venue/{venue}.ics", "/sitemap.xml",
)  # fmt: skip


def shown(answer: Answer) -> list[str]:
    """The unfolded lines of a document without the address of the site."""
    text = unquote(answer.body.decode().replace("\r\n ", ""))
    return ADDRESS.sub("HOST", text).splitlines()


@pytest.fixture
def options(original: Server, tmp_path: Path) -> list[str]:
    file = tmp_path / "password"
    file.write_text(original.secret)
    user = ("--remote-user", "admin", "--remote-password-file", str(file))
    return ["import", f"http://127.0.0.1:{original.port}", "--allow-private-addresses", *user]


@pytest.mark.both_databases
def test_copy_answers_like_the_original(
    original: Server, options: list[str], client: Client, run: Run
) -> None:
    status, _, err = run(*options, "--ids", "keep")

    assert status == 0, err
    check_same_answers(original, client)

    again, out, _ = run(*options, "--ids", "keep")

    assert again == 0
    assert re.findall(r"^event +0 +0 +[0-9]+ +0 +0 +0$", out, re.MULTILINE)
    check_same_answers(original, client)
    with database.read():
        highest = max(int(item.foreign_id) for item in ImportItem.select())
    assert factories.event(client)["id"] > highest


def check_same_answers(original: Server, client: Client) -> None:
    """For anonymous callers and for administrators."""
    for signed in (False, True):
        headers = {"Authorization": original.signed} if signed else {}
        found = set()
        for path, query in pages(STATUSES if signed else {}):
            theirs = original.send("GET", f"{servers.ROOT}{path}?{urlencode(query)}", headers=headers)
            ours = client.get(path, query, as_="admin" if signed else None)
            assert ours.status_int == theirs.status
            assert without_addresses(ours.body) == without_addresses(theirs.body)
            found |= {noun for noun in LISTS if ours.json.get(noun)}
        assert found == set(LISTS)


def test_feeds_and_pages_are_those_of_the_original(
    original: Server, options: list[str], tmp_path: Path
) -> None:
    env = servers.environment(tmp_path / "data" / "calendar.sqlite3")
    servers.prepared(env)
    servers.done(*options, "--ids", "keep", env=env)
    slugs = {
        noun: original.get(f"/{name}", per_page=1).json[name][0]["slug"]
        for name, noun in LISTS.items()
        if noun in ("event", "venue", "organizer")
    }

    with servers.started(servers.serve(port := servers.free_port()), port, env, tmp_path / "log") as copy:
        for template in DOCUMENTS:
            path = template.format(**slugs)
            theirs, ours = original.send("GET", path), copy.send("GET", path)
            assert (theirs.status, ours.status) == (200, 200), path
            assert shown(ours) == shown(theirs), path


def test_drafts_are_not_gone_without_a_password(options: list[str], run: Run) -> None:
    assert run(*options)[0] == 0
    with database.read():
        before = dict(Event.select(Event.id, Event.status).tuples())
    assert {"draft", "pending", "private"} <= set(before.values())

    status, out, err = run(*options[:3], "--missing", "trash")

    assert (status, "- " in out) == (0, False), err
    with database.read():
        assert dict(Event.select(Event.id, Event.status).tuples()) == before


def test_ids_are_not_kept_beside_other_records(options: list[str], client: Client, run: Run) -> None:
    factories.event(client)

    status, _, err = run(*options, "--ids", "keep")

    assert (status, "empty database" in err) == (2, True)
    with database.read():
        assert not ImportItem.select().exists()


def test_ids_are_not_kept_of_a_source_that_has_others_here(
    options: list[str], client: Client, run: Run
) -> None:
    factories.event(client)
    assert run(*options)[0] == 0
    with database.read():
        before = list(ImportItem.select().order_by(ImportItem.id).tuples())

    status, out, err = run(*options, "--ids", "keep")

    assert (status, out) == (2, "")
    assert "The records of this source have other ids here" in err
    with database.read():
        assert list(ImportItem.select().order_by(ImportItem.id).tuples()) == before


def test_ids_of_their_own(options: list[str], client: Client, run: Run) -> None:
    own = factories.event(client, title="Here before")

    status, *_ = run(*options)

    assert status == 0
    with database.read():
        items = list(ImportItem.select())
    assert len(items) > 50
    assert str(own["id"]) in {item.foreign_id for item in items}
    assert own["id"] not in {item.record_id for item in items}
    assert client.get(f"/events/{own['id']}").json["title"] == "Here before"
