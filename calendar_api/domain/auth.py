"""Who may do what: roles, rights and the two decisions on a record (pure).

The table of roles is in docs/interface.md#roles.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from calendar_api.domain.errors import Forbidden

ROLES = ("administrator", "editor", "author", "contributor", "subscriber")

#: The names that a client may send as `status` (docs/interface.md#statuses); `future` is worked out, never
#: stored.
STATUSES = ("publish", "future", "draft", "pending", "private", "trash")
STORED_STATUSES = ("publish", "draft", "pending", "private", "trash")
UNPUBLISHED = ("draft", "pending", "trash")

_EDITORS = ("administrator", "editor")
_PUBLISHERS = (*_EDITORS, "author")
_WRITERS = (*_PUBLISHERS, "contributor")
_TERM_MANAGERS = {"tribe_events_cat": _PUBLISHERS, "post_tag": _EDITORS}
_TERM_CREATORS = {"tribe_events_cat": _EDITORS, "post_tag": _PUBLISHERS}


class Owned(Protocol):
    """What a decision needs to know of a record."""

    status: str
    author_id: int
    published_utc: str


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, and when: `now` is UTC as "YYYY-MM-DD HH:MM:SS", because time alone publishes records.

    `address` is where the request comes from, "" for a command.
    """

    now: str
    id: int | None = None
    login: str = ""
    role: str = ""
    address: str = ""

    @property
    def shape(self) -> tuple[str, int | None]:
        """What decides about the reads of this caller, whatever the time is: the role and the id."""
        return self.role, self.id

    @property
    def at(self) -> datetime:
        """`now` as an aware moment."""
        return datetime.fromisoformat(self.now).replace(tzinfo=UTC)

    @property
    def anonymous(self) -> bool:
        return self.id is None

    @property
    def writes(self) -> bool:
        """May create records, and asks lists for more than what is published."""
        return self.role in _WRITERS

    @property
    def publishes(self) -> bool:
        return self.role in _PUBLISHERS

    @property
    def edits_others(self) -> bool:
        return self.role in _EDITORS

    @property
    def uploads(self) -> bool:
        return self.role in _PUBLISHERS

    def manages_terms(self, taxonomy: str) -> bool:
        """May create, change and delete terms at their own addresses."""
        return self.role in _TERM_MANAGERS[taxonomy]

    def creates_terms(self, taxonomy: str) -> bool:
        """May create terms by naming them in an event."""
        return self.role in _TERM_CREATORS[taxonomy]


def effective_status(record: Owned, now: str) -> str:
    """A published record whose publication date lies ahead *is* `future`.

    See docs/interface.md#scheduled-records.
    """
    if record.status == "publish" and record.published_utc > now:
        return "future"
    return record.status


def may_read(caller: Caller, record: Owned) -> bool:
    """The rule that `store.visibility` says in SQL for lists; both are held together by a test."""
    if effective_status(record, caller.now) == "publish" or caller.edits_others:
        return True
    return caller.writes and record.author_id == caller.id


def may_edit(caller: Caller, record: Owned) -> bool:
    """Change, trash and restore."""
    if caller.edits_others:
        return True
    if record.author_id != caller.id:
        return False
    return caller.publishes or (caller.writes and record.status in UNPUBLISHED)


def granted_status(caller: Caller, asked: str | None) -> str:
    """The status that is stored when a caller asks for one; None is the default of a new record.

    >>> granted_status(Caller(now="", id=1, role="contributor"), "publish")
    'pending'
    """
    if asked is None:
        return "publish" if caller.publishes else "draft"
    if not caller.publishes and asked in ("publish", "future", "private"):
        return "pending"
    return "publish" if asked == "future" else asked


def require(allowed: bool, caller: Caller, reason: str) -> None:
    """Raise Forbidden (401 or 403) unless `allowed`; `reason` says what the role does not allow."""
    if not allowed:
        raise Forbidden(reason, anonymous=caller.anonymous)
