"""The image of an event by id and by address (docs/interface.md#parts-of-records, #images)."""

import pytest

from calendar_api.database.models import Image
from tests import factories
from tests.client import Client

URL = "https://images.example/a/Poster.PNG?size=1"
DATES = {"start_date": "2031-01-10 10:00:00", "end_date": "2031-01-10 12:00:00"}


@pytest.mark.parametrize("login", ["admin", "editor", "author"])
def test_image_by_address(client: Client, login: str) -> None:
    event = factories.event(client, login, image=URL)

    image = Image.get()
    assert event["image"] == {"url": URL, "id": int(image.id), "extension": "png"}
    assert list(event["image"]) == ["url", "id", "extension"]


def test_image_by_id(client: Client) -> None:
    known = factories.event(client, image=URL)["image"]

    made = [factories.event(client, image=value)["image"] for value in (known["id"], str(known["id"]))]

    assert made == [known, known]


@pytest.mark.both_databases
def test_same_address_keeps_its_id(client: Client) -> None:
    first = factories.event(client, image=URL)["image"]
    venue = factories.venue(client, image=URL)["image"]
    other = factories.event(client, image=URL + "&x=1")["image"]

    assert venue == first
    assert other["id"] != first["id"]
    assert Image.select().count() == 2


def test_image_is_changed(client: Client) -> None:
    known = factories.event(client, image=URL)["image"]
    event = factories.event(client)
    path = f"/events/{event['id']}"

    by_id = client.patch(path, {"image": known["id"]}, as_="admin", status=200).json
    by_url = client.patch(path, {"image": "https://b.example/b"}, as_="admin", status=200).json
    kept = client.patch(path, {"title": "New"}, as_="admin", status=200).json

    assert by_id["image"] == known
    assert (by_url["image"]["url"], by_url["image"]["extension"]) == ("https://b.example/b", "")
    assert kept["image"] == by_url["image"]


@pytest.mark.parametrize("empty", ["", None])
def test_image_is_removed_and_stays_known(client: Client, empty: str | None) -> None:
    event = factories.event(client, image=URL)

    removed = client.put(f"/events/{event['id']}", {"image": empty}, as_="admin", status=200).json
    again = client.put(f"/events/{event['id']}", {"image": URL}, as_="admin", status=200).json

    assert removed["image"] is False
    assert again["image"] == event["image"]


@pytest.mark.parametrize(
    "value",
    ["free text", "ftp://images.example/a.png", "//images.example/a.png", "javascript:alert(1)", 999_999,
     "999999", 0, -1, 1.5, True, [], {}, [1], "https://images.example/a<b.png",
     "https://images.example/" + "x" * 2048],
    ids=lambda value: repr(value)[:30],
)  # fmt: skip
def test_other_value_is_refused(client: Client, value: object) -> None:
    """An address is never fetched, so what it leads to does not matter (docs/interface.md#images)."""
    event = factories.event(client, image=URL)

    changed = client.put(f"/events/{event['id']}", {"image": value}, as_="admin", status=400)
    made = client.post("/events", {"title": "x", **DATES, "image": value}, as_="admin", status=400)

    assert (list(changed.json["data"]["params"]), list(made.json["data"]["params"])) == (["image"], ["image"])
    assert client.get(f"/events/{event['id']}").json["image"] == event["image"]
    assert Image.select().count() == 1


@pytest.mark.parametrize("kind", ["event", "venue", "category"])
def test_id_of_another_record_is_refused(client: Client, kind: str) -> None:
    other = {"event": factories.event, "venue": factories.venue, "category": factories.category}[kind](client)

    response = client.post("/events", {"title": "x", **DATES, "image": other["id"]}, as_="admin", status=400)

    assert list(response.json["data"]["params"]) == ["image"]


@pytest.mark.parametrize("noun", ["venue", "organizer"])
def test_nested_images_use_what_is_known(client: Client, noun: str) -> None:
    known = factories.event(client, image=URL)["image"]

    event = factories.event(
        client, "admin", **{noun: [{noun: "A", "image": URL}, {noun: "B", "image": known["id"]}]}
    )

    assert [record["image"] for record in event[noun]] == [known, known]
    assert Image.select().count() == 1
