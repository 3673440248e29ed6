"""Creating venues and organizers: what is required, refused, and a second one of the same name.

See docs/interface.md#create, #duplicates, #images.
"""

from datetime import datetime, timedelta
from typing import Any

import pytest

from calendar_api.config import Config
from tests import factories
from tests.client import Client

pytestmark = pytest.mark.parametrize("noun", ["venue", "organizer"])
PICTURE = "https://pics.example.org/one.JPG"


@pytest.fixture
def config(database_url: str) -> Config:
    return Config(database_url=database_url, timezone="America/New_York", base_url="http://localhost")


def total(client: Client, noun: str) -> int:
    status = "publish,future,draft,pending,private,trash"
    found: int = client.get(f"/{noun}s", {"status": status}, as_="admin", status=200).json["total"]
    return found


def test_publication_date_in_the_zone_of_the_site(client: Client, noun: str) -> None:
    for sent, utc in (
        ({"date": "2026-07-01 10:00:00"}, "2026-07-01 14:00:00"),
        ({"date_utc": "2026-07-01 10:00:00"}, "2026-07-01 10:00:00"),
        ({"date": "2026-07-01T10:00:00+02:00"}, "2026-07-01 08:00:00"),
        ({"date": "20260701"}, "2026-07-01 04:00:00"),
    ):
        record = getattr(factories, noun)(client, **sent)

        local = datetime.fromisoformat(utc) - timedelta(hours=4)
        assert (record["date"], record["date_utc"]) == (str(local), utc)


def test_name_that_is_none(client: Client, noun: str) -> None:
    for name in ("", "0", "x" * 256, 5, True, ["a"], {"a": "b"}, " ", "<b> </b>"):
        response = client.post(f"/{noun}s", {noun: name}, as_="admin", status=400)

        blank = name in (" ", "<b> </b>")
        assert response.json["code"] == (f"could-not-create-{noun}" if blank else "rest_invalid_param")
        assert list(response.json["data"]["params"]) == [noun]
    assert total(client, noun) == 0


def test_fields_that_are_not_writable_are_ignored(client: Client, noun: str) -> None:
    read_only = {
        "id": 4711,
        "slug": "own-slug",
        "excerpt": "Short",
        "url": "http://x.example.org",
        "global_id": "x",
        "modified": "2020-01-01 00:00:00",
        "modified_utc": "2020-01-01 00:00:00",
        "password": "secret",
        "foo": "bar",
    }

    record = getattr(factories, noun)(client, **{noun: "The Hall"}, **read_only)

    assert record["slug"] == "the-hall"
    assert not {"excerpt", "password", "foo"} & record.keys()
    assert record["id"] != 4711
    assert record["modified_utc"] > "2026-01-01"
    client.get(f"/{noun}s/{record['id']}", status=200)


@pytest.mark.parametrize("login", ["contributor", "author"])
def test_author_is_set_by_those_who_edit_others_only(client: Client, noun: str, login: str) -> None:
    """See docs/interface.md#authors."""
    for other in (client.ids["editor"], 999_999):
        body = {noun: "Hall", "author": other}
        response = client.post(f"/{noun}s", body, as_=login, status=403)
        assert response.json["code"] == "rest_forbidden"
    assert total(client, noun) == 0
    own = getattr(factories, noun)(client, login, author=str(client.ids[login]))
    assert own["author"] == str(client.ids[login])


@pytest.mark.both_databases
def test_slug_is_free_for_each_noun_and_counted_up(client: Client, noun: str) -> None:
    factories.event(client, title="Hall")
    first, second = (
        getattr(factories, noun)(client, **{noun: "Hall"}, description=text) for text in ("one", "two")
    )

    assert (first["slug"], second["slug"]) == ("hall", "hall-2")


def test_draft_has_its_slug_at_once(client: Client, noun: str) -> None:
    record = getattr(factories, noun)(client, **{noun: "Hall"}, status="draft")

    published = client.patch(f"/{noun}s/{record['id']}", {"status": "publish"}, as_="admin", status=200).json

    assert (record["slug"], published["slug"]) == ("hall", "hall")


def made(client: Client, noun: str, as_: str = "admin", **fields: Any) -> Any:
    return getattr(factories, noun)(client, as_, **fields)


def known(client: Client) -> int:
    """The id of an image that an event brought in."""
    image: int = factories.event(client, image=PICTURE)["image"]["id"]
    return image


def test_address_needs_the_right_to_upload(client: Client, noun: str) -> None:
    """Contributors take images that are known, by id (docs/interface.md#roles)."""
    id = known(client)

    response = client.post(f"/{noun}s", {noun: "Hall", "image": PICTURE}, as_="contributor", status=400)

    assert list(response.json["data"]["params"]) == ["image"]
    assert made(client, noun, "contributor", image=id)["image"]["url"] == PICTURE
    assert made(client, noun, "author", image="https://pics.example.org/3.gif")["image"]["extension"] == "gif"


def posted(client: Client, noun: str, as_: str = "admin", **fields: Any) -> Any:
    return client.post(f"/{noun}s", fields, as_=as_, status=201).json


@pytest.mark.both_databases
def test_same_name_in_any_letter_case(client: Client, noun: str) -> None:
    first = posted(client, noun, **{noun: "Café Łódź"})

    for name in ("CAFÉ ŁÓDŹ", "café łódź", " Café  Łódź\n", "Cafe\u0301 <b>Łódź</b>"):
        assert posted(client, noun, "contributor", **{noun: name, "phone": "2"}) == first
    others = [posted(client, noun, **{noun: name})["id"] for name in ("Cafe Łódź", "Café", "Café Łódź 2")]

    assert len({first["id"], *others}) == client.get(f"/{noun}s", status=200).json["total"] == 4


@pytest.mark.both_databases
def test_names_that_differ_late_are_different(client: Client, noun: str) -> None:
    first, second = (posted(client, noun, **{noun: "x" * 250 + end})["id"] for end in ("a", "b"))

    assert first != second
    assert posted(client, noun, **{noun: "X" * 250 + "B"})["id"] == second


def test_same_name_and_description(client: Client, noun: str) -> None:
    one = posted(client, noun, **{noun: "Hall", "description": "<p>One</p>"})
    two = posted(client, noun, **{noun: "Hall", "description": "<p>Two</p>"})

    assert one["id"] != two["id"]
    assert posted(client, noun, **{noun: "hall", "description": "<p>Two</p>"}) == two
    assert posted(client, noun, **{noun: "hall", "description": "<p onclick='x'>one</p>"}) == one
    assert posted(client, noun, **{noun: "hall"}) == one
    assert posted(client, noun, **{noun: "hall", "description": ""}) == one
    assert posted(client, noun, **{noun: "hall", "description": "Three"})["id"] not in (one["id"], two["id"])


def test_other_fields_are_not_written_onto_the_first(client: Client, noun: str) -> None:
    first = posted(client, noun, **{noun: "Hall", "phone": "1", "website": "https://a.example.org"})
    sent: dict[str, Any] = {
        noun: "hall",
        "phone": "2",
        "website": "https://b.example.org",
        "status": "draft",
        "date": "2020-01-01",
        "author": client.ids["author"],
        "image": "https://pics.example.org/a.png",
    }

    again = posted(client, noun, **sent)

    assert again == first
    assert client.get(f"/{noun}s", status=200).json[f"{noun}s"] == [first]


def test_record_that_the_caller_may_not_read_is_not_found(client: Client, noun: str) -> None:
    """As if it were absent (docs/interface.md#visibility)."""
    hidden = posted(client, noun, **{noun: "Hall", "status": "draft", "phone": "1"})

    own = posted(client, noun, "author", **{noun: "Hall"})

    assert own["id"] != hidden["id"]
    assert "phone" not in own
    assert posted(client, noun, "author", **{noun: "hall"}) == own
    assert posted(client, noun, "editor", **{noun: "hall"}) == hidden


def test_record_in_the_trash_is_not_found(client: Client, noun: str) -> None:
    first = posted(client, noun, **{noun: "Hall"})
    client.delete(f"/{noun}s/{first['id']}", as_="admin", status=200)

    again = posted(client, noun, **{noun: "Hall"})

    assert again["id"] != first["id"]
    assert again["slug"] == "hall"


def test_renaming_to_the_name_of_another_keeps_both(client: Client, noun: str) -> None:
    hall, bar = (posted(client, noun, **{noun: name}) for name in ("Hall", "Bar"))

    renamed = client.post(f"/{noun}s/{bar['id']}", {noun: "hall"}, as_="admin", status=200).json

    assert (renamed["id"], renamed[noun], renamed["slug"]) == (bar["id"], "hall", "bar")
    assert client.get(f"/{noun}s/{hall['id']}", status=200).json[noun] == "Hall"
    assert client.get(f"/{noun}s", status=200).json["total"] == 2


def test_new_name_is_the_one_that_counts(client: Client, noun: str) -> None:
    hall = posted(client, noun, **{noun: "Hall"})
    client.patch(f"/{noun}s/{hall['id']}", {noun: "Bar"}, as_="admin", status=200)

    assert posted(client, noun, **{noun: "bar"})["id"] == hall["id"]
    assert posted(client, noun, **{noun: "hall"})["id"] != hall["id"]
