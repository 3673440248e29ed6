"""Slows down whoever guesses at logins and at passwords of events; the memory of it is in the database."""

from collections.abc import Mapping
from contextlib import suppress

from calendar_api import database
from calendar_api.errors import ApiError, DatabaseUnavailable, StorageFull, TooManyAttempts
from calendar_api.messages import message
from calendar_api.peers import network
from calendar_api.store import attempts, events, passwords
from calendar_api.store.attempts import EVENT, LOGIN, Rule

__all__ = ["LOGIN", "key", "opened", "wrong_login"]


def key(rule: Rule, what: str, address: str) -> str:
    """What guesses at `what` from this address are counted under."""
    return rule.key(what, network(address))


def wrong_login(login: str, address: str, now: str) -> None:
    """Count a wrong login; raises TooManyAttempts when others made the limit full meanwhile.

    A secret has 140 random bits, so that it may be checked before the attempt is counted, and while nothing
    can be written.
    """
    with suppress(DatabaseUnavailable, StorageFull):
        database.writing(lambda: attempts.record(LOGIN, {key(LOGIN, login, address): ""}, now), revises=False)


def opened(password: str, protected: Mapping[int, str], address: str, now: str) -> set[str]:
    """Those digests of protected events, by the id of the event, that the password fits.

    Each attempt is recorded before it is checked, so that parallel requests cannot check more than the
    rule allows, and taken back when the password was right. The same attempt counts once until it is
    forgotten. Raises TooManyAttempts when nothing may be tried now, and DatabaseUnavailable when the
    attempt cannot be recorded. Outside of a transaction: it takes time.
    """
    keys = {key(EVENT, str(id), address): digest for id, digest in protected.items()}
    closed = database.asking(lambda: attempts.blocked(keys, now))
    open_ = {key: digest for key, digest in keys.items() if key not in closed}
    if not open_:
        raise TooManyAttempts(max(1, *closed.values()))
    made = passwords.event_digests(password, open_.values())
    # A guess at an old digest counts each time: it would be kept in a form that is too easy to guess.
    guesses = {
        key: EVENT.key(made[digest], network(address)) if passwords.is_current(digest) else ""
        for key, digest in open_.items()
    }
    known = database.asking(lambda: attempts.recorded(guesses.values()))
    allowed = dict.fromkeys(open_, False)
    if not known.issuperset(guesses.values()):
        try:
            allowed = database.writing(lambda: attempts.record(EVENT, guesses, now), revises=False)
        except StorageFull as error:
            raise DatabaseUnavailable(
                message("The database cannot be used just now; its operator finds the reason in the log.")
            ) from error
    right = {key for key in allowed if passwords.equal(made[open_[key]], open_[key])}
    fitting = {open_[key] for key in right}
    counted = [key for key in right if allowed[key]]

    def settle() -> None:
        attempts.take_back(EVENT, counted, now)
        for digest in list(fitting):
            fitting.add(events.renewed_digest(digest, password))

    if counted:
        with suppress(ApiError):  # they count once, then
            database.writing(settle, revises=False)
    return fitting
