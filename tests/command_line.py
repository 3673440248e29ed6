"""What the fixture `run` gives: `run("user", "list")` is exit status, output and errors."""

from collections.abc import Callable

Run = Callable[..., tuple[int, str, str]]
