"""Import of a source again and again: what changed there, here, or both, and what is gone."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from playhouse.test_utils import count_queries

from calendar_api import database
from calendar_api.commands import CommandError
from calendar_api.commands.import_engine import Import
from calendar_api.commands.import_work import Decision, Policy
from calendar_api.commands.sources.items import Found, Item, Notice, Problem, Reference
from calendar_api.config import Config
from calendar_api.database.models import Event
from calendar_api.database.tables import ImportItem, ImportSource
from tests import factories
from tests.backups import everything
from tests.client import Client
from tests.command_line import Run
from tests.conftest import CallerFactory

EVER = {"start_date": "2000-01-01", "end_date": "2100-01-01", "per_page": 50, "status": "publish,draft"}
CHOIR: dict[str, Any] = {
    "title": "Choir", "start_date": "2031-05-01 19:00:00", "end_date": "2031-05-01 21:00:00",
    "timezone": "Europe/Berlin", "description": "Bach", "cost": "5",
}  # fmt: skip

Again = Callable[..., list[Decision | Notice]]


def event(id: str = "choir", *, canceled: bool = False, modified: str = "", **fields: Any) -> Item:
    return Item("event", id, CHOIR | fields, f"UID {id}", "Choir", canceled, modified)


OTHER = event("other", title="Other", start_date="2031-06-01", end_date="2031-06-02")


def venue(id: str, name: str, **fields: Any) -> Item:
    return Item("venue", id, {"venue": name, **fields}, f"venue {id}", name)


@pytest.fixture
def again(client: Client, caller: CallerFactory, config: Config) -> Again:
    """`again(item, item, theirs=True)` reads a source once more; returns the decisions."""

    def run(*found: Found, address: str = "a source", **policy: Any) -> list[Decision | Notice]:
        decided: list[Decision | Notice] = []
        work = Import("ics", address, caller("admin"), config.site, Policy(**policy), decided.append)
        work.run(iter(found))
        return decided

    return run


def results(decided: Iterable[Decision | Notice]) -> dict[str, int]:
    return dict(Counter(one.result if isinstance(one, Decision) else "notice" for one in decided))


def listed(client: Client) -> list[dict[str, Any]]:
    return list(client.get("/events", EVER, as_="admin", status=200).json["events"])


def shown(client: Client) -> dict[str, Any]:
    """The only event."""
    (found,) = listed(client)
    return found


def edit(client: Client, **fields: Any) -> None:
    client.patch(f"/events/{shown(client)['id']}", fields, as_="admin", status=200)


def test_unchanged_item_changes_nothing(client: Client, again: Again, database_url: str) -> None:
    again(event(), venue("v", "Mill"))
    before = shown(client)
    with database.read():
        versions = list(Event.select(Event.version, Event.modified_utc, Event.sequence).tuples())

    assert results(again(event(), venue("v", "Mill"))) == {"unchanged": 2}
    assert shown(client) == before
    with database.read():
        assert list(Event.select(Event.version, Event.modified_utc, Event.sequence).tuples()) == versions
        (source,) = ImportSource.select()
    assert (source.kind, source.address, source.runs) == ("ics", "a source", 2)
    assert source.last_run_utc is not None


def test_second_record_with_the_same_identifier_is_refused(client: Client, again: Again) -> None:
    """Else each run would store both of them, one after the other."""
    many = [event(str(number), title=f"Song {number}") for number in range(60)]
    twice = [event(), *many, event(title="Other"), event(), venue("v", "Mill"), venue("v", "Inn")]

    first, second = again(*twice), again(*twice)

    assert results(first) == {"created": 62, "refused": 2, "unchanged": 1}
    assert results(second) == {"unchanged": 63, "refused": 2}
    refused = [one for one in second if isinstance(one, Decision) and one.result == "refused"]
    assert [(one.place, one.title) for one in refused] == [("UID choir", "Choir"), ("venue v", "Inn")]
    assert {one.reason for one in refused} == {"A record before it has the same identifier."}
    assert results(again(event(), *many, missing="trash")) == {"unchanged": 61}


def test_event_after_another_one_that_cannot_be_read_is_no_second_one(again: Again) -> None:
    again(event())

    broken = Problem("UID choir", "Another event has the same UID.", foreign_id="choir")
    assert results(again(broken, event(title="New"))) == {"refused": 1, "updated": 1}
    assert results(again(broken, event(title="New"))) == {"refused": 1, "unchanged": 1}


def test_only_fields_that_the_source_changed_are_written(client: Client, again: Again) -> None:
    again(event())
    edit(client, description="Bach and Brahms", featured=True)

    (decision,) = again(event(start_date="2031-05-01 20:00:00"))

    assert decision.result == "updated"
    assert decision.changes == {"start_date": ("2031-05-01 19:00:00", "2031-05-01 20:00:00")}
    now = shown(client)
    assert (now["start_date"], now["featured"]) == ("2031-05-01 20:00:00", True)
    assert "Brahms" in now["description"]
    assert results(again(event(start_date="2031-05-01 20:00:00"))) == {"unchanged": 1}


def test_changes_name_related_records(again: Again) -> None:
    again(event(categories=["Music", "Choir"], venue={"venue": "Mill"}, image="https://x.example/a.png"))

    (decision,) = again(event(categories=["Choir", "Theatre"], image="https://x.example/b.png"))

    assert isinstance(decision, Decision)
    assert decision.changes == {
        "categories": (["music", "choir"], ["choir", "theatre"]),
        "venue": (["mill"], []),
        "image": ("https://x.example/a.png", "https://x.example/b.png"),
    }


def test_field_that_the_source_no_longer_sends_is_cleared(client: Client, again: Again) -> None:
    again(event())
    without = {name: value for name, value in CHOIR.items() if name != "cost"}

    assert results(again(Item("event", "choir", without, "UID choir"))) == {"updated": 1}
    assert (shown(client)["cost"], shown(client)["title"]) == ("", "Choir")


@pytest.mark.parametrize(
    ("here", "there", "field"),
    [
        ({"title": "Our choir"}, {"title": "Their choir"}, "title"),
        ({"end_date": "2031-05-01 23:00:00"}, {"start_date": "2031-05-01 20:00:00"}, "start_date"),
        ({"website": "https://ours.example/"}, {"website": "https://theirs.example/"}, "website"),
        ({"categories": ["Ours"]}, {"categories": ["Theirs"]}, "categories"),
        ({"venue": {"venue": "Ours"}}, {"venue": {"venue": "Theirs"}}, "venue"),
    ],
)
def test_field_that_was_changed_on_both_sides(
    here: dict[str, Any], there: dict[str, Any], field: str, client: Client, again: Again
) -> None:
    def version() -> int:
        with database.read():
            return int(Event.get().version)

    again(event())
    edit(client, **here)
    ours = shown(client)[field]

    (decision,) = again(event(**there, cost="7"))

    assert (decision.result, decision.field) == ("conflict", field)
    assert (shown(client)[field], shown(client)["cost"]) == (ours, "$7")
    before = version()
    assert results(again(event(**there, cost="7"))) == {"conflict": 1}  # still open, and nothing is written
    assert version() == before
    assert results(again(event(**there, cost="7"), theirs=True)) == {"updated": 1}
    assert shown(client)[field] != ours
    assert results(again(event(**there, cost="7"))) == {"unchanged": 1}


def test_same_change_on_both_sides_is_no_conflict(client: Client, again: Again) -> None:
    again(event())
    edit(client, title="New")

    assert "conflict" not in results(again(event(title="New")))


def test_event_that_was_trashed_or_purged_here_comes_back_with_theirs(
    client: Client, again: Again, run: Run
) -> None:
    again(event())
    id = shown(client)["id"]
    client.delete(f"/events/{id}", as_="admin", status=200)

    assert results(again(event())) == {"unchanged": 1}
    assert results(again(event(title="New"))) == {"conflict": 1}
    assert results(again(event(title="New"), theirs=True)) == {"updated": 1}
    assert (shown(client)["id"], shown(client)["title"]) == (id, "New")
    again(event(), theirs=True)
    client.delete(f"/events/{id}", as_="admin", status=200)
    run("purge", "--days", "0")
    assert results(again(event())) == {"unchanged": 1}
    assert results(again(event(title="New"))) == {"conflict": 1}
    assert client.get("/events", EVER, as_="admin").json["total"] == 0
    assert results(again(event(title="New"), theirs=True)) == {"created": 1}
    assert shown(client)["title"] == "New"
    assert results(again(event(title="New"))) == {"unchanged": 1}


@pytest.mark.parametrize(
    ("missing", "gone"),
    [
        ("keep", ("publish", "scheduled")),
        ("trash", ("trash", "scheduled")),
        ("cancel", ("publish", "canceled")),
    ],
)
def test_event_that_the_source_lacks(
    missing: str, gone: tuple[str, str], client: Client, again: Again
) -> None:
    """One that is there but cannot be read is not gone."""

    def statuses() -> list[tuple[str, str]]:
        with database.read():
            return list(Event.select(Event.status, Event.event_status).order_by(Event.id).tuples())

    third = event("third", title="Third", start_date="2031-07-01", end_date="2031-07-02")
    again(event(), OTHER, third)
    broken = [Problem(f"UID {id}", "It has no title.", foreign_id=id) for id in ("other", "new")]

    assert results(again(event(), *broken, missing=missing)) == {"unchanged": 1, "refused": 2, "gone": 1}
    assert statuses() == [("publish", "scheduled")] * 2 + [gone]
    assert results(again(event(), OTHER, missing=missing)).get("gone", 0) == (missing == "keep")
    again(event(), OTHER, third, missing=missing)
    assert statuses() == [("publish", "scheduled")] * 3


@pytest.mark.parametrize("missing", ["trash", "cancel"])
def test_event_that_comes_back_keeps_what_was_changed_here(
    missing: str, client: Client, again: Again
) -> None:
    again(OTHER, event())
    with database.read():
        id = int(Event.get(Event.title == "Choir").id)
    client.patch(f"/events/{id}", {"description": "Ours"}, as_="admin", status=200)
    again(OTHER, missing=missing)

    decided = again(OTHER, event(description="Theirs", cost="7"), missing=missing)

    assert results(decided) == {"unchanged": 1, "conflict": 1}
    now = client.get(f"/events/{id}", as_="admin", status=200).json
    assert (now["status"], now["event_status"], now["cost"]) == ("publish", "scheduled", "$7")
    assert "Ours" in now["description"]


BROKEN = (venue("v", "Mill"), Problem("UID 7", "It is broken."))
PAST = {"start_date": "2020-05-01 19:00:00", "end_date": "2020-05-01 21:00:00"}


@pytest.mark.parametrize(
    ("fields", "found", "policy"),
    [
        ({}, (), {}),
        ({}, (Notice("The source has 0 events."),), {}),
        ({}, BROKEN, {}),
        ({}, (venue("v", "Mill"),), {"first": "2032-01-01 00:00:00"}),
        ({}, (venue("v", "Mill"),), {"last": "2030-01-01 00:00:00"}),
        (PAST, (venue("v", "Mill"),), {}),
    ],
    ids=["empty source", "notices only", "broken source", "read from later on", "read until earlier", "past"],
)
def test_event_is_not_gone(
    fields: dict[str, str], found: tuple[Found, ...], policy: dict[str, str], client: Client, again: Again
) -> None:
    again(event(**fields))

    assert "gone" not in results(again(*found, missing="trash", **policy))
    assert shown(client)["status"] == "publish"


@pytest.mark.parametrize("found", [(), BROKEN])
def test_policy_for_missing_events_that_is_not_applied_is_named(
    found: tuple[Found, ...], again: Again
) -> None:
    again(event(), *found)
    notice = Notice("--missing trash is not applied: the source is empty, or a part of it cannot be read.")

    assert again(*found, missing="trash")[-1:] == [notice]
    assert notice not in again(*found)
    assert notice not in again(event(), *found, missing="trash")


@pytest.mark.parametrize("missing", ["trash", "cancel"])
@pytest.mark.parametrize("is_first", [True, False])
def test_event_that_moves_to_another_source(
    missing: str, is_first: bool, client: Client, again: Again
) -> None:
    """Whichever of the sources is read first."""
    moved = event(uid="choir@example.org")
    again(OTHER, moved)

    if is_first:
        assert results(again(moved, address="another source")) == {"adopted": 1}
        assert results(again(OTHER, missing=missing)) == {"unchanged": 1}
    else:
        assert results(again(OTHER, missing=missing)) == {"unchanged": 1, "gone": 1}
        assert results(again(moved, address="another source")) == {"updated": 1}
    for _ in range(2):
        assert "gone" not in results(again(OTHER, missing=missing))
        assert results(again(moved, address="another source")) == {"unchanged": 1}
    found = [(one["title"], one["event_status"]) for one in listed(client)]
    assert found == [("Choir", "scheduled"), ("Other", "scheduled")]


def test_event_that_only_a_source_of_the_past_had(client: Client, again: Again) -> None:
    """Such as a file that has another name now."""
    again(OTHER, event(), address="old.ics")
    again(OTHER, event(), address="new.ics")
    with database.write():
        old = ImportSource.address == "old.ics"
        ImportSource.update(last_run_utc="2020-01-01 00:00:00").where(old).execute()

    assert results(again(OTHER, address="new.ics", missing="trash")) == {"unchanged": 1, "gone": 1}
    assert shown(client)["title"] == "Other"


def test_other_identifier_of_the_same_event(client: Client, again: Again) -> None:
    again(event("monday"))

    assert results(again(event("tuesday"), missing="trash")) == {"adopted": 1, "notice": 1}
    assert shown(client)["title"] == "Choir"
    with database.read():
        assert [row.foreign_id for row in ImportItem.select()] == ["tuesday"]


def test_two_events_of_a_source_with_the_same_title_and_start(client: Client, again: Again) -> None:
    assert results(again(event("one"), event("two"))) == {"created": 2}
    assert results(again(event("one"), event("two"))) == {"unchanged": 2}
    assert results(again(event("three"), address="another source")) == {"adopted": 1}


def test_two_items_with_one_uid_are_one_event(client: Client, again: Again) -> None:
    assert results(again(event("one", uid="u"), event("two", uid="u", title="Two"))) == {
        "created": 1, "adopted": 1,
    }  # fmt: skip
    assert shown(client)["uid"] == "u"


def test_events_of_a_batch_have_different_slugs(client: Client, again: Again) -> None:
    factories.event(client, title="Choir")
    days = [f"2031-05-0{day} 19:00:00" for day in (1, 2, 3)]

    again(*(event(day, title="Choir", start_date=day, end_date=day) for day in days))
    again(event("renamed", title="Second", slug="choir-2"))

    slugs = ["choir", "choir-2", "choir-2-2", "choir-3", "choir-4"]
    assert sorted(one["slug"] for one in listed(client)) == slugs


def test_statements_do_not_grow_with_the_events_of_a_batch(client: Client, again: Again) -> None:
    def statements(name: str, number: int) -> int:
        events = (event(f"{name} {one}", title=f"{name} {one}", uid=f"{name} {one}") for one in range(number))
        with count_queries() as counter:
            assert results(again(*events, address=name)) == {"created": number}
        return int(counter.count)

    again(event("first"))
    assert statements("twenty", 20) == statements("thirty", 30)


def test_ledger_has_no_digest_of_a_password(client: Client, again: Again) -> None:
    again(event(password="sesame"))

    with database.read():
        row = ImportItem.get()
    again(event("other", title="Other"))

    assert results(again(event(password="another"), event("other", title="Other"))) == {"unchanged": 2}
    with database.read():
        assert ImportItem.get_by_id(row.id).digest == row.digest
    assert "password" not in row.fields


def test_item_with_many_references(client: Client, again: Again) -> None:
    tags = [Item("tag", str(number), {"name": f"Tag {number}"}, f"tag {number}") for number in range(40)]
    all_of_them = [Reference("tag", str(number)) for number in range(40)]

    again(*tags, *(event(str(number), title=str(number + 1), tags=all_of_them) for number in range(60)))

    assert client.get("/events", EVER, as_="admin", status=200).json["total"] == 60
    assert {len(one["tags"]) for one in listed(client)} == {40}


def test_canceled_event(client: Client, again: Again) -> None:
    assert results(again(event(canceled=True))) == {"skipped": 1}
    again(event())

    assert results(again(event(canceled=True, event_status_reason="Flu"))) == {"updated": 1}
    now = shown(client)
    assert (now["event_status"], now["event_status_reason"], now["title"]) == ("canceled", "Flu", "Choir")
    assert results(again(event(canceled=True, event_status_reason="Flu"))) == {"unchanged": 1}
    again(event())
    assert shown(client)["event_status"] == "scheduled"


def test_references_lead_to_records_of_the_source(client: Client, again: Again) -> None:
    parent = Item("category", "7", {"name": "Music"}, "term 7")
    child = Item("category", "8", {"name": "Choirs", "parent": Reference("category", "7")}, "term 8")
    place = venue("v1", "Mill", city="Lindau")
    links = {"venue": [Reference("venue", "v1")], "categories": [Reference("category", "8")]}
    choir = event(**links, organizer=[{"organizer": "Ann"}])

    assert results(again(parent, child, place, choir)) == {"created": 4}
    now = shown(client)
    assert (now["venue"]["city"], now["categories"][0]["name"]) == ("Lindau", "Choirs")
    shown_as = {one["name"]: one for one in client.get("/categories").json["categories"]}
    assert shown_as["Choirs"]["parent"] == shown_as["Music"]["id"]
    assert results(again(venue("v1", "Mill", city="Bregenz"), choir)) == {"updated": 1, "unchanged": 1}
    assert shown(client)["venue"]["city"] == "Bregenz"


def test_reference_to_an_unknown_record_is_left_out_and_reported(client: Client, again: Again) -> None:
    mill = Reference("venue", "mill")
    concert = event(venue=[mill, Reference("venue", "inn")], post_parent=Reference("event", "series"))

    decided = again(venue("inn", "Inn"), concert)

    assert results(decided) == {"created": 2, "refused": 2}
    refused = [(one.field, one.value) for one in decided if getattr(one, "result", "") == "refused"]
    assert refused == [("venue", "mill"), ("post_parent", "series")]
    assert shown(client)["venue"]["venue"] == "Inn"
    assert results(again(venue("inn", "Inn"), concert)) == {"unchanged": 2, "refused": 2}
    assert results(again(venue("mill", "Mill"), venue("inn", "Inn"), concert)) == {
        "created": 1, "unchanged": 1, "updated": 1, "refused": 1,
    }  # fmt: skip
    assert [one["venue"] for one in shown(client)["venue"]] == ["Mill", "Inn"]


def test_venues_organizers_and_terms_that_are_there_are_adopted(client: Client, again: Again) -> None:
    factories.venue(client, venue="Mill", city="Lindau")
    factories.organizer(client, organizer="Ann")
    client.post("/tags", {"name": "Free", "slug": "free"}, as_="admin", status=201)

    decided = again(
        venue("1", "mill"), venue("2", "Mill", city="Bregenz"),
        Item("organizer", "3", {"organizer": "ANN"}, "3"),
        Item("tag", "4", {"name": "free"}, "4"), Item("tag", "5", {"name": "Gratis", "slug": "free"}, "5"),
    )  # fmt: skip

    assert [one.result for one in decided if isinstance(one, Decision)] == [
        "adopted", "created", "adopted", "adopted", "created",
    ]  # fmt: skip


def test_category_below_another_one_is_found_by_its_name_alone(client: Client, again: Again) -> None:
    """A calendar has only names; another source says that a category is at the top, by its slug."""
    culture = factories.category(client, name="Culture")["id"]
    factories.category(client, name="Music", slug="tunes", parent=culture)
    top = Item("category", "2", {"name": "Music", "slug": "all-music"}, "2")

    decided = again(Item("category", "music", {"name": "Music"}, "music"), top)

    assert [one.result for one in decided if isinstance(one, Decision)] == ["adopted", "created"]


@pytest.mark.parametrize("is_line_first", [False, True])
@pytest.mark.parametrize(
    ("line", "result"),
    [
        ("Way 1, 8000 Faro, Portugal", "adopted"),
        ("Way 1", "adopted"),
        ("Way 12, 8000 Faro, Portugal", "created"),
        ("Way 1, 8600 Lagos, Portugal", "created"),
    ],
)
def test_venue_whose_address_is_in_one_line_in_the_other_source(
    line: str, result: str, is_line_first: bool, again: Again
) -> None:
    found = [venue("1", "Mill", address=line), venue("2", "Mill", address="Way 1", city="Faro")]
    first, second = found if is_line_first else reversed(found)
    again(first, address="first")

    assert results(again(second, address="second")) == {result: 1}


def test_terms_of_a_source_with_the_same_name_are_one(client: Client, again: Again) -> None:
    items = [Item("tag", id, {"name": "New", "slug": f"new-{id}"}, id) for id in ("1", "2")]
    both = [Reference("tag", "1"), Reference("tag", "2")]

    assert results(again(*items, event(tags=both))) == {"created": 2, "adopted": 1}
    assert [tag["slug"] for tag in shown(client)["tags"]] == ["new-1"]
    assert results(again(*items, event(tags=both))) == {"unchanged": 3}


@pytest.mark.parametrize("name", ["Imported", "2031", "-1"])
def test_status_and_category_for_all_items(name: str, client: Client, again: Again) -> None:
    """A name that looks like an id becomes an item of its own."""
    options = {"status": "draft", "category": name}
    items = 1 if name == "Imported" else 2
    assert results(again(event(website=""), **options)) == {"created": items}
    now = shown(client)
    assert (now["status"], now["website"]) == ("draft", "")  # an empty address stays empty
    assert [one["name"] for one in now["categories"]] == [name]
    assert results(again(event(website=""), **options)) == {"unchanged": items}
    assert results(again(category=name, missing="trash")) == {"notice": 1}


def test_same_modified_is_not_compared(client: Client, again: Again) -> None:
    again(event(modified="1"))

    assert results(again(event(modified="1", title="New"))) == {"unchanged": 1}
    assert results(again(event(modified="2", title="New"))) == {"updated": 1}


def test_dry_run_of_a_changed_source_stores_nothing(client: Client, again: Again, database_url: str) -> None:
    again(event())
    before = everything(database_url)

    decided = again(event(cost="9"), event("2", title="Second"), dry_run=True, missing="trash")

    assert results(decided) == {"updated": 1, "created": 1}
    assert everything(database_url) == before


@pytest.mark.sqlite
def test_dry_run_lets_others_write(
    client: Client, caller: CallerFactory, config: Config, database_url: str
) -> None:
    other = database.engine(database_url)

    def write(decision: Decision | Notice) -> None:
        with database.using(other):
            with database.write():
                ImportSource.create(kind="ics", address="b", address_digest="b", etag="", last_modified="")
            database.close_connection()

    Import("ics", "a", caller("admin"), config.site, Policy(dry_run=True), write).run([event()])

    with database.read():
        assert [source.address for source in ImportSource.select()] == ["b"]


def test_only_the_last_of_two_runs_goes_on(
    client: Client, again: Again, caller: CallerFactory, config: Config
) -> None:
    def items() -> Iterator[Item]:
        for number in range(60):
            if number == 55:
                again(event())
            yield event(str(number), title=str(number))

    work = Import("ics", "a source", caller("admin"), config.site, Policy(), lambda decision: None)
    with pytest.raises(CommandError, match="Another import of this source has begun"):
        work.run(items())


def occurrences(first: int, last: int) -> list[Item]:
    fields = {"end_date": "2031-05-31 20:00", "post_parent": Reference("series", "choir")}
    return [event(str(day), start_date=f"2031-05-{day:02} 19:00", **fields) for day in range(first, last)]


def parents(client: Client) -> dict[str, int]:
    """Day -> parent of each event."""
    return {one["start_date"][8:10]: one["post_parent"] for one in listed(client)}


def test_series_keeps_its_parent_when_that_leaves_the_window(client: Client, again: Again) -> None:
    again(*occurrences(1, 4))
    first = listed(client)[0]["id"]
    assert parents(client) == {"01": 0, "02": first, "03": first}

    assert results(again(*occurrences(2, 5))) == {"unchanged": 2, "created": 1, "gone": 1}
    assert parents(client) == {"01": 0, "02": first, "03": first, "04": first}
    assert results(again(*occurrences(1, 4))) == {"unchanged": 3, "gone": 1}


def test_series_whose_parent_was_deleted_gets_another_one(client: Client, again: Again, run: Run) -> None:
    again(*occurrences(1, 2))
    client.delete(f"/events/{shown(client)['id']}", as_="admin", status=200)
    assert results(again(*occurrences(1, 3))) == {"unchanged": 1, "created": 1}
    second = shown(client)["id"]
    run("purge", "--days", "0")

    assert results(again(*occurrences(1, 4))) == {"unchanged": 2, "created": 1}
    assert parents(client) == {"02": 0, "03": second}


def test_mail_address_that_is_invalid_is_left_out_and_reported(client: Client, again: Again) -> None:
    ann = Item("organizer", "ann", {"organizer": "Ann", "email": "ann at home"}, "row 2", "Ann")
    mill = Item("venue", "mill", {"venue": "Mill", "website": "mill"}, "row 3", "Mill")
    concert = event(organizer=[Reference("organizer", "ann")], venue=[Reference("venue", "mill")])

    decided = again(ann, mill, concert)

    assert results(decided) == {"created": 3, "refused": 2}
    mail = decided[1]
    assert (mail.noun, mail.field, mail.value) == ("organizer", "email", '"ann at home"')
    assert mail.remedy == "Correct it at the source; the organizer was imported without it."
    assert (shown(client)["organizer"][0]["organizer"], shown(client)["venue"]["venue"]) == ("Ann", "Mill")
    assert results(again(ann, mill, concert)) == {"unchanged": 3, "refused": 2}  # still wrong
    ann.fields["email"] = "ann@home.example"
    assert results(again(ann, concert)) == {"updated": 1, "unchanged": 1}
    assert client.get("/organizers", as_="admin").json["organizers"][0]["email"] == "ann@home.example"
    ann.fields["email"] = "ann at home"
    assert results(again(ann, concert)) == {"unchanged": 2, "refused": 1}
    again(ann, event("2", title="Second"), all_or_nothing=True)
    assert client.get("/events", EVER, as_="admin").json["total"] == 1
