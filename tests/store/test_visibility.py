"""The visibility clause in SQL agrees with `auth` on every record."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calendar_api import database
from calendar_api.database.models import Organizer, Record, User, Venue
from calendar_api.domain import auth
from calendar_api.domain.auth import Caller
from calendar_api.store import visibility
from tests.conftest import LOGINS

pytestmark = pytest.mark.both_databases

MOMENTS = ("2026-06-15 11:59:59", "2026-06-15 12:00:00", "2026-06-15 12:00:01")
MODELS = {"venue": Venue, "organizer": Organizer}
LAST_USER = len(LOGINS) - 1
REUSED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@dataclass(frozen=True)
class Draft:
    """What decides about a record; `author` counts through the users."""

    status: str
    author: int
    published_utc: str


DRAFTS = st.builds(
    Draft,
    st.sampled_from([status for status in auth.STATUSES if status != "future"]),
    st.integers(min_value=0, max_value=LAST_USER),
    st.sampled_from(MOMENTS),
)
ASKING = st.tuples(st.integers(min_value=-1, max_value=LAST_USER), st.sampled_from(MOMENTS))
STATUSES = st.lists(st.sampled_from(auth.STATUSES), min_size=1, max_size=6)


def asking(number: int, now: str) -> Caller:
    """One of the users, or nobody for -1."""
    if number < 0:
        return Caller(now)
    user = User.select().order_by(User.id)[number]
    return Caller(now, int(user.id), user.login, user.role)


@contextmanager
def stored(noun: str, drafts: list[Draft]) -> Iterator[type[Any]]:
    """These records and no others, until the end of the block."""
    model = MODELS[noun]
    database.open_connection()
    with database.db.atomic() as transaction:
        authors = [int(user.id) for user in User.select().order_by(User.id)]
        for draft in drafts:
            row: dict[str, Any] = dict.fromkeys((field.name for field in model._meta.sorted_fields), "")
            row |= {
                "id": Record.create(kind=noun).id,
                noun: "Name",
                "author": authors[draft.author],
                "status": draft.status,
                "published_utc": draft.published_utc,
                "modified_utc": draft.published_utc,
                "version": 1,
                **dict.fromkeys(("slug", "slug_before_trash", "trashed_utc", "image")),
            }
            if noun == "venue":
                row |= dict.fromkeys(("geo_lat", "geo_lng", "geo_x", "geo_y", "geo_z"))
                row |= {"show_map": True, "show_map_link": True}
            model.insert(row).execute()
        yield model
        transaction.rollback()


def ids(model: type[Any], clause: Any) -> set[int]:
    return {int(row.id) for row in model.select().where(clause)}


def may_read(caller: Caller, record: Any) -> bool:
    """The rule of docs/interface.md#roles, without SQL."""
    if auth.effective_status(record, caller.now) == "publish" or caller.edits_others:
        return True
    return bool(caller.may_write and record.author_id == caller.id)


@pytest.mark.parametrize("noun", MODELS)
@given(drafts=st.lists(DRAFTS, min_size=1, max_size=8), who=ASKING, statuses=STATUSES)
@REUSED
def test_clauses_agree_with_the_rules_of_auth(
    database_url: str, noun: str, drafts: list[Draft], who: tuple[int, str], statuses: list[str]
) -> None:
    with stored(noun, drafts) as model:
        caller = asking(*who)

        readable = ids(model, visibility.readable(model, caller))
        listed = ids(model, visibility.listed(model, caller))
        in_status = ids(model, visibility.in_status(model, statuses, caller))

        rows = [row for row in model.select() if may_read(caller, row)]
        assert readable == {int(row.id) for row in rows}
        assert listed == {int(row.id) for row in rows if row.status != "trash"}
        assert in_status == {
            int(row.id) for row in rows if auth.effective_status(row, caller.now) in statuses
        }
