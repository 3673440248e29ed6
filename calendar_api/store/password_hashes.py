"""Digests of passwords that people choose: those of events and of users who sign in."""

import hashlib
import hmac
import secrets
import unicodedata
from collections.abc import Iterable
from functools import cache, partial

# The cost of a guess at the password of an event. A page of events pays it once for each salt, so events
# share a salt (`event_digest`); a second salt for each event makes the digests of equal passwords differ.
_SCRYPT_N, _SCRYPT_R, _SCRYPT_P = 2**14, 8, 1
_OLD_SCRYPT_N = 1024
CURRENT = f"scrypt${_SCRYPT_N}$"


def event_digest(password: str, other: str = "") -> str:
    """A salted digest of an event's password; "" for none.

    `other` is the digest of another event, whose salt is reused if it has the current format.
    """
    if not password:
        return ""
    salt = other.split("$")[2] if is_current(other) else secrets.token_hex(16)
    return _digest(salt, secrets.token_hex(16), _scrypt(password, _SCRYPT_N, salt))


def is_current(digest: str) -> bool:
    """Whether a digest has the current format; older ones are replaced when they are used."""
    return digest.startswith(CURRENT)


def event_digests(password: str, stored: Iterable[str]) -> dict[str, str]:
    """For each stored digest of an event, the digest of this password with the same salts.

    The password is right if both are equal; see `equal`.
    """
    keys = cache(partial(_scrypt, password))
    made = {}
    for digest in stored:
        if is_current(digest):
            _, _, salt, own_salt, _ = digest.split("$")
            made[digest] = _digest(salt, own_salt, keys(_SCRYPT_N, salt))
        else:
            _, salt, _ = digest.split("$")
            made[digest] = f"scrypt${salt}${keys(_OLD_SCRYPT_N, salt).hex()}"
    return made


def stretched(password: str, salt: str) -> str:
    """The scrypt key of a password in hexadecimal; `salt` has 32 hexadecimal digits."""
    return _scrypt(password, _SCRYPT_N, salt).hex()


def equal(one: str, other: str) -> bool:
    """Compare two digests in constant time."""
    return hmac.compare_digest(one, other)


def opens(password: str | None, digest: str) -> bool:
    """Whether a password matches the digest of a protected event."""
    if not password or not digest:
        return False
    return equal(event_digests(password, [digest])[digest], digest)


def _digest(salt: str, own_salt: str, key: bytes) -> str:
    return f"{CURRENT}{salt}${own_salt}${hmac.digest(bytes.fromhex(own_salt), key, 'sha256').hex()}"


def _scrypt(password: str, n: int, salt: str) -> bytes:
    # Keyboards send one letter in different forms (RFC 8265, section 4.2.2).
    given = unicodedata.normalize("NFC", password).encode("utf-8", "replace")
    return hashlib.scrypt(given, salt=bytes.fromhex(salt), n=n, r=_SCRYPT_R, p=_SCRYPT_P)
