"""The image of an event by id and by address (docs/interface.md#parts-of-records, #images)."""

import pytest

from calendar_api.database.models import Image
from tests import factories
from tests.client import Client

URL = "https://images.example/a/Poster.PNG?size=1"
DATES = {"start_date": "2031-01-10 10:00:00", "end_date": "2031-01-10 12:00:00"}


def test_image_by_address_and_by_id(client: Client) -> None:
    event = factories.event(client, "author", image=URL)

    image = Image.get()
    assert event["image"] == {"url": URL, "id": int(image.id), "extension": "png"}
    assert list(event["image"]) == ["url", "id", "extension"]
    for value in (image.id, str(image.id)):
        assert factories.event(client, image=value)["image"] == event["image"]


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


def test_id_of_another_record_is_refused(client: Client) -> None:
    body = {"title": "x", **DATES, "image": factories.venue(client)["id"]}

    response = client.post("/events", body, as_="admin", status=400)

    assert list(response.json["data"]["params"]) == ["image"]


@pytest.mark.parametrize("noun", ["venue", "organizer"])
def test_nested_images_use_what_is_known(client: Client, noun: str) -> None:
    known = factories.event(client, image=URL)["image"]

    event = factories.event(
        client, "admin", **{noun: [{noun: "A", "image": URL}, {noun: "B", "image": known["id"]}]}
    )

    assert [record["image"] for record in event[noun]] == [known, known]
    assert Image.select().count() == 1
