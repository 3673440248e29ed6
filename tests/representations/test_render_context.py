"""Texts that go out unescaped hold no tag for any browser."""

import pytest

from calendar_api.representations.render_context import inert
from tests.client import Client


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("Main St & 5th", "Main St & 5th"),
        ("1 < 2 <3", "1 < 2 <3"),
        ("<img/src=x/onerror=x()>", "&lt;img/src=x/onerror=x()>"),
        ("<x-y onclick=x()>", "&lt;x-y onclick=x()>"),
        ("</p", "&lt;/p"),
        ("<!--", "&lt;!--"),
        ("<?x", "&lt;?x"),
    ],
)
def test_what_opens_a_tag_is_escaped(stored: str, shown: str) -> None:
    assert inert(stored) == shown


def test_costs_and_addresses_open_no_tag_and_can_be_written_back(client: Client) -> None:
    line = "<img/src=x/onerror=x()>"
    venue = {"venue": "Hall", "city": line, "phone": line}
    event = {
        "title": "Fair",
        "start_date": "2031-06-07",
        "end_date": "2031-06-08",
        "cost": line,
        "venue": venue,
    }
    made = client.post("/events", event, as_="admin", status=201).json
    place = made["venue"]

    again = client.patch(f"/venues/{place['id']}", {"city": place["city"]}, as_="admin", status=200).json

    assert made["cost"] == place["city"] == place["phone"] == again["city"] == f"&lt;{line[1:]}"
