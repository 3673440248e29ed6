"""One category or tag: read, created, changed, moved and deleted; names and slugs that are taken.

See docs/interface.md#terms, #slugs, #deleting.
"""

import pytest

from calendar_api.config import Config
from tests import factories
from tests.client import Client

MAKE = {"categories": factories.category, "tags": factories.tag}
both = pytest.mark.parametrize("plural", ["categories", "tags"])


@pytest.fixture
def config(database_url: str) -> Config:
    return Config(database_url=database_url, base_url="http://localhost")


@both
def test_id_in_the_body_is_ignored(client: Client, plural: str) -> None:
    """See docs/interface.md#bodies."""
    made, other = (MAKE[plural](client) for _ in range(2))

    changed = client.put(f"/{plural}/{made['id']}", {"id": other["id"], "name": "New"}, as_="admin")

    assert changed.json["id"] == made["id"]
    assert client.get(f"/{plural}/{other['id']}", as_="admin", status=200).json == other


@pytest.mark.both_databases
@both
def test_longest_texts(client: Client, plural: str) -> None:
    for field, limit in (("name", 200), ("slug", 200), ("description", 65_529)):
        accepted = {"name": f"Jazz {field}", field: "x" * limit}

        made = client.post(f"/{plural}", accepted, as_="editor", status=201).json
        problem = client.post(
            f"/{plural}", {**accepted, field: "x" * (limit + 1)}, as_="editor", status=400
        ).json

        assert made[field] == "x" * min(limit, 191 if field == "slug" else limit)
        assert list(problem["data"]["params"]) == [field]
        client.delete(f"/{plural}/{made['id']}", as_="editor", status=200)


def refused(client: Client, method: str, path: str, **fields: object) -> int:
    """The id of the term that has the name or slug already."""
    body = client.send(method, path, fields, as_="editor", status=400).json
    assert (body["code"], body["data"]["status"]) == ("term_exists", 400)
    assert set(body["data"]) == {"status", "term_id"}
    id: int = body["data"]["term_id"]
    return id


@pytest.mark.both_databases
@both
def test_taken_name_is_refused_in_every_spelling(client: Client, plural: str) -> None:
    id = MAKE[plural](client, name="Café")["id"]
    other = MAKE[plural](client, name="Cafe")

    for spelling in ("Café", "CAFÉ", " café ", "Cafe\u0301", "<b>Café</b>", "Caf&eacute;"):
        assert refused(client, "POST", f"/{plural}", name=spelling, slug="other") == id
    assert refused(client, "PATCH", f"/{plural}/{other['id']}", name="CAFÉ") == id
    assert other["slug"] == "cafe-2"
    assert client.get(f"/{plural}/{other['id']}", as_="editor", status=200).json == other


@both
def test_name_of_the_other_taxonomy_is_free(client: Client, plural: str) -> None:
    MAKE[{"categories": "tags", "tags": "categories"}[plural]](client, name="Jazz")

    assert MAKE[plural](client, name="Jazz")["slug"] == "jazz"


@both
def test_update_may_respell_its_own_name(client: Client, plural: str) -> None:
    made = MAKE[plural](client, name="Jazz")
    path = f"/{plural}/{made['id']}"

    for body in ({"name": "JAZZ"}, {"slug": "jazz"}, {"name": "Blues"}):
        changed = client.put(path, body, as_="editor", status=200).json
        assert changed == {**made, "name": body.get("name", "JAZZ")}


@pytest.mark.both_databases
@both
def test_create_with_a_taken_slug_gets_a_suffix(client: Client, plural: str) -> None:
    MAKE[plural](client, name="One", slug="jazz")
    MAKE[plural](client, name="Long", slug="x" * 200)

    slugs = [MAKE[plural](client, name=name, slug="Jazz")["slug"] for name in ("Two", "Three")]

    assert slugs == ["jazz-2", "jazz-3"]
    assert MAKE[plural](client, name="Longer", slug="x" * 200)["slug"] == "x" * 189 + "-2"


@both
def test_slug_of_a_name(client: Client, plural: str) -> None:
    for name, slug in (("東京 音楽", "東京-音楽"), ("R & B / Soul", "r-b-soul"), ("  -- x --  ", "x")):
        assert MAKE[plural](client, name=name)["slug"] == slug
    by_id = MAKE[plural](client, name="???")
    assert by_id["slug"] == str(by_id["id"])
    assert MAKE[plural](client, name="Jazz", slug="!!!")["slug"] == "jazz"


def test_name_below_another_parent_is_free(client: Client) -> None:
    first, second = (factories.category(client)["id"] for _ in range(2))
    one = factories.category(client, name="Jazz", parent=first)

    other = factories.category(client, name="Jazz", parent=second)

    assert (one["slug"], other["slug"]) == (
        "jazz",
        f"jazz-{client.get(f'/categories/{second}').json['slug']}",
    )
    assert refused(client, "POST", "/categories", name="jazz", parent=second) == other["id"]


def test_taken_slug_of_a_category_gets_those_of_its_parents_before_a_number(client: Client) -> None:
    def made(name: str, parent: int, **fields: object) -> tuple[int, str]:
        answer = factories.category(client, name=name, parent=parent, **fields)
        return answer["id"], answer["slug"]

    top, _ = made("Rock", 0)
    middle, _ = made("Live", top)

    assert made("Rock", middle)[1] == "rock-live"
    assert made("Other", middle, slug="rock")[1] == "rock-live-rock"
    assert made("Another", middle, slug="rock")[1] == "rock-live-rock-2"
    assert made("Other", 0, slug="rock")[1] == "rock-2"
    below = made("x" * 100, made("y" * 100, 0)[0])[0]
    assert made("x" * 100, below)[1] == "x" * 100 + "-2"  # both together are too long


def test_moving_beside_a_namesake_is_refused(client: Client) -> None:
    parent = factories.category(client)["id"]
    below = factories.category(client, name="Jazz", parent=parent)
    top = factories.category(client, name="Jazz")

    assert refused(client, "PUT", f"/categories/{below['id']}", parent=0) == top["id"]
    assert client.get(f"/categories/{below['id']}", as_="editor", status=200).json == below


def test_name_is_free_again_after_a_delete_and_after_a_renaming(client: Client) -> None:
    gone = factories.tag(client, name="Jazz")["id"]
    client.delete(f"/tags/{gone}", as_="editor", status=200)
    renamed = factories.tag(client, name="Jazz")

    client.put(f"/tags/{renamed['id']}", {"name": "Blues"}, as_="editor", status=200)

    assert factories.tag(client, name="Jazz")["slug"] == "jazz-2"
