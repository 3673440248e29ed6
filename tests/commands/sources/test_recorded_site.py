"""Import of recorded answers of a live site: what is stored answers like the recording.

`pytest --update-golden` records the answers of this service under the alias again.
"""

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from calendar_api.commands.sources.site_records import LISTS
from tests.client import Client
from tests.command_line import Run
from tests.commands.sources.loopback import Answer, Site, serving
from tests.commands.sources.test_live_site_copy import without_addresses
from tests.system import servers

RECORDED = Path(__file__).parents[2] / "golden" / "live_site.json"
ALIAS = "/wp-json/tribe/events/v1"
HEADERS = ("Content-Type", "Link", "Location", "X-TEC-API-ROOT")
PLACE = {"city": "Ulm", "country": "Germany", "geo_lat": 48.4, "geo_lng": 9.99}
EVENTS: tuple[dict[str, Any], ...] = (
    {
        "title": "Tango &amp; more", "start_date": "2031-10-26 02:30:00+01:00",
        "end_date": "2031-10-26 05:00", "timezone": "Europe/Berlin", "cost": "10 – 25 €", "website": "https://tango.example/?a=1&b=2",
        "venue": {"venue": "Hall, west", **PLACE}, "organizer": [{"organizer": "Ann"}],
        "categories": ["Salsa"], "tags": ["late"], "featured": True,
    },
    {
        "title": "Fair", "start_date": "2031-05-01", "end_date": "2031-05-03", "all_day": True,
        "timezone": "America/New_York", "description": "<p>Three days</p>", "excerpt": "Long",
        "image": "https://images.example/fair.png", "date": "2020-01-01 10:00:00", "tags": ["2031"],
    },
    {"title": "Rain", "start_date": "2031-06-01 10:00", "end_date": "2031-06-01 11:00",
     "event_status": "canceled", "event_status_reason": "Storm"},
)  # fmt: skip


def record(tmp_path: Path, run: Run) -> None:
    """Store what an import asks this service for, and what it answers."""
    recorded: dict[str, Any] = {}
    with servers.running(tmp_path) as server:
        parent = server.post("/categories", {"name": "Dances"}).json["id"]
        server.post("/categories", {"name": "Salsa", "parent": parent})
        for event in EVENTS:
            assert server.post("/events", event).status == 201

        def answer(path: str) -> Answer:
            found = server.send("GET", path)
            headers = {name: found.header(name) for name in HEADERS if found.header(name)}
            body = found.body.decode() if "json" in headers["Content-Type"] else "<!DOCTYPE html>"
            text = json.dumps([found.status, headers, body]).replace(f"127.0.0.1:{server.port}", "SITE")
            recorded[path] = json.loads(text)
            return played(recorded[path], site)

        with serving(answer) as site:
            run("import", site.address, "--allow-private-addresses", "--dry-run")
    RECORDED.write_text(json.dumps(recorded, indent=1) + "\n", "utf-8")


def played(answer: list[Any], site: Site) -> Answer:
    """A recorded answer with the address of the server that plays it."""
    status, headers, body = json.loads(json.dumps(answer).replace("SITE", f"127.0.0.1:{site.port}"))
    return status, headers, body.encode()


@pytest.mark.sqlite
def test_recorded_answers_are_stored_as_they_are(
    client: Client, run: Run, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    if pytestconfig.getoption("update_golden"):
        record(tmp_path, run)
    recorded = json.loads(RECORDED.read_text("utf-8"))

    with serving(lambda path: played(recorded[path], site)) as site:
        status, out, _ = run("import", site.address, "--allow-private-addresses", "--ids", "keep")
        again = run("import", site.address, "--allow-private-addresses", "--ids", "keep")[1]

    assert (status, out.split()[-7:]) == (0, ["event", "3", "0", "0", "0", "0", "0"])
    assert again.split()[-7:] == ["event", "0", "0", "3", "0", "0", "0"]
    lists = [path for path in recorded if "&page=1" in path]
    assert {urlsplit(path).path for path in lists} == {f"{ALIAS}/{name}" for name in LISTS}
    for path in lists:
        ours = client.get(f"http://localhost{path}", status=200)
        theirs = recorded[path][2].replace("SITE", "localhost")
        assert without_addresses(ours.body) == without_addresses(theirs.encode()), path
