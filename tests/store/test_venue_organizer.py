"""Venues and organizers: indexes of the lists, search words, duplicates, unknown ids."""

from datetime import UTC
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calendar_api import database
from calendar_api.domain import html, search_query, text
from calendar_api.store import venue_organizer
from calendar_api.store.organizers import organizers
from calendar_api.store.venue_organizer import VenueOrganizerStore
from calendar_api.store.venues import venues
from tests import factories
from tests.client import Client
from tests.conftest import CallerFactory

STORES = {"venue": venues, "organizer": organizers}
PAGE = {"page": 1, "per_page": 10}

both = pytest.mark.parametrize("noun", STORES)


def plan(query: Any) -> list[str]:
    sql, parameters = query.sql()
    return [row[3] for row in database.db.execute_sql(f"EXPLAIN QUERY PLAN {sql}", parameters).fetchall()]


def default_list(store: VenueOrganizerStore, caller: Any) -> Any:
    """The statement behind a list without filters."""
    return (
        store.model.select()
        .where(store.in_status({}, caller))
        .order_by(store.model.published_utc.desc(), store.model.id.desc())
        .limit(10)
    )


def made(store: VenueOrganizerStore, caller: Any, **fields: Any) -> Any:
    with database.write():
        return store.create(fields, caller, UTC)


@pytest.mark.sqlite
@both
@pytest.mark.parametrize("login", [None, "subscriber"])
def test_default_public_list_is_filtered_and_ordered_by_one_index(
    caller: CallerFactory, noun: str, login: str | None
) -> None:
    with database.read():
        steps = plan(default_list(STORES[noun], caller(login)))

    assert steps == [f"SEARCH t1 USING INDEX {noun}_status_published_utc_id (status=? AND published_utc<?)"]


@pytest.mark.sqlite
@both
@pytest.mark.parametrize("login", ["contributor", "author", "editor", "admin"])
def test_default_list_of_those_who_write_reads_no_whole_table(
    caller: CallerFactory, noun: str, login: str
) -> None:
    with database.read():
        steps = plan(default_list(STORES[noun], caller(login)))

    searches = [step for step in steps if step.startswith("SEARCH")]
    assert searches != []
    assert [step for step in searches if f"USING INDEX {noun}_" not in step] == []
    assert [step for step in steps if step.startswith("SCAN")] == []


@pytest.mark.sqlite
@both
def test_default_list_is_the_statement_that_a_search_sends(
    caller: CallerFactory, caplog: pytest.LogCaptureFixture, noun: str
) -> None:
    store = STORES[noun]
    with database.read():
        expected = default_list(store, caller(None)).sql()
        with caplog.at_level("DEBUG", logger="peewee"):
            caplog.clear()
            store.search(PAGE, caller(None))

    sent: list[Any] = [record.msg for record in caplog.records]
    assert [statement for statement, _ in sent if "COUNT" not in statement and "LIMIT" in statement] == [
        f"{expected[0]} OFFSET ?"
    ]


@pytest.mark.both_databases
@both
@given(
    name=st.text(alphabet="ab-% _é'1", min_size=1, max_size=8).filter(html.plain),
    phone=st.text(alphabet="ab-% _é'1", max_size=8),
    query=st.text(alphabet="ab-% _é'1", max_size=4),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_all_words_must_be_in_one_field(
    caller: CallerFactory, noun: str, name: str, phone: str, query: str
) -> None:
    """See docs/interface.md#venue-and-organizer-filters."""
    store = STORES[noun]
    fragments = search_query.fragments(query)
    database.open_connection()
    with database.db.atomic() as transaction:
        record = store.create({noun: name, "phone": phone}, caller("admin"), UTC)

        found = store.model.select().where(store.words({"search": query})).count()

        fields = [text.folded(str(getattr(record, column))) for column in (noun, "phone")]
        transaction.rollback()
    matching = any(all(fragment in field for fragment in fragments) for field in fields)
    assert found == (1 if matching else 0)


@pytest.mark.sqlite
@both
@pytest.mark.parametrize("role", ["contributor", "author", "administrator"])
def test_duplicates_are_found_by_the_index_of_names(database_url: str, noun: str, role: str) -> None:
    """Nearly all records have the same status, so its index would not help."""
    named = venue_organizer._named(STORES[noun].model, noun, role, name="a", now="2099-01-01 00:00:00", me=1)
    with database.read():
        found = plan(named)

    assert found[0] == f"SEARCH t1 USING INDEX {noun}_name_caseless (name_caseless=?)"


@both
def test_lowest_unknown_id_is_named(client: Client, noun: str) -> None:
    known = getattr(factories, noun)(client)["id"]
    event = {"title": "A", "start_date": "2031-01-01", "end_date": "2031-01-01", noun: [999, known, 888]}

    refused = client.post("/events", event, as_="author", status=400).json

    assert refused["data"]["params"] == {
        noun: f"{noun} must be records that you may read; there is none with the id 888."
    }
