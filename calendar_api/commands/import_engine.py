"""Store what a source describes: each item is created, updated, left alone or refused, and remembered.

See docs/moving-in.md#what-an-import-does.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from tempfile import TemporaryFile
from typing import Any, Literal, NamedTuple

from calendar_api import database
from calendar_api.commands import CommandError
from calendar_api.commands.import_work import Decision, Work
from calendar_api.commands.sources.items import Found, Item, Notice, Problem
from calendar_api.domain import auth
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import ApiError, Forbidden, InvalidParameters
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.domain.translation import message
from calendar_api.store import events, ids, import_ledger, import_twins, terms
from calendar_api.store.import_ledger import Known, Stored
from calendar_api.store.organizers import organizers
from calendar_api.store.venue_organizer import VenueOrganizerStore
from calendar_api.store.venues import venues

BATCH = 50  # items per transaction: fewer disk syncs, and other writers need not wait long
_UNCHANGED = 1000  # unchanged items that are marked as seen together
_LINKED: dict[str, VenueOrganizerStore] = {"venue": venues, "organizer": organizers}
_TERMS = {"category": terms.categories, "tag": terms.tags}

Report = Callable[[Decision | Notice], None]


@dataclass(frozen=True)
class Policy:
    """What the operator decided.

    `theirs`: the source wins if a field was changed there and here. `missing`: what becomes of coming events
    that the source lacks, if they start within `first` and `last` (UTC). `status` is for all events, or
    "keep"; `category` is added to all of them unless it is "". `keep_ids`: records get the ids of the source.
    """

    theirs: bool = False
    missing: Literal["keep", "trash", "cancel"] = "keep"
    first: str = ""
    last: str = "9999"
    status: str = "keep"
    category: str = ""
    dry_run: bool = False
    all_or_nothing: bool = False
    keep_ids: bool = False


class _Rollback(Exception):
    pass


class _Outcome(NamedTuple):
    """What was done with an item; `kept` names fields that were changed here, too, and stay."""

    result: str
    record: int = 0
    written: Mapping[str, object] = {}
    kept: Sequence[str] = ()
    reason: str = ""


@dataclass
class Import:
    """One run over one source; `report` gets each decision after it was committed."""

    kind: str
    address: str
    caller: Caller
    site: SiteSettings
    policy: Policy
    report: Report
    refused: int = 0
    _seen: list[int] = field(default_factory=list)

    def run(
        self, found: Iterable[Found], validators: Callable[[], tuple[str, str]] = lambda: ("", "")
    ) -> None:
        """Store all items. `validators` returns ETag and Last-Modified of the source after it was read.

        Raises CommandError for an unusable source, and ApiError if the database fails: earlier batches stay
        stored, and the next run goes on. With `dry_run`, and with `all_or_nothing` if an item is refused,
        nothing is stored.
        """
        if not (self.policy.dry_run or self.policy.all_or_nothing):
            self._run(found, validators)
            return
        with _spooled(found) as items, suppress(_Rollback), database.write():
            self._run(items, validators)
            if self.policy.dry_run or self.refused:
                raise _Rollback

    def _run(self, found: Iterable[Found], validators: Callable[[], tuple[str, str]]) -> None:
        if self.policy.keep_ids and database.run_read(self._has_other_records):
            raise CommandError("Ids can be kept in an empty database only: leave out --ids, or use another.")
        self.source, self.number = database.run_write(partial(import_ledger.begin, self.kind, self.address))
        complete, settled, number = True, True, 0
        for chunk in self._chunks(found):
            complete &= not any(isinstance(one, Problem) for one in chunk)
            number += len(chunk)
            for decision in self._store(chunk):
                result = decision.result if isinstance(decision, Decision) else ""
                self.refused += result == "refused"
                settled &= result not in ("refused", "conflict")
                self.report(decision)
        database.run_write(self._mark_seen, revises=False)
        self._seen.clear()
        if complete and number:
            self._handle_missing()
        # After an open question the next run reads the source again.
        found_validators = validators() if settled else ("", "")
        finish = partial(import_ledger.finish, self.source, self.caller.now, *found_validators)
        database.run_write(finish, revises=False)

    def _has_other_records(self) -> bool:
        return import_ledger.find_source(self.address) is None and ids.are_used()

    def _chunks(self, found: Iterable[Found]) -> Iterator[list[Work | Problem | Notice]]:
        """Batches in which no item occurs twice, so that each finds what the one before it has stored."""
        chunk: list[Work | Problem | Notice] = []
        keys: set[str] = set()
        for one in found:
            part = self._work(one) if isinstance(one, Item) else one
            key = part.key if isinstance(part, Work) else ""
            if len(chunk) == BATCH or key in keys:
                yield chunk
                chunk, keys = [], set()
            chunk.append(part)
            keys |= {key} - {""}
        if chunk:
            yield chunk

    def _work(self, item: Item) -> Work:
        return Work(item, self.source, self.policy.status, self.policy.category)

    def _store(self, chunk: list[Work | Problem | Notice]) -> list[Decision | Notice]:
        """Store a batch and return what became of each part of it, in order."""
        works = [one for one in chunk if isinstance(one, Work)]
        keys = {work.key for work in works}.union(
            *(keys for work in works for keys in work.references.values())
        )
        known = database.run_autocommit(partial(import_ledger.known, keys))
        decided: dict[str, Decision] = {}
        todo = []
        for work in works:
            row = known.get(work.key)
            if row is not None and row.digest == work.digest and not row.gone:
                self._seen.append(row.id)
                decided[work.key] = work.decision("unchanged", id=row.record)
            else:  # outside of the transaction: it takes long
                work.check(*(("create", work.fields) if row is None else ("update", work.changed(row))))
                todo.append(work)
        if todo:
            decided |= database.run_write(partial(self._write, todo, known))
        elif len(self._seen) >= _UNCHANGED:
            database.run_write(self._mark_seen, revises=False)
        else:
            return [_decision(one, decided) for one in chunk]
        self._seen.clear()
        return [_decision(one, decided) for one in chunk]

    def _mark_seen(self) -> None:
        if not import_ledger.is_current(self.source, self.number):
            raise CommandError("Another import of this source has begun; this one was ended.")
        import_ledger.mark_seen(self._seen, self.number)

    def _write(self, todo: list[Work], ledger: Mapping[str, Known]) -> dict[str, Decision]:
        """Store items and their rows of the ledger: part of a write transaction, and repeatable."""
        self._mark_seen()
        known = dict(ledger)
        rows = {work.key: known[work.key] for work in todo if work.key in known}
        import_ledger.mark_seen([row.id for row in rows.values()], self.number)
        before = _stored((work.item.noun, rows[work.key].record) for work in todo if work.key in rows)
        outcomes: list[tuple[Work, _Outcome]] = []
        decided: dict[str, Decision] = {}
        written: set[int] = set()
        for work in todo:
            row = rows.get(work.key)
            if row is not None and row.record in written:
                before |= _stored([(work.item.noun, row.record)])
            try:
                with database.write():
                    outcome = self._apply(work, row, before, known, written)
            except ApiError as error:
                if error.status >= 500:  # the database failed, so the next item would fail, too
                    raise
                decided[work.key] = work.refused(error)
                continue
            outcomes.append((work, outcome))
            if outcome.record:
                written.add(outcome.record)
                known[work.key] = Known(0, outcome.record, "", {}, "")
        after = _stored((work.item.noun, outcome.record) for work, outcome in outcomes if outcome.record)
        new = []
        for work, outcome in outcomes:
            id = outcome.record
            if id in after and outcome.reason != _DELETED:
                columns = self._columns(work, rows.get(work.key), outcome, after[id])
                if work.key in rows:
                    import_ledger.change(rows[work.key].id, columns)
                else:
                    new.append(columns)
            changes = {
                name: (before[id].value(name), after[id].value(name))
                for name in outcome.written
                if id in before and name != "password" and before[id].value(name) != after[id].value(name)
            }
            field = ", ".join(outcome.kept)
            decided[work.key] = work.decision(
                outcome.result, id=id, field=field, reason=outcome.reason, changes=changes
            )
        import_ledger.add(new)
        return decided

    def _columns(self, work: Work, row: Known | None, outcome: _Outcome, after: Stored) -> dict[str, object]:
        """The columns of an item's row in the ledger."""
        same_record = row is not None and row.record == outcome.record
        return {
            "source": self.source,
            "noun": work.item.noun,
            "foreign_id": work.item.foreign_id,
            "key_digest": work.key,
            "record": outcome.record,
            # Without a digest the next run compares the item again, and reports the conflict again.
            "digest": "" if outcome.kept else work.digest,
            "fields": work.remembered(row if same_record else None, after, outcome.kept),
            "seen": self.number,
            "gone": "",
        }

    def _apply(
        self,
        work: Work,
        row: Known | None,
        before: Mapping[int, Stored],
        known: Mapping[str, Known],
        written: set[int],
    ) -> _Outcome:
        """Create, adopt or update a record; raises ApiError."""
        if row is None:
            if work.item.canceled:
                return _Outcome("skipped", reason="It is canceled and was never imported.")
            fields = work.resolved(known)
            for id in import_twins.twins(work.item.noun, fields, self.caller, self.site):
                if id not in written and not import_ledger.is_held(self.source, self.number, id):
                    return _Outcome("adopted", id)
            return _Outcome("created", self._create(work.item, fields))
        stored = before.get(row.record)
        in_trash = stored is not None and getattr(stored.row, "status", "") == "trash"
        if stored is None or (in_trash and row.gone != "trash"):
            if not self.policy.theirs or work.item.canceled:
                return _Outcome("conflict", row.record, reason=_DELETED)
            work.check("create", work.fields)
            fields = work.resolved(known)
            if stored is None:
                return _Outcome("created", self._create(work.item, fields))
            fields = {"status": "publish"} | {name: value for name, value in fields.items() if name != "uid"}
        else:
            fields = work.resolved(known)
        kept = [] if self.policy.theirs or row.gone else sorted(work.changed_here(row, stored, fields))
        fields = {name: value for name, value in fields.items() if name not in kept}
        if fields:
            self._update(work.item.noun, stored.row, fields)
        if kept:
            return _Outcome("conflict", row.record, fields, kept, "It was changed here, too.")
        return _Outcome("updated" if fields else "unchanged", row.record, fields)

    def _create(self, item: Item, fields: dict[str, Any]) -> int:
        original = item.original
        if original is None or not self.policy.keep_ids:
            return self._create_with_new_id(item.noun, fields)
        if original.modified_utc:
            fields |= {"modified_utc": original.modified_utc}
        with ids.reserve({item.noun: original.id, "image": original.image}, original.highest):
            return self._create_with_new_id(item.noun, fields)

    def _create_with_new_id(self, noun: str, fields: dict[str, Any]) -> int:
        caller = self.caller
        if noun == "event":
            return int(store_event(fields, caller, self.site).id)
        if noun in _TERMS:
            self._require_term_rights(noun)
            _refuse(_TERMS[noun].problems(fields))
            return int(_TERMS[noun].create(fields, self.site).id)
        _refuse(_LINKED[noun].problems(fields, caller))
        return _LINKED[noun].create(fields, caller, self.site)

    def _update(self, noun: str, record: Any, fields: dict[str, Any]) -> None:
        caller = self.caller
        if noun in _TERMS:
            self._require_term_rights(noun)
            _refuse(_TERMS[noun].problems(fields))
            _TERMS[noun].update(record, fields, self.site)
            return
        if not auth.may_edit(caller, record):
            raise Forbidden(message("Your role does not allow you to change this record."), anonymous=False)
        if noun == "event":
            _refuse(events.problems(fields, caller))
            events.update(record, fields, caller, self.site)
        else:
            _refuse(_LINKED[noun].problems(fields, caller))
            _LINKED[noun].update(record, fields, caller, self.site)

    def _require_term_rights(self, noun: str) -> None:
        if not self.caller.manages_terms(_TERMS[noun].taxonomy):
            raise Forbidden(message("Your role does not allow you to change records here."), anonymous=False)

    # -- what the source lacks

    def _handle_missing(self) -> None:
        """Decide on the events that the source does not have any more."""
        missing = database.run_read(partial(import_ledger.missing, self.source, self.number))
        same = 0
        for at in range(0, len(missing), BATCH):
            work = partial(self._handle_batch, missing[at : at + BATCH])
            decisions, forgotten = database.run_write(work)
            same += forgotten
            for decision in decisions:
                self.report(decision)
        if same:
            self.report(Notice(f"The identifiers of {same} events have changed in the source."))

    def _handle_batch(self, rows: list[import_ledger.Missing]) -> tuple[list[Decision], int]:
        stored = import_ledger.stored("event", [row.record for row in rows])
        decisions, forgotten = [], 0
        for row in rows:
            event = stored[row.record].row if row.record in stored else None
            if import_ledger.is_held(self.source, self.number, row.record):
                import_ledger.forget(row.id)  # the same event under another identifier
                forgotten += 1
            elif event is not None and event.status != "trash" and not row.gone and self._is_coming(event):
                reason = self._remove(event)
                if self.policy.missing != "keep":
                    import_ledger.change(row.id, {"gone": self.policy.missing})
                decisions.append(
                    Decision(
                        "gone",
                        "event",
                        row.foreign_id,
                        event.title,
                        row.foreign_id,
                        row.record,
                        reason=reason,
                    )
                )
        return decisions, forgotten

    def _is_coming(self, event: Any) -> bool:
        """Feeds leave out past events, and occurrences outside of the window: these are not gone."""
        within = self.policy.first <= event.utc_start_date <= self.policy.last
        return bool(within and self.caller.now < event.utc_end_date)

    def _remove(self, event: Any) -> str:
        if self.policy.missing == "keep":
            return "It was kept."
        if not auth.may_edit(self.caller, event):
            return "It was kept: your role does not allow you to change this record."
        if self.policy.missing == "trash":
            events.remove(event, self.caller, self.site)
            return "It was moved to the trash."
        events.update(event, {"event_status": "canceled"}, self.caller, self.site)
        return "It was canceled."


_DELETED = "It was deleted here."


def store_event(fields: Mapping[str, Any], caller: Caller, site: SiteSettings) -> Any:
    """Create an event from validated fields; raises InvalidParameters and Forbidden."""
    _refuse(events.problems(fields, caller))
    return events.create(fields, caller, site)


def _refuse(problems: Mapping[str, str]) -> None:
    if problems:
        raise InvalidParameters(problems)


def _decision(one: Work | Problem | Notice, decided: Mapping[str, Decision]) -> Decision | Notice:
    if isinstance(one, Work):
        return decided[one.key]
    if isinstance(one, Notice):
        return one
    return Decision(
        "refused", "event", one.place, one.title, field=one.field, reason=one.reason, remedy=one.remedy
    )


def _stored(records: Iterable[tuple[str, int]]) -> dict[int, Stored]:
    found: dict[int, Stored] = {}
    for noun, some in groupby(sorted(records), key=lambda record: record[0]):
        found |= import_ledger.stored(noun, [id for _, id in some])
    return found


@contextmanager
def _spooled(found: Iterable[Found]) -> Iterator[Iterator[Found]]:
    """Read a source completely, so that no transaction waits for it."""
    with TemporaryFile() as file:
        count = 0
        for one in found:
            pickle.dump(one, file)
            count += 1
        file.seek(0)
        yield (pickle.load(file) for _ in range(count))  # noqa: S301 - written above
