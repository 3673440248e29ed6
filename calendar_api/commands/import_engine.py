"""Store what a source describes: each item is created, updated, left alone or refused, and remembered.

See docs/moving-in.md#what-an-import-does.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any

from calendar_api import database
from calendar_api.commands import CommandError, backup, import_batch
from calendar_api.commands.import_work import BATCH, CATEGORY, Decision, Part, Policy, Work, batches
from calendar_api.commands.sources.items import Found, Item, Notice, Problem
from calendar_api.database.sqlite import file_copy
from calendar_api.database.sqlite.engine import Sqlite
from calendar_api.domain import auth
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import ApiError
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.store import events, identifiers, import_ledger
from calendar_api.store.import_ledger import Known
from calendar_api.store.terms import only_an_id

_UNCHANGED = 1000  # unchanged items that are marked as seen together


class _Rollback(Exception):
    pass


@dataclass
class Import:
    """One run over one source; `report` gets each decision after it was committed.

    `refused` counts items; `stored` is False if nothing was stored because of the policy. `spooled` is the
    number of items and notices if all of them are read before the first one is stored, otherwise 0.
    `public_only`: the source shows published events only.
    """

    kind: str
    address: str
    caller: Caller
    site: SiteSettings
    policy: Policy
    report: Callable[[Decision | Notice], None]
    refused: int = 0
    stored: bool = True
    spooled: int = 0
    public_only: bool = False
    _seen: list[int] = field(default_factory=list)
    _unread: list[int] = field(default_factory=list)  # what cannot be read; a version that can may follow

    def run(self, found: Iterable[Found], validators: tuple[str, str] = ("", "")) -> None:
        """Store all items. `validators` are ETag and Last-Modified of the source.

        Raises CommandError for an unusable source, and ApiError if the database fails: earlier batches stay
        stored, and the next run goes on. With `dry_run`, and with `all_or_nothing` if an item is refused,
        nothing is stored.
        """
        if not (self.policy.dry_run or self.policy.all_or_nothing):
            self._run(found, validators)
            return
        self.stored = False
        place = _on_a_copy() if self.policy.dry_run else nullcontext()
        with _spooled(found) as (items, self.spooled), place, suppress(_Rollback), database.write():
            self._run(items, validators)
            if self.policy.dry_run or self.refused:
                raise _Rollback
            self.stored = True

    def _run(self, found: Iterable[Found], validators: tuple[str, str]) -> None:
        if self.policy.keep_ids:
            database.run_read(self._require_ids)
        numbers = database.run_write(partial(import_ledger.begin, self.kind, self.address))
        self.current = import_batch.Run(self.caller, self.site, self.policy, *numbers)
        complete, settled, number = True, True, 0
        for chunk in batches(_with_category(found, self.policy), self.current.source, self.policy):
            complete &= not any(isinstance(one, Problem) and not one.foreign_id for one in chunk)
            number += sum(isinstance(one, Work) for one in chunk)
            for decision in self._store(chunk):
                result = decision.result if isinstance(decision, Decision) else ""
                self.refused += result == "refused"
                settled &= result not in ("refused", "conflict")
                self.report(decision)
        self._seen += self._unread
        database.run_write(partial(self._write, [], {}, nullcontext), revises=False)
        self._seen.clear()
        missing = database.run_read(partial(import_ledger.missing, *numbers))
        is_usable = complete and number > 0
        if missing and not is_usable and self.policy.missing != "keep":
            why = "the source is empty, or a part of it cannot be read."
            self.report(Notice(f"--missing {self.policy.missing} is not applied: {why}"))
        for at in range(0, len(missing) if is_usable else 0, BATCH):
            for decision in database.run_write(partial(self._handle_missing, missing[at : at + BATCH])):
                self.report(decision)
        # After an open question the next run reads the source again.
        kept = validators if settled else ("", "")
        finish = partial(import_ledger.finish, self.current.source, self.caller.now, *kept)
        database.run_write(finish, revises=False)

    def _require_ids(self) -> None:
        """Raise CommandError if records cannot get the ids of the source, or have other ones already."""
        source = import_ledger.find_source(self.address)
        if source is None and identifiers.are_used():
            raise CommandError("Ids can be kept in an empty database only: leave out --ids, or use another.")
        if source is not None and not import_ledger.has_foreign_ids(source.id):
            text = "The records of this source have other ids here: leave out --ids keep to update them, or"
            raise CommandError(f"{text} import into an empty database.")

    def _store(self, chunk: list[Part]) -> Iterator[Decision | Notice]:
        """Store a batch, and yield what became of each part of it, in order."""
        works = [one for one in chunk if isinstance(one, Work)]
        references = (keys for work in works for keys in work.references.values())
        keys = {work.key for work in works}.union(*references)
        unread = {self._key(one) for one in chunk if isinstance(one, Problem) and one.foreign_id}
        known = database.run_autocommit(partial(import_ledger.known, keys | unread))
        self._unread += [known[key].id for key in unread if key in known]
        decided, todo = dict[str, Decision](), []
        for work in works:
            row = known.get(work.key)
            if row is not None and row.digest == work.digest and not row.gone:
                self._seen.append(row.id)
                decided[work.key] = work.decision("unchanged", id=row.record)
            elif row is not None and (row.seen == self.current.number or row.id in self._seen):
                why = "A record before it has the same identifier."
                decided[work.key] = work.decision("refused", reason=why, remedy="Give each its own.")
            else:
                work.check(row)  # outside of the transaction: it takes long
                todo.append(work)
        if todo or len(self._seen) >= _UNCHANGED:
            write = partial(self._write, todo, known)
            try:
                decided |= database.run_write(partial(write, nullcontext), revises=bool(todo))
            except ApiError as error:
                if error.status >= 500:  # the database failed, so the next item would fail, too
                    raise
                decided |= database.run_write(partial(write, database.write))  # all but those refused
            self._seen.clear()
        for one in chunk:
            if isinstance(one, Work):
                yield decided[one.key]
                yield from one.without_fields() if decided[one.key].result != "refused" else ()
            else:
                yield Decision.of_problem(one) if isinstance(one, Problem) else one

    def _key(self, problem: Problem) -> str:
        return import_ledger.key(self.current.source, "event", problem.foreign_id)

    def _write(
        self, todo: list[Work], known: Mapping[str, Known], each: Callable[[], AbstractContextManager[None]]
    ) -> dict[str, Decision]:
        """Store a batch: part of a write transaction, and repeatable."""
        if not import_ledger.is_current(self.current.source, self.current.number):
            raise CommandError("Another import of this source has begun; this one was ended.")
        import_ledger.mark_seen(self._seen, self.current.number)
        return import_batch.store(self.current, todo, known, each) if todo else {}

    def _handle_missing(self, rows: list[Any]) -> list[Decision | Notice]:
        """Apply the policy to events that this run has not seen: part of a write transaction."""
        records = [row.record for row in rows]
        stored = import_ledger.stored("event", records)
        held = import_ledger.held(self.current.source, self.current.number, records)
        renamed = [row.id for row in rows if row.record in held]
        import_ledger.forget(renamed)
        held |= import_ledger.held_elsewhere(self.current.source, self.caller.now, records)
        why = "Events have other identifiers in the source than at the last import."
        found: list[Decision | Notice] = [Notice(why)] if renamed else []
        for row in rows:
            event = stored[row.record].row if row.record in stored else None
            is_left_alone = row.record in held or bool(row.gone)
            if event is not None and not is_left_alone and self._is_gone(event):
                names = (row.foreign_id, event.title, row.foreign_id, row.record)
                start = event.start_date[:16]
                found.append(Decision("gone", "event", *names, reason=self._remove(row, event), value=start))
        return found

    def _is_gone(self, event: Any) -> bool:
        """Sources leave out past events, drafts, and occurrences outside of the window: they are not gone."""
        if self.public_only and auth.effective_status(event, self.caller.now) != "publish":
            return False
        is_in_window = self.policy.first <= event.utc_start_date <= self.policy.last
        return bool(is_in_window and self.caller.now < event.utc_end_date and event.status != "trash")

    def _remove(self, row: Any, event: Any) -> str:
        if self.policy.missing == "keep":
            return "It was kept."
        if not auth.may_edit(self.caller, event):
            return "It was kept: your role does not allow you to change this record."
        import_ledger.mark_gone(row.id, self.policy.missing)
        if self.policy.missing == "trash":
            events.remove(event, self.caller, self.site)
            return "It was moved to the trash."
        events.update(event, {"event_status": "canceled"}, self.caller, self.site)
        return "It was canceled."


def _with_category(found: Iterable[Found], policy: Policy) -> Iterator[Found]:
    """Add the category of all events, before the first item, if its name is read as an id in events."""
    name = policy.category if only_an_id(policy.category) else ""
    for one in found:
        if name and isinstance(one, Item):
            yield Item("category", f"{CATEGORY} {name}", {"name": name}, CATEGORY, name)
            name = ""
        yield one


@contextmanager
def _on_a_copy() -> Iterator[None]:
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
def _spooled(found: Iterable[Found]) -> Iterator[tuple[Iterator[Found], int]]:
    """Read a source completely, so that no transaction waits for it; yield what it has, and how much."""
    with TemporaryFile() as file:
        count = 0
        for one in found:
            pickle.dump(one, file)
            count += 1
        file.seek(0)
        yield (pickle.load(file) for _ in range(count)), count  # noqa: S301 - this process wrote it
