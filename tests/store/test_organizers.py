"""The columns of an organizer: what was sent, and nothing else."""

from typing import Any

import pytest

from calendar_api.database.models import Organizer
from calendar_api.store.organizers import organizers


def test_columns_of_a_new_organizer_have_their_defaults() -> None:
    columns = organizers.own_columns({"organizer": "Ann"}, None)

    assert columns == {"phone": "", "email": "", "website": ""}


@pytest.mark.parametrize(
    ("sent", "columns"),
    [
        ({}, {}),
        ({"organizer": "New", "description": "New"}, {}),
        ({"phone": " 5  5 "}, {"phone": "5 5"}),
        ({"phone": None}, {"phone": ""}),
        ({"email": "ann@example.org"}, {"email": "ann@example.org"}),
        ({"email": ""}, {"email": ""}),
        ({"website": None}, {"website": ""}),
        ({"website": "https://x.example.org/?a=1&b=2"}, {"website": "https://x.example.org/?a=1&b=2"}),
        ({"city": "Rome"}, {}),
    ],
)
def test_columns_of_an_update_are_those_that_were_sent(sent: dict[str, Any], columns: dict[str, Any]) -> None:
    assert organizers.own_columns(sent, Organizer(phone="1")) == columns


def test_organizer_has_no_problems_of_its_own() -> None:
    assert organizers.own_problems({"geo_lat": 1.0}) == {}


def test_searched_fields() -> None:
    assert set(organizers.searched) == {"organizer", "phone", "email", "website", "description", "excerpt"}
