"""Stored responses to POSTs with an `Idempotency-Key` (docs/interface.md#idempotency)."""

import hashlib
import json
from collections.abc import Mapping
from datetime import timedelta

from calendar_api.database.models import IdempotentResponse
from calendar_api.domain import dates
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import ApiError
from calendar_api.domain.translation import message
from calendar_api.store import password_hashes

EXPIRY = timedelta(hours=24)


def digest(what: object) -> str:
    """SHA-256 of a request, or of a key, as JSON."""
    return hashlib.sha256(json.dumps(what, sort_keys=True, default=str).encode()).hexdigest()


def request_digest(
    key: str, what: tuple[str, Mapping[str, object], list[str], list[str]], password: object
) -> str:
    """A digest of a request: its list, its fields, the names of invalid and of missing ones.

    Guessing a password in it costs as much as for the password of an event.
    """
    if not password:
        return digest(what)
    fields = {name: value for name, value in what[1].items() if name != "password"}
    slow = password_hashes.stretched(str(password), digest([key])[:32])
    return digest([what[0], fields, *what[2:], slow])


def recall(key: str, request: str, caller: Caller) -> IdempotentResponse | None:
    """The stored response to this key of this caller; raises ApiError if it belongs to another request.

    Part of the write transaction: of two equal concurrent requests, the second finds the first response.
    """
    IdempotentResponse.delete().where(
        IdempotentResponse.created_utc < dates.text(caller.at - EXPIRY)
    ).execute()
    found: IdempotentResponse | None = IdempotentResponse.get_or_none(
        (IdempotentResponse.user == caller.id) & (IdempotentResponse.key_digest == digest(key))
    )
    if found is not None and found.request_digest != request:
        raise ApiError(
            message("This Idempotency-Key was used for another request: choose a new one."),
            code="rest_idempotency_key_reused",
            status=422,
        )
    return found


def remember(key: str, request: str, caller: Caller, body: str, headers: dict[str, str]) -> None:
    IdempotentResponse.insert(
        user=caller.id,
        key_digest=digest(key),
        request_digest=request,
        body=body,
        headers=json.dumps(headers),
        created_utc=caller.now,
    ).execute()
