"""`calendar-api export`: what it writes, and that an import of it makes the same records."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import icalendar
import pytest

from calendar_api import database
from calendar_api.commands.serve import load_demo
from calendar_api.config import Config
from calendar_api.database import migrate
from calendar_api.store import users
from tests import factories
from tests.client import Client
from tests.command_line import Run
from tests.conftest import CallerFactory


@pytest.fixture
def filled(client: Client, caller: CallerFactory, config: Config) -> Client:
    """The demo records, and what they lack."""
    database.run_write(lambda: load_demo(caller("admin").at.date(), caller("admin"), config))
    venue = factories.venue(client, venue="Äquator & <b>Söhne</b>", geo_lat=0, geo_lng=0, show_map="0")
    factories.venue(client, venue="Äquator & <b>Söhne</b>", description="<p>Another one &amp; more</p>")
    event = factories.event(
        client, title="Parent & co", description="<p>A &lt;b&gt; c</p>\n<ul><li>x</li></ul>",
        start_date="2031-10-26T02:30:00+01:00", end_date="2031-10-26T02:45:00+01:00",
        timezone="Europe/Berlin",
        cost=["10", "20 per person"], website="https://example.org/?a=1&b=2", image="https://example.org/ü.png",
        venue=[venue["id"], {"venue": "Second"}], organizer=[{"organizer": "B"}, {"organizer": "A"}],
        categories=["2031", "Music"], tags=["x"], excerpt="<em>short</em>", event_status="postponed",
        event_status_reason="Rain & wind",
    )  # fmt: skip
    factories.event(
        client, title="Child", post_parent=event["id"], start_date="2020-01-01", end_date="2020-01-02"
    )
    factories.event(client, title="Draft", status="draft")
    factories.event(client, title="Later", date_utc="2040-01-01 10:00:00", all_day=True)
    return client


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An empty database with an administrator, to switch to."""
    url = f"sqlite:///{quote(str(tmp_path))}/other.sqlite3"
    with database.using(database.engine(url)):
        migrate.migrate()
        with database.write():
            users.add("root", "administrator", "2026-01-01 00:00:00")
        database.close_connection()
    database.close_connection()
    monkeypatch.setenv("CALENDAR_DATABASE_URL", url)
    yield
    database.close_connection()


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def test_export_of_an_import_of_an_export_is_the_same(
    filled: Client, run: Run, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    run("export", "--to", str(first))
    request.getfixturevalue("empty")

    status, _, err = run("import", str(first))
    run("export", "--to", str(second))

    assert (status, err) == (0, "")
    assert second.read_bytes() == first.read_bytes()
    titles = [line["title"] for line in lines(first) if line["noun"] == "event"]
    assert titles.index("Child") > titles.index("Parent & co")
    assert {"Draft", "Later"} < set(titles)
    again = run("import", str(first))[1]
    assert sum(int(row.split()[3]) for row in again.splitlines()[1:]) == len(lines(first)) > 80


def test_event_in_the_trash_is_left_out_and_a_password_makes_it_private(
    client: Client, run: Run, tmp_path: Path
) -> None:
    parent = factories.event(client, title="Trashed")
    factories.event(client, title="Secret", password="sesame", post_parent=parent["id"])
    client.delete(f"/events/{parent['id']}", as_="admin", status=200)
    file = tmp_path / "all.jsonl"

    _, _, err = run("export", "--to", str(file))

    (line,) = lines(file)
    assert (line["title"], line["status"]) == ("Secret", "private")
    assert "post_parent" not in line
    assert "sesame" not in file.read_text("utf-8")
    assert err == "Passwords are not exported; events that have one are private in the file: 1\n"


@pytest.mark.parametrize("name", ["all.ics", "all.csv"])
def test_calendar_and_table_do_not_publish_what_is_not_public(
    name: str, client: Client, run: Run, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    factories.event(client, title="Secret", password="sesame")
    factories.event(client, title="Draft", status="draft")
    factories.event(client, title="Private", status="private")
    factories.event(client, title="Later", date_utc="2040-01-01 10:00:00")
    factories.event(client, title="Public")

    _, _, err = run("export", "--to", str(tmp_path / name))
    assert err == "Passwords are not exported; events that have one are private in the file: 1\n"
    request.getfixturevalue("empty")
    assert run("import", str(tmp_path / name))[0] == 0
    run("export", "--to", str(tmp_path / "imported.jsonl"))

    found = lines(tmp_path / "imported.jsonl")
    assert {line["title"]: line["status"] for line in found if line["noun"] == "event"} == {
        "Secret": "private", "Draft": "draft" if name == "all.csv" else "private", "Private": "private",
        "Later": "private", "Public": "publish",
    }  # fmt: skip


@pytest.mark.parametrize("files", [("all.ics",), ("all-venues.csv", "all-organizers.csv", "all.csv")])
def test_calendar_and_tables_hold_every_event_and_can_be_imported(
    files: tuple[str, ...], filled: Client, run: Run, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    def titles() -> list[str]:
        """Canceled events are not created."""
        run("export", "--to", str(tmp_path / "all.jsonl"), "--force")
        events = [line for line in lines(tmp_path / "all.jsonl") if line["noun"] == "event"]
        return sorted(one["title"] for one in events if one["event_status"] != "canceled")

    target = tmp_path / files[-1]
    _, out, _ = run("export", "--to", str(target))
    before = titles()
    request.getfixturevalue("empty")

    assert sorted(line.partition(":")[0] for line in out.splitlines()) == sorted(
        str(tmp_path / file) for file in files
    )
    assert target.stat().st_mode & 0o777 == 0o600
    if target.suffix == ".csv":
        with target.open(encoding="utf-8-sig", newline="") as rows:
            written = [row["Event Name"] for row in csv.DictReader(rows)]
    else:
        written = [
            str(event["SUMMARY"]) for event in icalendar.Calendar.from_ical(target.read_bytes()).events
        ]
    assert set(written) > set(before)  # and those that are canceled
    for file in files:
        status, _, err = run("import", str(tmp_path / file))
        assert (status, [line for line in err.splitlines() if not line.startswith("note:")]) == (0, [])
    assert titles() == before


def test_existing_file_and_unknown_format_are_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.ics").write_text("mine")

    status, _, err = run("export", "--to", str(tmp_path / "a.ics"))
    assert (status, (tmp_path / "a.ics").read_text()) == (1, "mine")
    assert "--force" in err
    assert run("export", "--to", str(tmp_path / "a.ics"), "--force")[0] == 0
    assert run("export", "--to", str(tmp_path / "a.pdf"))[2].endswith("must end in .jsonl, .ics, .csv.\n")
