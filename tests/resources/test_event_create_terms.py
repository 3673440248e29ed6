"""Categories and tags of an event by id, slug and name (docs/interface.md#terms-of-an-event)."""

from typing import Any

import pytest

from calendar_api.database.models import Term
from tests import factories
from tests.client import Client

FACTORIES = {"categories": factories.category, "tags": factories.tag}
KINDS = pytest.mark.parametrize("kind", ["categories", "tags"])
CREATORS = {"categories": "editor", "tags": "author"}


def names(event: dict[str, Any], kind: str) -> list[str]:
    return [term["name"] for term in event[kind]]


@pytest.mark.both_databases
@KINDS
def test_existing_term_by_slug_and_by_name(client: Client, kind: str) -> None:
    """A tag named by its name is that tag (docs/interface.md#terms-of-an-event)."""
    term = FACTORIES[kind](client, name="Jazz Music", slug="jazz-music")

    for word in ("jazz-music", "JAZZ-music", "Jazz Music", "jazz music", " <b>Jazz</b> Music "):
        event = factories.event(client, "contributor", **{kind: [word]})
        assert [found["id"] for found in event[kind]] == [term["id"]]

    assert Term.select().count() == 1


@pytest.mark.both_databases
@KINDS
def test_id_goes_before_slug_and_slug_before_name(client: Client, kind: str) -> None:
    first = FACTORIES[kind](client, name="First")
    by_slug = FACTORIES[kind](client, name="Slugged", slug="word")
    FACTORIES[kind](client, name="Word", slug="other")
    FACTORIES[kind](client, name="Numbered", slug=str(first["id"]))

    event = factories.event(client, "admin", **{kind: [str(first["id"]), "word"]})

    assert [term["id"] for term in event[kind]] == [first["id"], by_slug["id"]]


@KINDS
def test_new_names_are_created(client: Client, kind: str) -> None:
    known = FACTORIES[kind](client, name="Known")
    login = CREATORS[kind]

    text = factories.event(client, login, **{kind: "B name,a name"})
    mixed = factories.event(client, login, **{kind: [known["id"], "Newest", "b name"]})

    assert names(text, kind) == ["a name", "B name"]
    assert names(mixed, kind) == ["B name", "Known", "Newest"]
    assert [term["slug"] for term in text[kind]] == ["a-name", "b-name"]
    assert Term.select().count() == 4


@pytest.mark.both_databases
@KINDS
def test_two_spellings_of_a_new_name_are_one_term(client: Client, kind: str) -> None:
    event = factories.event(client, "admin", **{kind: ["New Name", "new name", "<i>New</i>  Name"]})

    assert names(event, kind) == ["New Name"]
    assert Term.select().count() == 1


@KINDS
def test_empty_means_none(client: Client, kind: str) -> None:
    for empty in ("", None, [], [""], " , ,"):
        made = factories.event(client, "admin", **{kind: empty})
        other = factories.event(client, **{kind: "a,b"})
        changed = client.put(f"/events/{other['id']}", {kind: empty}, as_="admin", status=200).json
        assert (made[kind], changed[kind]) == ([], [])

    assert Term.select().count() == 2


@KINDS
def test_unknown_number_is_skipped(client: Client, kind: str) -> None:
    known = FACTORIES[kind](client, name="Known")["id"]
    other = FACTORIES["tags" if kind == "categories" else "categories"](client)["id"]
    unknown = [999_999, "999999", -1, "-1", 0, 10**30, "9" * 30, other]

    event = factories.event(client, "contributor", **{kind: [*unknown, known]})

    assert names(event, kind) == ["Known"]
    assert Term.select().count() == 2
