"""The controls, in which a harness has to find a planted fault, run behind `make test-all`."""

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/faults/" in item.nodeid and "test_harness_finds" in item.nodeid:
            item.add_marker(pytest.mark.long)
