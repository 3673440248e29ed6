"""Tables, connections, transactions and both dialects: the only package that knows which database it is.

`bind` chooses the engine, `sqlite.engine.Sqlite` or `mysql.engine.Mysql`; each thread has a connection of its
own. All reads and writes of the service go through `run_read`, `run_autocommit`, `run_write` and `try_read`,
which take a function; `read` and `write` are the context managers behind them, for commands and tests.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import peewee

from calendar_api.database import urls
from calendar_api.database.diagnostics import Finding, Scope
from calendar_api.database.errors import chain, first_error, unusable
from calendar_api.database.sqlite.engine import Sqlite
from calendar_api.domain.errors import ApiError, DatabaseUnavailable

if TYPE_CHECKING:
    from calendar_api.database.mysql.engine import Mysql

#: Imported only when it is bound: SQLite needs no driver of MySQL.
_MYSQL = "calendar_api.database.mysql.engine"

#: KiB: of a server with many threads, and of a command, which can write thousands of pages in a transaction.
SERVER_CACHE, COMMAND_CACHE = 512, 8192

Engine: TypeAlias = "Sqlite | Mysql"
Result = TypeVar("Result")

#: What the models refer to; `bind` makes it a real database.
db: Any = peewee.DatabaseProxy()

_inherited: list[object] = []  # connections from before a fork: closing them would harm the parent process


# -- which database


def bind(url: str, cache: int = SERVER_CACHE) -> None:
    """Choose the database of the models. Opens nothing, so that a server may fork afterwards."""
    db.initialize(engine(url, cache))


def engine(url: str, cache: int = COMMAND_CACHE) -> Engine:
    """Return a database that is not bound; see `using`. Raises ValueError for a malformed URL.

    Each thread keeps `cache` KiB of pages of SQLite; the system caches the file, too.
    """
    address = urls.parse(url)
    if isinstance(address, urls.SqliteAddress):
        return Sqlite(address, cache)
    return cast(Engine, import_module(_MYSQL).Mysql(address))


def bound() -> Engine:
    """Return the engine; what few places need of it, such as the search index, has no function here."""
    return cast(Engine, db.obj)


@contextmanager
def using(other: Engine) -> Iterator[None]:
    """Bind another database for a while. For commands only: all threads see it."""
    before = bound()
    db.initialize(other)
    try:
        yield
    finally:
        db.initialize(before)


# -- connections


def open_connection() -> None:
    """Open this thread's connection if it has none, or if the open one cannot be used any more."""
    if not bound().in_transaction():
        bound().ensure_connection()


def close_connection() -> None:
    if not bound().is_closed():
        bound().close()


def _forget_inherited() -> None:
    """Forget, in the child of a fork, the connection of its parent without closing it."""
    if db.obj is not None and not bound().is_closed():
        _inherited.append(bound().connection())
        bound().dispose()


os.register_at_fork(after_in_child=_forget_inherited)


# -- running work


def run_read(work: Callable[[], Result]) -> Result:
    """Run `work` on one snapshot (see `read`); run it again if the connection is lost."""
    return work() if bound().in_transaction() else _run(bound().read_transaction, work)


def run_autocommit(work: Callable[[], Result]) -> Result:
    """Run `work` without a transaction; run it again if the connection is lost.

    For a single statement, which is a snapshot by itself; several may see different states.
    """
    return work() if bound().in_transaction() else _run(bound().use_connection, work)


def run_write(work: Callable[[], Result], *, revises: bool = True) -> Result:
    """Run `work` as one write transaction (see `write`).

    On MySQL all of `work` is run again after a deadlock or a lost connection, so that it must change nothing
    but the database. Raises DatabaseUnavailable if that fails for some seconds.
    """
    if bound().in_transaction():
        with write():
            return work()
    return _run(partial(bound().write_transaction, revises=revises), work)


def try_read(work: Callable[[], Result]) -> Result | None:
    """Run `work` in autocommit mode, once. Return None if the database is unavailable."""
    try:
        with bound().use_connection():
            return work()
    except (ApiError, peewee.PeeweeException, bound().driver_error, UnicodeDecodeError):
        return None


def _run(transaction: Callable[[], AbstractContextManager[None]], work: Callable[[], Result]) -> Result:
    with translating():
        return bound().run_with_retry(transaction, work)


# -- transactions


@contextmanager
def read() -> Iterator[None]:
    """One snapshot for all statements, so that totals, page and nested records agree."""
    nested = bound().in_transaction()
    with translating(), nullcontext() if nested else bound().read_transaction():
        yield


@contextmanager
def write(*, revises: bool = True) -> Iterator[None]:
    """One write transaction: all or nothing, committed and synced at the end.

    One writer at a time, from the start of its transaction: what it has read is still true when it writes.
    Inside another write it is a savepoint. With `revises=False` the revision keeps its number, so that
    cached responses stay valid: for what no response depends on.
    """
    nested = bound().in_transaction()
    with translating(), bound().atomic() if nested else bound().write_transaction(revises=revises):
        yield


@contextmanager
def schema_change() -> Iterator[None]:
    """For migrations: one process at a time; an interrupted one can be run again."""
    with translating(), bound().schema_change():
        yield


@contextmanager
def bulk_load() -> Iterator[None]:
    """A write transaction of any length, for a database that is not in use yet.

    Foreign keys are checked at its end.
    """
    with translating(), bound().bulk_load():
        yield


# -- questions beside the rows


def exists() -> bool:
    """Return whether there is a database; raises DatabaseUnavailable if that cannot be found out."""
    with translating():
        return bound().exists()


def create() -> None:
    """Create an empty database that only its owner may read; raises DatabaseUnavailable."""
    with translating():
        bound().create()


def identity() -> object:
    """Return an identifier that changes when another database replaces this one; None if there is none."""
    return bound().identity()


def revision() -> tuple[object, int] | None:
    """Return the state of the records: another one after every write, by any process.

    Asked first in a transaction, it is the revision of its snapshot. None if the database is unavailable.
    """
    return bound().try_revision() or try_read(bound().revision)


def software() -> str:
    """Return name and version of the database software; empty if that takes a new connection."""
    return bound().software()


def diagnose(scope: Scope = "all", tables: Sequence[str] = ()) -> list[Finding]:
    """Return the problems of the database and where it is stored; needs a connection.

    `tables`: those whose engine and collation to check. "all" reads every row; raises what reading raises.
    """
    return bound().diagnose(scope, tables)


def reindex() -> bool | None:
    """Rebuild the search index; False if this SQLite library cannot, None if there is none to rebuild."""
    with translating():
        open_connection()
        return bound().rebuild_index()


# -- errors


@contextmanager
def translating() -> Iterator[None]:
    """Raise errors of the database as errors of the interface; programming errors unchanged."""
    try:
        yield
    except (peewee.PeeweeException, bound().driver_error) as error:
        found = translate(error)
        if found is error:
            raise  # an error that is its own cause would be an endless chain
        raise found from error
    except UnicodeDecodeError as error:  # an error message of SQLite quotes damaged text
        raise unusable() from error


def translate(error: BaseException) -> BaseException:
    """Return the error of the interface behind a database error; the error itself if there is none.

    The first error in the chain counts: after a full disk SQLite rolls back by itself, and the failing
    rollback that follows hides the reason.
    """
    for one in chain(error):
        if isinstance(one, ApiError):
            return one
    first = first_error(error, bound().driver_error)
    return (bound().translate_error(first) if first is not None else None) or error


def describe(error: ApiError) -> str:
    """Return the message of an error and its cause, for the operator."""
    mysql = sys.modules.get(_MYSQL)  # not `bound`: the error may be of another database
    if type(error) is DatabaseUnavailable and mysql is not None:
        first = first_error(error, mysql.Mysql.driver_error)
        if first is not None:
            return str(mysql.errors.describe(first))
    cause = first_error(error, peewee.PeeweeException) or error.__cause__
    if cause and error.message == unusable().message:
        return f"The database cannot be used: {cause}"
    return f"{error.message} ({cause})" if cause else error.message
