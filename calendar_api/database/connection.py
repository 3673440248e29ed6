"""Connections, one for each thread, and all that is done in one transaction."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

import peewee

from calendar_api.database.errors import translating
from calendar_api.database.proxy import bound, db
from calendar_api.domain.errors import ApiError

Result = TypeVar("Result")

_opened = threading.local()
_inherited: list[object] = []  # connections of the process before a fork, which may not even be closed


def open_connection() -> None:
    """Open this thread's connection if it has none; one that came over a fork is not used."""
    _leave_inherited()
    engine = bound()
    if not engine.in_transaction():
        engine.check_out()


def close_connection() -> None:
    """Close this thread's connection."""
    _leave_inherited()
    if not db.is_closed():
        db.close()


def _leave_inherited() -> None:
    if opened_by_this_process():
        return
    if not db.is_closed():
        _inherited.append(db.connection())
        db.dispose()
    _opened.pid = os.getpid()


def opened_by_this_process() -> bool:
    """Whether this thread's connection, if it has one, did not come over a fork."""
    return getattr(_opened, "pid", None) == os.getpid()


@contextmanager
def connected() -> Iterator[None]:
    """A connection for a command or a test; database errors come out as errors of the interface."""
    with translating():
        open_connection()
        try:
            yield
        finally:
            close_connection()


def try_read(work: Callable[[], Result]) -> Result | None:
    """What single statements find outside of a transaction; None when the database cannot just now.

    The revision before and after tells whether they have all seen the same.
    """
    engine = bound()
    try:
        open_connection()
        return work()
    except (ApiError, peewee.PeeweeException, engine.driver_error):
        return None
    finally:
        if not engine.in_transaction():
            engine.settle()


def run_read(work: Callable[[], Result]) -> Result:
    """What `work` returns, run on one snapshot (see `read`); run again when the connection is lost."""
    return _repeated(read, work)


def run_autocommit(work: Callable[[], Result]) -> Result:
    """What `work` returns, whose every statement may see another state; run again when the line is lost.

    A single statement is a snapshot by itself, and needs no transaction around it.
    """
    return _repeated(_alone, work)


def run_write(work: Callable[[], Result], *, revises: bool = True) -> Result:
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
    with translating():
        result: Result = db.repeated(transaction, work)
        return result


@contextmanager
def read() -> Iterator[None]:
    """One snapshot for all statements of an answer: totals, page and nested records agree."""
    with translating():
        open_connection()
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
    open_connection()
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
    with translating():
        _leave_inherited()
        if db.in_transaction():
            with _part(), db.atomic(db.WRITE):
                yield
            return
        with db.turns():
            open_connection()
            with db.atomic(db.WRITE):
                db.take_turn(revises=revises)
                yield
                db.catch_up()


def is_part() -> bool:
    """Whether this write is a part of another one."""
    return bool(getattr(_opened, "parts", 0))


@contextmanager
def _part() -> Iterator[None]:
    """A write inside another one."""
    _opened.parts = getattr(_opened, "parts", 0) + 1
    try:
        yield
    finally:
        _opened.parts -= 1


@contextmanager
def schema_change() -> Iterator[None]:
    """For migrations: may change tables, one process at a time; an interrupted one can be run again."""
    with translating():
        open_connection()
        with db.rebuilding():
            yield


@contextmanager
def bulk_load() -> Iterator[None]:
    """A write transaction of any length, for a database that nobody uses yet.

    Rows may refer to rows that come later in it.
    """
    with translating():
        open_connection()
        with db.filling():
            yield
