"""Parse names with brackets in forms and query strings: `tags[]=a&venue[city]=Rome`."""

import re
from collections.abc import Container, Iterable
from typing import TypeAlias
from urllib.parse import parse_qs, parse_qsl

Tree: TypeAlias = "dict[str, Tree | str]"
Value: TypeAlias = str | list["Value"] | dict[str, "Value"]

MAX_DEPTH = 4

_NAME = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")
_BRACKET = re.compile(r"\[([^\[\]]*)\]")


def nest(pairs: Iterable[tuple[str, str]], lists: Container[str] = ()) -> dict[str, Value]:
    """Convert pairs to a document (docs/interface.md#lists-in-parameters, #bodies).

    `a=1&a=2` keeps the last, `a[]=1&a[]=2` and `a[0]=1&a[1]=2` are lists, `a[x]=1` is an object.
    A name in `lists` takes comma lists: there `a=1&a=2` means `a=1,2`.

    >>> nest([("tags[]", "a"), ("tags[]", "b"), ("venue[city]", "Rome"), ("page", "1"), ("page", "2")])
    {'tags': ['a', 'b'], 'venue': {'city': 'Rome'}, 'page': '2'}
    >>> nest([("tags", "a"), ("tags", "b")], lists=["tags"])
    {'tags': 'a,b'}
    """
    root: Tree = {}
    collected: dict[str, list[str]] = {}
    for name, value in pairs:
        if name in lists:
            collected.setdefault(name, []).append(value)
        elif "[" in name or not name:
            _put(root, _steps(name), value)
        else:
            root[name] = value
    document = {name: _with_lists(value) for name, value in root.items()}
    for name, values in collected.items():
        if name in document:  # with brackets as well
            before = document[name]
            document[name] = [*(before if isinstance(before, list) else [before]), *values]
        else:
            document[name] = ",".join(values)
    return document


def last(query: str, name: str) -> str | None:
    """Return the last value of a plain name in a query string, None if it has no value.

    >>> last("a=1&b=2&a=3", "a")
    '3'
    """
    if name not in query and "%" not in query:
        return None
    return parse_qs(query).get(name, [None])[-1]


def number(value: str | None) -> int:
    """Return the number that up to 18 ASCII digits are, as ids have; 0 for any other text."""
    return int(value) if value and value.isascii() and value.isdigit() and len(value) < 19 else 0


def joined(query: str, name: str) -> str:
    """Return the items of a list in a query string with commas between, whatever its form.

    >>> joined("a=1,2&a[]=3&b=4&a=5", "a")
    '3,1,2,5'
    """
    if name not in query and "%" not in query:
        return ""
    found = nest([pair for pair in parse_qsl(query) if pair[0].partition("[")[0] == name], [name]).get(
        name, ""
    )
    items = [found] if isinstance(found, str) else found.values() if isinstance(found, dict) else found
    return ",".join(item for item in items if isinstance(item, str))


def _steps(name: str) -> list[str]:
    """Split a name at its brackets; a name with unbalanced brackets stays whole."""
    match = _NAME.fullmatch(name)
    if not match:
        return [name]
    steps = [match[1], *_BRACKET.findall(match[2])]
    return steps if len(steps) <= MAX_DEPTH else [name]


def _put(root: Tree, steps: list[str], value: str) -> None:
    node = root
    for step in steps[:-1]:
        key = step or str(len(node))
        child = node.get(key)
        if not isinstance(child, dict):
            child = {}
            node[key] = child
        node = child
    node[steps[-1] or str(len(node))] = value


def _with_lists(value: "Tree | str") -> Value:
    """Convert objects whose names are all numbers to lists, in the order of the numbers."""
    if isinstance(value, str):
        return value
    converted = {name: _with_lists(item) for name, item in value.items()}
    if converted and all(re.fullmatch(r"[0-9]{1,6}", name) for name in converted):
        return [converted[name] for name in sorted(converted, key=int)]
    return converted


def truthy(value: str) -> bool:
    """Return whether a lenient flag is true (docs/interface.md#lenient-types)."""
    return value.lower() in ("1", "true", "yes", "on", "y", "enable", "enabled")
