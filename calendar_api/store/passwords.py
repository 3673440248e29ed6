"""Secrets at rest: digests of application passwords and of the passwords of events (pure)."""

import hashlib
import hmac
import secrets

_ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"
_GROUPS, _GROUP = 6, 4

# An event's password is checked for each protected event of a list that was asked for with a password,
# so its digest has to cost milliseconds, not more.
_SCRYPT_N, _SCRYPT_R, _SCRYPT_P = 1024, 8, 1


def new_application_password() -> str:
    """24 random characters in groups of four: about 140 bits, so that a plain digest is enough."""
    return " ".join("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP)) for _ in range(_GROUPS))


def application_digest(secret: str) -> str:
    """SHA-256 of an application password; the spaces between its groups do not count."""
    return hashlib.sha256(secret.replace(" ", "").encode("utf-8", "replace")).hexdigest()


def event_digest(password: str) -> str:
    """A salted digest of an event's password; "" for none."""
    if not password:
        return ""
    salt = secrets.token_bytes(16)
    return f"scrypt${salt.hex()}${_scrypt(password, salt).hex()}"


def opens(password: str | None, digest: str) -> bool:
    """Whether a password fits the digest of a protected event, compared in constant time."""
    if not password or not digest:
        return False
    _, salt, expected = digest.split("$")
    return hmac.compare_digest(_scrypt(password, bytes.fromhex(salt)).hex(), expected)


def _scrypt(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(
        password.encode("utf-8", "replace"), salt=salt, n=_SCRYPT_N, r=_SCRYPT_R, p=_SCRYPT_P
    )
