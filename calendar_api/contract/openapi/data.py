"""The constant parts of the OpenAPI document: JSON files in this folder.

`texts.json` holds sentences that are neither in `schemas/` nor in the other files, `components.json` headers,
parameters and security schemes, `errors.json` each error with the operations that answer with it, and
`examples.json` records and request bodies. Sentences are translated when the document is built; a test finds
those that have no translation.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, TypedDict

Json = dict[str, object]
Ref = dict[str, str]
Verb = Literal["list", "create", "read", "update", "delete", "head", "describe"]

TERMS = ("category", "tag")


class ErrorEntry(TypedDict, total=False):
    """An error. No `nouns`, no `verbs`: all of them; `keyed`: only if the path names a record.

    `params` has the problem of a parameter, `data` what is beside the status in other errors.
    """

    status: int
    code: str
    nouns: list[str]
    verbs: list[str]
    keyed: bool
    description: str
    message: str
    data: dict[str, object]
    params: dict[str, str]


@cache
def texts() -> Mapping[str, str]:
    found: dict[str, str] = json.loads(_read("texts"))
    return found


@cache
def components() -> Mapping[str, Mapping[str, Json]]:
    """Headers, parameters and security schemes by name."""
    found: dict[str, dict[str, Json]] = json.loads(_read("components"))
    return found


@cache
def errors() -> list[ErrorEntry]:
    found: list[ErrorEntry] = json.loads(_read("errors"))
    return found


@cache
def examples() -> Mapping[str, Mapping[str, Json]]:
    """Examples by noun and role."""
    found: dict[str, dict[str, Json]] = json.loads(_read("examples"))
    return found


def _read(name: str) -> str:
    return Path(__file__).with_name(f"{name}.json").read_text("utf-8")
