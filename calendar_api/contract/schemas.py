import json
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any

Schema = dict[str, Any]


def folder() -> Path:
    """Where the schema files are: inside the installed package, or at the top of a checkout."""
    here = Path(__file__).parents[1]
    return next(path for path in (here / "schemas", here.parent / "schemas") if path.is_dir())


@lru_cache
def document(noun: str) -> Schema:
    """`schemas/<noun>.json` as it stands."""
    loaded: Schema = json.loads((folder() / f"{noun}.json").read_text("utf-8"))
    return loaded


@lru_cache
def schema(noun: str, role: str) -> Schema:
    """One role of a noun with every `$ref` written out, ready for a validator."""
    written_out: Schema = _written_out(document(noun)["$defs"][role], noun)
    return written_out


@lru_cache
def read_parameters() -> frozenset[str]:
    """Every name that a GET of any route looks at in its query string."""
    names = {"_fields", "_method", "rest_route"}
    for path in folder().glob("*.json"):
        roles = document(path.stem).get("$defs", {})
        for role in ("query", "read"):
            names |= roles.get(role, {}).get("properties", {}).keys()
    return frozenset(names)


def _written_out(part: Any, noun: str) -> Any:
    if isinstance(part, list):
        return [_written_out(item, noun) for item in part]
    if not isinstance(part, dict):
        return part
    here = {key: _written_out(value, noun) for key, value in part.items() if key != "$ref"}
    if "$ref" not in part:
        return here
    file, _, name = part["$ref"].partition("#/$defs/")
    target = file.removesuffix(".json") or noun
    return {**deepcopy(schema(target, name)), **here}
