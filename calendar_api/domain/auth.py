"""Roles and rights (docs/interface.md#roles)."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Protocol

ROLES = ("administrator", "editor", "author", "contributor", "subscriber")

#: Values of `status` (docs/interface.md#statuses); `future` is computed, never stored.
STATUSES = ("publish", "future", "draft", "pending", "private", "trash")
UNPUBLISHED = ("draft", "pending", "trash")

_EDITORS = ("administrator", "editor")
_PUBLISHERS = (*_EDITORS, "author")
_WRITERS = (*_PUBLISHERS, "contributor")
_TERM_MANAGERS = {"tribe_events_cat": _PUBLISHERS, "post_tag": _EDITORS}
_TERM_CREATORS = {"tribe_events_cat": _EDITORS, "post_tag": _PUBLISHERS}


class Owned(Protocol):
    """The attributes of a record that rights depend on."""

    @property
    def status(self) -> str: ...

    @property
    def author_id(self) -> int: ...


class Published(Owned, Protocol):
    @property
    def published_utc(self) -> str: ...


@dataclass(frozen=True)
class Caller:
    """The user of a request, or an anonymous caller (`id` is None).

    `now` is the time of the request, UTC as "YYYY-MM-DD HH:MM:SS", because time publishes scheduled records.
    `address` is the client's, "" for a command. The rights that most requests ask for are those of the role:
    `may_write` is to create records and to list unpublished ones.
    """

    now: str
    id: int | None = None
    login: str = ""
    role: str = ""
    address: str = ""
    anonymous: bool = field(init=False, compare=False)
    may_write: bool = field(init=False, compare=False)
    may_publish: bool = field(init=False, compare=False)
    edits_others: bool = field(init=False, compare=False)
    uploads: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        vars(self).update(
            anonymous=self.id is None,
            may_write=self.role in _WRITERS,
            may_publish=self.role in _PUBLISHERS,
            edits_others=self.role in _EDITORS,
            uploads=self.role in _PUBLISHERS,
        )

    @cached_property
    def at(self) -> datetime:
        """`now` as an aware datetime."""
        return datetime.fromisoformat(self.now).replace(tzinfo=UTC)

    def manages_terms(self, taxonomy: str) -> bool:
        """May create, change and delete terms on their own routes."""
        return self.role in _TERM_MANAGERS[taxonomy]

    def creates_terms(self, taxonomy: str) -> bool:
        """May create terms by naming them in an event."""
        return self.role in _TERM_CREATORS[taxonomy]


def effective_status(record: Published, now: str) -> str:
    """Return `future` for a published record with a later publication date, else its status."""
    if record.status == "publish" and record.published_utc > now:
        return "future"
    return record.status


def may_edit(caller: Caller, record: Owned) -> bool:
    """Return whether the caller may change, trash and restore the record."""
    if caller.edits_others:
        return True
    if record.author_id != caller.id:
        return False
    return caller.may_publish or (caller.may_write and record.status in UNPUBLISHED)


def granted_status(caller: Caller, asked: str | None) -> str:
    """Return the status to store for a requested one; None requests the default of a new record.

    >>> granted_status(Caller(now="", id=1, role="contributor"), "publish")
    'pending'
    """
    if asked is None:
        return "publish" if caller.may_publish else "draft"
    if not caller.may_publish and asked in ("publish", "future", "private"):
        return "pending"
    return "publish" if asked == "future" else asked
