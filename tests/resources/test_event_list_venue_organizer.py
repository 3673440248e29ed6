"""Event lists by venue and organizer, and what they tell about those that a caller may not see."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

pytestmark = pytest.mark.both_databases

BOTH = pytest.mark.parametrize("noun", ["venue", "organizer"])


def record(client: Client, noun: str, **fields: Any) -> int:
    make = factories.venue if noun == "venue" else factories.organizer
    return int(make(client, **fields)["id"])


def made(client: Client, title: str, **fields: Any) -> int:
    return int(factories.event(client, title=title, **fields)["id"])


def found(client: Client, query: str, as_: str | None = None) -> list[str]:
    page = client.get(f"/events?per_page=50&{query}", as_=as_, status=200).json
    assert page["total"] == len(page["events"])
    return [event["title"] for event in page["events"]]


@BOTH
def test_unknown_ids_are_refused(client: Client, noun: str) -> None:
    id = record(client, noun)
    event = made(client, "event", **{noun: id})

    for value in ("999999", f"{id},999999", str(event)):
        response = client.get(f"/events?{noun}={value}", status=400)
        assert list(response.json["data"]["params"]) == [noun]


@BOTH
def test_events_of_a_record(client: Client, noun: str) -> None:
    id, other = record(client, noun), record(client, noun)
    for title in ("a", "b"):
        made(client, title, **{noun: id})
    made(client, "draft", status="draft", **{noun: id})
    made(client, "elsewhere", **{noun: other})
    made(client, "nowhere")

    assert found(client, f"{noun}={id}") == ["a", "b"]
    assert found(client, f"{noun}={id}", as_="editor") == ["a", "b", "draft"]


@BOTH
def test_several_ids_mean_any_of_them(client: Client, noun: str) -> None:
    one, two, three, unused = (record(client, noun) for _ in range(4))
    for title, ids in zip("abcde", ([one], [two], [one, two], [three], []), strict=True):
        made(client, title, **{noun: ids})

    assert found(client, f"{noun}[]={one}") == ["a", "c"]
    assert found(client, f"{noun}[]={one}&{noun}[]={two}") == ["a", "b", "c"]
    assert found(client, f"{noun}[0]={three}&{noun}[1]={one}") == ["a", "c", "d"]
    assert found(client, f"{noun}[]={one}&{noun}[]={two}&{noun}[]={three}") == ["a", "b", "c", "d"]
    assert found(client, f"{noun}={one},{two},{three},{unused}") == ["a", "b", "c", "d"]
    assert found(client, f"{noun}={two}%2C%20{unused}%20,,") == ["b", "c"]
    assert found(client, f"{noun}={two},{two}") == ["b", "c"]
    assert found(client, f"{noun}={one}&{noun}={three}") == ["a", "c", "d"]


def test_venue_and_organizer_are_anded(client: Client) -> None:
    venue, organizer = record(client, "venue"), record(client, "organizer")
    made(client, "venue only", venue=venue)
    made(client, "organizer only", organizer=organizer)
    made(client, "both", venue=venue, organizer=organizer)

    assert found(client, f"venue={venue}&organizer={organizer}") == ["both"]
