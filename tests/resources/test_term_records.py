"""One category or tag: names and slugs that are taken, and the tree of categories.

See docs/interface.md#terms, #slugs, #deleting; tests/golden/conformance has the life of each kind of term.
"""

import pytest

from tests import factories
from tests.client import Client
from tests.resources.records import Json, change, listed, path_of, read, trash

pytestmark = pytest.mark.settings(base_url="http://localhost")


def taken_by(client: Client, method: str, path: str, **fields: object) -> int:
    """The id of the term that has the name or slug already."""
    body = client.send(method, path, fields, as_="editor", status=400).json
    assert (body["code"], body["data"]["status"]) == ("term_exists", 400)
    assert set(body["data"]) == {"status", "term_id"}
    id: int = body["data"]["term_id"]
    return id


@pytest.mark.both_databases
def test_longest_texts(client: Client) -> None:
    for field, limit in (("name", 200), ("slug", 200), ("description", 65_529)):
        accepted = {"name": f"Jazz {field}", field: "x" * limit}
        too_long = {**accepted, field: "x" * (limit + 1)}
        made = client.post("/tags", accepted, as_="editor", status=201).json
        problem = client.post("/tags", too_long, as_="editor", status=400).json
        assert made[field] == "x" * min(limit, 191 if field == "slug" else limit)
        assert list(problem["data"]["params"]) == [field]
        trash(client, made)


# -- names


@pytest.mark.both_databases
@pytest.mark.parametrize("noun", ["category", "tag"])
def test_taken_name_is_refused_in_every_spelling(client: Client, noun: str) -> None:
    make, path = getattr(factories, noun), "/categories" if noun == "category" else "/tags"
    getattr(factories, "tag" if noun == "category" else "category")(client, name="Café")  # of another kind
    first = make(client, name="Café")
    other = make(client, name="Cafe")

    for spelling in ("Café", "CAFÉ", " café ", "Cafe\u0301", "<b>Café</b>", "Caf&eacute;"):
        assert taken_by(client, "POST", path, name=spelling, slug="other") == first["id"]
    assert taken_by(client, "PATCH", path_of(other), name="CAFÉ") == first["id"]
    assert (first["slug"], other["slug"]) == ("cafe", "cafe-2")
    assert read(client, other, "admin") | {"_links": {}} == other | {"_links": {}}


def test_update_may_respell_its_own_name(client: Client) -> None:
    """The id in a body is ignored (docs/interface.md#bodies)."""
    made, other = factories.tag(client, name="Jazz"), factories.tag(client)
    for body in ({"name": "JAZZ"}, {"slug": "jazz"}, {"name": "Blues", "id": other["id"]}):
        assert change(client, made, **body) == {**made, "name": body.get("name", "JAZZ")}
    # Which makes the name free again, as a delete does.
    trash(client, factories.tag(client, name="Jazz"))
    assert factories.tag(client, name="Jazz")["slug"] == "jazz-2"


# -- slugs


@pytest.mark.both_databases
def test_create_with_a_taken_slug_gets_a_suffix(client: Client) -> None:
    factories.tag(client, name="One", slug="jazz")
    factories.tag(client, name="Long", slug="x" * 200)
    slugs = [factories.tag(client, name=name, slug="Jazz")["slug"] for name in ("Two", "Three")]
    assert slugs == ["jazz-2", "jazz-3"]
    assert factories.tag(client, name="Longer", slug="x" * 200)["slug"] == "x" * 189 + "-2"


def test_slug_of_a_name(client: Client) -> None:
    for name, slug in (("東京 音楽", "東京-音楽"), ("R & B / Soul", "r-b-soul"), ("  -- x --  ", "x")):
        assert factories.tag(client, name=name)["slug"] == slug
    by_id = factories.tag(client, name="???")
    assert by_id["slug"] == str(by_id["id"])
    assert factories.tag(client, name="Jazz", slug="!!!")["slug"] == "jazz"


# -- categories below categories


def below(client: Client, parent: Json | None, name: str, **fields: object) -> Json:
    return factories.category(client, name=name, parent=parent["id"] if parent else 0, **fields)


def test_taken_slug_of_a_category_gets_those_of_its_parents_before_a_number(client: Client) -> None:
    top = below(client, None, "Rock")
    middle = below(client, top, "Live")
    assert below(client, middle, "Rock")["slug"] == "rock-live"
    assert below(client, middle, "Other", slug="rock")["slug"] == "rock-live-rock"
    assert below(client, middle, "Another", slug="rock")["slug"] == "rock-live-rock-2"
    assert below(client, None, "Other", slug="rock")["slug"] == "rock-2"
    long = below(client, below(client, None, "y" * 100), "x" * 100)
    assert below(client, long, "x" * 100)["slug"] == "x" * 100 + "-2"  # both together are too long


def test_name_is_free_below_another_parent(client: Client) -> None:
    first, second = below(client, None, "First"), below(client, None, "Second")
    below(client, first, "Jazz")
    other = below(client, second, "Jazz")
    assert other["slug"] == "jazz-second"
    assert taken_by(client, "POST", "/categories", name="jazz", parent=second["id"]) == other["id"]


def test_moving_beside_a_namesake_is_refused(client: Client) -> None:
    low = below(client, below(client, None, "Top"), "Jazz")
    top = below(client, None, "Jazz")
    assert taken_by(client, "PUT", path_of(low), parent=0) == top["id"]
    assert change(client, low, name="Blues")["parent"] == low["parent"]  # which was not sent
    assert "up" not in change(client, low, parent="0")["urls"]


@pytest.mark.both_databases
def test_deep_trees_are_read_and_listed(client: Client) -> None:
    names = [f"level-{number}" for number in range(30)]
    lowest = None
    for name in names:
        lowest = below(client, lowest, name)
    assert lowest is not None
    factories.event(client, categories=[lowest["id"]])
    assert read(client, lowest)["url"].endswith(f"/events/category/{'/'.join(names)}/")
    assert len(listed(client, "/categories")) == 30


@pytest.mark.both_databases
def test_delete_moves_a_child_up_beside_its_namesake(client: Client) -> None:
    top = below(client, None, "top")
    middle, sibling = below(client, top, "middle"), below(client, top, "Jazz")
    child = below(client, middle, "Jazz")
    trash(client, middle)

    moved = read(client, child)
    assert (moved["name"], moved["slug"], moved["parent"]) == ("Jazz", child["slug"], top["id"])
    assert read(client, sibling)["slug"] == sibling["slug"]
    assert change(client, child, description="d")["id"] == child["id"]
    assert taken_by(client, "POST", "/categories", name="jazz", parent=top["id"]) == sibling["id"]


def test_description_is_cleared(client: Client) -> None:
    for empty in ("", None):
        tag = factories.tag(client, description="words")
        assert change(client, tag, description=empty)["description"] == ""
        body = {"name": f"Empty {empty}", "description": empty}
        assert client.post("/tags", body, as_="editor", status=201).json["description"] == ""
