"""Uids of new events that are the same in every run, for tests that compare whole answers."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from unittest.mock import patch
from uuid import UUID

from calendar_api.store import events


@contextmanager
def numbered() -> Iterator[None]:
    """From 1, in the order of creation."""
    numbers = count(1)
    with patch.object(events, "new_uid", lambda: str(UUID(int=next(numbers), version=4))):
        yield
