"""Statements compiled once run with other values."""

from typing import Any

import pytest

from calendar_api import database
from calendar_api.database.models import User
from calendar_api.store import compiled_queries
from calendar_api.store.compiled_queries import CompiledQuery
from tests.client import Client

pytestmark = pytest.mark.both_databases


def _users(role: str, *, ids: list[Any], login: Any) -> Any:
    found = User.select(User.login).where(User.role == role)
    return found.where(User.id.in_(ids) | (User.login == login)).order_by(User.login)


USERS = CompiledQuery(_users)


def test_values_are_left_open_and_shapes_are_not(client: Client) -> None:
    ids = client.ids
    with database.read():
        found = [
            USERS.rows("author", ids=[ids["author"], ids["editor"]], login="author2"),
            USERS.rows("author", ids=[ids["author2"], ids["editor"]], login="nobody"),
            USERS.rows("editor", ids=[ids["author2"], ids["editor"]], login="nobody"),
            USERS.rows("author", ids=[], login="author"),
        ]

    assert found == [[("author",), ("author2",)], [("author2",)], [("editor",)], [("author",)]]


def _logins(*, ids: list[Any]) -> Any:
    return User.select(User.id, User.role, User.login).where(User.id.in_(ids)).order_by(User.login)


LOGINS = CompiledQuery(_logins)


def test_rows_know_the_names_of_their_columns(client: Client) -> None:
    ids = [client.ids["author"], client.ids["editor"]]
    with database.read():
        found, none = LOGINS.objects(ids=ids), LOGINS.objects(ids=[0])

    assert none == []
    assert [(one.id, one.role, one.login) for one in found] == [
        (ids[0], "author", "author"), (ids[1], "editor", "editor"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "filled"),
    [([], []), ([1], [1]), ([1, 2], [1, 2]), ([1, 2, 3], [1, 2, 3, 3]), (range(5), [0, 1, 2, 3, 4, 4, 4, 4])],
)
def test_lists_are_filled_up_to_a_power_of_two(given: Any, filled: list[int]) -> None:
    assert compiled_queries.padded(given) == filled
