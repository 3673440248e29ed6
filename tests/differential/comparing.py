"""What differs between two answers, in words; and the fewest requests that still show a difference."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

Json = dict[str, Any]
Differs = Callable[[list[Json]], bool]

_MISSING = object()
_STRING_OR_NAME = re.compile(r'"(?:[^"\\]|\\.)*"|(\[[a-z]+ \d+\])')


def differences(left: Json, right: Json) -> list[str]:
    """One line for each place where the answers differ, the order of keys included."""
    if left == right:
        return []
    lines = [
        f"{name}: {left.get(name)!r} | {right.get(name)!r}"
        for name in ("status", "made")
        if left.get(name) != right.get(name)
    ]
    lines += _differing("headers", left["headers"], right["headers"])
    if left["body"] != right["body"]:
        # Nothing found in the documents means that they are spelled differently.
        lines += _documents(left["body"], right["body"]) or [f"body: {left['body']!r} | {right['body']!r}"]
    return lines


def _documents(left: str, right: str) -> list[str]:
    try:
        return list(_differing("body", _document(left), _document(right)))
    except ValueError:
        return []


def _document(body: str) -> Any:
    """A body in which ids, that are numbers, have become names."""
    return json.loads(_STRING_OR_NAME.sub(lambda found: f'"{found[0]}"' if found[1] else found[0], body))


def _differing(path: str, left: Any, right: Any) -> Iterator[str]:
    if isinstance(left, dict) and isinstance(right, dict):
        names = [*left, *(name for name in right if name not in left)]
        for name in names:
            yield from _differing(f"{path}.{name}", left.get(name, _MISSING), right.get(name, _MISSING))
        if left.keys() == right.keys() and list(left) != list(right):
            yield f"{path}: keys in the order {list(left)} | {list(right)}"
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for place, (one, other) in enumerate(zip(left, right, strict=True)):
            yield from _differing(f"{path}.{place}", one, other)
    elif type(left) is not type(right) or left != right:
        yield f"{path}: {_shown(left)} | {_shown(right)}"


def _shown(value: Any) -> str:
    return "nothing" if value is _MISSING else ascii(value)[:500]


def fewest(requests: list[Json], differs: Differs) -> list[Json]:
    """Leave out requests, then parts of them, as long as what remains still differs.

    The last request is the one that differed.
    """
    size = len(requests) // 2
    while size:
        requests = _without_runs(requests, size, differs)
        size //= 2
    for place in range(len(requests)):
        for part in ("query", "headers", "body"):
            requests = _without_parts(requests, place, part, differs)
    return requests


def _without_runs(requests: list[Json], size: int, differs: Differs) -> list[Json]:
    end = len(requests) - 1
    while end > 0:
        start = max(0, end - size)
        shorter = requests[:start] + requests[end:]
        if differs(shorter):
            requests = shorter
        end = start
    return requests


def _without_parts(requests: list[Json], place: int, part: str, differs: Differs) -> list[Json]:
    parts = requests[place].get(part)
    for key in list(parts) if isinstance(parts, dict) else range(len(parts or ()))[::-1]:
        parts = requests[place][part]
        less: Any = (
            {name: value for name, value in parts.items() if name != key}
            if isinstance(parts, dict)
            else [pair for number, pair in enumerate(parts) if number != key]
        )
        shorter = [*requests[:place], requests[place] | {part: less}, *requests[place + 1 :]]
        if differs(shorter):
            requests = shorter
    return requests
