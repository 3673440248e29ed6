"""Store what a source describes: each item is created, updated, left alone or refused, and remembered.

See docs/moving-in.md#what-an-import-does.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

from calendar_api import database
from calendar_api.commands import CommandError, dry_run
from calendar_api.commands.import_work import BATCH, Decision, Part, Policy, Work, batches
from calendar_api.commands.sources.items import Found, Item, Notice, Problem
from calendar_api.domain import auth
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import ApiError, Forbidden, InvalidParameters, TermExists
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.domain.translation import message
from calendar_api.store import events, identifiers, import_ledger, import_matches
from calendar_api.store.import_ledger import Known
from calendar_api.store.terms import TermFields, Terms, categories, tags
from calendar_api.store.venue_organizer import organizers, venues

_UNCHANGED = 1000  # unchanged items that are marked as seen together
_STORES: dict[str, Any] = {
    "event": events, "venue": venues, "organizer": organizers, "category": categories, "tag": tags
}  # fmt: skip


class _Rollback(Exception):
    pass


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
    report: Callable[[Decision | Notice], None]
    refused: int = 0
    stored: bool = True
    spooled: int = 0
    _seen: list[int] = field(default_factory=list)
    _new: list[tuple[Any, Any]] = field(default_factory=list)

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
        is_known = database.run_read(partial(import_ledger.find_source, self.address)) is not None
        if self.policy.keep_ids and not is_known and database.run_read(identifiers.are_used):
            raise CommandError("Ids can be kept in an empty database only: leave out --ids, or use another.")
        self.source, self.number = database.run_write(partial(import_ledger.begin, self.kind, self.address))
        complete, settled, number = True, True, 0
        for chunk in batches(found, self.source, self.policy):
            complete &= not any(isinstance(one, Problem) for one in chunk)
            number += len(chunk)
            for decision in self._store(chunk):
                result = decision.result if isinstance(decision, Decision) else ""
                self.refused += result == "refused"
                settled &= result not in ("refused", "conflict")
                self.report(decision)
        database.run_write(partial(self._write, [], {}, nullcontext), revises=False)
        self._seen.clear()
        missing = database.run_read(partial(import_ledger.missing, self.source, self.number))
        for at in range(0, len(missing) if complete and number else 0, BATCH):
            for decision in database.run_write(partial(self._handle_missing, missing[at : at + BATCH])):
                self.report(decision)
        # After an open question the next run reads the source again.
        found_validators = validators() if settled else ("", "")
        finish = partial(import_ledger.finish, self.source, self.caller.now, *found_validators)
        database.run_write(finish, revises=False)

    def _store(self, chunk: list[Part]) -> Iterator[Decision | Notice]:
        """Store a batch, and yield what became of each part of it, in order."""
        works = [one for one in chunk if isinstance(one, Work)]
        references = (keys for work in works for keys in work.references.values())
        keys = {work.key for work in works}.union(*references)
        known = database.run_autocommit(partial(import_ledger.known, keys))
        decided, todo = dict[str, Decision](), []
        for work in works:
            row = known.get(work.key)
            if row is not None and row.digest == work.digest and not row.gone:
                self._seen.append(row.id)
                decided[work.key] = work.decision("unchanged", id=row.record)
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

    def _write(
        self, todo: list[Work], ledger: Mapping[str, Known], each: Callable[[], AbstractContextManager[None]]
    ) -> dict[str, Decision]:
        """Store items and their rows of the ledger: part of a write transaction, and repeatable.

        `each` is `nullcontext`, and the first error is raised, or a savepoint, and such an item is refused.
        """
        if not import_ledger.is_current(self.source, self.number):
            raise CommandError("Another import of this source has begun; this one was ended.")
        rows = {work.key: ledger[work.key] for work in todo if work.key in ledger}
        import_ledger.mark_seen([*self._seen, *(row.id for row in rows.values())], self.number)
        known = dict(ledger)
        self._new.clear()
        decided, new_rows = dict[str, Decision](), []
        for work in todo:
            if work.series in known and not import_ledger.is_there(known[work.series].record):
                del known[work.series]  # this occurrence becomes the parent
            try:
                with each():
                    decision = self._apply(work, rows.get(work.key), known)
                    if each is not nullcontext:
                        self._complete()
            except ApiError as error:
                if each is nullcontext or error.status >= 500:
                    raise
                decision = work.refused(error)
                self._new.clear()
            decided[work.key] = decision
            if decision.id:
                known[work.key] = Known(0, decision.id, "", {}, "")
                if work.series and work.series not in known:
                    known[work.series] = known[work.key]
                    parent = work.fields["post_parent"]
                    # Its row counts as seen never, so that it holds no record.
                    new_rows.append(import_ledger.row(self.source, *parent, record=decision.id, seen=0))
        self._complete()  # all together: statements take most of the time
        after: dict[int, import_ledger.Stored] = {}
        for noun in {work.item.noun for work in todo}:
            own = [decided[work.key].id for work in todo if work.item.noun == noun]
            after |= import_ledger.stored(noun, filter(None, own))
        for work in todo:
            decision = decided[work.key]
            if decision.id in after:
                stored = after[decision.id]
                decided[work.key] = decision._replace(changes=work.changes(stored))
                new_rows.append(work.row(self.number, decision.id, rows.get(work.key), stored))
        import_ledger.save(new_rows)
        return decided

    def _apply(self, work: Work, row: Known | None, known: dict[str, Known]) -> Decision:
        """Create, adopt or update a record; raises ApiError."""
        work.before, work.kept = None, []
        if row is None:
            return self._add(work, known)
        noun, theirs = work.item.noun, self.policy.theirs
        stored = import_ledger.stored(noun, [row.record]).get(row.record)
        in_trash = stored is not None and getattr(stored.row, "status", "") == "trash"
        if stored is None or (in_trash and row.gone != "trash"):
            if not theirs or work.item.canceled:
                return work.decision("conflict", reason="It was deleted here.")
            work.check(None)
            if stored is None:
                return work.decision("created", id=self._create(work.item, work.resolved(known)))
            fields = {"status": "publish", **work.resolved(known)}
            fields.pop("uid", None)
        else:
            fields = work.resolved(known)
        work.before = stored
        fields = {name: value for name, value in fields.items() if str(value) != str(stored.value(name))}
        work.kept = [] if theirs or row.gone else work.changed_here(row, stored, fields)
        fields = {name: value for name, value in fields.items() if name not in work.kept}
        if fields:
            self._save(noun, stored.row, fields)
        if work.kept:
            why = {"field": ", ".join(work.kept), "reason": "It was changed here, too."}
            return work.decision("conflict", id=row.record, **why)
        return work.decision("updated" if fields else "unchanged", id=row.record)

    def _add(self, work: Work, known: dict[str, Known]) -> Decision:
        """Create a record, or adopt the one that is there already."""
        if work.item.canceled:
            return work.decision("skipped", reason="It is canceled and was never imported.")
        fields = work.resolved(known)
        same = import_matches.with_uid(fields["uid"]) if "uid" in fields else None
        for id in [same] if same else import_matches.matches(work.item.noun, fields, self.caller, self.site):
            is_of_batch = any(row.id == 0 and row.record == id for row in known.values())
            if same or not (is_of_batch or import_ledger.held(self.source, self.number, [id])):
                gone = import_ledger.take_over(id)
                return self._restore(work, id, gone, known) if gone else work.decision("adopted", id=id)
        try:
            return work.decision("created", id=self._create(work.item, fields))
        except TermExists as error:  # two terms of a source with the same name are one
            return work.decision("adopted", id=cast(int, error.data["term_id"]))

    def _restore(self, work: Work, id: int, gone: str, known: dict[str, Known]) -> Decision:
        """Adopt an event that imports have removed, because another source lacked it."""
        row = Known(0, id, "", {name: [part, ""] for name, part in work.parts.items()}, gone)
        work.check(row)
        return self._apply(work, row, known)

    def _create(self, item: Item, fields: dict[str, Any]) -> int:
        original = item.original
        if original is None or not self.policy.keep_ids:
            return self._save(item.noun, None, fields)
        if original.modified_utc:
            fields["modified_utc"] = original.modified_utc
        with identifiers.reserve_ids({item.noun: original.id, "image": original.image}, original.highest):
            return self._save(item.noun, None, fields)

    def _complete(self) -> None:
        new, self._new = self._new, []
        events.complete(new, self.caller, self.site)

    def _save(self, noun: str, record: Any, fields: Mapping[str, Any]) -> int:
        """Update a record with prepared fields as a request does, or create one; return its id."""
        store = _STORES[noun]
        if isinstance(store, Terms):
            where: list[Any] = [self.site]
            problems = store.problems(cast(TermFields, fields))
            is_allowed = self.caller.manages_terms(store.taxonomy)
        else:
            where, problems = [self.caller, self.site], store.problems(fields, self.caller)
            is_allowed = record is None or auth.may_edit(self.caller, record)
        if not is_allowed:
            raise Forbidden(message("Your role does not allow you to change this record."), anonymous=False)
        if problems:
            raise InvalidParameters(problems)
        if record is not None:
            store.update(record, fields, *where)
            return int(record.id)
        created = getattr(store, "insert" if noun == "event" else "create")(fields, *where)
        if noun == "event":
            self._new.append((created, fields))
        return int(getattr(created, "id", created))

    def _handle_missing(self, rows: list[Any]) -> list[Decision | Notice]:
        """Apply the policy to events that this run has not seen: part of a write transaction."""
        records = [row.record for row in rows]
        stored = import_ledger.stored("event", records)
        held = import_ledger.held(self.source, self.number, records)
        renamed = [row.id for row in rows if row.record in held]
        import_ledger.forget(renamed)
        held |= import_ledger.held_elsewhere(self.source, self.caller.now, records)
        why = "Events have other identifiers in the source than at the last import."
        found: list[Decision | Notice] = [Notice(why)] if renamed else []
        for row in rows:
            event = stored[row.record].row if row.record in stored else None
            is_left_alone = row.record in held or bool(row.gone)
            if event is not None and not is_left_alone and self._is_gone(event):
                names = (row.foreign_id, event.title, row.foreign_id, row.record)
                found.append(Decision("gone", "event", *names, reason=self._remove(row, event)))
        return found

    def _is_gone(self, event: Any) -> bool:
        """Feeds leave out past events, and occurrences outside of the window: these are not gone."""
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
        self._save("event", event, {"event_status": "canceled"})
        return "It was canceled."
