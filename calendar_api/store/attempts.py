"""Failed attempts at secrets, counted for all worker processes: who guesses has to wait (decisions §6).

What is counted belongs to one secret and one neighbourhood of addresses, so that nobody can lock out
somebody who asks from elsewhere.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from calendar_api import dates
from calendar_api.models import FailedAttempt


@dataclass(frozen=True)
class Rule:
    """So many failures in so many seconds close the way, each time for twice as long (seconds)."""

    name: str
    failures: int
    window: int
    shortest: int
    longest: int

    def key(self, what: str, network: str) -> str:
        """Names a secret and where the guesses come from; nobody can read either in the table."""
        return hashlib.sha256(f"{self.name}\0{network}\0{what}".encode("utf-8", "replace")).hexdigest()


LOGIN = Rule("login", 10, 300, 300, 900)
EVENT = Rule("event", 10, 900, 900, 900)


def blocked(keys: Iterable[str], now: str) -> dict[str, int]:
    """Seconds to wait for each of the keys that is closed now, in one statement."""
    rows = FailedAttempt.select(FailedAttempt.key_digest, FailedAttempt.blocked_until_utc).where(
        FailedAttempt.key_digest.in_(sorted(keys)), FailedAttempt.blocked_until_utc > now
    )
    return {key: seconds(now, until) for key, until in rows.tuples()}


def failed(rule: Rule, key: str, now: str) -> None:
    """Count a failure, and forget old ones; part of a write transaction."""
    FailedAttempt.delete().where(FailedAttempt.forgotten_utc <= now).execute()
    known = FailedAttempt.get_or_none(FailedAttempt.key_digest == key)
    failures, since, blocks, until = 1, now, 0, now
    if known is not None:
        blocks = known.blocks
        if now < _later(known.since_utc, rule.window):
            failures, since = known.failures + 1, known.since_utc
    if failures >= rule.failures:
        until = _later(now, min(rule.shortest * 2**blocks, rule.longest))
        failures, since, blocks = 0, until, min(blocks + 1, 8)
    row = {
        "failures": failures,
        "since_utc": since,
        "blocks": blocks,
        "blocked_until_utc": until,
        "forgotten_utc": _later(until, max(rule.window, rule.longest)),
    }
    if known is None:
        FailedAttempt.insert(key_digest=key, **row).execute()
    else:
        FailedAttempt.update(row).where(FailedAttempt.key_digest == key).execute()


def seconds(now: str, until: str) -> int:
    """How long it is from one instant to another."""
    return int((_at(until) - _at(now)).total_seconds())


def _at(instant: str) -> datetime:
    return datetime.fromisoformat(instant)


def _later(instant: str, seconds: int) -> str:
    return dates.text(_at(instant) + timedelta(seconds=seconds))
