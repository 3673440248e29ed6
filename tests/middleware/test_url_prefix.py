"""Prefix, language and route of a path, and which paths are feeds (docs/interface.md#feeds-of-pages)."""

from hypothesis import given
from hypothesis import strategies as st

from calendar_api.config import NAMESPACE
from calendar_api.domain.translation import LANGUAGES
from calendar_api.middleware.url_prefix import Address, FeedPath, parse_feed, parse_path

ALIAS = "wp-json/tribe/events/v1"
ALIASES = (ALIAS, "api/v1")

case = st.integers(0, 2**80 - 1)  # a bit for each letter that is a capital
slashes = st.lists(st.integers(1, 4), min_size=12, max_size=12)
routes = st.sampled_from(["", "/events", "/events/12", "/events/by-slug/a-b", "/tags", "/doc"])
prefixes = st.sampled_from([NAMESPACE, *ALIASES])
languages = st.sampled_from(["", *LANGUAGES])


def test_path() -> None:
    for path, expected in (
        ("/calendar/events/v1", Address("", NAMESPACE, "")), ("/api/v1/tags", Address("", "api/v1", "/tags")),
        ("/calendar/events/v1/events", Address("", NAMESPACE, "/events")),
        ("/wp-json/tribe/events/v1/tags/7", Address("", ALIAS, "/tags/7")),
        ("/de/calendar/events/v1/doc", Address("de", NAMESPACE, "/doc")),
        ("/DE/Calendar/EVENTS/v1/Events", Address("de", NAMESPACE, "/events")),
        ("//calendar///events/v1//events//", Address("", NAMESPACE, "/events")),
    ):  # fmt: skip
        assert parse_path(path, None, ALIASES) == expected
    for path in (
        "", "/", "/de", "/events", "/calendar/events", "/calendar/events/v2/events",
        "/calendar/events/v1events", "/xx/calendar/events/v1/events", "/de/de/calendar/events/v1/events",
        "/calendar/de/events/v1", "/wp-json/de/tribe/events/v1/events", "/tribe/events/v1/events",
        "/wp-json/calendar/events/v1", "/index.php/calendar/events/v1", "/other/calendar/events/v1/events",
    ):  # fmt: skip
        assert parse_path(path, None, ALIASES) is None, path


def test_rest_route_counts_at_the_root() -> None:
    for path, asked, expected in (
        *((path, "/tribe/events/v1/events", Address("", ALIAS, "/events"))
          for path in ("/", "", "//", "/index.php", "/INDEX.PHP/", "/index.php/")),
        ("/", "tribe/events/v1/events", Address("", ALIAS, "/events")),
        ("/", "//Tribe//Events/V1//events/", Address("", ALIAS, "/events")),
        ("/de/", "/tribe/events/v1", Address("de", ALIAS, "")),
        ("/de/index.php", "/tribe/events/v1/doc", Address("de", ALIAS, "/doc")),
        ("/", "/calendar/events/v1/tags", Address("", NAMESPACE, "/tags")),
        ("/", "/api/v1/tags", Address("", "api/v1", "/tags")),
        *(("/", asked, None) for asked in (
            "", "/events", "/tribe/events", "/tribe/events/v1x", "/tribe/events/v10/events", f"/{ALIAS}/x",
        )),
    ):  # fmt: skip
        assert parse_path(path, asked, ALIASES) == expected


def test_folder_of_an_alias_is_the_index_above_its_namespace() -> None:
    index = Address("", ALIAS, "", above=True)
    assert parse_path("/wp-json/", None, ALIASES) == parse_path("/", "/", ALIASES) == index
    assert parse_path("/de/wp-json", None, ALIASES) == Address("de", ALIAS, "", above=True)
    assert parse_path("/", "/", ("api/v1",)) is None


def test_alias_in_the_folder_of_another_hides_its_index() -> None:
    aliases = ("api/v1/tribe/events/v1", "api/v1")
    assert parse_path("/api/v1", None, aliases) == Address("", "api/v1", "")


def test_rest_route_is_ignored_elsewhere() -> None:
    address = parse_path("/calendar/events/v1/tags", "/tribe/events/v1/events", ALIASES)
    assert address == Address("", NAMESPACE, "/tags")
    assert parse_path("/elsewhere", "/tribe/events/v1/events", ALIASES) is None
    assert parse_path("/", "/tribe/events/v1/events", ("api/v1",)) is None


def test_longer_alias_goes_first() -> None:
    for aliases in (("api/v1", "api/v1/beta"), ("api/v1/beta", "api/v1")):
        assert parse_path("/api/v1/beta/tags", None, aliases) == Address("", "api/v1/beta", "/tags")
        assert parse_path("/api/v1/tags", None, aliases) == Address("", "api/v1", "/tags")


@given(prefix=prefixes, language=languages, route=routes, upper=case, doubled=slashes)
def test_case_and_slashes_make_no_difference(
    prefix: str, language: str, route: str, upper: int, doubled: list[int]
) -> None:
    plain = f"/{language}/{prefix}{route}" if language else f"/{prefix}{route}"
    spelled = "".join(letter.upper() if upper >> at & 1 else letter for at, letter in enumerate(plain))
    parts = spelled.split("/")[1:]
    written = "".join("/" * number + part for number, part in zip(doubled, parts, strict=False))
    assert parse_path(written, None, ALIASES) == Address(language, prefix, route)
    assert parse_path(written + "/" * doubled[-1], None, ALIASES) == Address(language, prefix, route)


@given(st.text(max_size=60), st.none() | st.text(max_size=60))
def test_any_path_is_parsed(path: str, rest_route: str | None) -> None:
    address = parse_path(path, rest_route, ALIASES)
    assert address is None or address.prefix in (NAMESPACE, *ALIASES)


# -- feeds outside of the interface


def test_path_names_a_page_and_a_format() -> None:
    for path, query, found in (
        ("/events.ics", "", ("", ["events"], "ics")), ("/events.rss", "ical=1", ("", ["events"], "rss")),
        ("/fr/Tag/Jazz.ATOM", "", ("fr", ["tag", "jazz"], "atom")),
        ("/events/category/a/b/feed/rdf/", "", ("", ["events", "category", "a", "b"], "rss")),
        ("/events/category/feed/feed/", "", ("", ["events", "category", "feed"], "rss")),
        ("/tag/ical.ics", "", ("", ["tag", "ical"], "ics")),
        ("/de/", "outlook-ical=1", ("de", ["events"], "ics")),
        ("/event/open-day/", "a=b&ical=1", ("", ["event", "open-day"], "ics")),
        ("/event/a.b.ics", "", ("", ["event", "a.b"], "ics")),
    ):  # fmt: skip
        assert parse_feed(path, query) == FeedPath(*found)
    for path, query in (
        ("/", ""), ("/events/", ""), ("/tag/feed/", ""), ("/events/category/feed/", ""), ("/venue/ical/", ""),
        ("/events/", "ical=0"), ("/static/list.csv", ""), ("/sitemap.xml", ""), ("/feed/", ""), ("/.ics", ""),
        ("/docs/", "ical=1"),
    ):  # fmt: skip
        assert parse_feed(path, query) is None, path
