"""Paths of the checkout and of the files that the benchmark creates."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "bench"
LUA = ROOT / "bench" / "lua"
LIST = "/calendar/events/v1/events"
NAMESPACE = "/calendar/events/v1"
BASE_URL = "https://calendar.example.org"


def folder(*names: str) -> Path:
    """A folder below `build/bench`, created if it is missing."""
    made = BUILD.joinpath(*names)
    made.mkdir(parents=True, exist_ok=True)
    return made
