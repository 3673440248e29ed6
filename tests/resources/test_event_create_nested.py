"""Venues and organizers of an event: in every form, new or known, hidden, and their images.

See docs/interface.md#linked-records, #duplicates, #visibility, #nested-records.
"""

from typing import Any

import pytest

from tests import factories
from tests.client import Client
from tests.resources.records import change, ids, listed, path_of, read, refused, trash

NOUNS = pytest.mark.parametrize("noun", ["venue", "organizer"])
NEW = {"title": "Mine", "start_date": "2031-01-10 10:00:00", "end_date": "2031-01-10 12:00:00"}
IMAGE = "https://images.example/secret.png"


def made(client: Client, noun: str, as_: str = "admin", **fields: Any) -> Any:
    return getattr(factories, noun)(client, as_, **fields)


@pytest.mark.both_databases
@NOUNS
def test_ids_in_every_form_keep_their_order(client: Client, noun: str) -> None:
    a, b, c = (made(client, noun)["id"] for _ in range(3))
    one: list[Any] = [
        a, f" {a} ", {"id": str(a)}, [str(a)], [{"id": a}], f"{a},", [a, a], [{"id": a}, a],
        {"id": a, noun: "Ignored", "phone": "1"},
    ]  # fmt: skip
    several: list[Any] = [
        [c, a, b], [str(c), a, str(b)], f" {c} , {a} ,{b}", [{"id": c}, a, {"id": str(b)}], [c, a, c, b, a],
    ]  # fmt: skip

    for forms, expected in ((one, [a]), (several, [c, a, b])):
        for form in forms:
            event = factories.event(client, "admin", **{noun: form})
            assert ids(event[noun]) == ids(read(client, event)[noun]) == expected, form
    assert "phone" not in client.get(f"/{noun}s/{a}").json


@NOUNS
def test_empty_means_none(client: Client, noun: str) -> None:
    id = made(client, noun)["id"]
    for empty in (None, "", 0, "0", [], [""], [" "], {}, False):
        event = factories.event(client, "admin", **{noun: id})
        assert factories.event(client, "admin", **{noun: empty})[noun] == []
        assert change(client, event, **{noun: empty})[noun] == []
    assert len(listed(client, f"/{noun}s")) == 1


# -- new ones


@NOUNS
def test_nested_data_keeps_the_rules_of_its_noun(client: Client, noun: str) -> None:
    for field, value in (
        ("website", "nowhere"), ("date", "never"), ("status", "any"), ("image", "nothing"),
        ("author", 999_999), ("image", 999_999), ("phone", 5),
    ):  # fmt: skip
        body = {**NEW, noun: [{noun: "Good"}, {noun: "Bad", field: value}]}
        answer = client.post("/events", body, as_="admin", status=400)
        assert refused(answer, f"could-not-create-{noun}") == [noun]
        assert answer.json["data"]["params"][noun].startswith(f"{noun}: {field} must be")
    assert listed(client, f"/{noun}s", "admin") == []


@NOUNS
def test_code_names_the_nested_record_only_when_nothing_else_is_wrong(client: Client, noun: str) -> None:
    """So that a client that sends the event again without it is not refused again."""
    for bad in ({noun: "Bad", "website": "nobody"}, {noun: "Bad", "author": 999_999}):
        for body in (
            {noun: {"phone": "1"}}, {noun: 999_999}, {noun: bad, "image": "x"}, {noun: bad, "author": 999_999}
        ):  # fmt: skip
            assert refused(client.post("/events", NEW | body, as_="admin", status=400))
        lacking = client.post("/events", {noun: bad}, as_="admin", status=400)
        assert lacking.json["code"] == "rest_missing_callback_param"

        body = NEW | {"venue": {"venue": ""}, noun: bad}
        both = client.post("/events", body, as_="admin", status=400).json
        assert both["code"] in ("could-not-create-venue", "could-not-create-organizer")
        assert set(both["data"]["params"]) == {"venue", noun}


@NOUNS
def test_status_is_scaled_back_as_that_of_any_record(client: Client, noun: str) -> None:
    for login, asked, granted in (
        ("author", "private", "private"), ("contributor", "draft", "draft"),
        ("contributor", "publish", "pending"),
    ):  # fmt: skip
        event = factories.event(client, login, **{noun: [{noun: f"{login} {asked}", "status": asked}]})
        (record,) = [event["venue"]] if noun == "venue" else event[noun]
        assert (record["status"], record["author"]) == (granted, str(client.ids[login]))


# -- known ones


@pytest.mark.both_databases
@NOUNS
def test_same_name_is_the_same_record(client: Client, noun: str) -> None:
    known = made(client, noun, "author", **{noun: "The Name"}, description="Old", phone="1")
    before = read(client, known)
    for name in ("The Name", "THE NAME", " The  Name ", "<b>The</b> Name"):
        data = {noun: name, "phone": "2", "status": "draft", "description": "old"}
        assert ids(factories.event(client, "contributor", **{noun: [data]})[noun]) == [known["id"]]
    assert read(client, known) == before

    names = [{noun: "The Name"}, {noun: "Other"}, {noun: "OTHER"}]  # twice in one request
    event = factories.event(client, "admin", **{noun: names})
    assert [record[noun] for record in event[noun]] == ["The Name", "Other"]
    assert len(listed(client, f"/{noun}s", "admin")) == 2


@NOUNS
@pytest.mark.parametrize("status", ["draft", "private", "trash"])
def test_hidden_record_of_another_is_never_matched(client: Client, noun: str, status: str) -> None:
    hidden = made(client, noun, "author2", **{noun: "Name"}, status=status, phone="secret")
    event = factories.event(client, "author", **{noun: [{noun: "Name"}]})
    [new] = ids(event[noun])
    assert new != hidden["id"]
    shown = client.get(path_of(event), as_="admin")
    assert ids(shown.json[noun]) == [new]
    assert "secret" not in shown.text


# -- hidden ones


def test_of_several_records_those_that_may_be_read_are_shown(client: Client) -> None:
    """A single venue is an object; `json_ld` has the first venue and organizer that are shown."""
    venues = factories.venue(client, status="draft"), factories.venue(client)
    organizers = [
        factories.organizer(client, organizer=name, email=f"{name}@example.org", status=status)
        for name, status in (("Hidden", "private"), ("Public", "publish"))
    ]
    event = factories.event(client, venue=ids(venues), organizer=ids(organizers))

    anonymous, editor = read(client, event), read(client, event, "editor")
    change(client, event, venue=venues[0]["id"])
    none = read(client, event)

    assert anonymous["venue"]["id"] == venues[1]["id"]
    assert ids(editor["venue"]) == ids(venues)
    for one, shown, who in ((editor, venues[0], "Hidden"), (anonymous, venues[1], "Public")):
        assert one["json_ld"]["location"]["name"] == shown["venue"]
        assert one["json_ld"]["organizer"]["name"] == who
    assert "Hidden@" not in str(anonymous)
    assert (none["venue"], "location" in none["json_ld"]) == ([], False)


@NOUNS
def test_answers_of_writes_leave_hidden_records_out_as_well(client: Client, noun: str) -> None:
    hidden = made(client, noun, status="private", **{noun: "Secret"})["id"]
    event = factories.event(client, "author")
    change(client, event, "editor", **{noun: hidden})
    changed = change(client, event, "author", title="New")
    kept = read(client, event, "editor")
    removed = trash(client, event, "author")

    assert (changed[noun], removed[noun]) == ([], [])
    assert "Secret" not in str((changed, removed))
    assert ids(kept[noun]) == [hidden]


# -- images


@NOUNS
def test_image_of_a_hidden_record_stays_hidden(client: Client, noun: str) -> None:
    """It is not shown, and nobody puts it into another record by its id, which can be guessed."""
    hidden = made(client, noun, "author2", image=IMAGE, status="draft")
    event = factories.event(client, **{noun: hidden["id"]})
    own = made(client, noun, "author")
    image = {"image": hidden["image"]["id"]}
    changed = client.patch(path_of(own), image, as_="author", status=400)
    nested = client.post("/events", {**NEW, noun: {noun: "New", **image}}, as_="author", status=400)

    assert "secret.png" not in client.get(path_of(event)).text
    assert "secret.png" in client.get(path_of(event), as_="admin").text
    assert refused(changed) == ["image"]
    assert list(nested.json["data"]["params"]) == [noun]
    assert "secret.png" not in changed.text + nested.text


def test_image_becomes_known_with_a_record_that_shows_it(client: Client) -> None:
    event = factories.event(client, "author2", image=IMAGE, status="draft")
    body = {**NEW, "image": event["image"]["id"]}
    client.post("/events", body, as_="contributor", status=400)
    change(client, event, "author2", status="publish")
    client.post("/events", body, as_="contributor", status=201)


@pytest.mark.both_databases
def test_same_address_is_the_same_image(client: Client) -> None:
    known = factories.event(client, image=IMAGE)["image"]
    other = factories.event(client, image=IMAGE + "?x=1")["image"]
    event = factories.event(
        client, venue=[{"venue": "A", "image": IMAGE}, {"venue": "B", "image": known["id"]}],
        organizer={"organizer": "C", "image": IMAGE},
    )  # fmt: skip

    assert factories.venue(client, image=IMAGE)["image"] == known
    assert [record["image"] for record in (*event["venue"], *event["organizer"])] == [known] * 3
    assert other["id"] != known["id"]
    body = {**NEW, "image": factories.venue(client)["id"]}  # the id of a record of another kind
    assert refused(client.post("/events", body, as_="admin", status=400)) == ["image"]
