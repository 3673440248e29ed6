"""Sign-in by application password; failed attempts, counted across worker processes.

A count is for one secret and one network, so that one network cannot lock out clients in others.
See docs/interface.md#rate-limits.
"""

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import NamedTuple

from peewee import SQL, ModelCompoundSelectQuery

from calendar_api import database
from calendar_api.database.models import ApplicationPassword, Event, FailedAttempt, User
from calendar_api.domain import dates
from calendar_api.domain.errors import ApiError, DatabaseUnavailable, StorageFull, TooManyAttempts
from calendar_api.domain.translation import message
from calendar_api.domain.trusted_proxies import network
from calendar_api.store import password_hashes
from calendar_api.store.compiled_queries import Columns, CompiledQuery, Param


class Rule(NamedTuple):
    """Block after `failures` within `window`, each time for twice as long; all times in seconds."""

    name: str
    failures: int
    window: int
    shortest: int
    longest: int

    def key(self, what: str, network: str) -> str:
        """A digest of a secret and a network; the table reveals neither."""
        return hashlib.sha256(f"{self.name}\0{network}\0{what}".encode("utf-8", "replace")).hexdigest()


#: When a secret was blocked that is not: no request is earlier, whatever the order in which they are counted.
_NEVER = "1970-01-01 00:00:00"

LOGIN = Rule("login", 10, 300, 300, 900)
EVENT = Rule("event", 10, 900, 900, 900)


def blocked(keys: Iterable[str], now: str) -> dict[str, int]:
    """Seconds to wait for each of the keys that is blocked now, with one statement."""
    rows = FailedAttempt.select(FailedAttempt.key_digest, FailedAttempt.blocked_until_utc).where(
        FailedAttempt.key_digest.in_(sorted(keys)), FailedAttempt.blocked_until_utc > now
    )
    return {key: seconds(now, until) for key, until in rows.tuples()}


def recorded(keys: Iterable[str]) -> set[str]:
    """Those of the keys that have a row, with one statement."""
    rows = FailedAttempt.select(FailedAttempt.key_digest).where(FailedAttempt.key_digest.in_(sorted(keys)))
    return {key for (key,) in rows.tuples()}


def record(rule: Rule, guesses: Mapping[str, str], now: str) -> dict[str, bool]:
    """Count guesses as failures before they are checked; part of a write transaction.

    `guesses` maps the key of a secret to a key of the guess, which counts once; "" counts each time. Returns
    for each key that is not blocked whether the guess was counted now. Raises TooManyAttempts if all of them
    are blocked. Deletes expired rows.
    """
    FailedAttempt.delete().where(FailedAttempt.forgotten_utc <= now).execute()
    found = FailedAttempt.select().where(FailedAttempt.key_digest.in_([*guesses, *guesses.values()]))
    known = {row.key_digest: row for row in found}
    allowed, rows, waits = {}, [], []
    for key, guess in guesses.items():
        before = known.get(key)
        if before is not None and before.blocked_until_utc > now:
            waits.append(seconds(now, before.blocked_until_utc))
            continue
        allowed[key] = guess not in known
        if allowed[key]:
            rows.append({"key_digest": key, **_one_more(rule, before, now)})
            if guess:
                rows.append({"key_digest": guess, **_row(rule, 0, now, 0, _NEVER, now)})
    if not allowed:
        raise TooManyAttempts(max(1, *waits))
    _write(rows)
    return allowed


def take_back(rule: Rule, keys: Iterable[str], now: str) -> None:
    """Uncount the last guess at each key, which was right; part of a write transaction."""
    rows = []
    for row in FailedAttempt.select().where(FailedAttempt.key_digest.in_(sorted(keys))):
        closed = row.failures >= rule.failures
        blocks, until = (row.blocks - 1, _NEVER) if closed else (row.blocks, row.blocked_until_utc)
        count = max(row.failures - 1, 0)
        rows.append({"key_digest": row.key_digest, **_row(rule, count, row.since_utc, blocks, until, now)})
    _write(rows)


def _one_more(rule: Rule, before: FailedAttempt | None, now: str) -> Columns:
    """The row of a secret after one more failure: a full or expired count starts from 1."""
    failures, since, blocks, until = 1, now, 0, _NEVER
    if before is not None:
        blocks = before.blocks
        if before.failures < rule.failures and now < _later(before.since_utc, rule.window):
            failures, since = before.failures + 1, before.since_utc
    if failures >= rule.failures:
        until = _later(now, min(rule.shortest * 2**blocks, rule.longest))
        blocks = min(blocks + 1, 8)
    return _row(rule, failures, since, blocks, until, now)


def _row(rule: Rule, failures: int, since: str, blocks: int, until: str, now: str) -> Columns:
    """The columns of a row beside its key."""
    return {
        "failures": failures,
        "since_utc": since,
        "blocks": blocks,
        "blocked_until_utc": until,
        "forgotten_utc": _later(max(until, now), max(rule.window, rule.longest)),
    }


def _write(rows: list[dict[str, object]]) -> None:
    if rows:
        FailedAttempt.insert_many(rows).on_conflict_replace().execute()


def seconds(now: str, until: str) -> int:
    """The seconds from one instant to another."""
    return int((datetime.fromisoformat(until) - datetime.fromisoformat(now)).total_seconds())


def _later(instant: str, seconds: int) -> str:
    return dates.text(datetime.fromisoformat(instant) + timedelta(seconds=seconds))


def key(rule: Rule, what: str, address: str) -> str:
    """The key for guesses at `what` from this address."""
    return rule.key(what, network(address))


def application_digest(secret: str) -> str:
    """SHA-256 of an application password; the spaces between its groups do not count."""
    return hashlib.sha256(secret.replace(" ", "").encode("utf-8", "replace")).hexdigest()


def authenticated(login: str | None, secret: str, address: str = "", now: str = "") -> User | None:
    """The user whose application password this is; `login`, when given, must be theirs.

    Raises TooManyAttempts while guesses at this login from this address are blocked.

    One statement, by the digest of a random secret: an unknown login, another user's password and a wrong
    password take the same time.
    """
    guesses = key(LOGIN, login or "", address)
    found: User | None = None
    for user in _sign_in.objects(digest=application_digest(secret), guesses=guesses, now=now):
        if not user.id:
            raise TooManyAttempts(max(seconds(now, user.login), 1))
        found = user
    if found is None or (
        login is not None and not hmac.compare_digest(login.encode("utf-8", "replace"), found.login.encode())
    ):
        return None
    return found


@CompiledQuery
def _sign_in(*, digest: Param, guesses: Param, now: Param) -> ModelCompoundSelectQuery:
    """The user of a secret; a row with the id 0 has the end of a block of guesses as its login."""
    user = User.select(User.id, User.login, User.role)
    until = FailedAttempt.select(SQL("0"), FailedAttempt.blocked_until_utc, SQL("''"))
    return (
        user.join(ApplicationPassword, on=(ApplicationPassword.user == User.id))
        .where(ApplicationPassword.digest == digest)
        .union_all(until.where(FailedAttempt.key_digest == guesses, FailedAttempt.blocked_until_utc > now))
    )


def wrong_login(login: str, address: str, now: str) -> None:
    """Count a wrong login; raises TooManyAttempts if concurrent attempts have reached the limit.

    A secret has 140 random bits, so it may be checked before the attempt is counted, and while the database
    is read-only.
    """
    with suppress(DatabaseUnavailable, StorageFull):
        database.run_write(lambda: record(LOGIN, {key(LOGIN, login, address): ""}, now), revises=False)


def matching_digests(password: str, protected: Mapping[int, str], address: str, now: str) -> set[str]:
    """Those digests of `protected` events, by id of the event, that the password matches.

    Each attempt is recorded before it is checked, so that parallel requests cannot check more than the rule
    allows, and taken back if the password was right. The same attempt counts once until it expires. Raises
    TooManyAttempts if all are blocked, and DatabaseUnavailable if the attempt cannot be recorded. Call it
    outside of a transaction: it is slow.
    """
    keys = {key(EVENT, str(id), address): digest for id, digest in protected.items()}
    blocks = database.run_autocommit(lambda: blocked(keys, now))
    open_ = {key: digest for key, digest in keys.items() if key not in blocks}
    if not open_:
        raise TooManyAttempts(max(1, *blocks.values()))
    made = password_hashes.event_digests(password, open_.values())
    # A guess at an old digest counts each time: its own digest would be too easy to guess.
    guesses = {
        key: EVENT.key(made[digest], network(address)) if password_hashes.is_current(digest) else ""
        for key, digest in open_.items()
    }
    known = database.run_autocommit(lambda: recorded(guesses.values()))
    allowed = dict.fromkeys(open_, False)
    if not known.issuperset(guesses.values()):
        try:
            allowed = database.run_write(lambda: record(EVENT, guesses, now), revises=False)
        except StorageFull as error:
            raise DatabaseUnavailable(
                message("The database cannot be used just now; its operator finds the reason in the log.")
            ) from error
    right = {key for key in allowed if password_hashes.equal(made[open_[key]], open_[key])}
    fitting = {open_[key] for key in right}
    counted = [key for key in right if allowed[key]]

    def settle() -> None:
        take_back(EVENT, counted, now)
        for digest in list(fitting):
            fitting.add(renewed_digest(digest, password))

    if counted:
        with suppress(ApiError):  # they count once, then
            database.run_write(settle, revises=False)
    return fitting


def new_digest(password: str) -> str:
    """A digest with the salt of the newest protected event: one scrypt run then checks many events."""
    if not password:
        return ""
    newest = (
        Event.select(Event.password)
        .where(Event.password.startswith(password_hashes.CURRENT))
        .order_by(Event.id.desc())
        .limit(1)
    )
    return password_hashes.event_digest(password, database.run_autocommit(newest.scalar) or "")


def renewed_digest(digest: str, password: str) -> str:
    """Replace an old digest by one in the current format and return it; part of a write transaction."""
    if password_hashes.is_current(digest):
        return digest
    renewed = new_digest(password)
    Event.update(password=renewed).where(Event.password == digest).execute()
    return renewed
