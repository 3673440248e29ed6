"""Creating venues and organizers: what is refused, slugs, images, and a second one of the same name.

See docs/interface.md#create, #duplicates, #images. `test_same_code.py` says that one code writes both, so
a rule is tested with one of them.
"""

from typing import Any

import pytest

from tests import factories
from tests.client import Client
from tests.resources.records import change, ids, listed, refused, trash

pytestmark = pytest.mark.settings(base_url="http://localhost")
PICTURE = "https://pics.example.org/one.JPG"
EVERY_STATUS = "publish,future,draft,pending,private,trash"


def posted(client: Client, as_: str = "admin", name: str = "Hall", **fields: Any) -> Any:
    """The venue that the interface answers with, which may be an older one of this name."""
    return client.post("/venues", {"venue": name, **fields}, as_=as_, status=201).json


@pytest.mark.parametrize("noun", ["venue", "organizer"])
def test_name_that_is_none(client: Client, noun: str) -> None:
    for name in ("", "0", "x" * 256, 5, True, ["a"], {"a": "b"}):
        assert refused(client.post(f"/{noun}s", {noun: name}, as_="admin", status=400)) == [noun]
    for blank in (" ", "<b> </b>"):
        answer = client.post(f"/{noun}s", {noun: blank}, as_="admin", status=400)
        assert refused(answer, f"could-not-create-{noun}") == [noun]
    assert listed(client, f"/{noun}s", "admin", status=EVERY_STATUS) == []


def test_fields_that_are_not_writable_are_ignored(client: Client) -> None:
    read_only = {
        "id": 4711, "slug": "own-slug", "excerpt": "Short", "modified_utc": "2020-01-01 00:00:00",
        "password": "secret", "foo": "bar",
    }  # fmt: skip
    record = factories.venue(client, venue="The Hall", **read_only)
    assert (record["slug"], record["id"] != 4711) == ("the-hall", True)
    assert not {"excerpt", "password", "foo"} & record.keys()
    assert record["modified_utc"] > "2026-01-01"


@pytest.mark.parametrize("login", ["contributor", "author"])
def test_author_is_set_by_those_who_edit_others_only(client: Client, login: str) -> None:
    for other in (client.ids["editor"], 999_999):
        answer = client.post("/venues", {"venue": "Hall", "author": other}, as_=login, status=403)
        assert answer.json["code"] == "rest_forbidden"
    assert listed(client, "/venues", "admin", status=EVERY_STATUS) == []
    own = factories.venue(client, login, author=str(client.ids[login]))
    assert own["author"] == str(client.ids[login])


@pytest.mark.both_databases
@pytest.mark.parametrize("noun", ["venue", "organizer"])
def test_slug_is_free_for_each_noun_counted_up_and_given_to_drafts(client: Client, noun: str) -> None:
    factories.event(client, title="Hall")
    first = getattr(factories, noun)(client, **{noun: "Hall"}, description="one")
    draft = getattr(factories, noun)(client, **{noun: "Hall"}, description="two", status="draft")
    assert (first["slug"], draft["slug"]) == ("hall", "hall-2")
    assert change(client, draft, status="publish")["slug"] == "hall-2"


def test_address_of_an_image_needs_the_right_to_upload(client: Client) -> None:
    """Contributors take images that are known, by id (docs/interface.md#roles)."""
    known = factories.event(client, image=PICTURE)["image"]["id"]
    answer = client.post("/venues", {"venue": "Hall", "image": PICTURE}, as_="contributor", status=400)
    assert refused(answer) == ["image"]
    assert factories.venue(client, "contributor", image=known)["image"]["url"] == PICTURE
    made = factories.venue(client, "author", image="https://pics.example.org/3.gif")
    assert made["image"]["extension"] == "gif"


# -- a second one of the same name


@pytest.mark.both_databases
def test_same_name_in_any_letter_case(client: Client) -> None:
    first = posted(client, name="Café Łódź")
    long = posted(client, name="x" * 250 + "a")
    for name in ("CAFÉ ŁÓDŹ", "café łódź", " Café  Łódź\n", "Cafe\u0301 <b>Łódź</b>"):
        assert posted(client, "contributor", name=name, phone="2") == first
    # The long names differ behind what the index holds.
    others = [posted(client, name=name) for name in ("Cafe Łódź", "Café", "Café Łódź 2", "x" * 250 + "b")]
    assert posted(client, name="X" * 250 + "B")["id"] == others[3]["id"]
    assert sorted(ids([first, long, *others])) == sorted(ids(listed(client, "/venues")))


def test_same_name_and_description(client: Client) -> None:
    one, two = (posted(client, description=f"<p>{text}</p>") for text in ("One", "Two"))

    assert one["id"] != two["id"]
    for description, found in (("<p>Two</p>", two), ("<p onclick='x'>one</p>", one), ("", one), (None, one)):
        assert posted(client, name="hall", description=description) == found
    assert posted(client, name="hall") == one
    assert posted(client, name="hall", description="Three")["id"] not in (one["id"], two["id"])
    # The same as it was sent and as it is returned.
    for text in ("One & two\nlines", "<b>Bold</b><br>text", "One\n\nTwo"):
        first = posted(client, name=text, description=text)
        assert posted(client, name=text, description=text) == first
        assert posted(client, name=text, description=first["description"]) == first


def test_other_fields_are_not_written_onto_the_first(client: Client) -> None:
    first = posted(client, phone="1", website="https://a.example.org")
    others = {"website": "https://b.example.org", "author": client.ids["author"], "image": PICTURE}
    assert posted(client, phone="2", status="draft", date="2020-01-01", **others) == first
    assert listed(client, "/venues") == [first]


def test_record_that_the_caller_may_not_read_or_that_is_in_the_trash_is_not_found(client: Client) -> None:
    hidden = posted(client, status="draft", phone="1")
    own = posted(client, "author")
    assert (own["id"] != hidden["id"], "phone" in own) == (True, False)
    assert (posted(client, "author"), posted(client, "editor")) == (own, hidden)
    for record in (hidden, own):
        trash(client, record)
    assert posted(client)["id"] not in (hidden["id"], own["id"])


def test_new_name_is_the_one_that_counts_and_may_be_that_of_another(client: Client) -> None:
    hall, bar = posted(client), posted(client, name="Bar")
    renamed = change(client, bar, venue="hall")
    assert (renamed["id"], renamed["venue"], renamed["slug"]) == (bar["id"], "hall", "bar")
    assert len(listed(client, "/venues")) == 2
    change(client, hall, venue="New")
    assert [posted(client, name=name)["id"] for name in ("Hall", "new")] == [bar["id"], hall["id"]]
