"""What a password hides of an event in a list; title, address and dates stay.

See docs/interface.md#masked-events.
"""

from typing import Any

Json = dict[str, Any]

_HIDDEN: Json = {
    "description": "",
    "excerpt": "",
    "image": False,
    "all_day": None,
    "cost": "",
    "cost_details": {"currency_symbol": "", "currency_code": "", "currency_position": "", "values": []},
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


def masked(record: Json) -> Json:
    """The same keys in the same order, with nothing that the password protects."""
    return {key: _HIDDEN.get(key, value) for key, value in record.items()}
