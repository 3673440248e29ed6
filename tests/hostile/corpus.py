"""Hostile values in groups: what has broken servers, databases, parsers and pages, and what is close to it.

All are texts. Those of JSON_GROUPS are literals of JSON, so that a body can hold them as they are; everywhere
else they are texts like the others.
"""

from collections.abc import Iterable

from tests.hostile.markup import PAYLOADS, WORDS

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
            f"{sign}1{e}{more}{exponent}" for sign in ("", "-") for e in "eE" for more in ("", "+", "-")
        )
    for zero in (1632, 1776, 2406, 2534, 3664, 65296, 120782, 120792, 130032):
        yield from (chr(zero + 1), chr(zero + 1) + chr(zero), "1" + chr(zero + 2))
    yield from WORDS["numbers"]


def _dates() -> Iterable[str]:
    for year in WORDS["dates.year"]:
        yield from (f"{year}-{day}" for day in ("01-01", "01-02", "12-30", "12-31", "02-29"))
        yield from (f"{year}-12-31{clock}" for clock in (" 23:59:59", "T23:59:59Z", "T00:00:00+14:00"))
    for day in WORDS["dates.day"]:
        yield from (f"{year}-{day}" for year in ("2024", "2026", "1900", "2000"))
    for clock in WORDS["dates.clock"]:
        yield from (f"2026-06-15 {clock}", f"2026-06-15{clock}", f"tomorrow {clock}")
    for zone in WORDS["dates.zone"]:
        yield from (f"2026-06-15T10:00:00{zone}", f"2026-06-15 10:00 {zone}", f"9999-12-30T23:59:59{zone}")
    for night in WORDS["dates.night"]:
        yield from (
            f"{night}:00",
            f"{night} Europe/Berlin",
            f"{night} America/New_York",
            f"{night} Pacific/Apia",
        )
    units = WORDS["dates.units"]
    for number in WORDS["dates.number"]:
        yield from (f"{number} {unit}" for unit in units)
    yield from (
        f"{place} {day} of {month}"
        for place in ("first", "fifth", "last")
        for day in ("mon", "friday")
        for month in ("february 2026", "next month", "june")
    )
    yield from WORDS["dates"]


def _zones() -> Iterable[str]:
    areas = WORDS["zones.areas"]
    shapes = WORDS["zones.shapes"]
    for area in areas:
        yield from (shape.replace("{}", area) for shape in shapes)
        yield from (area.lower(), area.upper(), area.swapcase(), area.replace("/", "\\"), area[:-1])
    for folder in WORDS["zones.folder"]:
        yield from (folder, folder + "/", "../" + folder)
    for hours in WORDS["zones.hours"]:
        yield from (f"{prefix}{sign}{hours}" for prefix in ("UTC", "GMT", "") for sign in "+-−")
    yield from WORDS["zones"]


def _unicode() -> Iterable[str]:
    for character in WORDS["unicode.character"]:
        yield from (character, f"a{character}b", character * 30)
    for tower in WORDS["unicode.tower"]:
        yield from ("e" + tower * (size // len(tower)) for size in (100, 199, 20000, 60000))
    yield from WORDS["unicode"]


def _injections() -> Iterable[str]:
    tails = ("", "--", "#", "/*", ";--", "\x00", "%00")
    for start in ("'", '"', "`", "\\'", "')", "'))", "%' ", "1", "1)", "x' "):
        conditions = WORDS["injections.conditions"]
        yield from (f"{start}{condition}{tail}" for condition in conditions for tail in tails)
    yield from (
        f"{column}{more}" for column in WORDS["injections.column"] for more in WORDS["injections.more"]
    )
    patterns = WORDS["injections.patterns"]
    for pattern in patterns:
        yield from (pattern, pattern * 2, pattern * 60, f"a{pattern}b", f'"{pattern}', f"-{pattern}")
    yield from WORDS["injections"]


def _addresses() -> Iterable[str]:
    hosts = WORDS["addresses.hosts"]
    for host in hosts:
        yield from (f"{scheme}{host}/" for scheme in ("http://", "https://", "//", "ftp://", "HTTP://"))
    schemes = WORDS["addresses.schemes"]
    for scheme in schemes:
        yield from (
            f"{scheme}:",
            f"{scheme}:alert(1)",
            f" {scheme}:a",
            f"{scheme}\t:a",
            f"{scheme}://a",
            f"\x01{scheme}:a",
        )
    for path in WORDS["addresses.path"]:
        yield from (f"http://example.org/{path}", f"https://example.org/a.jpg{path}")
    for mail in WORDS["addresses.mail"]:
        yield from (mail, f"mailto:{mail}")


def _paths() -> Iterable[str]:
    ups = WORDS["paths.ups"]
    for up in ups:
        yield from (up, up * 8, f"{up}{up}etc/passwd", f"a/{up}/b", f"/{up}", f"{up}\x00.json")
    for name in WORDS["paths.name"]:
        yield from (name, name + "\x00", name + ".", name + "/", "file://" + name)
    for slug in WORDS["paths.slug"]:
        yield from (slug, slug.upper(), slug * 30)
    yield from WORDS["paths"]


def _lists() -> Iterable[str]:
    for item in WORDS["lists.item"]:
        yield from (
            f"{item},{item}",
            f"{item},",
            f",{item}",
            f"{item},,{item}",
            f"{item} , {item}",
            f"{item};{item}",
        )
        yield from (",".join([item] * times) for times in (7, 51, 101))
    yield from ("," * times for times in (1, 2, 100, 5000))
    yield from (",".join(map(str, range(times))) for times in (20, 21, 50, 51, 100, 101, 1000, 5000))
    yield from (",".join(f"t{number}" for number in range(times)) for times in (5, 49))
    yield from WORDS["lists"]


def _lengths() -> Iterable[str]:
    for character in ("a", "é", "🎷", " ", "%", "<", "&", "-", "'"):
        yield from (character * length for length in _LENGTHS)
    yield from ("<b>" * times for times in (85, 600, 2000, 2001))
    yield from (shape * (times // len(shape)) for shape in WORDS["lengths.shape"] for times in (5000, 60000))
    yield from WORDS["lengths"]


def _literals() -> Iterable[str]:
    for inner in WORDS["literals.inner"]:
        yield from (f"[{','.join([inner] * times)}]" for times in (1, 2, 6, 21, 51, 100, 101, 2001))
        yield from (f'{{"a":{inner}}}', f'{{"0":{inner},"1":{inner}}}', f'{{"id":{inner}}}', f"[[{inner}]]")
    for depth in (3, 13, 14, 15, 16, 17, 100, 900, 20000):
        yield from (
            "[" * depth + "]" * depth,
            '{"a":' * depth + "1" + "}" * depth,
            "[" * depth,
            '[{"a":' * depth,
        )
    yield from WORDS["literals"]


GROUPS: dict[str, tuple[str, ...]] = {
    "numbers": tuple(_numbers()),
    "dates": tuple(_dates()),
    "zones": tuple(_zones()),
    "unicode": tuple(_unicode()),
    "injections": tuple(_injections()),
    "addresses": tuple(_addresses()),
    "paths": tuple(_paths()),
    "lists": tuple(_lists()),
    "lengths": tuple(_lengths()),
    "markup": PAYLOADS,
    "literals": tuple(_literals()),
}
JSON_GROUPS = frozenset({"literals", "numbers"})
VALUES: dict[str, bool] = {}
for _group, _values in GROUPS.items():
    for _value in _values:
        VALUES.setdefault(_value, _group in JSON_GROUPS)
ALL: tuple[str, ...] = tuple(VALUES)
