"""Every block of the documents is run as written, in order, and what it prints is compared."""

from pathlib import Path

import pytest

from tests.documentation import prepared, shell
from tests.documentation.running import Run
from tests.system.servers import CHECKOUT

pytestmark = pytest.mark.system


def test_http(tmp_path: Path) -> None:
    with shell.started(tmp_path, **prepared.installed(tmp_path)) as started:
        Run(CHECKOUT / "docs" / "http.md", started).all()
