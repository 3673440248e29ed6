"""Which state the records are in, and what is remembered of it."""

import time
from collections.abc import Callable, Set
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Protocol

from calendar_api.domain import dates
from calendar_api.middleware.response_cache.bounded import Aside, Bounded, Memory

Revision = tuple[object, int]  # where the records are kept, and how often they were written to there

#: Of the room, the share for whole answers; the rest is for events as lists show them.
_ANSWERS = 0.6
_TOTALS = 1_000_000  # bytes, beside the room
_REQUESTS = 2_000_000


class Generation:
    """What was worked out for one revision, at a moment between `since` and `until` (seconds since 1970)."""

    def __init__(
        self, revision: Revision, since: float, until: float, room: tuple[int, int], requests: "Bounded[Any]"
    ) -> None:
        self.requests = requests  # how to answer them again; they outlive a revision
        self.revision = revision
        self.since = since
        self.until = until
        self.answers: Bounded[Any] = Bounded(room[0])
        self.events: Bounded[bytes] = Bounded(room[1])  # by address and id
        self.totals: Bounded[Any] = Bounded(_TOTALS)
        self.found: Bounded[Any] = Bounded(_TOTALS)  # totals of searches: they change with a text

    def after(self, revision: Revision, ids: Set[int]) -> "Generation":
        """The next one, when nothing has changed but the texts of these events.

        A copy: who still reads for this one goes on to put into this one.
        """
        made = Generation(
            revision, self.since, self.until, (self.answers.limit, self.events.limit), self.requests
        )
        made.answers = self.answers.only(lambda _, answer: answer.outlives(ids))
        made.events = self.events.only(lambda key, _: key[1] not in ids)
        made.totals = self.totals
        return made


class Draft:
    """A generation for who reads outside of a transaction: what is worked out comes into it at the end."""

    def __init__(self, generation: Generation) -> None:
        self.events = Aside(generation.events)
        self.totals = Aside(generation.totals)
        self.found = Aside(generation.found)

    def keep(self) -> None:
        """The revision has not changed meanwhile."""
        for made in (self.events, self.totals, self.found):
            made.keep()


class Kept(Protocol):
    """What of a generation lists are put together from."""

    @property
    def events(self) -> Memory[bytes]: ...

    @property
    def totals(self) -> Memory[Any]: ...

    @property
    def found(self) -> Memory[Any]: ...


class Generations:
    """The generation of the moment; there is one at a time, and `room` bytes for it.

    `read` gives the revision, None when it cannot. It has to be asked before the data is read, so that what
    is remembered may be newer than its revision and never older. `next_publication` gives the instant, as UTC
    text, at which something that is scheduled comes out next. `texts_changed` gives the events whose texts
    are all that changed from one number of the revision to another, or None.
    """

    def __init__(
        self,
        room: int,
        zone: tzinfo,
        read: Callable[[], Revision | None],
        next_publication: Callable[[str], str | None],
        texts_changed: Callable[[int, int], Set[int] | None],
    ) -> None:
        self.room = room
        self.answers = _ANSWERS
        self.zone = zone
        self._read = read
        self._next_publication = next_publication
        self._texts_changed = texts_changed
        self._current: Generation | None = None

    def current(self, *, snapshot: bool = False) -> Generation | None:
        """None when nothing is to be remembered, or nobody can tell what to forget.

        In a transaction its snapshot may be older than what other threads have seen, who keep what they have.
        """
        revision = self._read() if self.room else None
        if revision is None:
            return None
        now = time.time()
        known = self._current
        if known is None or not known.since <= now < known.until or known.revision[0] != revision[0]:
            self._current = made = self._new(revision, now)
            return made
        if known.revision == revision:
            return known
        changed = self._texts_changed(known.revision[1], revision[1])
        made = self._new(revision, now) if changed is None else known.after(revision, changed)
        if not snapshot or revision[1] > known.revision[1]:
            self._current = made
        return made

    def _new(self, revision: Revision, now: float) -> Generation:
        """One that remembers nothing yet, but how to answer."""
        known, end = self._current, self._end(now)
        same_day = known is not None and known.until == end and known.revision[0] == revision[0]
        requests: Bounded[Any] = known.requests if known is not None and same_day else Bounded(_REQUESTS)
        for_answers = int(self.room * self.answers)
        return Generation(revision, now, end, (for_answers, self.room - for_answers), requests)

    def forget(self) -> None:
        """For who puts another database in the place of the one that was there."""
        self._current = None

    def _end(self, now: float) -> float:
        """When time alone changes an answer: at midnight, ours and that of UTC, or by a publication.

        The default window of the event list moves with both midnights (`dates.default_window`).
        """
        at = datetime.fromtimestamp(int(now), UTC)
        ends = [_midnight(at), _midnight(at.astimezone(self.zone))]
        scheduled = self._next_publication(dates.text(at))
        if scheduled is not None:
            ends.append(dates.from_text(scheduled).replace(tzinfo=UTC).timestamp())
        return min(ends)


def _midnight(at: datetime) -> float:
    """Where the day after begins; never later than that."""
    return (dates.day_end(at).astimezone(UTC) + timedelta(seconds=1)).timestamp()
