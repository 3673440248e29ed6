"""An item of a source on its way into the database: what changed, whether it is valid, why it is refused."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

from calendar_api.commands.sources.items import Found, Item, Notice, Problem, Reference, references, unlinked
from calendar_api.contract import validation
from calendar_api.contract.schemas import schema
from calendar_api.domain.errors import ApiError, InvalidParameters
from calendar_api.store import events, import_ledger
from calendar_api.store.import_ledger import Known, Stored
from calendar_api.store.terms import only_an_id

BATCH = 50  # items per transaction: fewer disk syncs, and other writers need not wait long
#: Fields that say something together: if one of them was changed here, all of them were.
_GROUPS = ({"start_date", "end_date", "all_day", "timezone"}, {"geo_lat", "geo_lng"})
#: What a field becomes that the source does not send any more; others keep their value.
_CLEARED: dict[str, object] = {
    **dict.fromkeys(("description", "excerpt", "website", "cost", "image", "event_status_reason"), ""),
    **dict.fromkeys(("address", "city", "country", "province", "state", "zip", "phone", "email"), ""),
    "venue": [], "organizer": [], "categories": [], "tags": [],
    "geo_lat": None, "geo_lng": None, "parent": 0, "post_parent": 0, "event_status": "scheduled",
}  # fmt: skip
#: How an event was removed that its source lacked -> the field that says so.
_REMOVED = {"trash": "status", "cancel": "event_status"}
_SHOWN, _LONGEST = 3, 60  # fields of a rejection, and characters of a value
#: What a venue or an organizer can do without, so that events which name it are not refused with it.
_DISPENSABLE: dict[str, set[str]] = {"venue": {"website"}, "organizer": {"website", "email"}}
#: Fields that are accepted of new records by imports only.
_IMPORTED = {"event": "uid", "venue": "slug", "organizer": "slug"}
CATEGORY = "--category"  # place of the category that all events get
_ENCODER = json.JSONEncoder(sort_keys=True, default=str)


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


class Decision(NamedTuple):
    """What became of an item: created, adopted, updated, unchanged, conflict, refused, gone or skipped.

    `reason` and `remedy` are the same for equal rejections, `value` is what was rejected. `changes` has the
    stored values before and after, by field.
    """

    result: str
    noun: str
    place: str
    title: str = ""
    foreign_id: str = ""
    id: int = 0
    field: str = ""
    reason: str = ""
    remedy: str = ""
    value: str = ""
    changes: Mapping[str, tuple[object, object]] = MappingProxyType({})

    @classmethod
    def of_problem(cls, problem: Problem) -> "Decision":
        where = ("event", problem.place, problem.title, problem.foreign_id, 0, problem.field)
        return cls("refused", *where, problem.reason, problem.remedy, problem.value)


def digest(value: object) -> str:
    """A short digest of a value of JSON."""
    return _digest.__wrapped__(value) if isinstance(value, list | dict) else _digest(value)


@lru_cache(maxsize=128, typed=True)  # of flags, and of texts that are stored as they are sent
def _digest(value: object) -> str:
    return hashlib.blake2b(_ENCODER.encode(value).encode(), digest_size=8).hexdigest()


class Work:
    """An item; `checked` has the valid fields that have to be written, `error` says why there are none.

    `left_out` has problems by the names of fields that the record can do without, `unknown` the identifiers
    that led nowhere. `before` is the record before an update; `kept` names fields changed here, too.
    """

    def __init__(self, item: Item, source: int, policy: Policy) -> None:
        self.item, self.source = item, source
        self.key = import_ledger.key(source, item.noun, item.foreign_id)
        self.fields = _fields(item, policy)
        # Digests of passwords could be guessed: a password is for new events only.
        told = {name: value for name, value in self.fields.items() if name != "password"}
        content = [item.modified, policy.status, policy.category] if item.modified else told
        self.digest = hashlib.sha256(_ENCODER.encode([item.canceled, content]).encode()).hexdigest()
        self.checked: dict[str, Any] = {}
        self.error: ApiError | None = None
        self.left_out: dict[str, str] = {}
        self.unknown: dict[str, str] = {}
        self.before: Stored | None = None
        self.kept: list[str] = []

    @cached_property
    def parts(self) -> dict[str, str]:
        """The digest of each field."""
        return {name: digest(value) for name, value in self.fields.items() if name != "password"}

    @cached_property
    def references(self) -> dict[str, list[str]]:
        """The keys of the records that fields refer to."""
        found = {}
        for name, value in self.fields.items():
            if keys := [import_ledger.key(self.source, *one) for one in references(value)]:
                found[name] = keys
        return found

    @property
    def series(self) -> str:
        """The key of the series that an occurrence is of; "" if it is of none."""
        parent = self.fields.get("post_parent")
        is_occurrence = isinstance(parent, Reference) and parent.noun == "series"
        return self.references["post_parent"][0] if is_occurrence else ""

    def _changed(self, known: Known) -> dict[str, object]:
        """The fields that the source has changed since last time, as it would send them."""
        names = [name for name, part in self.parts.items() if known.fields.get(name, [""])[0] != part]
        sent = {name: self.fields[name] for name in names if name != "uid"}
        if not self.item.canceled:
            lost = known.fields.keys() & _CLEARED.keys() - self.fields.keys()
            sent |= {name: _CLEARED[name] for name in lost}
        if known.gone == "trash":
            sent["status"] = self.fields.get("status", "publish")
        elif known.gone == "cancel":
            sent["event_status"] = self.fields.get("event_status", "scheduled")
        return sent

    def check(self, known: Known | None) -> None:
        """Check what has to be written, without the references, which `resolved` adds."""
        sent = self.fields if known is None else self._changed(known)
        payload = {name: unlinked(value) for name, value in sent.items()}
        payload = {name: value for name, value in payload.items() if not isinstance(value, Reference)}
        self.references_sent = {name: self.references[name] for name in sent if name in self.references}
        noun = self.item.noun
        try:
            found = validation.check(noun, "update" if known else "create", payload)
            names = _DISPENSABLE.get(noun, set())
            self.left_out = {name: text for name, text in found.problems.items() if name in names}
            self.checked, self.error = found.without(self.left_out).require_valid(), None
            if known is None and _IMPORTED.get(noun) in payload:
                own = validation.check(noun, "import", payload).require_valid()
                self.checked |= {name: str(value).strip() for name, value in own.items() if value}
            if noun == "event":
                self.checked = dict(events.prepare(self.checked))
        except ApiError as error:
            self.error = error

    def resolved(self, known: Mapping[str, Known]) -> dict[str, Any]:
        """The checked fields with the ids of what they refer to, as far as that is known; raises ApiError."""
        if self.error is not None:
            raise self.error
        fields = dict(self.checked)
        for name, keys in self.references_sent.items():
            if keys == [self.series]:
                parent, own = known.get(self.series), known.get(self.key)
                if parent is None or (own is not None and own.record == parent.record):
                    continue  # it is itself the parent of the others
            ids = [known[key].record for key in keys if key in known]
            if len(ids) < len(keys):
                self.left_out[name] = f"{name} refers to a record that was not imported."
                named = zip(references(self.fields[name]), keys, strict=True)
                self.unknown[name] = ", ".join(one.foreign_id for one, key in named if key not in known)[:200]
            if ids:
                fields[name] = ids[0] if name.endswith("parent") else [*fields.get(name, []), *ids]
        return fields

    def changed_here(self, known: Known, stored: Stored, fields: Mapping[str, object]) -> list[str]:
        """Those of the fields that were changed here, too, since they were imported."""
        local = {name for name, (_, ours) in known.fields.items() if digest(stored.value(name)) != ours}
        # A field that was never sent was empty.
        new = (fields.keys() - known.fields.keys()) & _CLEARED.keys()
        local |= {name for name in new if stored.value(name) not in (_CLEARED[name], None, "")}
        for group in _GROUPS:
            local |= group if local & group else set()
        # What became of the event when its source lacked it was no change of people.
        return sorted(local & fields.keys() - {_REMOVED.get(known.gone)})

    def row(self, run: int, record: int, known: Known | None, after: Stored) -> dict[str, object]:
        """The row of the ledger, after all fields but those that were kept or left out were applied."""
        kept = self.kept
        old = known.fields if known is not None and known.record == record else {}
        new = dict(old) if self.item.canceled else {name: old[name] for name in kept if name in old}
        written = self.checked.keys() - set(kept)
        related = {name for group in _GROUPS if group & written for name in group}
        for name, sent in self.parts.items():
            if name in old and old[name][0] == sent and name not in related:
                new[name] = old[name]
            elif name not in kept:
                new[name] = ["" if name in self.left_out else sent, digest(after.value(name))]
        # Without a digest the next run compares the item again, and reports the same again.
        whole = "" if kept or self.left_out else self.digest
        names = (self.source, self.item.noun, self.item.foreign_id)
        return import_ledger.row(*names, record=record, seen=run, digest=whole, fields=json.dumps(new))

    def changes(self, after: Stored) -> dict[str, tuple[object, object]]:
        """The stored values before and after an update, by field."""
        if self.before is None:
            return {}
        pairs = {name: (self.before.value(name), after.value(name)) for name in self.checked}
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}

    def decision(self, result: str, **more: Any) -> Decision:
        item = self.item
        return Decision(result, item.noun, item.place, item.title, item.foreign_id, **more)

    def without_fields(self) -> Iterator[Decision]:
        """What was rejected of an item that was not."""
        remedy = f"Correct it at the source; the {self.item.noun} was imported without it."
        for name, reason in self.left_out.items():
            value = self.unknown.get(name) or _short(self.fields.get(name))
            yield self.decision("refused", field=name, reason=reason, remedy=remedy, value=value)

    def refused(self, error: ApiError) -> Decision:
        """Why an item is refused, with the fields that may have been meant."""
        if not isinstance(error, InvalidParameters):
            return self.decision("refused", reason=error.message)
        reasons = [f"{name} is missing." for name in error.missing] + list(error.problems.values())
        unknown = [name for name in self.fields if name not in schema(self.item.noun, "create")["properties"]]
        found = {name: close for name in error.missing if (close := _meant(name, unknown))}
        said = ("password", *(name for name, value in self.fields.items() if value == self.item.title))
        shown = [name for name in (*found.values(), *error.problems) if name not in said]
        return self.decision(
            "refused",
            field=next(iter([*error.missing, *error.problems]), ""),
            reason=" ".join(reasons),
            remedy=" ".join(f"Found `{close}`, did you mean {name}?" for name, close in found.items()),
            value=", ".join(f"{name} {_short(self.fields.get(name))}" for name in shown[:_SHOWN]),
        )


Part: TypeAlias = Work | Problem | Notice


def batches(found: Iterable[Found], source: int, policy: Policy) -> Iterator[list[Part]]:
    """Batches in which no item occurs twice, so that each finds what the one before it has stored."""
    batch: list[Part] = []
    keys: set[str] = set()
    for one in found:
        part = Work(one, source, policy) if isinstance(one, Item) else one
        key = part.key if isinstance(part, Work) else ""
        if len(batch) == BATCH or key in keys:
            yield batch
            batch, keys = [], set()
        batch.append(part)
        keys |= {key} - {""}
    if batch:
        yield batch


def _fields(item: Item, policy: Policy) -> dict[str, Any]:
    if item.canceled:
        reason = item.fields.get("event_status_reason")
        return {"event_status": "canceled", **({"event_status_reason": reason} if reason else {})}
    fields = dict(item.fields)
    if item.noun == "event" and policy.status != "keep":
        fields["status"] = policy.status
    if item.noun == "event" and policy.category:
        given = fields.get("categories") or []
        given = given if isinstance(given, list) else str(given).split(",")
        own = Reference("category", f"{CATEGORY} {policy.category}")
        fields["categories"] = [*given, own if only_an_id(policy.category) else policy.category]
    return fields


def _meant(name: str, names: Iterable[str]) -> str:
    """The one of the names that is most like a name; "" if none is."""
    known = [one for one in names if one]
    parts = [one for one in known if one in name or name in one]
    return next(iter(get_close_matches(name, parts or known, 1, 0 if parts else 0.6)), "")


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
