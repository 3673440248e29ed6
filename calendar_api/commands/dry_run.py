"""What an import needs that may store nothing in the end."""

import pickle
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

from calendar_api import database
from calendar_api.commands import CommandError, backup
from calendar_api.commands.sources.items import Found
from calendar_api.database.sqlite import file_copy
from calendar_api.database.sqlite.engine import Sqlite


@contextmanager
def on_a_copy() -> Iterator[None]:
    """Bind a copy of an SQLite database for a while, so that writers of the original need not wait.

    A database on a server stays bound. Raises CommandError if the file cannot be copied.
    """
    source = database.bound()
    if not isinstance(source, Sqlite):
        yield
        return
    with TemporaryDirectory() as folder:
        copied = Path(folder, "calendar.db")
        copied.touch(0o600)
        try:
            file_copy.snapshot(source.file.path, copied, live=True)
        except file_copy.UnfitFile as error:
            raise CommandError(f"The database cannot be copied for a dry run: {error}") from error
        with backup.opened(copied):
            yield


@contextmanager
def spooled(found: Iterable[Found]) -> Iterator[tuple[Iterator[Found], int]]:
    """Read a source completely, so that no transaction waits for it; yield what it has, and how much."""
    with TemporaryFile() as file:
        count = 0
        for one in found:
            pickle.dump(one, file)
            count += 1
        file.seek(0)
        yield (pickle.load(file) for _ in range(count)), count  # noqa: S301 - written above
