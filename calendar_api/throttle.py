"""Slows down whoever guesses at logins and at passwords of events; the memory of it is in the database."""

from collections.abc import Iterable
from contextlib import suppress

from calendar_api import database
from calendar_api.errors import ApiError, TooManyAttempts
from calendar_api.peers import network
from calendar_api.store import attempts
from calendar_api.store.attempts import EVENT, LOGIN, Rule

__all__ = ["EVENT", "LOGIN", "closed", "key", "note", "refuse"]


def key(rule: Rule, what: str, address: str) -> str:
    """What guesses at `what` from this address are counted under."""
    return rule.key(what, network(address))


def refuse(rule: Rule, what: str, address: str, now: str) -> None:
    """Raise TooManyAttempts while guesses at `what` from this address have to wait; inside a read."""
    counted = key(rule, what, address)
    wait = attempts.blocked([counted], now).get(counted)
    if wait is not None:
        raise TooManyAttempts(max(wait, 1))


def closed(rule: Rule, whats: Iterable[str], address: str, now: str) -> set[str]:
    """Those of `whats` that have to wait; inside a read."""
    keys = {key(rule, what, address): what for what in whats}
    return {keys[closed] for closed in attempts.blocked(keys, now)} if keys else set()


def note(rule: Rule, whats: Iterable[str], address: str, now: str) -> None:
    """Count a wrong guess at each; a database that cannot be written to changes no answer."""
    keys = [key(rule, what, address) for what in whats]

    def work() -> None:
        for guessed in keys:
            attempts.failed(rule, guessed, now)

    if keys:
        with suppress(ApiError):
            database.writing(work, revises=False)
