"""The store of venues and organizers: indexes behind the lists, doubles, what events may show."""

from datetime import UTC
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calendar_api import database
from calendar_api.database.models import SearchText
from calendar_api.domain import search_query, text
from calendar_api.store import events, related_records, venue_organizer
from calendar_api.store.organizers import organizers
from calendar_api.store.venue_organizer import VenueOrganizerStore, line
from calendar_api.store.venues import venues
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


@both
def test_of_events_keeps_the_order_of_the_links(caller: CallerFactory, noun: str) -> None:
    store, admin = STORES[noun], caller("admin")
    first, second = (int(made(store, admin, **{noun: name}).id) for name in ("One", "Two"))
    hidden = int(made(store, admin, **{noun: "Three"}, status="draft").id)
    times = {"start_date": "2027-01-01 10:00", "end_date": "2027-01-01 12:00"}
    with database.write():
        fields = {"title": "A", **times, noun: [second, hidden, first]}
        linked = int(events.create(fields, admin, UTC, "UTC").id)
        bare = int(events.create({"title": "B", **times}, admin, UTC, "UTC").id)

    with database.read():
        shown = {
            login: {
                event: [int(row.id) for row in rows]
                for event, rows in store.of_events([linked, bare], caller(login)).items()
            }
            for login in (None, "admin")
        }

    assert shown == {
        None: {linked: [second, first], bare: []},
        "admin": {linked: [second, hidden, first], bare: []},
    }


@both
def test_of_events_is_one_statement_for_any_number(
    caller: CallerFactory, caplog: pytest.LogCaptureFixture, noun: str
) -> None:
    store = STORES[noun]

    with database.read(), caplog.at_level("DEBUG", logger="peewee"):
        caplog.clear()
        found = store.of_events(list(range(1, 51)), caller(None))

    assert len(caplog.records) == 1
    assert found == {id: [] for id in range(1, 51)}


@both
def test_readable_ids_are_those_that_the_caller_may_read(caller: CallerFactory, noun: str) -> None:
    store = STORES[noun]
    open_ = int(made(store, caller("admin"), **{noun: "Open"}).id)
    own = int(made(store, caller("author"), **{noun: "Own"}, status="draft").id)
    trashed = int(made(store, caller("admin"), **{noun: "Gone"}, status="trash").id)
    asked = {open_, own, trashed, 999_999}

    with database.read():
        found = {login: store.readable_ids(asked, caller(login)) for login in (None, "author", "editor")}

    assert found == {None: {open_}, "author": {open_, own}, "editor": {open_, own, trashed}}


@both
def test_create_returns_the_oldest_of_the_same_name(caller: CallerFactory, noun: str) -> None:
    store, admin = STORES[noun], caller("admin")
    first = made(store, admin, **{noun: "Hall"}, description="one")
    second = made(store, admin, **{noun: "hall"}, description="two")

    again = made(store, admin, **{noun: "HALL"})

    assert (int(again.id), second.id != first.id) == (int(first.id), True)


@both
def test_update_raises_the_version_and_writes_only_what_was_sent(caller: CallerFactory, noun: str) -> None:
    store, admin = STORES[noun], caller("admin")
    record = made(store, admin, **{noun: "Hall"}, phone="1")
    later = caller("admin", "2026-06-15 13:00:00")

    with database.write():
        changed = store.update(record, {"phone": "2"}, later, UTC)

    before, after = vars(record), vars(changed)
    assert {name for name in after if after[name] != before[name]} == {"phone", "version", "modified_utc"}
    assert (after["version"], after["modified_utc"]) == (2, "2026-06-15 13:00:00")


@both
def test_search_text_is_folded_visible_and_only_of_fields_that_have_any(
    caller: CallerFactory, noun: str
) -> None:
    record = made(STORES[noun], caller("admin"), **{noun: "Café"}, description="<p>Groß</p>", phone="")

    with database.read():
        rows = SearchText.select(SearchText.field, SearchText.folded).where(SearchText.record == record.id)
        stored = dict(rows.tuples())

    assert stored == {noun: "cafe", "description": "gross"}


@both
@given(
    name=st.text(alphabet="ab-% _é'1", min_size=1, max_size=8).filter(text.plain),
    phone=st.text(alphabet="ab-% _é'1", max_size=8),
    query=st.text(alphabet="ab-% _é'1", max_size=4),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_words_stand_all_in_one_field(
    caller: CallerFactory, noun: str, name: str, phone: str, query: str
) -> None:
    """Said again in Python (docs/interface.md#venue-and-organizer-filters)."""
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


def test_text_columns_of_the_model_are_plain_fields() -> None:
    own = {"address", "city", "country", "province", "state", "stateprovince", "zip", "phone", "website"}

    assert set(venues.texts) == own
    assert set(organizers.texts) == {"phone", "website", "email"}
    assert own - venues.searched.keys() == {"country", "website"}


@pytest.mark.parametrize(
    ("given_line", "stored"), [(None, ""), ("", ""), (" a\n b ", "a b"), ("<b>a</b> &amp; c", "a & c")]
)
def test_line_is_plain_text(given_line: str | None, stored: str) -> None:
    assert line(given_line) == stored


def test_nested_records_of_a_page_are_loaded_in_as_many_statements_for_three_as_for_one(
    caller: CallerFactory, caplog: pytest.LogCaptureFixture
) -> None:
    admin = caller("admin")
    times = {"start_date": "2027-01-01 10:00", "end_date": "2027-01-01 12:00"}
    with database.write():
        made_events = [
            events.create(
                {
                    "title": f"Event {number}",
                    **times,
                    "venue": [{"venue": f"Hall {number}", "image": f"https://x.example.org/{number}.png"}],
                    "organizer": [{"organizer": f"Ann {number}"}],
                },
                admin,
                UTC,
                "UTC",
            )
            for number in range(3)
        ]

    counts = []
    with database.read(), caplog.at_level("DEBUG", logger="peewee"):
        for some in (made_events[:1], made_events):
            caplog.clear()
            links = related_records.load(some, caller(None))
            counts.append(len(caplog.records))

    assert counts[0] == counts[1] > 0
    assert [links.venues[int(event.id)][0].venue for event in made_events] == ["Hall 0", "Hall 1", "Hall 2"]


@pytest.mark.sqlite
@both
@pytest.mark.parametrize("role", ["contributor", "author", "administrator"])
def test_namesakes_are_found_by_their_names(database_url: str, noun: str, role: str) -> None:
    """And not by their status, which nearly all records of the database have."""
    named = venue_organizer._named(STORES[noun].model, noun, role, name="a", now="2099-01-01 00:00:00", me=1)
    with database.read():
        found = plan(named)

    assert found[0] == f"SEARCH t1 USING INDEX {noun}_name_caseless (name_caseless=?)"
