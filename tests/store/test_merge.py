"""Merging venues, organizers, categories and tags (docs/editing.md#merging)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from calendar_api import database
from calendar_api.database.models import (
    Event,
    EventOrganizer,
    EventTerm,
    EventVenue,
    FormerSlug,
    Organizer,
    Term,
    Venue,
)
from calendar_api.database.tables import ImportItem, ImportSource
from calendar_api.domain.errors import AlreadyInTrash, Forbidden, InvalidParameters
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.store import document_upkeep, merge, related_records
from calendar_api.store.terms import categories, tags
from calendar_api.store.venue_organizer import organizers, venues
from tests import factories
from tests.client import Client
from tests.command_line import Run
from tests.conftest import CallerFactory

pytestmark = pytest.mark.both_databases

SITE = SiteSettings("UTC", "$")
Json = dict[str, Any]
Merge = Callable[[str, int, int], int]
STORES: Json = {"venue": venues, "organizer": organizers, "category": categories, "tag": tags}
MODELS: Json = {"venue": Venue, "organizer": Organizer, "category": Term, "tag": Term}
MAKE: Json = {name: getattr(factories, name) for name in STORES}
FIELDS = {"venue": "venue", "organizer": "organizer", "category": "categories", "tag": "tags"}
NOUNS = pytest.mark.parametrize("noun", list(STORES))
PUBLISHED = pytest.mark.parametrize("noun", ["venue", "organizer"])


@pytest.fixture
def merging(caller: CallerFactory) -> Callable[..., int]:
    """`merging(noun, merged, kept, "editor")` merges records by their ids."""

    def work(noun: str, merged: int, kept: int, login: str = "editor") -> int:
        own = merge.merge
        rows = (MODELS[noun].get_by_id(id) for id in (merged, kept))
        with database.write():
            return int(own(STORES[noun], *rows, caller(login, at=factories.day(1)), SITE))

    return work


def events(client: Client, noun: str, old: int, new: int, other: int) -> list[int]:
    """Events with these records in every order, public, hidden and in the trash."""
    links = [[old], [new], [other], [other, old], [new, other, old], [old, other, new], [old, new]]
    more: list[Json] = [
        {"status": "draft"}, {"password": "x"}, {"status": "trash"}, {"date": factories.day(9)},
    ]  # fmt: skip
    made = [{FIELDS[noun]: some} for some in links] + [{FIELDS[noun]: [old, new], **some} for some in more]
    return [factories.event(client, **fields)["id"] for fields in made]


def state(noun: str, ids: list[int], names: dict[int, str]) -> list[Any]:
    """What is stored of events, with names instead of ids of what they are linked to."""
    found = []
    for event in Event.select().where(Event.id.in_(ids)).order_by(Event.id):
        if noun in ("venue", "organizer"):
            link = EventVenue if noun == "venue" else EventOrganizer
            column = getattr(link, noun)
            linked = link.select(column).where(link.event == event.id).order_by(link.position).tuples()
        else:
            linked = EventTerm.select(EventTerm.term).where(EventTerm.event == event.id).tuples()
        shown = [names[id] for (id,) in linked]
        order = shown if noun in ("venue", "organizer") else sorted(shown)
        found.append((order, event.version, event.sequence, event.status))
    return found


@NOUNS
def test_merge_equals_unlinking_and_linking_each_event(client: Client, merging: Merge, noun: str) -> None:
    worlds = []
    for by_api in (False, True):
        old, new, other = (MAKE[noun](client)["id"] for _ in range(3))
        ids = events(client, noun, old, new, other)
        if by_api:
            for id in ids:
                shown = client.get(f"/events/{id}", as_="admin").json
                linked = ids_in(shown[FIELDS[noun]])
                if old in linked:
                    wanted = list(dict.fromkeys(new if one == old else one for one in linked))
                    client.patch(f"/events/{id}", {FIELDS[noun]: wanted}, as_="editor", status=200)
        else:
            assert merging(noun, old, new) == 9
        worlds.append((state(noun, ids, {old: "old", new: "new", other: "other"}), counts(client, noun, new)))

    assert worlds[0] == worlds[1]
    assert "old" not in json.dumps(worlds)
    assert document_upkeep.problems(SITE, 100) == (0, [])
    assert related_records.wrong_counts() == []


def ids_in(shown: Any) -> list[int]:
    """A single venue is shown without a list."""
    return [one["id"] for one in (shown if isinstance(shown, list) else [shown])]


def counts(client: Client, noun: str, id: int) -> object:
    plural = {"category": "categories"}.get(noun, f"{noun}s")
    return client.get(f"/{plural}/{id}").json.get("count")


@NOUNS
def test_merge_forwards_slugs_and_items_of_imports(client: Client, merging: Merge, noun: str) -> None:
    old, newer, new = (MAKE[noun](client) for _ in range(3))
    slug = Term if noun in ("category", "tag") else MODELS[noun]
    before = [slug.get_by_id(one["id"]).slug for one in (old, newer, new)]
    with database.write():
        source = ImportSource.create(kind="ics", address="x", address_digest="d", etag="", last_modified="")
        item = {"source": source, "noun": noun, "foreign_id": "1", "digest": "", "fields": "{}", "seen": 1}
        ImportItem.create(**item, key_digest="k", record=old["id"])
    merging(noun, old["id"], newer["id"])
    merging(noun, newer["id"], new["id"])

    assert dict(FormerSlug.select(FormerSlug.slug, FormerSlug.record).tuples()) == {
        before[0]: new["id"], before[1]: new["id"],
    }  # fmt: skip
    assert ImportItem.get().record_id == new["id"]
    address = {"category": "/events/category/{}/", "tag": "/tag/{}/"}.get(noun, f"/{noun}/{{}}/")
    for one in before[:2]:
        moved = client.app.get(address.format(one), status=301)
        assert moved.location.endswith(address.format(before[2]))
        feed = client.app.get(f"{address.format(one)[:-1]}.ics", expect_errors=True)
        assert feed.status_int in (200, 301)


@PUBLISHED
def test_merged_record_is_in_the_trash_and_can_be_restored(client: Client, merging: Merge, noun: str) -> None:
    old, new = (MAKE[noun](client) for _ in range(2))
    event = factories.event(client, **{noun: old["id"]})
    merging(noun, old["id"], new["id"])
    client.patch(f"/{noun}s/{old['id']}", {"status": "publish"}, as_="editor", status=200)

    assert client.get(f"/{noun}s/by-slug/{old['slug']}").json["id"] == old["id"]
    assert ids_in(client.get(f"/events/{event['id']}").json[noun]) == [new["id"]]


def test_calendars_hear_of_another_venue_only(client: Client, merging: Merge) -> None:
    for noun, sequences in (("venue", [1, 0, 0]), ("organizer", [0, 0, 0])):
        old, new, other = (MAKE[noun](client)["id"] for _ in range(3))
        links: list[Json] = [{noun: some} for some in ([old, other], [new, old], [other, old])]
        ids = [factories.event(client, **some)["id"] for some in links]
        merging(noun, old, new)

        assert [Event.get_by_id(id).sequence for id in ids] == sequences


def test_children_of_a_category_move(client: Client, merging: Merge) -> None:
    top = factories.category(client)["id"]
    old, new = (factories.category(client, parent=top)["id"] for _ in range(2))
    names = [(old, "Jazz"), (new, "Jazz"), (old, "Rock")]
    children = [factories.category(client, name=name, parent=parent)["id"] for parent, name in names]
    merging("category", old, new)

    found = [client.get(f"/categories/{id}").json for id in children]
    assert [one["parent"] for one in found] == [new, new, new]
    assert sorted(one["name"] for one in found) == ["Jazz", "Jazz", "Rock"]
    assert document_upkeep.problems(SITE, 100) == (0, [])


@pytest.mark.parametrize("depth", [0, 1], ids=["child", "grandchild"])
def test_category_below_the_merged_one_takes_its_place(client: Client, merging: Merge, depth: int) -> None:
    top = factories.category(client)["id"]
    chain = [factories.category(client, name="Music", parent=top)["id"]]
    for name in ("Jazz", "Music"):
        chain.append(factories.category(client, name=name, parent=chain[-1])["id"])
    merging("category", chain[0], chain[depth + 1])

    tree = dict(Term.select(Term.id, Term.parent).tuples())
    kept = [chain[depth + 1], chain[2 - depth]]
    assert tree == {top: None, kept[0]: top, kept[1]: kept[0]}
    again = client.post("/categories", {"name": ["Jazz", "Music"][depth], "parent": top}, as_="editor")
    assert again.json["code"] == "term_exists"


@PUBLISHED
def test_merge_needs_the_right_to_edit_both(client: Client, merging: Callable[..., int], noun: str) -> None:
    mine, others = MAKE[noun](client, "author")["id"], MAKE[noun](client, "author2")["id"]
    for pair in ((mine, others), (others, mine)):
        with pytest.raises(Forbidden):
            merging(noun, *pair, "author")
    assert merging(noun, mine, MAKE[noun](client, "author")["id"], "author") == 0


def test_merging_terms_needs_the_right_to_manage_them(client: Client, merging: Callable[..., int]) -> None:
    for noun, login in (("category", "contributor"), ("tag", "author")):
        old, new = (MAKE[noun](client)["id"] for _ in range(2))
        with pytest.raises(Forbidden):
            merging(noun, old, new, login)


@PUBLISHED
def test_kept_record_is_as_visible_as_the_merged_one(client: Client, merging: Merge, noun: str) -> None:
    for merged, kept, error in (
        ("publish", "draft", InvalidParameters),
        ("publish", "trash", InvalidParameters),
        ("draft", "trash", InvalidParameters),
        ("trash", "publish", AlreadyInTrash),
    ):
        old, new = (MAKE[noun](client, status=status)["id"] for status in (merged, kept))
        with pytest.raises(error):
            merging(noun, old, new)
    old, new = (MAKE[noun](client, status=status)["id"] for status in ("draft", "pending"))
    assert merging(noun, old, new) == 0


@NOUNS
def test_record_does_not_merge_with_itself(client: Client, merging: Merge, noun: str) -> None:
    id = MAKE[noun](client)["id"]
    with pytest.raises(InvalidParameters):
        merging(noun, id, id)
    assert MODELS[noun].get_by_id(id)


CLUB = (
    "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20310501T180000Z\r\nSUMMARY:{}\r\n"
    "LOCATION:Townhall\\, Market 1\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)


def test_next_import_goes_on_with_the_kept_venue(
    client: Client, merging: Merge, run: Run, tmp_path: Path
) -> None:
    file, new = tmp_path / "club.ics", 0
    for title in ("Choir", "Concert"):
        file.write_text(CLUB.format(title))
        assert run("import", str(file))[0] == 0
        if not new:
            (old,) = client.get("/venues").json["venues"]
            new = factories.venue(client)["id"]
            merging("venue", old["id"], new)

    (shown,) = client.get("/events?start_date=2031-01-01&end_date=2032-01-01").json["events"]
    assert (shown["title"], shown["venue"]["id"]) == ("Concert", new)
    assert [one["id"] for one in client.get("/venues").json["venues"]] == [new]
