"""Venues and organizers: indexes of the lists, search words, duplicates, unknown ids."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calendar_api import database
from calendar_api.domain import search_query, text
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.store import venue_organizer, venue_organizer_query
from calendar_api.store.venue_organizer import organizers, venues
from tests import factories
from tests.client import Client
from tests.conftest import CallerFactory

STORES = {"venue": venues, "organizer": organizers}
PAGE = {"page": 1, "per_page": 10}

both = pytest.mark.parametrize("noun", STORES)


def plan(sql: str, parameters: Any) -> list[str]:
    return [row[3] for row in database.db.execute_sql(f"EXPLAIN QUERY PLAN {sql}", parameters).fetchall()]


@pytest.mark.sqlite
@both
@pytest.mark.parametrize("login", [None, "subscriber", "contributor", "author", "editor"])
def test_list_without_filters_uses_an_index(
    client: Client, caller: CallerFactory, caplog: pytest.LogCaptureFixture, noun: str, login: str | None
) -> None:
    getattr(factories, noun)(client)
    with database.read(), caplog.at_level("DEBUG", logger="peewee"):
        caplog.clear()
        venue_organizer_query.search(STORES[noun], PAGE, caller(login, at="2099-01-01 00:00:00"))
        sent: list[Any] = [record.msg for record in caplog.records]
        (steps,) = [plan(*statement) for statement in sent if "COUNT" not in statement[0]]

    if login in (None, "subscriber"):
        index = f"{noun}_status_published_utc_id (status=? AND published_utc<?)"
        assert steps == [f"SEARCH t1 USING INDEX {index}"]
    searches = [step for step in steps if step.startswith("SEARCH")]
    assert searches != []
    assert [step for step in searches if f"USING INDEX {noun}_" not in step] == []
    assert [step for step in steps if step.startswith("SCAN")] == []


@pytest.mark.sqlite
@both
@pytest.mark.parametrize("role", ["contributor", "author", "administrator"])
def test_duplicates_are_found_by_the_index_of_names(database_url: str, noun: str, role: str) -> None:
    """Nearly all records have the same status, so its index would not help."""
    named = venue_organizer._named.build(
        STORES[noun].model, noun, role, names=["a"], now="2099-01-01 00:00:00", me=1
    )
    with database.read():
        found = plan(*named.sql())

    assert found[0] == f"SEARCH t1 USING INDEX {noun}_name_casefold (name_casefold=?)"


@pytest.mark.both_databases
@both
@given(
    name=st.text(alphabet="ab-% _é'1", min_size=1, max_size=8).filter(text.plain),
    phone=st.text(alphabet="ab-% _é'1", max_size=8),
    query=st.text(alphabet="ab-% _é'1", max_size=4),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_all_words_must_be_in_one_field(
    caller: CallerFactory, noun: str, name: str, phone: str, query: str
) -> None:
    """See docs/interface.md#venue-and-organizer-filters."""
    store = STORES[noun]
    fragments = search_query.fragments(query)
    database.open_connection()
    with database.db.atomic() as transaction:
        id = store.find_or_create({noun: name, "phone": phone}, caller("admin"), SiteSettings("UTC", "$"))

        found = venue_organizer_query.search(store, {**PAGE, "search": query}, caller(None)).total

        record = store.model.get_by_id(id)
        fields = [text.folded(str(getattr(record, column))) for column in (noun, "phone")]
        transaction.rollback()
    matching = any(all(fragment in field for fragment in fragments) for field in fields)
    assert found == (1 if matching else 0)
