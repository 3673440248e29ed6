"""Random work on the service and on a model of it in memory, step by step, with the same outcome.

CALENDAR_TEST_FAULTS=long takes a million steps and looks for every planted fault; `make test` takes some, and
looks for three of them. CALENDAR_TEST_MODEL_SEED chooses other steps, and with them other faults.
"""

import os
import random
import shutil
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from calendar_api import database
from calendar_api.app import create_app
from calendar_api.config import Config
from tests import figures
from tests.client import Client
from tests.model.bugs import BUGS, planted
from tests.model.machine import Machine
from tests.templates import Template, path_of

pytestmark = pytest.mark.sqlite

LONG = figures.LONG
SEED = int(os.environ.get("CALENDAR_TEST_MODEL_SEED", "1"))
STEPS = 1_000_000 if LONG else 500
#: Within so many a planted fault must be found.
ENOUGH = 20_000
_OF_A_LIFE = 50
_SOUGHT = sorted(BUGS) if LONG else random.Random(SEED).sample(sorted(BUGS), 3)  # noqa: S311


@pytest.fixture
def renew(config: Config, template: Template) -> Callable[[], Client]:
    """A client of a calendar without records, as often as one is asked for."""
    path = path_of(config.database_url)
    first = path.with_suffix(".first")
    database.close_connection()
    shutil.copy(path, first)
    client = Client(create_app(config), template.secrets, template.ids)

    def renewed() -> Client:
        database.close_connection()
        shutil.copy(first, path)
        client.app.app.clear()  # of the life before, which had the same place and revision
        return client

    return renewed


def _run(renew: Callable[[], Client], steps: int, phases: tuple[Phase, ...]) -> int:
    """Raises AssertionError at the first disagreement; returns the number of requests."""

    class Bound(Machine):
        pass

    Bound.renew = staticmethod(renew)
    chosen = settings(
        max_examples=steps // _OF_A_LIFE, stateful_step_count=_OF_A_LIFE, deadline=None, database=None,
        phases=phases, print_blob=False, suppress_health_check=list(HealthCheck), derandomize=False,
    )  # fmt: skip
    try:
        run_state_machine_as_test(seed(SEED)(Bound), settings=chosen)
    finally:
        _run.requests = Bound.steps  # type: ignore[attr-defined]
    return Bound.steps


def test_service_and_model_agree(renew: Callable[[], Client]) -> None:
    requests = _run(renew, STEPS, (Phase.generate, Phase.shrink))

    figures.keep("model", seed=SEED, steps=STEPS, requests=requests, disagreements=0)
    with database.db.connection_context():
        assert database.db.execute_sql("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.long
@pytest.mark.parametrize("bug", _SOUGHT)
def test_a_planted_fault_is_found(renew: Callable[[], Client], bug: str) -> None:
    with planted(bug), pytest.raises(AssertionError):
        _run(renew, ENOUGH, (Phase.generate,))

    figures.keep(f"model_{bug.replace(' ', '_')}", seed=SEED, requests=_run.requests)  # type: ignore[attr-defined]
