"""An organizer as JSON."""

from datetime import UTC
from typing import Any

import pytest

from calendar_api.database.models import Image, Organizer
from calendar_api.representations import venue_organizer
from calendar_api.representations.links import Links
from calendar_api.representations.render_context import RenderContext

SITE = RenderContext(
    Links(
        "https://cal.example.test", "https://cal.example.test", "https://cal.example.test/calendar/events/v1"
    ),
    UTC,
    "$",
    "2026-06-15 12:00:00",
)
LINES = {"phone": "555", "website": "https://ann.example.org/?a=1&b=2", "email": "ann@example.org"}
HEAD = ["id", "author", "status", "date", "date_utc", "modified", "modified_utc", "url", "organizer"]
TAIL = ["global_id", "global_id_lineage"]


def organizer(**columns: object) -> Organizer:
    given: dict[str, object] = {
        "id": 4,
        "author": 2,
        "status": "publish",
        "published_utc": "2026-01-01 10:00:00",
        "modified_utc": "2026-01-01 10:00:00",
        "organizer": "Ann",
        "description": "",
        "excerpt": "",
        "slug": "ann",
        **dict.fromkeys(LINES, ""),
    }
    return Organizer(**{**given, **columns})


def rendered(row: Any, image: Any, *, single: bool) -> dict[str, Any]:
    return venue_organizer.organizer(row, Organizer.PLAIN_FIELDS, image, SITE, single=single)


def test_record_of_a_full_organizer_has_every_key_in_wire_order() -> None:
    image = Image(id=9, url="https://pics.example.org/a.png", extension="png", width=640, height=480)
    full = organizer(**LINES, description="Text", excerpt="Short")

    record = rendered(full, image, single=True)

    assert list(record) == [
        *HEAD, "description", "excerpt", "slug", "image", *LINES, "json_ld", *TAIL,
    ]  # fmt: skip
    assert {name: record[name] for name in LINES} == LINES
    assert record["image"] == {
        "url": "https://pics.example.org/a.png",
        "id": 9,
        "extension": "png",
        "width": 640,
        "height": 480,
    }


def test_record_of_a_bare_organizer() -> None:
    record = rendered(organizer(), None, single=False)

    assert list(record) == [*HEAD, "slug", *TAIL]


@pytest.mark.parametrize("name", LINES)
def test_record_drops_a_line_that_is_zero(name: str) -> None:
    record = rendered(organizer(**{**LINES, name: "0"}), None, single=False)

    assert list(record) == [*HEAD, "slug", *(line for line in LINES if line != name), *TAIL]


def test_json_ld_of_a_full_organizer() -> None:
    full = organizer(**LINES, organizer="Ann & Co", description="Makes events")
    image = Image(id=9, url="https://pics.example.org/a.png", extension="png")

    record = rendered(full, image, single=True)

    assert record["json_ld"] == {
        "@type": "Person",
        "name": "Ann &#038; Co",
        "description": "&lt;p&gt;Makes events&lt;/p&gt;\\n",
        "image": "https://pics.example.org/a.png",
        "url": "https://ann.example.org/?a=1&b=2",
        "telephone": "555",
        "email": "ann@example.org",
        "sameAs": "https://ann.example.org/?a=1&b=2",
    }


def test_json_ld_of_a_bare_organizer() -> None:
    record = rendered(organizer(), None, single=True)

    assert record["json_ld"] == {
        "@type": "Person",
        "name": "Ann",
        "description": "",
        "url": "",
        "telephone": "",
        "email": "",
        "sameAs": "",
    }
