"""Copies of events: their fields for a new event, some days later."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from calendar_api.domain import costs
from calendar_api.representations.event_fields import Record

_KEPT_BY_A_COPY = (
    "description", "excerpt", "image", "categories", "tags", "venue", "organizer", "post_parent",
    "show_map", "show_map_link", "ticketed",
)  # fmt: skip
_PUBLISHERS_ONLY = ("featured", "sticky", "hide_from_listings")


def shifted(inputs: Mapping[str, str | list[str]], days: int) -> dict[str, str | list[str]]:
    """The same, some days later; a day beyond the end of the calendar stays."""
    moved = dict(inputs)
    for name in ("start_day", "end_day"):
        try:
            moved[name] = str(date.fromisoformat(str(inputs[name])) + timedelta(days=days))
        except (KeyError, ValueError, OverflowError):
            continue
    return moved


def copied(event: Record, free: str, *, may_publish: bool) -> dict[str, Any]:
    """Fields of a new event that is a copy of this one, without those that the form always sends.

    `free` is the word for a cost of nothing in the event. It takes place as planned and has no password.
    """
    names = (*_KEPT_BY_A_COPY, *(_PUBLISHERS_ONLY if may_publish else ()))
    found = {name: event[name] for name in names}
    found["cost"] = _cost(event, free)
    if event["website"] != event["url"]:
        found["website"] = event["website"]
    return found


def _cost(event: Record, free: str) -> str | list[str]:
    """All amounts, of which the text for display has the lowest and the highest; words as they are shown."""
    details = event["cost_details"]
    symbol, values = details["currency_symbol"], details["values"]
    if event["cost"] == free:
        return "0"
    if costs.amounts(event["cost"], values) is None:
        return str(event["cost"])
    prefixed = details["currency_position"] == "prefix"
    return [f"{symbol}{value}" if prefixed else f"{value}{symbol}" for value in values]
