"""Figures of a run, for people to read afterwards."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "build" / "faults"


def report(name: str, **figures: Any) -> None:
    """Write `build/faults/NAME.json`."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{name}.json").write_text(json.dumps(figures, indent=1, sort_keys=True) + "\n", "utf-8")
