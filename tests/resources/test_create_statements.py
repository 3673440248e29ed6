"""The number of statements of a write."""

import re
from typing import Any

import pytest
from playhouse.test_utils import count_queries

from calendar_api.database.sqlite import full_text_index
from tests import factories
from tests.client import Client

pytestmark = pytest.mark.both_databases


@pytest.fixture(autouse=True)
def _each_write_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the index of the search learns the texts of several writes with one of them."""
    monkeypatch.setattr(
        full_text_index.IndexedSqlite.update_search_index, "__defaults__", (full_text_index.MAX_CHANGES, 1)
    )


DATES = {"start_date": "2031-01-10 10:00:00", "end_date": "2031-01-10 12:00:00"}

#: What can be nested in an event, `count` times.
NESTED = {
    "terms by name": lambda count, number: {
        "categories": [f"Category {number} {at}" for at in range(count)],
        "tags": [f"Tag {number} {at}" for at in range(count)],
    },
    "new venues": lambda count, number: {
        "venue": [venue(f"Hall {number} {at}") for at in range(count)],
        "organizer": [{"organizer": f"Ann {number} {at}"} for at in range(count)],
    },
    "namesakes": lambda count, number: {"venue": [{"venue": "Hall"}] * count},
}


#: Statements that each more of them takes.
EACH = {"terms by name": 8, "new venues": 14, "namesakes": 1}


def venue(name: str) -> dict[str, Any]:
    slug = name.lower().replace(" ", "-")
    return {"venue": name, "city": "Faro", "image": f"https://images.example/{slug}.png", "author": 1}


def statements(client: Client, method: str, path: str, body: dict[str, Any]) -> list[str]:
    with count_queries() as counter:
        client.send(method, path, {"title": "Concert", **DATES, **body}, as_="admin")
    return [re.sub('"s[0-9a-f]{32}"', "", record.msg[0]) for record in counter.get_queries()]


@pytest.mark.parametrize("what", NESTED)
@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_each_nested_record_takes_a_fixed_number(client: Client, what: str, method: str) -> None:
    path = "/events" if method == "POST" else f"/events/{factories.event(client)['id']}"
    client.send(method, path, {"title": "Concert", **DATES, **NESTED[what](2, 0)}, as_="admin")

    one = statements(client, method, path, NESTED[what](1, 1))
    ten = statements(client, method, path, NESTED[what](10, 2))

    assert len(ten) == len(one) + 9 * EACH[what]


@pytest.mark.parametrize("kind", ["venue", "organizer", "categories", "tags"])
def test_ten_known_records_take_as_many_statements_as_one(client: Client, kind: str) -> None:
    noun = {"categories": "category", "tags": "tag"}.get(kind, kind)
    ids = [getattr(factories, noun)(client)["id"] for _ in range(10)]

    one = statements(client, "POST", "/events", {kind: ids[:1]})
    ten = statements(client, "POST", "/events", {kind: ids})

    assert len(ten) == len(one)


def test_plain_event_takes_few_statements(client: Client) -> None:
    """Who asks, the turn, an id, a slug, the event, its text and its index, and what its answer shows."""
    statements(client, "POST", "/events", {})

    again = statements(client, "POST", "/events", {})

    assert len(again) <= 18, again


def test_update_reads_only_what_was_sent(client: Client) -> None:
    """Links are read for the answer alone."""
    id = factories.event(client, **DATES, venue={"venue": "Hall"}, tags=["one"])["id"]

    sent = statements(client, "PATCH", f"/events/{id}", {"excerpt": "Other"})

    assert len([one for one in sent if re.search("event_(venue|organizer|term)", one)]) == 3


def test_update_writes_only_the_columns_that_change(client: Client) -> None:
    """A new title leaves the indexes of status, slug and dates alone, although the dates are sent, too."""
    id = factories.event(client, **DATES)["id"]

    sent = statements(client, "PATCH", f"/events/{id}", {"title": "Other"})

    (update,) = [one for one in sent if re.match('UPDATE ["`]event["`]', one)]
    assert set(re.findall('["`](\\w+)["`] =', update)) <= {"title", "modified_utc", "version", "id"}


def test_statements_are_not_written_anew(client: Client) -> None:
    """Shapes of statements are few: other values are the same statements."""
    bodies = [{"tags": [f"Tag {number} {at}" for at in range(3)]} for number in range(3)]
    first, second, third = (statements(client, "POST", "/events", body) for body in bodies)

    assert second == third
    assert set(second) - set(first) == set()
