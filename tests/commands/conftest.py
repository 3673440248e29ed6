"""What the tests of backup, restore and copy share."""

from pathlib import Path

import pytest

from tests import factories
from tests.client import Client


@pytest.fixture
def filled(client: Client) -> Client:
    for number in range(5):
        factories.event(client, title=f"Event {number} 🎺", venue={"venue": f"V{number}"}, tags=["a"])
    return client


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where a backup goes: a path with characters that URLs must escape."""
    folder = tmp_path / "kept here? yes #1"
    folder.mkdir()
    return folder / "back up.sqlite3"
