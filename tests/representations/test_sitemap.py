"""Sitemap and robots.txt, read by a parser and by the rules of RFC 9309."""

import re
from xml.etree import ElementTree

from calendar_api.representations import sitemap

SITE = "https://example.org"
ROBOTS = sitemap.robots(["calendar/events/v1", "wp-json/tribe/events/v1"], f"{SITE}/sitemap.xml").decode()


def texts(document: bytes, name: str) -> list[str | None]:
    namespace = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
    return [found.text for found in ElementTree.fromstring(document).iter(namespace + name)]  # noqa: S314 – our own file


def test_pages_have_the_time_of_their_change_if_it_is_known() -> None:
    document = sitemap.pages([(f"{SITE}/event/a/", "2026-11-22 10:00:00"), (f"{SITE}/event/b/", "")])
    assert texts(document, "loc") == [f"{SITE}/event/a/", f"{SITE}/event/b/"]
    assert texts(document, "lastmod") == ["2026-11-22T10:00:00Z"]
    assert texts(sitemap.index([f"{SITE}/a.xml?b&c"]), "loc") == [f"{SITE}/a.xml?b&c"]


def allowed(path: str) -> bool:
    """The longest rule that matches decides (RFC 9309, section 2.2.2)."""
    rules = re.findall(r"^(Allow|Disallow): (\S+)$", ROBOTS, re.MULTILINE)
    matching = [rule for rule in rules if re.match(re.escape(rule[1]).replace(r"\*", ".*"), path)]
    return max(matching, key=lambda rule: len(rule[1]), default=("Allow",))[0] == "Allow"


def test_robots_may_read_pages_and_calendars_but_not_the_api() -> None:
    api = "/calendar/events/v1"
    feeds = (f"{api}/events.ics?categories=music", f"{api}/events?format=ics")
    assert all(map(allowed, ("/event/open-day/", "/events.ics", *feeds)))
    assert not any(map(allowed, (f"{api}/events/12", "/de/wp-json/tribe/events/v1/venues")))
    assert ROBOTS.endswith(f"\n\nSitemap: {SITE}/sitemap.xml\n")
