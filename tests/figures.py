"""Figures that long tests measure, written to `build/faults`, and which form of these tests runs."""

import json
import os
import random
import secrets
from pathlib import Path
from typing import Any

#: `make faults` runs the long form, `make test` the short one.
LONG = os.environ.get("CALENDAR_TEST_FAULTS") == "long"
FOLDER = Path(__file__).parents[1] / "build" / "faults"
_SEED = 216_069  # one that has found something


def keep(name: str, **found: Any) -> None:
    """Write `build/faults/NAME.json`, and print the figures for `pytest -rP`."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"form": "long" if LONG else "short", **found}, indent=2, sort_keys=True)
    (FOLDER / f"{name}.json").write_text(text + "\n", "utf-8")
    print(f"{name}: {text}")


def chance() -> tuple[random.Random, int]:
    """Random numbers and their seed: CALENDAR_TEST_SEED, or else any in the long form."""
    seed = int(os.environ.get("CALENDAR_TEST_SEED") or (secrets.randbelow(10**6) if LONG else _SEED))
    print(f"CALENDAR_TEST_SEED={seed}")
    return random.Random(seed), seed  # noqa: S311 - not for secrets
