"""Venues and organizers inside an event, as far as the caller may read them.

See docs/interface.md#visibility, #nested-records.
"""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

FACTORIES = {"venue": factories.venue, "organizer": factories.organizer}
NOUNS = pytest.mark.parametrize("noun", ["venue", "organizer"])
READERS = (None, "subscriber", "contributor", "author", "author2", "editor", "admin")


def ids(event: dict[str, Any], noun: str) -> list[int]:
    found = event[noun]
    return [record["id"] for record in ([found] if isinstance(found, dict) else found)]


def seen(client: Client, event: dict[str, Any], noun: str) -> dict[str | None, list[int]]:
    """What each kind of caller finds linked; single read, read by slug and list agree."""
    found = {}
    for login in READERS:
        by_id = client.get(f"/events/{event['id']}", as_=login, status=200).json
        by_slug = client.get(f"/events/by-slug/{event['slug']}", as_=login, status=200).json
        [listed] = client.get("/events", as_=login, status=200).json["events"]
        assert ids(by_id, noun) == ids(by_slug, noun) == ids(listed, noun)
        found[login] = ids(by_id, noun)
    return found


@pytest.mark.both_databases
@NOUNS
def test_trashed_record_is_left_out_for_everybody_and_comes_back(client: Client, noun: str) -> None:
    record = FACTORIES[noun](client, "author2", **{noun: "Secret"})["id"]
    event = factories.event(client, **{noun: record})

    client.delete(f"/{noun}s/{record}", as_="author2", status=200)
    gone = seen(client, event, noun)
    client.put(f"/{noun}s/{record}", {"status": "publish"}, as_="author2", status=200)
    back = seen(client, event, noun)

    assert gone == {login: [] for login in READERS}
    assert back == {login: [record] for login in READERS}


@pytest.mark.parametrize(("status", "shown"), [("draft", []), ("publish", None)])
def test_only_venue_that_is_hidden_leaves_an_empty_list(
    client: Client, status: str, shown: list[object] | None
) -> None:
    venue = factories.venue(client, status=status)
    event = factories.event(client, venue=venue["id"])

    read = client.get(f"/events/{event['id']}", status=200).json

    assert (read["venue"] if shown == [] else read["venue"]["id"]) == ([] if shown == [] else venue["id"])
    assert ("location" in read["json_ld"]) is (shown is None)


def test_one_of_two_venues_that_may_be_read_is_an_object(client: Client) -> None:
    hidden, public = factories.venue(client, status="draft"), factories.venue(client)
    event = factories.event(client, venue=[hidden["id"], public["id"]])

    anonymous = client.get(f"/events/{event['id']}").json
    editor = client.get(f"/events/{event['id']}", as_="editor").json

    assert anonymous["venue"]["id"] == public["id"]
    assert anonymous["json_ld"]["location"]["name"] == public["venue"]
    assert [venue["id"] for venue in editor["venue"]] == [hidden["id"], public["id"]]
    assert editor["json_ld"]["location"]["name"] == hidden["venue"]


def test_json_ld_names_the_first_organizer_that_may_be_read(client: Client) -> None:
    hidden = factories.organizer(client, status="private", organizer="Hidden", email="hidden@example.org")
    public = factories.organizer(client, organizer="Public", email="public@example.org")
    event = factories.event(client, organizer=[hidden["id"], public["id"]])

    anonymous = client.get(f"/events/{event['id']}").json
    editor = client.get(f"/events/{event['id']}", as_="editor").json

    assert (anonymous["json_ld"]["organizer"]["name"], editor["json_ld"]["organizer"]["name"]) == (
        "Public", "Hidden",
    )  # fmt: skip
    assert "hidden@" not in str(anonymous)


@NOUNS
def test_hidden_link_survives_an_update_without_the_right_to_see_it(client: Client, noun: str) -> None:
    hidden = FACTORIES[noun](client, status="private")["id"]
    event = factories.event(client, "author")
    client.put(f"/events/{event['id']}", {noun: hidden}, as_="editor", status=200)

    answer = client.put(f"/events/{event['id']}", {"title": "New"}, as_="author", status=200).json

    assert answer[noun] == []
    assert ids(client.get(f"/events/{event['id']}", as_="editor").json, noun) == [hidden]


@NOUNS
def test_answers_of_writes_leave_hidden_records_out_as_well(client: Client, noun: str) -> None:
    hidden = FACTORIES[noun](client, status="private", **{noun: "Secret"})["id"]
    event = factories.event(client, "author")
    client.put(f"/events/{event['id']}", {noun: hidden}, as_="editor", status=200)

    changed = client.put(f"/events/{event['id']}", {"title": "New"}, as_="author", status=200)
    removed = client.delete(f"/events/{event['id']}", as_="author", status=200)

    assert (changed.json[noun], removed.json[noun]) == ([], [])
    assert "Secret" not in changed.text + removed.text


@NOUNS
def test_image_of_a_hidden_record_stays_hidden(client: Client, noun: str) -> None:
    hidden = FACTORIES[noun](client, status="draft", image="https://images.example/secret.png")["id"]
    event = factories.event(client, **{noun: hidden})

    assert "secret.png" not in client.get(f"/events/{event['id']}").text
    assert "secret.png" in client.get(f"/events/{event['id']}", as_="admin").text
