"""One category or tag: read, create, update, delete, and who may (docs/interface.md#terms, #deleting)."""

from typing import Any

import pytest

from calendar_api.config import Config
from tests import factories
from tests.client import ROOT, Client

HOST = f"http://localhost{ROOT}"
MAKE = {"categories": factories.category, "tags": factories.tag}
NOUN = {"categories": "category", "tags": "tag"}
ABSENT = 999_999

both = pytest.mark.parametrize("plural", ["categories", "tags"])


def having(plural: str, terms: list[int]) -> dict[str, Any]:
    """The fields of an event with these categories or tags."""
    return {plural: terms}


@pytest.fixture
def config(database_url: str) -> Config:
    return Config(database_url=database_url, base_url="http://localhost")


def without_links(term: dict[str, Any]) -> dict[str, Any]:
    """A term as lists and the answer to DELETE show it."""
    return {name: value for name, value in term.items() if name != "_links"}


def listed(client: Client, plural: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(f"/{plural}?hide_empty=0&orderby=id", status=200).json[plural]
    return found


@both
def test_list_shows_the_same_record(client: Client, plural: str) -> None:
    made = MAKE[plural](client)
    factories.event(client, **having(plural, [made["id"]]))

    read = client.get(f"/{plural}/{made['id']}", status=200).json
    assert listed(client, plural) == [without_links(read)]


def test_category_below_another_has_its_address(client: Client) -> None:
    top = factories.category(client, name="Music")
    made = factories.category(client, name="Rock", parent=top["id"])

    assert made["parent"] == top["id"]
    assert made["url"] == "http://localhost/events/category/music/rock/"
    assert made["urls"]["up"] == f"{HOST}/categories/{top['id']}"
    assert made["_links"]["up"] == [{"embeddable": True, "href": f"{HOST}/categories/{top['id']}"}]
    assert list(made["_links"]) == ["self", "collection", "about", "up", "wp:post_type", "curies"]


def test_author_manages_categories_and_no_tags(client: Client) -> None:
    """See docs/interface.md#roles."""
    assert client.post("/categories", {"name": "Jazz"}, as_="author", status=201).json["name"] == "Jazz"
    assert client.post("/tags", {"name": "Jazz"}, as_="author", status=403).json["code"] == "rest_forbidden"


@both
@pytest.mark.parametrize("name", ["   ", "<br>", "&nbsp;", "<!-- x -->", "\x00"])
def test_name_without_anything_to_see_is_refused(client: Client, plural: str, name: str) -> None:
    """400 (docs/interface.md#no-server-errors)."""
    body = client.post(f"/{plural}", {"name": name}, as_="editor", status=400).json

    assert (body["code"], list(body["data"]["params"])) == ("rest_invalid_param", ["name"])


@both
def test_missing_name_is_named(client: Client, plural: str) -> None:
    body = client.post(f"/{plural}", {"description": "x"}, as_="editor", status=400).json

    assert body["code"] == "rest_missing_callback_param"
    assert body["data"] == {"status": 400, "params": ["name"]}


@both
def test_editor_updates_every_field(client: Client, plural: str) -> None:
    made = MAKE[plural](client, name="Old", slug="old", description="old")
    body = {"name": "New & shiny", "slug": "New one", "description": "<b>new</b>"}

    changed = client.patch(f"/{plural}/{made['id']}", body, as_="editor", status=200).json

    assert changed == {
        **made,
        "name": "New &amp; shiny",
        "slug": "new-one",
        "description": "<b>new</b>",
        "url": made["url"].replace("/old/", "/new-one/"),
    }
    assert client.get(f"/{plural}/{made['id']}", as_="editor", status=200).json == changed


@both
@pytest.mark.parametrize("field", ["name", "slug", "description"])
def test_update_leaves_alone_what_was_not_sent(client: Client, plural: str, field: str) -> None:
    made = MAKE[plural](client, name="old", slug="old", description="old")

    changed = client.patch(f"/{plural}/{made['id']}", {field: "new"}, as_="editor", status=200).json

    assert {name for name in made if made[name] != changed[name]} - {"url"} == {field}


@both
def test_empty_description_is_none(client: Client, plural: str) -> None:
    made = MAKE[plural](client, description="old")

    cleared = client.put(f"/{plural}/{made['id']}", {"description": ""}, as_="editor", status=200).json

    assert cleared == {**made, "description": ""}
    assert MAKE[plural](client, description="")["description"] == ""


@both
@pytest.mark.parametrize("body", [{}, None])
def test_update_with_nothing_changes_nothing(client: Client, plural: str, body: Any) -> None:
    made = MAKE[plural](client)

    assert client.put(f"/{plural}/{made['id']}", body, as_="editor", status=200).json == made


@both
def test_id_in_the_body_is_ignored(client: Client, plural: str) -> None:
    """See docs/interface.md#bodies."""
    made, other = (MAKE[plural](client) for _ in range(2))

    changed = client.put(f"/{plural}/{made['id']}", {"id": other["id"], "name": "New"}, as_="admin")

    assert changed.json["id"] == made["id"]
    assert client.get(f"/{plural}/{other['id']}", as_="admin", status=200).json == other


@pytest.mark.both_databases
@both
def test_delete_answers_with_the_record_as_it_was(client: Client, plural: str) -> None:
    made = MAKE[plural](client)
    event = factories.event(client, **having(plural, [made["id"]]))
    before = client.get(f"/{plural}/{made['id']}", status=200).json

    deleted = client.delete(f"/{plural}/{made['id']}", as_="editor", status=200).json

    assert deleted == without_links(before)
    assert deleted["count"] == 1
    assert client.get(f"/{plural}/{made['id']}", status=404).json["code"] == f"rest-{NOUN[plural]}-not-found"
    assert client.get(f"/events/{event['id']}", status=200).json[plural] == []
    assert listed(client, plural) == []


@both
def test_delete_is_permanent_whatever_force_says(client: Client, plural: str) -> None:
    made = MAKE[plural](client)

    client.delete(f"/{plural}/{made['id']}?force=0", as_="editor", status=200)

    assert client.delete(f"/{plural}/{made['id']}", as_="editor", status=404).json["code"] == (
        f"rest-{NOUN[plural]}-not-found"
    )


@pytest.mark.both_databases
@both
def test_deleted_id_does_not_come_back(client: Client, plural: str) -> None:
    made = MAKE[plural](client)["id"]

    client.delete(f"/{plural}/{made}", as_="editor", status=200)

    assert MAKE[plural](client)["id"] > made


@both
def test_bad_fields_come_before_existence(client: Client, plural: str) -> None:
    """400 before 404 (docs/interface.md#order-of-checks)."""
    body = client.put(f"/{plural}/{ABSENT}", {"name": ""}, as_="editor", status=400).json

    assert list(body["data"]["params"]) == ["name"]


@pytest.mark.both_databases
@both
@pytest.mark.parametrize(("field", "limit"), [("name", 200), ("slug", 200), ("description", 65_529)])
def test_longest_texts(client: Client, plural: str, field: str, limit: int) -> None:
    accepted = {"name": "Jazz", field: "x" * limit}
    refused = {"name": "Jazz", field: "x" * (limit + 1)}

    made = client.post(f"/{plural}", accepted, as_="editor", status=201).json
    problem = client.post(f"/{plural}", refused, as_="editor", status=400).json

    assert made[field] == "x" * min(limit, 191 if field == "slug" else limit)
    assert list(problem["data"]["params"]) == [field]
