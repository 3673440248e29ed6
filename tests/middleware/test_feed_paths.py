"""Which addresses outside of the interface are feeds (docs/interface.md#feeds-of-pages)."""

import pytest

from calendar_api.middleware.url_prefix import FeedPath, parse_feed


@pytest.mark.parametrize(
    ("path", "query", "found"),
    [
        ("/events.ics", "", ("", ["events"], "ics")),
        ("/fr/Tag/Jazz.ATOM", "", ("fr", ["tag", "jazz"], "atom")),
        ("/events/category/a/b/feed/rdf/", "", ("", ["events", "category", "a", "b"], "rss")),
        ("/events/category/feed/feed/", "", ("", ["events", "category", "feed"], "rss")),
        ("/tag/ical.ics", "", ("", ["tag", "ical"], "ics")),
        ("/de/", "outlook-ical=1", ("de", ["events"], "ics")),
        ("/event/open-day/", "a=b&ical=1", ("", ["event", "open-day"], "ics")),
        ("/event/a.b.ics", "", ("", ["event", "a.b"], "ics")),
        ("/events.rss", "ical=1", ("", ["events"], "rss")),
    ],
)
def test_path_names_a_page_and_a_format(path: str, query: str, found: tuple[str, list[str], str]) -> None:
    assert parse_feed(path, query) == FeedPath(*found)


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/", ""), ("/events/", ""), ("/tag/feed/", ""), ("/events/category/feed/", ""), ("/venue/ical/", ""),
        ("/events/", "ical=0"), ("/static/list.csv", ""), ("/sitemap.xml", ""), ("/feed/", ""), ("/.ics", ""),
        ("/docs/", "ical=1"),
    ],
)  # fmt: skip
def test_other_addresses_are_no_feeds(path: str, query: str) -> None:
    assert parse_feed(path, query) is None
