"""What the interface description promises, tried out by a tool that knows nothing else of us: schemathesis.

CALENDAR_TEST_FAULTS=long tries every operation 2,000 times, `make test` a few times; then sequences of them.
"""

import os
from collections.abc import Callable
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis.stateful import run_state_machine_as_test
from schemathesis.checks import CHECKS, load_all_checks

from calendar_api.app import create_app
from calendar_api.config import Config
from tests import figures
from tests.client import Client

pytestmark = pytest.mark.sqlite

LONG = figures.LONG
SEED = int(os.environ.get("CALENDAR_TEST_HOSTILE_SEED_NUMBER", "1"))
EXAMPLES = 2000 if LONG else 3
ROOT = "/calendar/events/v1"
#: It asks for gzip, and does not decompress what it gets from a WSGI application.
PLAIN = {"Accept-Encoding": "identity"}

#: Left out, each for a decision.
_EXCLUDED = {
    # Query values are cast leniently, a page may be `2.0` or `1e1`, unknown parameters are ignored
    # (docs/interface.md#unknown-parameters), and `_fields`, `_method` and conditional headers take any text.
    "negative_data_rejection",
    # What the database says cannot be in a schema: ids that must exist, dates that the zone lacks, end before
    # start, roles (docs/interface.md#order-of-checks, #dates, #linked-records).
    "positive_data_acceptance",
    # Bad credentials are refused everywhere, but a header that holds none is anonymous
    # (docs/interface.md#authentication), and reading is for everybody.
    "ignored_auth",
    # `Allow` says what this caller may do here, not what the route knows
    # (docs/interface.md#head-and-options).
    "allow_header_conformance",
}


@pytest.fixture
def schema(config: Config) -> Any:
    return schemathesis.openapi.from_wsgi(f"{ROOT}/doc", create_app(config))


def _checks() -> list[Any]:
    load_all_checks()
    return [CHECKS.get_one(name) for name in CHECKS.get_all_names() if name not in _EXCLUDED]


def _settings(examples: int, **more: Any) -> settings:
    return settings(
        max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck),
        phases=(Phase.explicit, Phase.generate), **more,
    )  # fmt: skip


@pytest.mark.parametrize("caller", ["admin", None])
def test_every_operation_keeps_its_promises(schema: Any, client: Client, caller: str | None) -> None:
    headers = PLAIN | ({"Authorization": client.basic(caller)} if caller else {})
    checks, wrong, tried = _checks(), [], 0

    for found in schema.get_all_operations():
        operation = found.ok()

        @seeded(SEED)
        @_settings(EXAMPLES)
        def attempt(case: Any) -> None:
            nonlocal tried
            tried += 1
            # it leaves out keys that the description requires (docs/interface.md#field-selection)
            if case.query:
                case.query.pop("_fields", None)
            case.call_and_validate(headers=headers, checks=checks)

        problem = _problem(operation, attempt)
        if problem:
            wrong.append(problem)

    print(f"{tried} requests as {caller}, seed {SEED}")
    assert not wrong, "\n\n".join(wrong)


def _problem(operation: Any, attempt: Callable[[Any], None]) -> str:
    try:
        given(case=operation.as_strategy())(attempt)()
    except BaseException as error:
        return f"{operation.label}: {error}"[:3000]
    return ""


def test_sequences_of_operations_keep_them_too(schema: Any, client: Client) -> None:
    checks, headers = _checks(), PLAIN | {"Authorization": client.basic("admin")}

    class Sequence(schema.as_state_machine()):
        def get_call_kwargs(self, case: Any) -> dict[str, Any]:
            if case.query:
                case.query.pop("_fields", None)
            return {"headers": headers}

        def validate_response(self, response: Any, case: Any, **more: Any) -> None:
            case.validate_response(response, checks=checks, headers=headers)

    run_state_machine_as_test(
        seeded(SEED)(Sequence), settings=_settings(EXAMPLES, stateful_step_count=20 if LONG else 8)
    )
