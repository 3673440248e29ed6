"""What a password hides of an event (docs/interface.md#masked-events)."""

from calendar_api.contract import schemas
from calendar_api.representations.events import mask_event

SHOWN = {
    "id", "global_id", "global_id_lineage", "author", "status", "date", "date_utc", "modified",
    "modified_utc", "url", "rest_url", "title", "slug", "start_date", "start_date_details", "end_date",
    "end_date_details",
    "utc_start_date", "utc_start_date_details", "utc_end_date", "utc_end_date_details", "timezone",
    "timezone_abbr",
}  # fmt: skip
KEYS = schemas.schema("event", "record")["required"]


def test_everything_but_title_address_and_dates_is_hidden() -> None:
    record = dict.fromkeys(KEYS, "a secret")

    masked = mask_event(record)

    assert {name for name, value in masked.items() if value == "a secret"} == SHOWN


def test_hidden_values() -> None:
    masked = mask_event(dict.fromkeys(KEYS, "a secret"))

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
    assert list(mask_event(dict.fromkeys(KEYS, "x"))) == KEYS


def test_record_itself_stays() -> None:
    record = dict.fromkeys(KEYS, "x")

    mask_event(record)

    assert record == dict.fromkeys(KEYS, "x")
