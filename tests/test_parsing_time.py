"""No text within the limits of a request keeps a parser busy for longer than reading ten bodies takes."""

from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from calendar_api.contract import schemas, validation
from calendar_api.domain import html
from calendar_api.domain.errors import InvalidParameters
from calendar_api.store import events
from tests.processor_time import BODY, is_quick

QUERY = 4000
NOUNS = ("event", "venue", "organizer", "category", "tag")
#: Each is repeated up to the limit: what parsers split at, nest, decode, fold, normalise or try again.
PIECES = (
    "a\n", "\n", "1,", ", ", "1 - ", "$", "1,000,", "0", "9", " ", "-", "a-", "%", "%e4%b8%ad", ".", "a.",
    "@", "a@b.", "http://a", "/", "../", "[", "(", '"', "'", '"a"', '-"', "&", "&amp;", "&#769;", "&lt;b&gt;",
    "<", "<b>", "<b a='", "<p><b>", "<!--", "<script>", "<div>", "</p>", "中", "e" + "\u0315\u0300" * 15,
    "\u0315\u0300", "\u0344", "\u0f73", "\ufdfa", "\U0001d15e", "\u0338", "\uff9e", "ß", "İ", "각", "+1 day ",
    "first ", "Europe/", "UTC+", "12:", "2031-", "true", "free to ", "\u2013", "x" * 99 + "\n",
)  # fmt: skip

#: Those of them that are sent far beyond every limit, too.
ENDLESS = ("a\n", "1,", "&#769;", "<b>", "中", "\u0315\u0300")


def repeated(piece: str, size: int) -> str:
    return piece * (size // len(piece.encode()))


def fields(role: str) -> list[tuple[str, str, int]]:
    """Noun, name and longest text of the fields that take a text or a list, one field of each kind."""
    kinds = {}
    for noun in NOUNS:
        for name, rule in schemas.schema(noun, role)["properties"].items():
            if {"string", "array"} & set([rule["type"]] if isinstance(rule["type"], str) else rule["type"]):
                words = ("type", "format", "maxLength", "x-cast", "pattern")
                kind = repr([rule.get(word) for word in words])
                kinds.setdefault(kind, (noun, name, rule.get("maxLength", 2000)))
    return list(kinds.values())


def checked(noun: str, name: str, value: Any) -> None:
    body = {"title": "x", "start_date": "2031-01-01", "end_date": "2031-01-02", "venue": "x", "name": "x"}
    with suppress(InvalidParameters):
        found = validation.check(noun, "create", {**body, name: value})
        if noun == "event" and found.valid:
            events.prepare(found.fields)


@pytest.mark.parametrize(("noun", "name", "longest"), fields("create"))
def test_every_field_of_a_body_is_checked_in_time(noun: str, name: str, longest: int) -> None:
    within = [repeated(piece, longest) for piece in PIECES]
    for value in [*within, *(repeated(piece, BODY) for piece in ENDLESS)]:
        assert is_quick(partial(checked, noun, name, value)), (value[:20], len(value))


@pytest.mark.parametrize(("noun", "name", "longest"), fields("query"))
def test_every_parameter_of_a_query_is_checked_in_time(noun: str, name: str, longest: int) -> None:
    def parse(value: str) -> None:
        with suppress(InvalidParameters):
            validation.parse_query(noun, "query", {name: value})

    for piece in PIECES:
        assert is_quick(partial(parse, repeated(piece, QUERY))), piece


@pytest.mark.parametrize(
    "value",
    [
        "<p>" + "".join(f"<strong a={number}>" for number in range(999)) + "<p>x" * 999,
        "<p><a href=http://x/" + "y" * 57_000 + ">" + "<p>x" * 1998,
        "<p><a href=/" + "y" * 57_000 + ">" + "<p>x" * 1998,
        "<p>"
        + "".join(f"<{name}>" * 3 for name in ("b", "big", "code", "em", "font", "i", "u"))
        + "<p>x" * 1900,
        "<b><div>" * 990 + "</b>" * 10,
        "<img " + " ".join(f"{number:x}" for number in range(13_000)) + ">",
    ],
    ids=["attributes", "link", "relative link", "formatting", "adoption", "image"],
)
def test_misnested_markup_is_sanitised_or_refused_in_time(value: str) -> None:
    def clean() -> None:
        try:
            stored = html.sanitize(value)
        except ValueError:
            return
        assert len(stored) <= html.MAX_HTML

    assert is_quick(clean)
