"""What errors of a database mean for who asks the interface, or runs a command."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import peewee

from calendar_api.database.diagnostics import first_error
from calendar_api.database.proxy import MYSQL, db
from calendar_api.domain.errors import ApiError, DatabaseUnavailable


@contextmanager
def translating() -> Iterator[None]:
    """Database errors come out as errors of the interface, where they are not a mistake of ours."""
    try:
        yield
    except (peewee.PeeweeException, db.driver_error) as error:
        found = translate(error)
        if found is error:
            raise  # an error that is its own cause would be a chain without an end
        raise found from error


def describe(error: ApiError) -> str:
    """An error for whoever runs a command, who can do something about the database."""
    # Only who has loaded it can have an error of it; the database that is bound may be another.
    mysql = sys.modules.get(MYSQL)
    if type(error) is DatabaseUnavailable and mysql is not None:
        first = first_error(error, mysql.Mysql.driver_error)
        if first is not None:
            return str(mysql.errors.describe(first))
    return f"{error.message} ({error.__cause__})" if error.__cause__ else error.message


def translate(error: BaseException) -> BaseException:
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
