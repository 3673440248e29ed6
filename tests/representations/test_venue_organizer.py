"""Venues and organizers as JSON: the keys that both have."""

from datetime import UTC
from typing import Any

import pytest

from calendar_api.database.models import Organizer, Venue
from calendar_api.domain import time_zones
from calendar_api.representations import venue_organizer
from calendar_api.representations.links import Links
from calendar_api.representations.render_context import RenderContext

NOW = "2026-06-15 12:00:00"
SITE_URL = "https://cal.example.test/sub"
LINKS = Links(SITE_URL, f"{SITE_URL}/de", f"{SITE_URL}/de/calendar/events/v1")
MODELS = {"venue": Venue, "organizer": Organizer}

pytestmark = pytest.mark.parametrize("noun", MODELS)


def site(zone: str = "UTC") -> RenderContext:
    return RenderContext(LINKS, time_zones.named(zone) if zone != "UTC" else UTC, "$", NOW)


def record(noun: str, **columns: object) -> Venue | Organizer:
    given = {
        "id": 4,
        "author": 2,
        "status": "publish",
        "published_utc": "2026-01-01 10:00:00",
        "modified_utc": "2026-01-02 10:00:00",
        "description": "",
        "excerpt": "",
        "slug": "hall",
        noun: "Hall",
    }
    return MODELS[noun](**{**given, **columns})


def rendered(row: Any, zone: str = "UTC") -> dict[str, Any]:
    render: Any = venue_organizer.venue if isinstance(row, Venue) else venue_organizer.organizer
    found: dict[str, Any] = render(row, row.PLAIN_FIELDS, None, site(zone), single=False)
    return found


def test_head_has_the_keys_in_wire_order(noun: str) -> None:
    head = rendered(record(noun, description="Text", excerpt="Short"))

    assert list(head.items())[:12] == [
        ("id", 4),
        ("author", "2"),
        ("status", "publish"),
        ("date", "2026-01-01 10:00:00"),
        ("date_utc", "2026-01-01 10:00:00"),
        ("modified", "2026-01-02 10:00:00"),
        ("modified_utc", "2026-01-02 10:00:00"),
        ("url", f"https://cal.example.test/sub/de/{noun}/hall/"),
        (noun, "Hall"),
        ("description", "<p>Text</p>"),
        ("excerpt", "<p>Short</p>"),
        ("slug", "hall"),
    ]


def test_head_leaves_out_what_is_empty(noun: str) -> None:
    head = rendered(record(noun, slug=None, status="draft"))

    assert list(head)[:9] == [
        "id", "author", "status", "date", "date_utc", "modified", "modified_utc", "url", noun,
    ]  # fmt: skip
    assert not {"description", "excerpt", "slug", "image"} & head.keys()


def test_head_gives_dates_in_the_zone_of_the_site(noun: str) -> None:
    head = rendered(record(noun), "America/New_York")

    assert (head["date"], head["date_utc"]) == ("2026-01-01 05:00:00", "2026-01-01 10:00:00")
    assert (head["modified"], head["modified_utc"]) == ("2026-01-02 05:00:00", "2026-01-02 10:00:00")


def test_head_of_a_scheduled_record_is_future_and_has_no_page_yet(noun: str) -> None:
    head = rendered(record(noun, published_utc="2026-06-15 12:00:01"))

    assert head["status"] == "future"
    assert head["url"] == f"https://cal.example.test/sub/de/?post_type=tribe_{noun}&p=4"


def test_head_escapes_the_name_once(noun: str) -> None:
    head = rendered(record(noun, **{noun: 'Tom & "Jerry" <3'}))

    assert head[noun] == "Tom &#038; &quot;Jerry&quot; &lt;3"


def test_tail_names_the_record_beyond_the_site(noun: str) -> None:
    assert list(rendered(record(noun)).items())[-2:] == [
        ("global_id", "cal.example.test/sub?id=4"),
        ("global_id_lineage", ["cal.example.test/sub?id=4"]),
    ]


@pytest.mark.parametrize("empty", [None, "", "0"])
def test_a_field_that_counts_as_none_is_left_out(noun: str, empty: object) -> None:
    assert "phone" not in rendered(record(noun, phone=empty))


@pytest.mark.parametrize("kept", ["00", "0.0", " ", "false"])
def test_any_other_text_is_shown(noun: str, kept: str) -> None:
    assert rendered(record(noun, phone=kept))["phone"] == kept
