"""The link that `serve` prints while nobody can sign in."""

from calendar_api import database
from calendar_api.database import migrate
from calendar_api.database.models import ApplicationPassword, User
from calendar_api.store import sessions, users

NOW, LATER = "2026-06-01 12:00:00", "2026-06-01 13:00:00"


def first(now: str) -> tuple[str, str] | None:
    return database.run_write(lambda: sessions.first_sign_in(now))


def test_first_link_is_made_until_somebody_has_a_password(new_database_url: str) -> None:
    migrate.migrate()

    one, two = first(NOW), first(LATER)
    assert one is not None
    assert two is not None
    assert (one[0], two[0]) == ("admin", "admin")
    assert one[1] != two[1]
    with database.read():
        assert [(user.login, user.role) for user in users.every()] == [("admin", "administrator")]
    sessions.accept(two[1], "a new passphrase", "", LATER)

    assert first(LATER) is None


def test_no_link_is_made_for_those_who_use_programs(database_url: str) -> None:
    assert first(NOW) is None
    with database.write():
        ApplicationPassword.delete().execute()
    made = first(NOW)
    with database.write():
        User.update(role="editor").execute()

    assert made is not None
    assert made[0] == "admin"
    assert first(NOW) is None
