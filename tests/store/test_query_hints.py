"""Conditions beside the one that leads the query plan."""

import pytest

from calendar_api import database
from calendar_api.database.models import Event
from calendar_api.store import full_text, query_hints
from tests import factories
from tests.client import Client


@pytest.mark.both_databases
def test_conditions_beside_a_leading_one_hold(client: Client) -> None:
    titles = ("Concert", "Concert hidden", "Other")
    for title in titles:
        factories.event(client, title=title, hide_from_listings=title.endswith("hidden"))
    with database.read():
        leading = query_hints.leading(full_text.holding(Event.id, ["concert"], "all"))
        either = (Event.hide_from_listings == False) | (Event.title == "Other")  # noqa: E712
        rows = Event.select().where(*query_hints.led([Event.featured == False, either, leading]))  # noqa: E712

        assert [event.title for event in rows] == ["Concert"]
