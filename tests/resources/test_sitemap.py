"""Sitemap and robots.txt list what an anonymous caller finds, in files of a bounded size."""

from datetime import UTC, datetime
from xml.etree import ElementTree

import pytest
from playhouse.test_utils import count_queries

from calendar_api.resources import sitemap
from tests import factories
from tests.client import Client
from tests.resources.test_statements import Statement, plan

pytestmark = pytest.mark.settings(cache=0)  # so that every request runs all its statements
SITE = "http://localhost"


def addresses(client: Client, path: str) -> list[str | None]:
    document = ElementTree.fromstring(client.app.get(path).body)  # noqa: S314 - our own
    return [found.text for found in document.iter() if found.tag.endswith("}loc")]


def paths(client: Client) -> list[str]:
    """The pages in all files of the index."""
    files = [str(file).removeprefix(SITE) for file in addresses(client, "/sitemap.xml")]
    return [str(page).removeprefix(SITE) for file in files for page in addresses(client, file)]


def selected(client: Client, path: str) -> list[Statement]:
    with count_queries() as counter:
        client.app.get(path)
    return [record.msg for record in counter.get_queries() if record.msg[0].startswith("SELECT")]


@pytest.mark.both_databases
def test_sitemap_has_what_anonymous_callers_find(client: Client) -> None:
    factories.event(client, title="Open day", venue={"venue": "Hall"}, organizer={"organizer": "Ann"})
    for fields in (
        {"status": "draft"}, {"status": "private"}, {"date": factories.day(2)}, {"hide_from_listings": True},
        {"password": "sesame"}, {"title": "Past", "start_date": "2001-01-01 10:00:00"},
    ):  # fmt: skip
        factories.event(client, **fields)
    factories.venue(client, venue="Draft", status="draft")

    found = ["/event/past/", "/event/open-day/", "/venue/hall/", "/organizer/ann/", "/events/"]
    assert paths(client) == found


@pytest.mark.both_databases
def test_sitemap_has_categories_with_upcoming_events_and_those_above(client: Client) -> None:
    above = factories.category(client, name="Music")["id"]
    for name in ("Jazz", "Rock", "Pop", "Folk"):
        factories.category(client, name=name, parent=above)
    factories.event(client, title="Concert", categories=["jazz"], tags=["new"])
    factories.event(client, title="Old", categories=["rock"], start_date="2001-01-01 10:00:00")
    factories.event(client, title="Closed", categories=["pop"], password="sesame")
    factories.event(client, title="Not yet", categories=["folk"], status="draft")

    found = [path for path in paths(client) if "category" in path]
    assert found == ["/events/category/music/", "/events/category/music/jazz/"]


def test_files_have_the_time_of_changes_and_are_not_sent_again_without_one(client: Client) -> None:
    event = factories.event(client, tags=["new"])
    changed = datetime.fromisoformat(event["modified_utc"]).replace(tzinfo=UTC)
    assert f"<lastmod>{changed:%Y-%m-%dT%H:%M:%SZ}</lastmod>" in client.app.get("/sitemap-events-1.xml").text
    for path in ("/robots.txt", "/sitemap.xml", "/sitemap-events-1.xml"):
        tag = client.app.get(path).headers["ETag"]
        client.app.get(path, headers={"If-None-Match": tag}, status=304)
    for name in ("events-0", "events-2", "events-x", "tags-1", "lists-2", "events-9999999"):
        client.app.get(f"/sitemap-{name}.xml", status=404)


def test_files_are_bounded_and_made_by_as_many_statements_for_any_number_of_pages(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sitemap, "PER_FILE", 2)
    counts = []
    for number in range(3):
        factories.event(client, title=f"Event {number}", start_date=factories.day(number + 1))
        client.app.get("/sitemap-events-1.xml")
        counts.append([len(selected(client, path)) for path in ("/sitemap.xml", "/sitemap-events-1.xml")])

    found = [addresses(client, f"/sitemap{file}.xml") for file in ("-events-1", "-events-2", "")]
    assert found[:2] == [[f"{SITE}/event/event-{number}/" for number in some] for some in ((0, 1), (2,))]
    assert found[2] == [f"{SITE}/sitemap-{file}.xml" for file in ("events-1", "events-2", "lists-1")]
    assert counts == [counts[0]] * 3


def test_events_are_counted_and_found_in_an_index_alone(client: Client) -> None:
    factories.event(client)
    plans = [
        plan(one) for path in ("/sitemap.xml", "/sitemap-events-1.xml") for one in selected(client, path)
    ]
    found = [step for steps in plans for step in steps if "event_hide_from_listings_status" in step]
    assert len(found) == 3
    assert [step for step in found if "USING COVERING INDEX" not in step] == []


@pytest.mark.settings(base_url="https://example.org/below")
def test_robots_txt_names_the_sitemap_by_its_whole_address(client: Client) -> None:
    text = client.app.get("/robots.txt").text
    assert text.endswith("\nSitemap: https://example.org/below/sitemap.xml\n")
