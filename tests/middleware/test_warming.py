"""What a server does before it forks (see `app.warm`)."""

import gc
from collections.abc import Iterator

import pytest

from calendar_api import app, database
from calendar_api.middleware.response_cache import ResponseCache
from tests.client import Client


@pytest.fixture
def cache(client: Client) -> Iterator[ResponseCache]:
    found: ResponseCache = client.app.app
    yield found
    gc.unfreeze()
    database.open_connection()


def test_warming_closes_the_connection_and_logs_nothing(
    cache: ResponseCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "log", log := lambda **_: pytest.fail("logged"))
    app.warm(cache)
    assert database.db.is_closed()
    assert cache.log is log
