"""A migrated database with its users, made once a run and given to every test as if it were new."""

import contextlib
import shutil
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from calendar_api.database.sqlite import driver
from tests.mariadb import MariaDb


class Template(ABC):
    """`secrets` and `ids` of the users by login; `url` is where they are to be put, once."""

    url: str

    def __init__(self) -> None:
        self.secrets: dict[str, str] = {}
        self.ids: dict[str, int] = {}

    @abstractmethod
    def keep(self) -> None:
        """Remember the database as it is now."""

    @abstractmethod
    def renew(self, *, on_disk: bool = False) -> str:
        """The address of a database as it was then."""


class SqliteTemplate(Template):
    """A file, copied for each test to the same place, so that one application serves them all.

    The place is in memory, where no test waits for a disk, but for tests of files on a disk: that uses the
    number of a deleted file again, which memory does not.
    """

    def __init__(self, folder: Path, in_memory: Path) -> None:
        super().__init__()
        self.path, self.on_disk, self.in_memory = folder / "template.sqlite3", folder / "test", in_memory
        self.on_disk.mkdir()
        self.url = f"sqlite:///{self.path}"

    def keep(self) -> None:
        """It is in the file."""

    def renew(self, *, on_disk: bool = False) -> str:
        folder = self.on_disk if on_disk else self.in_memory
        for old in folder.iterdir():
            old.unlink()
        return f"sqlite:///{shutil.copy(self.path, folder / 'calendar.sqlite3')}"


class MariaDbTemplate(Template):
    """One database, whose tables are emptied and filled again: making tables takes longer than a test."""

    COUNTING = ("user", "application_password", "record")
    KEPT = ("user", "application_password", "revision", "schema_migration")

    def __init__(self, server: MariaDb) -> None:
        super().__init__()
        self.server = server
        self.url = server.make("template")
        self._connection: Any = None
        self._tables: list[str] = []
        self._rows: dict[str, list[Any]] = {}
        self._next_ids: dict[str, int] = {}

    def keep(self) -> None:
        self._connection = self.server.connect(database="template")
        self._run("SET foreign_key_checks = 0")
        self._tables = [name for (name,) in self._run("SHOW TABLES")]
        self._rows = {name: list(self._run(f"SELECT * FROM `{name}`")) for name in self.KEPT}
        self._next_ids = self._counters()

    def renew(self, *, on_disk: bool = False) -> str:
        used = " UNION ALL ".join(f"(SELECT '{name}' FROM `{name}` LIMIT 1)" for name in self._tables)
        for (name,) in self._run(used):
            if name in self.KEPT and list(self._run(f"SELECT * FROM `{name}`")) == self._rows[name]:
                continue
            self._run(f"DELETE FROM `{name}`")
        for name in self.KEPT:
            if not self._run(f"SELECT 1 FROM `{name}` LIMIT 1"):
                places = ", ".join(["%s"] * len(self._rows[name][0]))
                with contextlib.closing(self._connection.cursor()) as cursor:
                    cursor.executemany(f"INSERT INTO `{name}` VALUES ({places})", self._rows[name])
        for name, number in self._counters().items():
            if number != self._next_ids[name]:  # a rollback leaves a table empty, but its counter advanced
                self._run(f"ALTER TABLE `{name}` AUTO_INCREMENT = {self._next_ids[name]}")
        return self.url

    def _counters(self) -> dict[str, int]:
        """The next id of each table that gives them."""
        return dict(
            self._run(
                "SELECT table_name, auto_increment FROM information_schema.tables"
                f" WHERE table_schema = 'template' AND table_name IN {self.COUNTING}"
            )
        )

    def _run(self, statement: str) -> Any:
        with contextlib.closing(self._connection.cursor()) as cursor:
            cursor.execute(statement)
            return cursor.fetchall()


def opened(path: Path, timeout: float = 5.0) -> Any:
    """A connection of a test's own to a SQLite file, which is made if it is not there.

    By the same library as the service, whose locks another one in the same process would not see.
    """
    return driver.connect(driver.uri(path, "rwc"), timeout)


def path_of(url: str) -> Path:
    """The file of a SQLite address."""
    return Path(url.removeprefix("sqlite:///"))
