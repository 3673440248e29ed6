"""Bind a database; open connections, one per thread; run transactions; translate errors.

`bind` chooses the engine, `sqlite.engine.Sqlite` or `mysql.engine.Mysql`, to which everything here delegates.
All reads and writes of the service go through `run_read`, `run_autocommit`, `run_write` and `try_read`, which
take a function; `read` and `write` are the context managers behind them, for commands and tests.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import peewee

from calendar_api.database import urls
from calendar_api.database.diagnostics import first_error
from calendar_api.database.sqlite.engine import Sqlite
from calendar_api.domain.errors import ApiError, DatabaseUnavailable

if TYPE_CHECKING:
    from calendar_api.database.mysql.engine import Mysql

#: Imported only when it is bound: SQLite needs no driver of MySQL.
_MYSQL = "calendar_api.database.mysql.engine"

Engine: TypeAlias = "Sqlite | Mysql"
Result = TypeVar("Result")

#: What the models refer to; `bind` makes it a real database.
db: Any = peewee.DatabaseProxy()

_thread = threading.local()  # `pid`: the process that opened the connection
_inherited: list[object] = []  # connections from before a fork: closing them would harm the parent process


# -- which database


def bind(url: str) -> None:
    """Choose the database of the models. Opens nothing, so that a server may fork afterwards."""
    db.initialize(engine(url))


def engine(url: str) -> Engine:
    """Return a database that is not bound; see `using`. Raises ValueError for a malformed URL."""
    address = urls.parse(url)
    if isinstance(address, urls.SqliteAddress):
        return Sqlite(address)
    return cast(Engine, import_module(_MYSQL).Mysql(address))


def bound() -> Engine:
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
    _leave_inherited()
    if not bound().in_transaction():
        bound().ensure_connection()


def close_connection() -> None:
    _leave_inherited()
    if not bound().is_closed():
        bound().close()


def _leave_inherited() -> None:
    """Forget a connection that was opened before a fork, without closing it."""
    if opened_by_this_process():
        return
    if not bound().is_closed():
        _inherited.append(bound().connection())
        bound().dispose()
    _thread.pid = os.getpid()


def opened_by_this_process() -> bool:
    """False if this thread's connection may have been opened before a fork."""
    return getattr(_thread, "pid", None) == os.getpid()


@contextmanager
def connected() -> Iterator[None]:
    """Open a connection, and close it at the end; raises errors of the interface."""
    with translating():
        open_connection()
        try:
            yield
        finally:
            close_connection()


# -- running work


def run_read(work: Callable[[], Result]) -> Result:
    """Run `work` on one snapshot (see `read`); run it again if the connection is lost."""
    return _run(read, work)


def run_autocommit(work: Callable[[], Result]) -> Result:
    """Run `work` without a transaction; run it again if the connection is lost.

    For a single statement, which is a snapshot by itself; several may see different states.
    """
    return _run(_autocommit, work)


def run_write(work: Callable[[], Result], *, revises: bool = True) -> Result:
    """Run `work` as one write transaction (see `write`).

    On MySQL all of `work` is run again after a deadlock or a lost connection, so that it must change nothing
    but the database. Raises DatabaseUnavailable if that fails for some seconds.
    """
    return _run(partial(write, revises=revises), work)


def try_read(work: Callable[[], Result]) -> Result | None:
    """Run `work` in autocommit mode, once. Return None if the database is unavailable."""
    engine = bound()
    try:
        open_connection()
        return work()
    except (ApiError, peewee.PeeweeException, engine.driver_error):
        return None
    finally:
        if not engine.in_transaction():
            engine.after_transaction()


def _run(transaction: Callable[[], AbstractContextManager[None]], work: Callable[[], Result]) -> Result:
    if bound().in_transaction():
        with transaction():
            return work()
    with translating():
        return bound().run_with_retry(transaction, work)


# -- transactions


@contextmanager
def read() -> Iterator[None]:
    """One snapshot for all statements, so that totals, page and nested records agree."""
    with translating():
        open_connection()
        if bound().in_transaction():
            yield
            return
        try:
            with bound().atomic(bound().READ):
                yield
        finally:
            bound().after_transaction()


@contextmanager
def _autocommit() -> Iterator[None]:
    open_connection()
    try:
        yield
    finally:
        if not bound().in_transaction():
            bound().after_transaction()


@contextmanager
def write(*, revises: bool = True) -> Iterator[None]:
    """One write transaction: all or nothing, committed and synced at the end.

    One writer at a time, from the start of its transaction: what it has read is still true when it writes.
    Inside another write it is a savepoint. With `revises=False` the revision keeps its number, so that
    cached responses stay valid: for what no response depends on.
    """
    with translating():
        _leave_inherited()
        if bound().in_transaction():
            with bound().atomic(bound().WRITE):
                yield
            return
        with bound().hold_write_lock():
            open_connection()
            with bound().atomic(bound().WRITE):
                bound().count_write(revises=revises)
                yield
                bound().update_search_index()


@contextmanager
def schema_change() -> Iterator[None]:
    """For migrations: one process at a time; an interrupted one can be run again."""
    with translating():
        open_connection()
        with bound().schema_change():
            yield


@contextmanager
def bulk_load() -> Iterator[None]:
    """A write transaction of any length, for a database that is not in use yet.

    Foreign keys are checked at its end.
    """
    with translating():
        open_connection()
        with bound().bulk_load():
            yield


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


def translate(error: BaseException) -> BaseException:
    """Return the error of the interface behind a database error; the error itself if there is none.

    The first error in the chain counts: after a full disk SQLite rolls back by itself, and the failing
    rollback that follows hides the reason.
    """
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ApiError):
            return seen
        seen = seen.__cause__ or seen.__context__
    first = first_error(error, bound().driver_error)
    return (bound().translate_error(cast(Any, first)) if first is not None else None) or error


def describe(error: ApiError) -> str:
    """Return the message of an error and its cause, for the operator."""
    mysql = sys.modules.get(_MYSQL)  # not `bound`: the error may be of another database
    if type(error) is DatabaseUnavailable and mysql is not None:
        first = first_error(error, mysql.Mysql.driver_error)
        if first is not None:
            return str(mysql.errors.describe(first))
    return f"{error.message} ({error.__cause__})" if error.__cause__ else error.message
