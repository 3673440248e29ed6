"""Hostile values in groups: what has broken servers, databases, parsers and pages, and what is close to it.

All are texts. Those of JSON_GROUPS are literals of JSON, so that a body can hold them as they are; everywhere
else they are texts like the others. `words.json` has what is listed, this file what is computed.
"""

from collections.abc import Iterable
from itertools import product

from tests.hostile.markup import PAYLOADS, WORDS, shaped

_EDGES = (7, 8, 15, 16, 31, 32, 53, 63, 64, 127, 128)
_LENGTHS = (20, 21, 64, 65, 100, 101, 191, 192, 200, 201, 255, 256, 2048, 2049, 8192, 8193, 65536, 65537)


def _numbers() -> Iterable[str]:
    for power in _EDGES:
        for near in (-1, 0, 1):
            yield from (str(2**power + near), str(-(2**power) + near))
    for digits in (9, 10, 15, 16, 17, 18, 19, 20, 30, 100, 308, 309, 400, 4000, 4300, 4301, 5000):
        yield from ("9" * digits, "-" + "9" * digits, "0" * digits + "1", "1." + "3" * digits)
    for exponent in (1, 5, 18, 19, 29, 99, 308, 309, 324, 999, 10**6, 10**12):
        yield from (
            f"{sign}1{e}{more}{exponent}" for sign, e, more in product(("", "-"), "eE", ("", "+", "-"))
        )
    for zero in (1632, 1776, 2406, 2534, 3664, 65296, 120782, 120792, 130032):
        yield from (chr(zero + 1), chr(zero + 1) + chr(zero), "1" + chr(zero + 2))


def _dates() -> Iterable[str]:
    yield from map(" ".join, product(WORDS["dates.number"], WORDS["dates.units"]))
    for place, day, month in product(
        ("first", "fifth", "last"), ("mon", "friday"), ("february 2026", "next month", "june")
    ):
        yield f"{place} {day} of {month}"


def _zones() -> Iterable[str]:
    for area in WORDS["zones.areas"]:
        yield from (area.lower(), area.upper(), area.swapcase(), area.replace("/", "\\"), area[:-1])


def _unicode() -> Iterable[str]:
    for tower, size in product(WORDS["unicode.tower"], (100, 199, 20000, 60000)):
        yield "e" + tower * (size // len(tower))


def _injections() -> Iterable[str]:
    starts = ("'", '"', "`", "\\'", "')", "'))", "%' ", "1", "1)", "x' ")
    tails = ("", "--", "#", "/*", ";--", "\x00", "%00")
    yield from map("".join, product(starts, WORDS["injections.conditions"], tails))
    yield from map("".join, product(WORDS["injections.column"], WORDS["injections.more"]))


def _paths() -> Iterable[str]:
    yield from map(str.upper, WORDS["paths.slug"])


def _lists() -> Iterable[str]:
    for item, times in product(WORDS["lists.item"], (7, 51, 101)):
        yield ",".join([item] * times)
    yield from ("," * times for times in (1, 2, 100, 5000))
    yield from (",".join(map(str, range(times))) for times in (20, 21, 50, 51, 100, 101, 1000, 5000))
    yield from (",".join(f"t{number}" for number in range(times)) for times in (5, 49))


def _lengths() -> Iterable[str]:
    for character, length in product(("a", "é", "🎷", " ", "%", "<", "&", "-", "'"), _LENGTHS):
        yield character * length
    yield from ("<b>" * times for times in (85, 600, 2000, 2001))
    yield from (shape * (times // len(shape)) for shape in WORDS["lengths.shape"] for times in (5000, 60000))


def _literals() -> Iterable[str]:
    for inner, times in product(WORDS["literals.inner"], (1, 2, 6, 21, 51, 100, 101, 2001)):
        yield f"[{','.join([inner] * times)}]"
    for depth in (3, 13, 14, 15, 16, 17, 100, 900, 20000):
        nested = ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth)
        yield from (*nested, "[" * depth, '[{"a":' * depth)


GROUPS: dict[str, tuple[str, ...]] = {
    "numbers": (*_numbers(), *shaped("numbers")),
    "dates": (*_dates(), *shaped("dates")),
    "zones": (*_zones(), *shaped("zones")),
    "unicode": (*_unicode(), *shaped("unicode")),
    "injections": (*_injections(), *shaped("injections")),
    "addresses": (*shaped("addresses"),),
    "paths": (*_paths(), *shaped("paths")),
    "lists": (*_lists(), *shaped("lists")),
    "lengths": (*_lengths(), *shaped("lengths")),
    "markup": PAYLOADS,
    "literals": (*_literals(), *shaped("literals")),
}
JSON_GROUPS = frozenset({"literals", "numbers"})
VALUES: dict[str, bool] = {}
for _group, _values in GROUPS.items():
    for _value in _values:
        VALUES.setdefault(_value, _group in JSON_GROUPS)
ALL: tuple[str, ...] = tuple(VALUES)
