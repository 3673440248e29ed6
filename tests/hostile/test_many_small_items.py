"""Many small words, ids and names, wherever a query or a body takes several of them, on every database."""

import itertools
import json
from collections.abc import Iterable
from urllib.parse import urlencode

import pytest

from calendar_api.app import create_app
from calendar_api.config import Config
from calendar_api.contract import schemas
from calendar_api.resources.request_body import MAX_ITEMS
from tests import factories, figures
from tests.client import Client
from tests.hostile.requests import document
from tests.hostile.sending import Tally, environ, percent, send

LISTS = {
    "event": "events", "venue": "venues", "organizer": "organizers", "category": "categories", "tag": "tags",
}  # fmt: skip
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_SMALL = [*_LETTERS, *map("".join, itertools.product(_LETTERS, repeat=2))]
_LINE = 3900  # a server ends the line of a request soon after that


def _values() -> Iterable[str]:
    for count in (20, 51, 69, 71, 95, 99, 100, 101, 700):
        for glue in (" ", ",", ".", " -", '" "', "/", ".."):
            yield glue.join(_SMALL[:count])
        yield ",".join(map(str, range(1, count + 1)))
        yield ",".join(["a"] * count)
    yield from ("\ufdfa" * times for times in (25, 44, 200))
    yield from ("-\ufdfa " * 60, "," * 1900, "a," * 1900, "a." * 1900)
    yield from ("publish," * 100, "publish,draft,pending,private,future,trash")


VALUES = tuple(value[:_LINE] for value in _values())


def some(names: list[str]) -> Iterable[tuple[str, str]]:
    """Every value for every name in the long form; else a third of them for each, and others for the next."""
    for number, name in enumerate(names):
        yield from ((name, value) for value in (VALUES if figures.LONG else VALUES[number % 3 :: 3]))


@pytest.fixture
def tally(client: Client) -> Tally:
    """An answer to each kind of list is not empty, so that every condition is evaluated."""
    factories.event(client, title="a b c", venue={"venue": "a b c"}, organizer={"organizer": "a b c"})
    client.post("/categories", {"name": "a b c"}, as_="admin", status=201)
    client.post("/tags", {"name": "a b c"}, as_="admin", status=201)
    return Tally()


@pytest.mark.parametrize("noun", LISTS)
def test_many_small_items_in_a_query(config: Config, client: Client, tally: Tally, noun: str) -> None:
    app = create_app(config)
    names = [*schemas.schema(noun, "query")["properties"], "_fields", "unknown"]

    for name, value in some(names):
        headers = {"Authorization": client.basic("admin")} if len(value) % 2 else {}
        query = urlencode({"hide_empty": "0", name: value}, errors="replace")
        send(app, environ("GET", f"/{LISTS[noun]}", query, headers), f"{noun} {name} = {value[:60]}", tally)
    for name, count in itertools.product(names, (60, 64, 65, 101, 2001)):
        query = urlencode(
            [(f"{name}[]", small) for small in itertools.islice(itertools.cycle(_SMALL), count)]
        )
        send(app, environ("GET", f"/{LISTS[noun]}", query), f"{noun} {name}[] × {count}", tally)

    assert tally.wrong == {}
    assert tally.statuses[200]


@pytest.mark.parametrize("noun", LISTS)
def test_many_small_items_in_a_body(config: Config, client: Client, tally: Tally, noun: str) -> None:
    app = create_app(config)
    headers = {"Authorization": client.basic("admin"), "Content-Type": "application/json"}

    lists = [*(_SMALL[:count] for count in (20, 50, MAX_ITEMS)), list(range(MAX_ITEMS))]
    names = list(schemas.schema(noun, "create")["properties"])
    for name, value in [*some(names), *itertools.product(names, lists)]:
        body = json.dumps({**document(noun, 1), name: value}).encode()
        what = f"{noun} {name} = {str(value)[:60]}"
        send(app, environ("POST", f"/{LISTS[noun]}", "", headers, body), what, tally)

    assert tally.wrong == {}


def test_many_small_items_in_a_slug(config: Config, tally: Tally) -> None:
    app = create_app(config)

    for value, plural in itertools.product(VALUES, ("events", "venues", "organizers")):
        if "/" not in value:
            request = environ("GET", f"/{plural}/by-slug/{percent(value)}")
            assert send(app, request, f"{plural} by slug {value[:60]}", tally).status in (400, 404)
    assert tally.wrong == {}
