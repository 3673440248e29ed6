"""Images of venues and organizers: an id or an address that is recorded and never fetched.

See docs/interface.md#images.
"""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

PICTURE = "https://pics.example.org/one.JPG"

pytestmark = pytest.mark.parametrize("noun", ["venue", "organizer"])


def made(client: Client, noun: str, as_: str = "admin", **fields: Any) -> Any:
    return getattr(factories, noun)(client, as_, **fields)


def known(client: Client) -> int:
    """The id of an image that an event brought in."""
    image: int = factories.event(client, image=PICTURE)["image"]["id"]
    return image


def test_image_on_update(client: Client, noun: str) -> None:
    id = known(client)
    record = made(client, noun)
    address = f"/{noun}s/{record['id']}"

    images = [
        client.post(address, {"image": sent}, as_="admin", status=200).json["image"]
        for sent in (id, "https://pics.example.org/two.png", PICTURE)
    ]

    assert [image["url"] for image in images] == [PICTURE, "https://pics.example.org/two.png", PICTURE]
    assert images[0]["id"] == images[2]["id"] == id != images[1]["id"]
    assert client.get(address, status=200).json["json_ld"]["image"] == PICTURE


def test_address_needs_the_right_to_upload(client: Client, noun: str) -> None:
    """Contributors take images that are known, by id (docs/interface.md#roles)."""
    id = known(client)

    response = client.post(f"/{noun}s", {noun: "Hall", "image": PICTURE}, as_="contributor", status=400)

    assert list(response.json["data"]["params"]) == ["image"]
    assert made(client, noun, "contributor", image=id)["image"]["url"] == PICTURE
    assert made(client, noun, "author", image="https://pics.example.org/3.gif")["image"]["extension"] == "gif"
