"""Errors that both engines raise, and how to find the first one in a chain."""

from collections.abc import Iterator

from calendar_api.domain.errors import DatabaseUnavailable
from calendar_api.domain.translation import message


class DriverMissing(DatabaseUnavailable):
    """A package is not installed; the message says how to install it."""


def busy() -> DatabaseUnavailable:
    return DatabaseUnavailable(message("The database is busy. Send the request again in a moment."))


def unusable(retry_after: int = 1) -> DatabaseUnavailable:
    """Return an error that hides the reason: its cause, which only the operator reads, in the log."""
    return DatabaseUnavailable(
        message("The database cannot be used just now; its operator finds the reason in the log."),
        retry_after=retry_after,
    )


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, what caused it, the cause of that, and so on."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def first_error(error: BaseException, kind: type[Exception]) -> Exception | None:
    """Return the earliest error of this class in a chain; later ones, such as a failed rollback, hide it."""
    found = [one for one in chain(error) if isinstance(one, kind)]
    return found[-1] if found else None
