"""What a password hides of an event (docs/interface.md#masked-events)."""

from calendar_api.contract import schemas
from calendar_api.representations import events
from tests.representations.test_events import FLAGS, SITE, event, record

SHOWN = {
    "id", "global_id", "global_id_lineage", "author", "status", "date", "date_utc", "modified",
    "modified_utc", "url", "rest_url", "title", "slug", "start_date", "start_date_details", "end_date",
    "end_date_details",
    "utc_start_date", "utc_start_date_details", "utc_end_date", "utc_end_date_details", "timezone",
    "timezone_abbr",
}  # fmt: skip
KEYS = schemas.schema("event", "record")["required"]


SECRET = event(
    password="digest", description="secret", excerpt="secret", cost="5", website="https://secret.example/",
    image=9, parent=5, **dict.fromkeys(FLAGS, True),
)  # fmt: skip


def test_everything_but_title_address_and_dates_is_hidden() -> None:
    shown = record(SECRET)

    masked = events.masked(SECRET, SITE)

    assert {name: masked[name] for name in SHOWN} == {name: shown[name] for name in SHOWN}


def test_hidden_values() -> None:
    masked = events.masked(SECRET, SITE)

    assert {name: value for name, value in masked.items() if name not in SHOWN} == {
        "description": "",
        "excerpt": "",
        "image": False,
        "all_day": None,
        "cost": "",
        "cost_details": {
            "currency_symbol": "",
            "currency_code": "",
            "currency_position": "",
            "values": [],
        },
        "website": "",
        "show_map": None,
        "show_map_link": None,
        "hide_from_listings": None,
        "sticky": None,
        "featured": None,
        "categories": [],
        "tags": [],
        "venue": [],
        "organizer": [],
        "custom_fields": [],
        "post_parent": None,
        "ticketed": None,
    }


def test_keys_and_their_order_stay() -> None:
    assert list(events.masked(SECRET, SITE)) == KEYS
