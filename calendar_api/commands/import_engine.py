"""Store what a source describes: each item is created, updated, left alone or refused, and remembered.

See docs/moving-in.md#what-an-import-does.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple, cast

from calendar_api import database
from calendar_api.commands import CommandError, dry_run, import_missing, import_records
from calendar_api.commands.import_work import BATCH, Decision, Policy, Work, decisions
from calendar_api.commands.sources.items import Found, Item, Notice, Problem
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import ApiError, TermExists
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.store import ids, import_ledger, import_twins
from calendar_api.store.import_ledger import Known, Stored

_UNCHANGED = 1000  # unchanged items that are marked as seen together
Report = Callable[[Decision | Notice], None]


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
    """One run over one source; `report` gets each decision after it was committed.

    `refused` counts items; `stored` is False if nothing was stored because of the policy. `spooled` is the
    number of items and notices if all of them are read before the first one is stored, otherwise 0.
    """

    kind: str
    address: str
    caller: Caller
    site: SiteSettings
    policy: Policy
    report: Report
    refused: int = 0
    stored: bool = True
    spooled: int = 0
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
        self.stored = False
        place = dry_run.on_a_copy() if self.policy.dry_run else nullcontext()
        with dry_run.spooled(found) as (items, self.spooled), place, suppress(_Rollback), database.write():
            self._run(items, validators)
            if self.policy.dry_run or self.refused:
                raise _Rollback
            self.stored = True

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
            for decision in import_missing.decide(
                self.source, self.number, self.policy, self.caller, self.site
            ):
                self.report(decision)
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
        if todo or len(self._seen) >= _UNCHANGED:
            self._seen.clear()
        return [decision for one in chunk for decision in decisions(one, decided)]

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
        parents = {work.series: known[work.series].record for work in todo if work.series in known}
        found = _stored(("event", record) for record in parents.values())
        for key, record in parents.items():
            if record not in found or found[record].row.status == "trash":
                del known[key]  # the next occurrence becomes the parent
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
                if work.series and work.series not in known and outcome.reason != _DELETED:
                    known[work.series] = known[work.key]
                    self._remember_series(work, outcome.record, ledger.get(work.series))
        after = _stored((work.item.noun, outcome.record) for work, outcome in outcomes if outcome.record)
        new: list[dict[str, object]] = []
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
                if id in before and before[id].value(name) != after[id].value(name)
            }
            field = ", ".join(outcome.kept)
            decided[work.key] = work.decision(
                outcome.result, id=id, field=field, reason=outcome.reason, changes=changes
            )
        import_ledger.add(new)
        return decided

    def _remember_series(self, work: Work, record: int, row: Known | None) -> None:
        """Remember the parent of a series; its row counts as seen never, so that it holds no record."""
        noun, foreign_id = work.fields["post_parent"]
        columns = {
            "source": self.source, "noun": noun, "foreign_id": foreign_id, "key_digest": work.series,
            "record": record, "digest": "", "fields": "{}", "seen": 0, "gone": "",
        }  # fmt: skip
        import_ledger.add([columns]) if row is None else import_ledger.change(row.id, columns)

    def _columns(self, work: Work, row: Known | None, outcome: _Outcome, after: Stored) -> dict[str, object]:
        """The columns of an item's row in the ledger."""
        kept = [*outcome.kept, *work.left_out]
        same_record = row is not None and row.record == outcome.record
        return {
            "source": self.source,
            "noun": work.item.noun,
            "foreign_id": work.item.foreign_id,
            "key_digest": work.key,
            "record": outcome.record,
            # Without a digest the next run compares the item again, and reports the same again.
            "digest": "" if kept else work.digest,
            "fields": work.remembered(row if same_record else None, after, kept),
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
            same = import_twins.with_uid(fields["uid"]) if "uid" in fields else None
            if same is not None:
                return _Outcome("adopted", same)
            for id in import_twins.twins(work.item.noun, fields, self.caller, self.site):
                if id not in written and not import_ledger.is_held(self.source, self.number, id):
                    return _Outcome("adopted", id)
            try:
                return _Outcome("created", self._create(work.item, fields))
            except TermExists as error:  # two terms of a source with the same name are one
                return _Outcome("adopted", cast(int, error.data["term_id"]))
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
            import_records.update(work.item.noun, stored.row, fields, self.caller, self.site)
        if kept:
            return _Outcome("conflict", row.record, fields, kept, "It was changed here, too.")
        return _Outcome("updated" if fields else "unchanged", row.record, fields)

    def _create(self, item: Item, fields: dict[str, Any]) -> int:
        create = partial(import_records.create, item.noun, fields, self.caller, self.site)
        original = item.original
        if original is None or not self.policy.keep_ids:
            return create()
        if original.modified_utc:
            fields["modified_utc"] = original.modified_utc
        with ids.reserve({item.noun: original.id, "image": original.image}, original.highest):
            return create()


_DELETED = "It was deleted here."


def _stored(records: Iterable[tuple[str, int]]) -> dict[int, Stored]:
    found: dict[int, Stored] = {}
    for noun, some in groupby(sorted(records), key=lambda record: record[0]):
        found |= import_ledger.stored(noun, [id for _, id in some])
    return found
