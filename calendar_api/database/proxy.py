"""Which database the models use."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import peewee

from calendar_api.database import urls
from calendar_api.database.sqlite.engine import Sqlite
from calendar_api.database.urls import SqliteAddress

if TYPE_CHECKING:
    from calendar_api.database.mysql.engine import Mysql

#: The module of the other one: it is loaded, with its driver, by those only who use it.
MYSQL = "calendar_api.database.mysql.engine"

Engine: TypeAlias = "Sqlite | Mysql"

#: Bound to a real database by `bind`; the models refer to it.
db: Any = peewee.DatabaseProxy()


def bind(url: str) -> None:
    """Say which database the models use. Opens nothing, so that a server may fork afterwards."""
    db.initialize(engine(url))


def engine(url: str) -> Engine:
    """A database that is bound to nothing yet; see `using`."""
    address = urls.parse(url)
    if isinstance(address, SqliteAddress):
        return Sqlite(address)
    made: Mysql = import_module(MYSQL).Mysql(address)
    return made


def bound() -> Engine:
    """What `bind` has bound."""
    return cast(Engine, db.obj)


@contextmanager
def using(other: Engine) -> Iterator[None]:
    """Bind another database for a while; for a command, because all threads see it."""
    before = bound()
    db.initialize(other)
    try:
        yield
    finally:
        db.initialize(before)
