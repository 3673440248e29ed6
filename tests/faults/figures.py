"""What a harness has measured, kept beside the other results of a build, and how long it may take."""

import json
import os
import random
import secrets
from pathlib import Path
from typing import Any

#: The long forms run behind `make faults`; the short ones with every other test.
LONG = os.environ.get("CALENDAR_TEST_FAULTS") == "long"
FOUND_SOMETHING = 216_069  # a seed that did
FOLDER = Path(__file__).parents[2] / "build" / "faults"


def keep(name: str, **found: Any) -> None:
    """Write the figures of one harness to a file, and print them for `pytest -rP`."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"form": "long" if LONG else "short", **found}, indent=2, sort_keys=True)
    (FOLDER / f"{name}.json").write_text(text + "\n", "utf-8")
    print(f"{name}: {text}")


def chance() -> tuple[random.Random, int]:
    """Random numbers and their seed: that of CALENDAR_TEST_SEED; without it the long forms take any."""
    seed = int(
        os.environ.get("CALENDAR_TEST_SEED") or (secrets.randbelow(10**6) if LONG else FOUND_SOMETHING)
    )
    print(f"CALENDAR_TEST_SEED={seed}")
    return random.Random(seed), seed  # noqa: S311 - not for secrets
