"""The only package that knows the database's dialect: connections, transactions, what its errors mean.

Here is what the rest of the service sees; `sqlite` and `mysql` say how each of the two does it.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import peewee

from calendar_api import database_urls
from calendar_api.database import text_changes
from calendar_api.database.condition import Deviation, Hindrance, first_error
from calendar_api.database.sqlite import Sqlite
from calendar_api.database_urls import SqliteAddress
from calendar_api.errors import ApiError, DatabaseUnavailable

if TYPE_CHECKING:
    from calendar_api.database.mysql import Mysql

_MYSQL = "calendar_api.database.mysql"

Result = TypeVar("Result")
Engine: TypeAlias = "Sqlite | Mysql"

#: Bound to a real database by `bind`; the models refer to it.
db: Any = peewee.DatabaseProxy()

_opened = threading.local()
_inherited: list[object] = []  # connections of the process before a fork, which may not even be closed


def bind(url: str) -> None:
    """Say which database the models use. Opens nothing, so that a server may fork afterwards."""
    db.initialize(engine(url))


def engine(url: str) -> Engine:
    """A database that is bound to nothing yet; see `using`."""
    address = database_urls.parse(url)
    if isinstance(address, SqliteAddress):
        return Sqlite(address)
    # With its driver, which only those have who need it.
    made: Mysql = import_module(_MYSQL).Mysql(address)
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


def exists() -> bool:
    """Whether there is a database of ours at all; raises DatabaseUnavailable when nobody can tell."""
    with _translated():
        return bool(db.made())


def create() -> None:
    """Make an empty database that belongs to its operator alone; raises DatabaseUnavailable."""
    with _translated():
        db.make()


def place() -> object:
    """What changes when another database has come to where ours was; None while there is none."""
    return db.place()


def keep_reserve() -> None:
    """Keep some room on the disk, for deletions when it is full; where there is none to keep, do nothing."""
    db.keep_reserve()


def release_reserve() -> int:
    """Give that room back; returns the bytes."""
    return int(db.release_reserve())


def revision() -> tuple[object, int] | None:
    """Which state the records are in: another one after every write, here or by another process.

    In a transaction it is that of its snapshot, if it is asked first. None when nobody can tell just now.
    """
    engine = bound()
    if getattr(_opened, "pid", None) == os.getpid():  # otherwise its connections are not ours
        found = engine.revision_at_hand()
        if found is not None:
            return found
    return glance(engine.revision)


def glance(work: Callable[[], Result]) -> Result | None:
    """What single statements find outside of a transaction; None when the database cannot just now.

    The revision before and after tells whether they have all seen the same.
    """
    engine = bound()
    try:
        open_here()
        return work()
    except (ApiError, peewee.PeeweeException, engine.driver_error):
        return None
    finally:
        if not engine.in_transaction():
            engine.settle()


def only_texts_of(id: int) -> None:
    """Say, as the last thing in a whole write transaction, that it changed but the texts of this record.

    Readers then keep what has nothing to do with it. A part of a larger transaction cannot say that.
    """
    if not getattr(_opened, "parts", 0):
        text_changes.tell(db.execute_sql, db.param, id)


def texts_changed(before: int, now: int) -> frozenset[int] | None:
    """The records whose texts changed between two numbers of a revision.

    None when something else may have changed, or nobody can tell.
    """
    return glance(lambda: text_changes.between(bound().execute_sql, before, now))


def fault(tables: Sequence[str]) -> str | None:
    """What is wrong with the server or these tables, so that they cannot be used; needs a connection."""
    found: str | None = db.fault(tables)
    return found


def advice() -> list[str]:
    """What its operator should know and may leave as it is, as sentences; needs a connection."""
    return list(db.advice())


def software() -> str:
    """What keeps the records, with its version; nothing where that cannot be told without asking anew."""
    return str(db.software())


def hindrance() -> Hindrance | None:
    """Why writes cannot work just now, without writing; needs a connection."""
    found: Hindrance | None = db.hindrance()
    return found


def deviations() -> list[Deviation]:
    """What is not as it should be in where and how the records are kept; needs a connection."""
    return list(db.deviations())


def open_here() -> None:
    """Open this thread's connection if it has none; one that came over a fork is not used."""
    _leave_inherited()
    engine = bound()
    if not engine.in_transaction():
        engine.check_out()


def close_here() -> None:
    """Close this thread's connection."""
    _leave_inherited()
    if not db.is_closed():
        db.close()


def _leave_inherited() -> None:
    if getattr(_opened, "pid", None) == os.getpid():
        return
    if not db.is_closed():
        _inherited.append(db.connection())
        db.dispose()
    _opened.pid = os.getpid()


@contextmanager
def connected() -> Iterator[None]:
    """A connection for a command or a test; database errors come out as errors of the interface."""
    with _translated():
        open_here()
        try:
            yield
        finally:
            close_here()


def reading(work: Callable[[], Result]) -> Result:
    """What `work` returns, run on one snapshot (see `read`); run again when the connection is lost."""
    return _repeated(read, work)


def asking(work: Callable[[], Result]) -> Result:
    """What `work` returns, whose every statement may see another state; run again when the line is lost.

    A single statement is a snapshot by itself, and needs no transaction around it.
    """
    return _repeated(_alone, work)


def writing(work: Callable[[], Result], *, revises: bool = True) -> Result:
    """What `work` returns, run as one write transaction (see `write`).

    The database may take a transaction back because of another one, or be lost and found again on the next
    host: then all of `work` is run again, so that it must leave no trace elsewhere. Raises
    DatabaseUnavailable when that does not help in time.
    """
    return _repeated(partial(write, revises=revises), work)


def _repeated(transaction: Callable[[], Any], work: Callable[[], Result]) -> Result:
    if db.in_transaction():
        with transaction():
            return work()
    with _translated():
        result: Result = db.repeated(transaction, work)
        return result


@contextmanager
def read() -> Iterator[None]:
    """One snapshot for all statements of an answer: totals, page and nested records agree."""
    with _translated():
        open_here()
        if db.in_transaction():
            yield
            return
        try:
            with db.atomic(db.READ):
                yield
        finally:
            db.settle()


@contextmanager
def _alone() -> Iterator[None]:
    open_here()
    try:
        yield
    finally:
        if not db.in_transaction():
            db.settle()


@contextmanager
def write(*, revises: bool = True) -> Iterator[None]:
    """The only way to change anything: all or nothing, committed and synced when it returns.

    Writers take turns, from the beginning of their transactions: what one has read is still true when it
    writes. Inside another one it is a part of it, taken back alone when it fails. What no answer depends on
    may leave the number of the revision as it is, so that nothing that is kept by it is worked out anew.
    """
    with _translated():
        _leave_inherited()
        if db.in_transaction():
            with _part(), db.atomic(db.WRITE):
                yield
            return
        with db.turns():
            open_here()
            with db.atomic(db.WRITE):
                db.take_turn(revises=revises)
                yield
                db.catch_up()


@contextmanager
def _part() -> Iterator[None]:
    """A write inside another one."""
    _opened.parts = getattr(_opened, "parts", 0) + 1
    try:
        yield
    finally:
        _opened.parts -= 1


@contextmanager
def rebuilding() -> Iterator[None]:
    """For migrations: may change tables, one process at a time; an interrupted one can be run again."""
    with _translated():
        open_here()
        with db.rebuilding():
            yield


@contextmanager
def filling() -> Iterator[None]:
    """A write transaction of any length, for a database that nobody uses yet.

    Rows may refer to rows that come later in it.
    """
    with _translated():
        open_here()
        with db.filling():
            yield


def texts_holding(words: Sequence[str], one_in: int) -> Any:
    """A subquery of the ids in search_text of all texts that can hold these words, found by an index.

    Each has still to be looked at. None when they are more than one text in so many, or without an index.
    """
    return db.texts_holding(words, one_in)


def contains(column: Any, word: str) -> Any:
    """Whether a folded text contains this one, letter by letter, in the way that is fastest here."""
    return db.contains(column, word)


def has_partial_indexes() -> bool:
    """Whether an index may hold some of the rows only."""
    return bool(db.PARTIAL_INDEXES)


def reindex() -> bool | None:
    """Make the index of the search anew; False if this library cannot, None if there is none to make."""
    with _translated():
        open_here()
        found: bool | None = db.renew_index()
        return found


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (peewee.PeeweeException, db.driver_error) as error:
        found = meaning(error)
        if found is error:
            raise  # an error that is its own cause would be a chain without an end
        raise found from error


def in_words(error: ApiError) -> str:
    """An error for whoever runs a command, who can do something about the database."""
    # Only who has loaded it can have an error of it; the database that is bound may be another.
    mysql = sys.modules.get(_MYSQL)
    if type(error) is DatabaseUnavailable and mysql is not None:
        first = first_error(error, mysql.Mysql.driver_error)
        if first is not None:
            return str(mysql.mysql_errors.sentence(first))
    return f"{error.message} ({error.__cause__})" if error.__cause__ else error.message


def meaning(error: BaseException) -> BaseException:
    """The error of the interface behind a database error; the error itself if it is a mistake of ours.

    The first error in the chain counts: after a full disk SQLite has rolled back by itself, and the
    rollback that fails next hides the reason.
    """
    first: BaseException | None = None
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ApiError):
            return seen
        if isinstance(seen, db.driver_error):
            first = seen
        seen = seen.__cause__ or seen.__context__
    return (db.meaning(first) if first is not None else None) or error
