"""First answers to POSTs with an `Idempotency-Key`, kept for 24 hours (docs/interface.md#idempotency)."""

import hashlib
import json
from datetime import timedelta
from typing import Any

from calendar_api.database.models import IdempotentResponse
from calendar_api.domain import dates
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import ApiError
from calendar_api.domain.translation import message
from calendar_api.store import password_hashes

KEPT = timedelta(hours=24)


def digest(what: Any) -> str:
    """Names a request, or a key, by its content."""
    return hashlib.sha256(json.dumps(what, sort_keys=True, default=str).encode()).hexdigest()


def request_digest(key: str, what: list[Any], password: Any) -> str:
    """Names a request; a password in it is kept in a form that takes as long to guess as that of an event."""
    if not password:
        return digest(what)
    fields = {name: value for name, value in what[1].items() if name != "password"}
    slow = password_hashes.stretched(str(password), digest([key])[:32])
    return digest([what[0], fields, *what[2:], slow])


def recall(key: str, request: str, caller: Caller) -> IdempotentResponse | None:
    """The first answer to this key of this caller; raises ApiError when it belongs to another request.

    Part of the write transaction: of two equal requests at once, the second finds the answer of the first.
    """
    IdempotentResponse.delete().where(IdempotentResponse.created_utc < dates.text(caller.at - KEPT)).execute()
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
