"""The addresses of feeds of pages (docs/interface.md#feeds-of-pages)."""

from typing import NamedTuple

from calendar_api.domain import form_params
from calendar_api.domain.feed_formats import MEDIA_TYPES
from calendar_api.domain.translation import LANGUAGES

_ROOTS = ("events", "event", "tag", "venue", "organizer")
_WORDS = {"ical": "ics", "feed": "rss", "rss": "rss", "rss2": "rss", "rdf": "rss", "atom": "atom"}
_PARAMETERS = ("ical", "outlook-ical")


class FeedPath(NamedTuple):
    """The path of a page after the language, as segments, and the format of its feed."""

    language: str
    segments: list[str]
    format: str


def parse(path: str, query: str) -> FeedPath | None:
    """Return the page and the format that a path outside of the interface names; None if it is no feed.

    >>> parse("/de/tag/jazz.ics", "")
    FeedPath(language='de', segments=['tag', 'jazz'], format='ics')
    >>> parse("/events/feed/atom/", "")
    FeedPath(language='', segments=['events'], format='atom')
    """
    segments = [segment for segment in path.lower().split("/") if segment]
    language = segments.pop(0) if segments and segments[0] in LANGUAGES else ""
    found = _by_suffix(segments) or _by_word(segments)
    # `/?p=12` is redirected to the page that has the feed.
    is_page = segments or form_params.last(query, "p") is None
    if found is None and is_page and any(form_params.last(query, name) == "1" for name in _PARAMETERS):
        found = segments or ["events"], "ics"
    if found is None or found[0][0] not in _ROOTS:
        return None
    return FeedPath(language, *found)


def _by_suffix(segments: list[str]) -> tuple[list[str], str] | None:
    name, _, format = segments[-1].rpartition(".") if segments else ("", "", "")
    return ([*segments[:-1], name], format) if name and format in MEDIA_TYPES else None


def _by_word(segments: list[str]) -> tuple[list[str], str] | None:
    """The addresses of the reference; the last segment of others may be a slug that is one of the words."""
    match segments:
        case [*page, "feed", ("rss" | "rss2" | "rdf" | "atom") as word] if _is_page(page):
            return page, _WORDS[word]
        case [*page, ("ical" | "feed") as word] if _is_page(page):
            return page, _WORDS[word]
        case ["events", ("rss" | "atom") as word]:
            return ["events"], word
    return None


def _is_page(segments: list[str]) -> bool:
    return segments[:1] == ["events"] if len(segments) < 2 else segments != ["events", "category"]
