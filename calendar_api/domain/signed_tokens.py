"""Tokens that only we can have made, `subject.issued.random.signature`: nothing of them is stored."""

import hashlib
import hmac
import secrets

from calendar_api.domain import dates, form_params


def signature(key: str, *parts: str) -> str:
    """The HMAC-SHA256 of the parts in hexadecimal."""
    return hmac.digest(key.encode(), "\0".join(parts).encode("utf-8", "replace"), hashlib.sha256).hex()


def sign(key: str, purpose: str, subject: int, now: str, state: str = "") -> str:
    """A new token; it is valid for this purpose only, while `state` stays the same."""
    content = f"{subject}.{_seconds(now)}.{secrets.token_hex(8)}"
    return f"{content}.{signature(key, purpose, content, state)}"


def subject_of(token: str) -> int:
    """The subject that a token claims; 0 for what is no token."""
    return form_params.number(token.partition(".")[0])


def age(key: str, purpose: str, token: str, now: str, state: str = "") -> int | None:
    """Seconds since a token was signed; None if this key, purpose and state have not signed it."""
    content, _, given = token.rpartition(".")
    if not hmac.compare_digest(
        signature(key, purpose, content, state).encode(), given.encode("utf-8", "replace")
    ):
        return None
    return _seconds(now) - int(content.split(".")[1])


def _seconds(instant: str) -> int:
    return int(dates.from_text(instant).timestamp())
