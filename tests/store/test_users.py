"""Users, roles and application passwords."""

from collections.abc import Callable

import pytest

from calendar_api import database
from calendar_api.database.models import ApplicationPassword, Event, Organizer, Venue
from calendar_api.store import login_attempts, users
from tests import factories
from tests.client import Client

NOW = "2026-06-15 12:00:00"


def refusal(action: Callable[..., object], *arguments: object) -> str:
    with database.write(), pytest.raises(users.UserError) as caught:
        action(*arguments)
    return str(caught.value)


LOGIN = "A login has 1 to 60 printable characters and no colon."
ROLE = "The roles are administrator, editor, author, contributor, subscriber."
NOBODY = "There is no user 'nobody'; `calendar-api user list` shows those there are."
HEIR = "'author' has written records; say who gets them with --give-to LOGIN."
LAST = "'admin' is the only administrator; make another one first."


@pytest.mark.parametrize(
    ("action", "arguments", "sentence"),
    [
        *(
            (users.add, (login, "author", NOW), LOGIN)
            for login in ("", "a:b", " ann", "ann ", "a\nb", "a\u200bb", "x" * 61)
        ),
        (users.add, ("editor", "author", NOW), "There is a user 'editor' already."),
        (users.add, ("ann", "owner", NOW), ROLE),
        (users.set_role, ("editor", "owner"), ROLE),
        (users.by_login, ("nobody",), NOBODY),
        (users.set_role, ("nobody", "author"), NOBODY),
        (users.remove, ("nobody", None), NOBODY),
        (users.remove, ("author", "nobody"), NOBODY),
        (users.set_role, ("admin", "editor"), LAST),
        (users.remove, ("admin", "editor"), LAST),
        (users.remove, ("author", None), HEIR),
        (users.remove, ("author", "author"), "A user cannot inherit from themselves; name another one."),
    ],
)
def test_change_that_is_refused(
    action: Callable[..., object], arguments: tuple[object, ...], sentence: str, client: Client
) -> None:
    factories.event(client, as_="author")

    assert refusal(action, *arguments) == sentence


def test_administrator_beside_another_may_go(database_url: str) -> None:
    with database.write():
        users.set_role("admin", "administrator")
        users.set_role("editor", "administrator")
        oldest = users.first_administrator()
        users.remove("admin", None)
        left = users.first_administrator()

    assert [user.login for user in (oldest, left) if user] == ["admin", "editor"]


def test_invalid_name_of_a_password_is_refused(database_url: str) -> None:
    with database.read():
        user = users.by_login("author")

    for name in ("", "a\nb", "x" * 101):
        assert refusal(users.add_password, user, name, NOW) == (
            "The name of a password has 1 to 100 printable characters."
        )


@pytest.mark.both_databases
def test_heir_gets_every_record_and_nothing_else_changes_hands(client: Client) -> None:
    mine = {
        Event: factories.event(client, as_="author")["id"],
        Venue: factories.venue(client, as_="author")["id"],
        Organizer: factories.organizer(client, as_="author")["id"],
    }
    other = factories.event(client, as_="author2")["id"]

    with database.write():
        users.remove("author", "editor")
        heirs = {model: model.get_by_id(id).author_id for model, id in mine.items()}
        versions = {model.get_by_id(id).version for model, id in mine.items()}
        untouched = Event.get_by_id(other)

    assert heirs == dict.fromkeys(mine, client.ids["editor"])
    assert versions == {2}
    assert (untouched.author_id, untouched.version) == (client.ids["author2"], 1)


def test_password_of_another_user_cannot_be_revoked(database_url: str) -> None:
    with database.read():
        author, editor = users.by_login("author"), users.by_login("editor")
        number = int(users.passwords_of(editor)[0].id)

    assert refusal(users.revoke_password, author, number) == (
        f"'author' has no password {number}; `calendar-api password list` shows them."
    )
    with database.read():
        assert ApplicationPassword.select().where(ApplicationPassword.id == number).exists()


@pytest.mark.both_databases
def test_login_must_be_that_of_the_password(client: Client) -> None:
    with database.read():
        for login in ("editor", "AUTHOR", "", "nobody", "\udcff"):
            assert login_attempts.authenticated(login, client.secrets["author"]) is None, login
