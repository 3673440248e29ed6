"""A condition that finds few leads the plan, and the others still hold."""

from typing import Any

import pytest

from calendar_api import database
from calendar_api.database.models import Event
from calendar_api.store import event_filters, full_text, query_hints
from calendar_api.store.event_filters import EventQuery
from tests import factories
from tests.client import Client
from tests.conftest import CallerFactory


def steps(clauses: list[Any]) -> list[str]:
    sql, values = Event.select(Event.id).where(*clauses).order_by(Event.utc_start_date, Event.id).sql()
    with database.read():
        return [row[3] for row in database.db.execute_sql(f"EXPLAIN QUERY PLAN {sql}", values)]


@pytest.mark.sqlite
def test_few_found_by_the_index_of_the_search_lead_the_list_of_events(
    client: Client, caller: CallerFactory
) -> None:
    factories.event(client, title="Concert")
    asked = EventQuery({"search": "concert -other"}, caller(None), None)  # type: ignore[arg-type]
    with database.read():
        others = [
            event_filters.not_hidden(asked),
            event_filters.statuses(asked),
            event_filters.other_words(asked),
        ]
        clauses = [*others, event_filters.words(asked)]
        found = event_filters.by_index(asked, {})[event_filters.words]

    led = query_hints.led([*others, found])

    assert "SEARCH t1 USING INTEGER PRIMARY KEY (rowid=?)" not in steps(clauses)
    assert "SEARCH t1 USING INTEGER PRIMARY KEY (rowid=?)" in steps(led)
    assert query_hints.led(clauses[:2]) == clauses[:2]


def test_conditions_beside_a_leading_one_hold(client: Client) -> None:
    titles = ("Concert", "Concert hidden", "Other")
    for title in titles:
        factories.event(client, title=title, hide_from_listings=title.endswith("hidden"))
    with database.read():
        leading = query_hints.leading(full_text.holding(Event.id, ["concert"], "all"))
        either = (Event.hide_from_listings == False) | (Event.title == "Other")  # noqa: E712
        rows = Event.select().where(*query_hints.led([Event.featured == False, either, leading]))  # noqa: E712

        assert [event.title for event in rows] == ["Concert"]
