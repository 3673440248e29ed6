"""An image is known by its id to those who read a record that shows it; ids can be guessed."""

import pytest

from tests import factories
from tests.client import Client

URL = "https://images.example/secret-name.png"
NEW = {"title": "Mine", "start_date": "2031-01-10", "end_date": "2031-01-10"}


def taken(client: Client, image: int, as_: str) -> tuple[int, bytes]:
    answer = client.post("/events", {**NEW, "image": image}, as_=as_)
    return answer.status_int, answer.body


@pytest.mark.parametrize("noun", ["venue", "organizer"])
def test_image_of_a_hidden_record_cannot_be_put_into_another(client: Client, noun: str) -> None:
    hidden = getattr(factories, noun)(client, "author2", image=URL, status="draft")
    own = getattr(factories, noun)(client, "author")
    image = {"image": hidden["image"]["id"]}

    changed = client.patch(f"/{noun}s/{own['id']}", image, as_="author", status=400)
    nested = client.post("/events", {**NEW, noun: {noun: "New", **image}}, as_="author", status=400)

    assert list(changed.json["data"]["params"]) == ["image"]
    assert list(nested.json["data"]["params"]) == [noun]
    assert URL not in changed.text + nested.text


def test_image_becomes_known_with_a_record_that_shows_it(client: Client) -> None:
    event = factories.event(client, "author2", image=URL, status="draft")
    before = taken(client, event["image"]["id"], "contributor")[0]
    client.patch(f"/events/{event['id']}", {"status": "publish"}, as_="author2", status=200)

    assert (before, taken(client, event["image"]["id"], "contributor")[0]) == (400, 201)
