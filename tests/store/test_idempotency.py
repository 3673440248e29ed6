"""Stored responses: how long they are kept, and which keys and requests are the same."""

from collections.abc import Iterator

import pytest

from calendar_api import database
from calendar_api.database.models import IdempotentResponse
from calendar_api.domain.auth import Caller
from calendar_api.store import idempotency, users
from tests.client import Client
from tests.conftest import CallerFactory

NOON = "2026-06-15 12:00:00"
pytestmark = pytest.mark.both_databases


@pytest.fixture(autouse=True)
def transaction(client: Client) -> Iterator[None]:
    """Everything in one write transaction, as a request does it."""
    with database.write():
        yield


def remember(caller: Caller, key: str = "k", request: str = "r", body: str = "{}") -> None:
    idempotency.remember(key, idempotency.digest(request), caller, body, {"Location": "l"})


def recall(caller: Caller, key: str = "k", request: str = "r") -> str | None:
    found = idempotency.recall(key, idempotency.digest(request), caller)
    return None if found is None else str(found.body)


def test_old_answers_of_everybody_go_with_the_next_request(caller: CallerFactory) -> None:
    remember(caller("author", NOON), "old")
    remember(caller("admin", "2026-06-16 11:00:00"), "new")

    recall(caller("editor", "2026-06-16 12:00:01"), "unknown")

    assert [row.user_id for row in IdempotentResponse.select()] == [caller("admin").id]


def test_answers_go_with_their_user(caller: CallerFactory) -> None:
    leaving = users.add("leaving", "author", NOON)
    remember(Caller(NOON, int(leaving.id), "leaving", "author"))

    leaving.delete_instance()

    assert IdempotentResponse.select().count() == 0


def test_digest_names_content_not_order() -> None:
    first = idempotency.digest(["tags", {"a": 1, "b": [1, "x"]}, []])

    assert first == idempotency.digest(["tags", {"b": [1, "x"], "a": 1}, []])
    assert len(first) == 64
    assert len({first} | {
        idempotency.digest(other)
        for other in (
            ["categories", {"a": 1, "b": [1, "x"]}, []],
            ["tags", {"a": 1, "b": ["x", 1]}, []],
            ["tags", {"a": "1", "b": [1, "x"]}, []],
            ["tags", {"a": 1, "b": [1, "x"]}, ["a"]],
            ["tags", {"a": True, "b": [1, "x"]}, []],
        )
    }) == 6  # fmt: skip
