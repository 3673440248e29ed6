"""Slows down whoever guesses at logins and at passwords of events; the memory of it is in the database."""

from collections.abc import Iterable
from contextlib import suppress

from calendar_api import database
from calendar_api.errors import ApiError, TooManyAttempts
from calendar_api.peers import network
from calendar_api.store import attempts
from calendar_api.store.attempts import EVENT, LOGIN, Rule

__all__ = ["EVENT", "LOGIN", "closed", "note", "refuse"]


def refuse(rule: Rule, what: str, address: str, now: str) -> None:
    """Raise TooManyAttempts while guesses at `what` from this address have to wait; inside a read."""
    key = rule.key(what, network(address))
    wait = attempts.blocked([key], now).get(key)
    if wait is not None:
        raise TooManyAttempts(max(wait, 1))


def closed(rule: Rule, whats: Iterable[str], address: str, now: str) -> set[str]:
    """Those of `whats` that have to wait; inside a read."""
    keys = {rule.key(what, network(address)): what for what in whats}
    return {keys[key] for key in attempts.blocked(keys, now)} if keys else set()


def note(rule: Rule, whats: Iterable[str], address: str, now: str) -> None:
    """Count a wrong guess at each; a database that cannot be written to changes no answer."""
    keys = [rule.key(what, network(address)) for what in whats]

    def work() -> None:
        for key in keys:
            attempts.failed(rule, key, now)

    if keys:
        with suppress(ApiError):
            database.writing(work)
