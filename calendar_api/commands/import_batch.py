"""A batch of items of a source: each is created, adopted or updated, and remembered."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, cast

from calendar_api.commands.import_work import Decision, Policy, Work
from calendar_api.commands.sources.items import Item
from calendar_api.commands.sources.jsonl import REFERENCES
from calendar_api.domain import auth
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import ApiError, Forbidden, InvalidParameters, TermExists
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.domain.translation import message
from calendar_api.store import events, exported, identifiers, import_ledger, import_matches
from calendar_api.store.compiled_queries import Columns
from calendar_api.store.events import EventFields
from calendar_api.store.import_ledger import Known
from calendar_api.store.terms import TermFields, Terms, categories, tags
from calendar_api.store.venue_organizer import organizers, venues

_STORES: dict[str, Any] = {
    "event": events, "venue": venues, "organizer": organizers, "category": categories, "tag": tags
}  # fmt: skip
_REFERENCES = REFERENCES | {"image": "image"}


@dataclass(frozen=True)
class Run:
    """One run over one source, with its numbers in the ledger."""

    caller: Caller
    site: SiteSettings
    policy: Policy
    source: int
    number: int


def store(
    run: Run,
    works: Sequence[Work],
    ledger: Mapping[str, Known],
    each: Callable[[], AbstractContextManager[None]],
) -> dict[str, Decision]:
    """Store items, and their rows of the ledger, in a write transaction; return what became of them by key.

    `each` is `nullcontext`, and the first error is raised, or a savepoint, and such an item is refused.
    """
    rows = {work.key: ledger[work.key] for work in works if work.key in ledger}
    import_ledger.mark_seen([row.id for row in rows.values()], run.number)
    batch = _Batch(run, works, ledger)
    together = each is nullcontext
    with batch.numbers() if together else nullcontext():
        for work in works:
            try:
                with each():
                    decision = batch.apply(work, rows.get(work.key))
                    if not together:
                        batch.insert_events()
            except ApiError as error:
                if together or error.status >= 500:
                    raise
                decision = work.refused(error)
                batch.new.clear()
            batch.remember(work, decision)
        batch.insert_events()
    decided = batch.decided
    after: dict[int, import_ledger.Stored] = {}
    for noun in {work.item.noun for work in works}:
        own = [decided[work.key].id for work in works if work.item.noun == noun]
        after |= import_ledger.stored(noun, filter(None, own))
    for work in works:
        decision = decided[work.key]
        if decision.id in after:
            stored = after[decision.id]
            decided[work.key] = decision._replace(changes=_named(work.changes(stored), run.caller))
            batch.rows.append(work.row(run.number, decision.id, rows.get(work.key), stored))
    import_ledger.save(batch.rows)
    return decided


def _named(changes: Mapping[str, tuple[object, object]], caller: Caller) -> dict[str, tuple[object, object]]:
    """Changes that name related records, whose ids say nothing and after a dry run are those of none."""
    found = dict(changes)
    for field in changes.keys() & _REFERENCES.keys():
        values: list[Any] = [one if isinstance(one, list) else [one] for one in changes[field]]
        names = exported.names(_REFERENCES[field], {id for ids in values for id in ids if id}, caller)
        before, after = ([names.get(id, "") for id in ids if id] for ids in values)
        is_list = isinstance(changes[field][1], list)
        found[field] = (before, after) if is_list else ("".join(before), "".join(after))
    return found


class _Batch:
    """What is known while items are stored: records that the ledger knows, and events to insert at the end.

    `fresh` has the fields of new events, `rows` new rows of the ledger.
    """

    def __init__(self, run: Run, works: Sequence[Work], ledger: Mapping[str, Known]) -> None:
        self.run, self.known = run, dict(ledger)
        self.decided: dict[str, Decision] = {}
        self.rows: list[Columns] = []
        self.new: list[tuple[Columns, EventFields]] = []
        self.fresh = {
            work.key: work.checked
            for work in works
            if work.key not in ledger
            and work.item.noun == "event"
            and work.error is None
            and not work.item.canceled
        }
        self.uids = import_matches.same_uids(one["uid"] for one in self.fresh.values() if "uid" in one)
        self.namesakes = import_matches.same_starts(self.fresh, run.caller, run.site)

    def numbers(self) -> AbstractContextManager[None]:
        """Ids and slugs of the new events."""
        new = [
            fields
            for key, fields in self.fresh.items()
            if not self.namesakes[key] and fields.get("uid") not in self.uids
        ]
        slugs = [identifiers.wanted_slug(fields.get("slug"), fields["title"]) for fields in new]
        return identifiers.for_new_events(slugs, 0 if self.run.policy.keep_ids else len(slugs))

    def remember(self, work: Work, decision: Decision) -> None:
        """Let later items of the batch refer to this one."""
        self.decided[work.key] = decision
        if not decision.id:
            return
        self.known[work.key] = Known(0, decision.id, "", {}, "")
        if "uid" in work.checked:
            self.uids[work.checked["uid"]] = decision.id
        if work.series and work.series not in self.known:
            self.known[work.series] = self.known[work.key]
            parent = work.fields["post_parent"]
            # Its row counts as seen never, so that it holds no record.
            self.rows.append(import_ledger.row(self.run.source, *parent, record=decision.id, seen=0))

    def insert_events(self, needed: int = 0) -> None:
        """Insert the new events, or do it only if one of them has the id that is `needed`."""
        if not needed or any(columns["id"] == needed for columns, _ in self.new):
            new, self.new = self.new, []
            events.insert(new, self.run.caller, self.run.site)

    def apply(self, work: Work, row: Known | None) -> Decision:
        """Create, adopt or update a record; raises ApiError."""
        work.before, work.kept = None, []
        if work.series in self.known:
            first = self.known[work.series].record
            self.insert_events(first)
            if not import_ledger.is_there(first):
                del self.known[work.series]  # this occurrence becomes the parent
        return self._update(work, row) if row else self._add(work)

    def _update(self, work: Work, row: Known) -> Decision:
        noun, theirs = work.item.noun, self.run.policy.theirs
        stored = import_ledger.stored(noun, [row.record]).get(row.record)
        in_trash = stored is not None and getattr(stored.row, "status", "") == "trash"
        if stored is None or (in_trash and row.gone != "trash"):
            if not theirs or work.item.canceled:
                return work.decision("conflict", reason="It was deleted here.")
            work.check(None)
            if stored is None:
                return work.decision("created", id=self._create(work.item, work.resolved(self.known)))
            fields = {"status": "publish", **work.resolved(self.known)}
            fields.pop("uid", None)
        else:
            fields = work.resolved(self.known)
        work.before = stored
        fields = {name: value for name, value in fields.items() if str(value) != str(stored.value(name))}
        work.kept = [] if theirs else work.changed_here(row, stored, fields)
        fields = {name: value for name, value in fields.items() if name not in work.kept}
        if fields:
            self._save(noun, stored.row, fields)
        if work.kept:
            why = {"field": ", ".join(work.kept), "reason": "It was changed here, too."}
            return work.decision("conflict", id=row.record, **why)
        return work.decision("updated" if fields else "unchanged", id=row.record)

    def _add(self, work: Work) -> Decision:
        """Create a record, or adopt the one that is there already."""
        if work.item.canceled:
            return work.decision("skipped", reason="It is canceled and was never imported.")
        fields = work.resolved(self.known)
        same = self.uids.get(fields.get("uid", ""))
        for id in [same] if same else self._matches(work, fields):
            is_of_batch = any(row.id == 0 and row.record == id for row in self.known.values())
            if same or not (is_of_batch or import_ledger.held(self.run.source, self.run.number, [id])):
                gone = import_ledger.take_over(id)
                return self._restore(work, id, gone) if gone else work.decision("adopted", id=id)
        try:
            return work.decision("created", id=self._create(work.item, fields))
        except TermExists as error:  # two terms of a source with the same name are one
            return work.decision("adopted", id=cast(int, error.data["term_id"]))

    def _matches(self, work: Work, fields: Mapping[str, Any]) -> Iterable[int]:
        if work.item.noun == "event":
            return import_matches.in_same_venues(self.namesakes[work.key], fields)
        return import_matches.others(work.item.noun, fields)

    def _restore(self, work: Work, id: int, gone: str) -> Decision:
        """Adopt an event that imports have removed, because another source lacked it."""
        row = Known(0, id, "", {name: [part, ""] for name, part in work.parts.items()}, gone)
        work.check(row)
        return self._update(work, row)

    def _create(self, item: Item, fields: dict[str, Any]) -> int:
        original = item.original
        if original is None or not self.run.policy.keep_ids:
            return self._save(item.noun, None, fields)
        if original.modified_utc:
            fields["modified_utc"] = original.modified_utc
        with identifiers.reserve_ids({item.noun: original.id, "image": original.image}, original.highest):
            return self._save(item.noun, None, fields)

    def _save(self, noun: str, record: Any, fields: Mapping[str, Any]) -> int:
        """Update a record with prepared fields as a request does, or create one; return its id."""
        if parent := fields.get("post_parent"):
            self.insert_events(parent)
        store = _STORES[noun]
        if isinstance(store, Terms):
            where: list[Any] = [self.run.site]
            problems = store.problems(cast(TermFields, fields))
            is_allowed = self.run.caller.manages_terms(store.taxonomy)
        else:
            where, problems = [self.run.caller, self.run.site], store.problems(fields, self.run.caller)
            is_allowed = record is None or auth.may_edit(self.run.caller, record)
        if not is_allowed:
            raise Forbidden(message("Your role does not allow you to change this record."), anonymous=False)
        if problems:
            raise InvalidParameters(problems)
        if record is not None:
            store.update(record, fields, *where)
            return int(record.id)
        if noun == "event":
            event = cast(EventFields, fields)
            columns = events.new_columns(event, *where)
            self.new.append((columns, event))
            return cast(int, columns["id"])
        created = store.create(fields, *where)
        return int(getattr(created, "id", created))
