"""What each role may do; the status of a record at a moment. tests/confidentiality has the whole matrix."""

from dataclasses import dataclass

import pytest

from calendar_api.domain import auth
from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import Forbidden

NOW = "2026-06-15 12:00:00"
ME = 7
REASON = "Your role does not allow you to change records here."
EVERYBODY = ("", *auth.ROLES)

RIGHTS = {  # writes, publishes, edits others', uploads; manages categories, tags; creates categories, tags
    "": (False,) * 8,
    "subscriber": (False,) * 8,
    "contributor": (True, False, False, False, False, False, False, False),
    "author": (True, True, False, True, True, False, False, True),
    "editor": (True,) * 8,
    "administrator": (True,) * 8,
}

GRANTED = {  # asked for: what those who may not publish get, what those who may publish get
    None: ("draft", "publish"),
    "publish": ("pending", "publish"),
    "future": ("pending", "publish"),
    "private": ("pending", "private"),
    "pending": ("pending", "pending"),
    "draft": ("draft", "draft"),
    "trash": ("trash", "trash"),
}


@dataclass
class Written:
    """A record as far as the decisions look at it."""

    status: str
    author_id: int = ME
    published_utc: str = NOW


def of(role: str) -> Caller:
    return Caller(NOW, ME, "me", role) if role else Caller(NOW)


@pytest.mark.parametrize("role", EVERYBODY)
def test_rights_of_every_role(role: str) -> None:
    caller = of(role)

    rights = (
        caller.may_write,
        caller.may_publish,
        caller.edits_others,
        caller.uploads,
        caller.manages_terms("tribe_events_cat"),
        caller.manages_terms("post_tag"),
        caller.creates_terms("tribe_events_cat"),
        caller.creates_terms("post_tag"),
    )

    assert rights == RIGHTS[role]


@pytest.mark.parametrize(
    ("status", "published", "effective"),
    [
        ("publish", "2026-06-15 11:59:59", "publish"),
        ("publish", "2026-06-15 12:00:00", "publish"),
        ("publish", "2026-06-15 12:00:01", "future"),
        ("draft", "2026-06-15 12:00:01", "draft"),
        ("pending", "2026-06-15 12:00:01", "pending"),
        ("private", "2026-06-15 12:00:01", "private"),
        ("trash", "2026-06-15 12:00:01", "trash"),
    ],
)
def test_effective_status_of_a_record_at_a_moment(status: str, published: str, effective: str) -> None:
    assert auth.effective_status(Written(status, published_utc=published), NOW) == effective


@pytest.mark.parametrize("role", EVERYBODY)
@pytest.mark.parametrize("asked", GRANTED)
def test_granted_status_by_the_right_to_publish(role: str, asked: str | None) -> None:
    """`private` of those who may not publish is `pending` too (docs/interface.md#contributors)."""
    may_publish = RIGHTS[role][1]

    assert auth.granted_status(of(role), asked) == GRANTED[asked][may_publish]


@pytest.mark.parametrize(
    ("role", "status", "message"),
    [
        ("", 401, "You need to sign in for this: send a login and an application password."),
        ("subscriber", 403, REASON),
        ("editor", 403, REASON),
    ],
)
def test_refusal_tells_who_is_unknown_from_who_may_not(role: str, status: int, message: str) -> None:
    refused = Forbidden(REASON, anonymous=of(role).anonymous)

    assert (refused.status, refused.code, refused.message) == (status, "rest_forbidden", message)
    assert ("WWW-Authenticate" in refused.headers) is (role == "")
