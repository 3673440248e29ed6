"""The constant parts of the OpenAPI document: JSON files in this folder.

`texts.json` holds sentences that are neither in `schemas/` nor in the other files, `components.json` headers,
parameters and security schemes, `errors.json` each error with the operations that answer with it, and
`examples.json` records and request bodies by noun and role. Sentences are translated when the document is
built; a test finds those that have no translation. `feeds.json` holds a feed of each noun and format.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal, TypedDict

Json = dict[str, object]
Ref = dict[str, str]
Verb = Literal["list", "create", "read", "update", "delete", "head", "describe"]

TERMS: Final = ("category", "tag")


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


def _read(name: str) -> Any:
    return json.loads(Path(__file__).with_name(f"{name}.json").read_text("utf-8"))


TEXTS: Final[Mapping[str, str]] = _read("texts")
COMPONENTS: Final[Mapping[str, Mapping[str, Json]]] = _read("components")
ERRORS: Final[list[ErrorEntry]] = _read("errors")
EXAMPLES: Final[Mapping[str, Mapping[str, Json]]] = _read("examples")
FEEDS: Final[Mapping[str, Mapping[str, object]]] = _read("feeds")
