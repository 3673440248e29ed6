"""Users as rows, for tests of connections and transactions."""

from typing import Any

from calendar_api import database
from calendar_api.database.models import User
from tests.conftest import BORN


def value(sql: str) -> Any:
    return database.db.execute_sql(sql).fetchone()[0]


def add(login: str) -> int:
    return int(User.create(login=login, role="author", created_utc=BORN).id)


def logins() -> list[str]:
    with database.read():
        return [user.login for user in User.select().order_by(User.id)]
