"""How many SQL statements requests take, and which index each of them uses."""

import re
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from playhouse.test_utils import count_queries

from calendar_api import database
from calendar_api.database.models import Event, Organizer, Term, Venue
from calendar_api.database.sqlite import full_text_index
from tests import factories
from tests.client import Client, Json

#: Without a cache, so that every request runs all its statements.
pytestmark = [pytest.mark.both_databases, pytest.mark.settings(cache=0)]

CALLERS = (None, "contributor", "editor")
LINKS = "event_venue_venue_id_utc_start_date_event_id"
Statement = tuple[str, Any]


@pytest.fixture(autouse=True)
def _each_write_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the index of the search learns the texts of several writes with one of them."""
    monkeypatch.setattr(
        full_text_index.IndexedSqlite.update_search_index, "__defaults__", (full_text_index.MAX_CHANGES, 1)
    )


def counted(client: Client, *request: Any, **more: Any) -> list[Statement]:
    with count_queries() as counter:
        client.send(*request, **more)
    return [record.msg for record in counter.get_queries()]


def statements(client: Client, query: Json, as_: str | None, path: str = "/events") -> list[Statement]:
    """The statements of a list, after one request that warms everything up."""
    client.get(path, query, as_=as_, status=200)
    run = counted(client, "GET", path, params=query, as_=as_, status=200)
    return [(sql, values) for sql, values in run if re.match(r"\(?SELECT", sql)]


def plan(statement: Statement) -> list[str]:
    with database.db.connection_context():
        return [row[3] for row in database.db.execute_sql(f"EXPLAIN QUERY PLAN {statement[0]}", statement[1])]


def scans(statement: Statement) -> list[str]:
    """The steps of a plan that read a whole table, without an index."""
    if "(0 = 1)" in statement[0]:  # asks for none of nothing; SQLite plans a scan and never starts it
        return []
    steps = plan(statement)
    found = [step for step in steps if re.match(r"SCAN (?!CONSTANT ROW|\()", step) and " INDEX " not in step]
    parts = {f"SCAN {step.split()[1]}" for step in steps if step.startswith("CO-ROUTINE ")}
    return [step for step in found if step not in parts]


def event_with_everything(client: Client, parent: int, number: int) -> None:
    picture = f"https://images.example/{number}"
    factories.event(
        client, venue={"venue": f"Hall {number}", "geo_lat": 1, "geo_lng": 1, "image": f"{picture}v.png"},
        organizer=[{"organizer": f"Ann {number}"}, {"organizer": f"Bob {number}"}], cost="$10",
        categories=[f"Category {number}"], tags=[f"Tag {number}"], image=f"{picture}e.png",
        post_parent=parent, password="sesame",
    )  # fmt: skip


def test_three_events_take_as_many_statements_as_one(client: Client) -> None:
    parent = factories.event(client, start_date="2001-01-01 10:00:00")["id"]
    asked = list(product(({}, {"per_page": 3}, {"search": "event"}, {"password": "sesame"}), CALLERS))
    event_with_everything(client, parent, 1)
    one = [len(statements(client, *each)) for each in asked]
    for number in (2, 3):
        event_with_everything(client, parent, number)
    three = [len(statements(client, *each)) for each in asked]

    assert client.get("/events", as_="editor").json["total"] == 3
    assert three == one
    assert max(one) <= 6


def test_documents_that_cannot_be_used_are_read_together(client: Client) -> None:
    def run() -> int:
        with database.write():
            for model in (Event, Venue, Organizer, Term):
                model.update(document=None).execute()
            for model in (Event, Venue, Organizer):
                model.update(json_ld=None).execute()
        return len(statements(client, {}, "editor"))

    parent = factories.event(client, start_date="2001-01-01 10:00:00")["id"]
    event_with_everything(client, parent, 1)
    one = run()
    for number in (2, 3):
        event_with_everything(client, parent, number)

    assert run() == one


@pytest.mark.parametrize("noun", ["venue", "organizer", "category", "tag"])
def test_three_other_records_take_as_many_statements_as_one(client: Client, noun: str, backend: str) -> None:
    image = {"image": "https://images.example/1.png"} if noun in ("venue", "organizer") else {}
    path = "/categories" if noun == "category" else f"/{noun}s"
    counts = []
    for _ in range(3):
        getattr(factories, noun)(client, **image)
        asked = product(("0", "1"), CALLERS)
        lists = [statements(client, {"hide_empty": hide}, login, path) for hide, login in asked]
        counts.append([len(run) for run in lists])

    assert counts[0] == counts[2]
    assert backend != "sqlite" or not any(scans(one) for run in lists for one in run)


def test_page_with_three_terms_takes_as_many_statements_as_with_one(client: Client) -> None:
    factories.event(client, tags=["a", "b", "c"])
    found = []
    for tags in ("a", "a,b,c"):
        client.app.get(f"/events/?tags={tags}", status=200)
        with count_queries() as counter:
            client.app.get(f"/events/?tags={tags}", status=200)
        found.append(counter.count)

    assert found[0] == found[1] > 0


def test_caller_is_found_by_one_statement(client: Client) -> None:
    """Without a transaction of its own, which would be three more to a server of MySQL."""
    callers = (None, None, "author", "author")
    counts = [len(counted(client, "GET", "/tags?search=none", as_=as_)) for as_ in callers]
    assert counts[3] == counts[1] + 1


def queries(client: Client) -> list[dict[str, Any]]:
    """The default list and one list for each filter, with values that exist."""
    venue = factories.venue(client, geo_lat=1, geo_lng=1)["id"]
    organizer = factories.organizer(client)["id"]
    category, tag = factories.category(client)["id"], factories.tag(client)["id"]
    id = factories.event(client, venue=venue, organizer=organizer, categories=[category], tags=[tag])["id"]
    single = {
        "search": "event -other", "categories": category, "tags": tag, "venue": venue, "organizer": organizer,
        "featured": "true", "ticketed": "false", "include": id, "post_parent": id, "geoloc": "true",
        "status": "publish", "start_date": "2026-01-01", "end_date": "2030-01-01", "password": "sesame",
        "starts_before": "2030-01-01", "starts_after": "2026-01-01",
        "ends_before": "2030-01-01", "ends_after": "2026-01-01",
    }  # fmt: skip
    return [
        {}, *({name: value} for name, value in single.items()), {"geoloc": "false"},
        {"featured": "false"}, {"ticketed": "true"}, {"geoloc_lat": 1, "geoloc_lng": 1},
    ]  # fmt: skip


@pytest.mark.sqlite
@pytest.mark.parametrize("as_", CALLERS)
def test_every_statement_of_every_filter_uses_an_index(client: Client, as_: str | None) -> None:
    for query in queries(client):
        run = statements(client, query, as_)
        read = [sql for sql, _ in run if "FROM event" in sql.replace('"', "")]
        assert sum("COUNT(" in sql for sql in read) >= 1
        total = client.get("/events", query, as_=as_).json["total"]
        pages = [sql for sql in read if 'ORDER BY "t1"."utc_start_date"' in sql]
        assert len(pages) == (1 if total else 0)
        assert [(query, statement) for statement in run if scans(statement)] == []


@pytest.mark.sqlite
@pytest.mark.parametrize("as_", CALLERS)
def test_search_looks_into_the_index_and_then_at_what_it_found(client: Client, as_: str | None) -> None:
    factories.event(client, title="Rare event")
    run = statements(client, {"search": "rare event -other"}, as_)

    (found,) = [statement for statement in run if "MATCH" in statement[0]]
    assert "SCAN search_index VIRTUAL TABLE INDEX 0:M1" in plan(found)
    lists = [statement for statement in run if "json_each(" in statement[0]]
    assert len(lists) == 3  # texts by their ids, then for count and page the events by the ids from these
    for statement in lists:
        steps = [step for step in plan(statement) if step.startswith(("SEARCH", "SCAN"))]
        found_by = [step.split(" ", 2)[2] for step in steps[:2]]
        assert found_by == ["USING INTEGER PRIMARY KEY (rowid=?)", "VIRTUAL TABLE INDEX 1:"]


@pytest.mark.sqlite
@pytest.mark.parametrize("noun", ["venue", "organizer"])
def test_search_of_what_is_linked_begins_with_what_the_index_found(client: Client, noun: str) -> None:
    getattr(factories, noun)(client, **{noun: "Rare"})
    run = statements(client, {"search": "rare"}, None, f"/{noun}s")
    (page,) = [statement for statement in run if "ORDER BY" in statement[0]]
    assert any("MATCH" in sql for sql, _ in run)
    assert "SEARCH t1 USING INTEGER PRIMARY KEY (rowid=?)" in plan(page)


@pytest.mark.sqlite
def test_short_words_are_looked_for_in_the_order_of_the_list(client: Client) -> None:
    factories.event(client)
    for words in ("ev", "ev -xy", '"e"'):
        run = statements(client, {"search": words}, None)
        (page,) = [statement for statement in run if 'ORDER BY "t1"."utc_start_date"' in statement[0]]
        assert not any("MATCH" in sql for sql, _ in run)
        steps = plan(page)
        assert not any("TEMP B-TREE" in step for step in steps[: steps.index("SCAN page")])


@pytest.mark.sqlite
def test_near_begins_with_the_coordinates_of_venues(client: Client) -> None:
    event_with_everything(client, 0, 1)
    for lng, as_ in product((1, -180), CALLERS):
        run = statements(client, {"geoloc_lat": 1, "geoloc_lng": lng}, as_)
        total = next(one for one in run if "COUNT(" in one[0])
        assert [step for step in plan(total) if re.match("(SEARCH|SCAN) t[23]", step)] == [
            "SEARCH t3 USING INDEX venue_geo_lat_geo_lng (geo_lat>? AND geo_lat<?)",
            f"SEARCH t2 USING COVERING INDEX {LINKS} (venue_id=? AND utc_start_date>? AND utc_start_date<?)",
        ]


def total_plan(client: Client, query: dict[str, Any]) -> list[str]:
    """The query plan of a total for an anonymous caller."""
    return plan(next(one for one in statements(client, query, None) if "COUNT(" in one[0]))


@pytest.mark.sqlite
def test_dates_are_counted_in_an_index_that_is_read_no_further_than_they_reach(client: Client) -> None:
    factories.event(client)
    both = "utc_start_date>? AND utc_start_date<?"

    for query, bounds in (
        ({}, both), ({"starts_after": "2026-01-01", "ends_before": "2031-01-01"}, both),
        ({"ends_before": "2031-01-01"}, both), ({"ends_after": "2026-01-15"}, "utc_start_date>?"),
    ):  # fmt: skip
        step, *scheduled = total_plan(client, query)
        assert "USING COVERING INDEX event_hide_from_listings_status_utc_start_date_id" in step
        assert step.endswith(f"(hide_from_listings=? AND status=? AND {bounds})")
        by_date = "SEARCH t1 USING INDEX event_status_published_utc (status=? AND published_utc>?)"
        assert scheduled == ["SCALAR SUBQUERY 1", by_date]


@pytest.mark.sqlite
def test_any_of_several_terms_is_counted_by_their_links(client: Client) -> None:
    ids = [factories.category(client)["id"] for _ in range(2)]
    factories.event(client, categories=ids)
    links = "event_term_term_id_utc_start_date_event_id (term_id=? AND utc_start_date>? AND utc_start_date<?)"
    wanted = {"SEARCH t1 USING INTEGER PRIMARY KEY (rowid=?)", f"SEARCH t2 USING COVERING INDEX {links}"}
    assert wanted <= set(total_plan(client, {"categories": ",".join(map(str, ids))}))


@pytest.mark.sqlite
def test_texts_are_read_as_they_are_stored_where_most_events_would_be_looked_at(client: Client) -> None:
    factories.event(client)
    assert "SCAN t2" in total_plan(client, {"search": "ev", "starts_after": "2026-01-01"})
    assert "SCAN t2" not in total_plan(client, {"search": "ev"})


@pytest.mark.sqlite
@pytest.mark.parametrize("as_", CALLERS)
def test_what_a_page_shows_is_found_by_the_ids_of_its_events(client: Client, as_: str | None) -> None:
    """And not by their status, which nearly all records have; only few are scheduled."""
    parent = factories.event(client, start_date="2001-01-01 10:00:00")["id"]
    event_with_everything(client, parent, 1)
    run = statements(client, {}, as_)
    page = next(at for at, (sql, _) in enumerate(run) if 'ORDER BY "t1"."utc_start_date"' in sql)
    nested = [step for statement in run[page + 1 :] for step in plan(statement) if "SEARCH" in step]
    assert len(nested) >= 7
    by = r"\((rowid|event_id|term_id)=\?|\(status=\? AND published_utc>\?\)"
    assert [step for step in nested if not re.search(by, step)] == []


@pytest.mark.sqlite
def test_scan_is_seen_where_there_is_one(database_url: str) -> None:
    unindexed = Event.select().where(Event.description == "text")
    indexed = Event.select().where(Event.slug == "text")
    assert scans(unindexed.sql()) == ["SCAN t1"]
    assert scans(indexed.sql()) == []


# -- the same on MariaDB, which looks for an index only where there are rows enough


MANY = 3000
OPEN_ENDED = {"starts_before", "starts_after", "ends_before", "ends_after"}
NOW_AND_LATER = "DATE_FORMAT(NOW() + INTERVAL (record.id * 7 %% 9000) - 4500 DAY, '%%Y-%%m-%%d %%H:%%i:%%s')"


def multiply() -> None:
    """Make many events like the one that there is, spread over twelve years before and after today."""
    with database.read():
        model = Event.get()
    columns = Event._meta.columns
    differing = {"id": "record.id", "uid": "record.id", "slug": "CONCAT('e-', record.id)"}
    differing |= dict.fromkeys(("utc_start_date", "utc_end_date"), NOW_AND_LATER)
    values = ", ".join(differing.get(column, f"event.{column}") for column in columns)
    with database.write():
        for sql in (
            f"INSERT INTO record (kind) SELECT 'event' FROM seq_1_to_{MANY}",
            f"""INSERT INTO event ({", ".join(columns)}) SELECT {values} FROM record JOIN event
                ON event.id = {model.id} WHERE kind = 'event' AND record.id NOT IN (SELECT id FROM event)""",
            """INSERT INTO search_text (record_id, field, folded) SELECT id, 'all', 'event text' FROM event
                WHERE id NOT IN (SELECT record_id FROM search_text)""",
        ):
            database.db.execute_sql(sql, ())
    with database.db.connection_context():
        for table in ("event", "search_text", "record"):
            database.db.execute_sql(f"ANALYZE TABLE {table}").fetchall()


def mariadb_scans(statement: Statement) -> list[Any]:
    """The steps of a plan that read all of a large table."""
    with database.db.connection_context():
        plan = database.db.execute_sql(f"EXPLAIN {statement[0]}", statement[1]).fetchall()
    # The number of rows may have the percentage after it that a filter leaves.
    steps = [(table, kind, int(str(rows or 0).split()[0])) for _, _, table, kind, *_, rows, _ in plan]
    return [step for step in steps if step[1] == "ALL" and step[2] > 100 and not step[0].startswith("<")]


@pytest.mark.mariadb
def test_every_statement_of_every_filter_uses_an_index_on_mariadb(client: Client) -> None:
    # Of what holds half of the table, the server rightly reads the whole.
    asked = [query for query in queries(client) if not query.keys() & OPEN_ENDED]
    asked += [{f"{edge}_after": "2030-01-01", f"{edge}_before": "2030-02-01"} for edge in ("starts", "ends")]
    multiply()

    assert len(asked) > 15
    for as_ in CALLERS:
        for query in asked:
            run = statements(client, query, as_)
            assert run  # what finds nothing has no page
            assert [(query, statement) for statement in run if mariadb_scans(statement)] == []


@pytest.mark.mariadb
def test_scan_is_seen_on_mariadb_where_there_is_one(client: Client) -> None:
    factories.event(client)
    multiply()
    assert mariadb_scans(Event.select().where(Event.description == "text").sql())
    assert mariadb_scans(Event.select().where(Event.slug == "e-7").sql()) == []


# -- writes


DATES = {"start_date": "2031-01-10 10:00:00", "end_date": "2031-01-10 12:00:00"}

#: What can be nested in an event, `count` times, and how many statements each more of them takes.
NESTED: dict[str, tuple[int, Callable[[int, int], dict[str, Any]]]] = {
    "terms by name": (8, lambda count, number: {
        "categories": [f"Category {number} {at}" for at in range(count)],
        "tags": [f"Tag {number} {at}" for at in range(count)],
    }),
    "new records": (13, lambda count, number: {
        "venue": [
            {"venue": f"Hall {number} {at}", "image": f"https://images.example/{number}{at}.png", "author": 1}
            for at in range(count)
        ],
        "organizer": [{"organizer": f"Ann {number} {at}"} for at in range(count)],
    }),
    "namesakes": (0, lambda count, number: {"venue": [{"venue": "Hall"}] * count}),
}  # fmt: skip


def writes(client: Client, method: str, path: str, body: dict[str, Any]) -> list[str]:
    """The statements of a write, without the names of savepoints and what only some writes delete."""
    run = counted(client, method, path, {"title": "Concert", **DATES, **body}, as_="admin")
    statements = [re.sub('"s[0-9a-f]{32}"', "", sql) for sql, _ in run]
    return [sql for sql in statements if not sql.startswith("DELETE FROM commit_token")]


@pytest.mark.parametrize("what", NESTED)
@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_each_nested_record_takes_a_fixed_number(client: Client, what: str, method: str) -> None:
    path = "/events" if method == "POST" else f"/events/{factories.event(client)['id']}"
    each, made = NESTED[what]
    writes(client, method, path, made(2, 0))
    one, ten = (len(writes(client, method, path, made(count, count))) for count in (1, 10))
    assert ten == one + 9 * each


@pytest.mark.parametrize("kind", ["venue", "organizer", "categories", "tags"])
def test_ten_known_records_take_as_many_statements_as_one(client: Client, kind: str) -> None:
    noun = {"categories": "category", "tags": "tag"}.get(kind, kind)
    ids = [getattr(factories, noun)(client)["id"] for _ in range(10)]
    one, ten = (len(writes(client, "POST", "/events", {kind: known})) for known in (ids[:1], ids))
    assert ten == one


def test_plain_event_takes_few_statements_which_are_the_same_each_time(client: Client) -> None:
    """Who asks, the turn, an id, a slug, the event, its text and its index, and what its answer shows."""
    first, second = (writes(client, "POST", "/events", {}) for _ in range(2))
    tagged = [writes(client, "POST", "/events", {"tags": [f"{number}a", f"{number}b"]}) for number in "xy"]
    assert len(second) <= 18, second
    assert set(second) - set(first) == set()
    assert tagged[0] == tagged[1]


def test_update_reads_and_writes_only_what_was_sent(client: Client) -> None:
    """Links are read for the answer alone; a new title leaves the indexes of slug and dates as they are."""
    id = factories.event(client, **DATES, venue={"venue": "Hall"}, tags=["one"])["id"]
    sent = writes(client, "PATCH", f"/events/{id}", {"title": "Other"})
    assert len([one for one in sent if re.search("event_(venue|organizer|term)", one)]) == 1
    (update,) = [one for one in sent if re.match('UPDATE ["`]event["`]', one)]
    assert set(re.findall('["`](\\w+)["`] =', update)) <= {
        "title", "modified_utc", "version", "document", "json_ld", "calendar_lines", "id",
    }  # fmt: skip
