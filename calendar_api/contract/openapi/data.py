"""The constant parts of the OpenAPI document, which are JSON files in this folder, and its components.

`texts.json` holds sentences that are neither in `schemas/` nor in the other files, `components.json` headers,
parameters and security schemes, `errors.json` each error with the operations that answer with it, and
`examples.json` records and request bodies by noun and role. Sentences are translated when the document is
built; a test finds those that have no translation. `feeds.json` holds a feed of each noun and format.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal, TypedDict

from calendar_api.domain.translation import Translate

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


def _read(name: str) -> str:
    return Path(__file__).with_name(f"{name}.json").read_text("utf-8")


TEXTS: Final[Mapping[str, str]] = json.loads(_read("texts"))
COMPONENTS: Final[Mapping[str, Mapping[str, Json]]] = json.loads(_read("components"))
ERRORS: Final[list[ErrorEntry]] = json.loads(_read("errors"))
EXAMPLES: Final[Mapping[str, Mapping[str, Json]]] = json.loads(_read("examples"))
FEEDS: Final[Mapping[str, Mapping[str, object]]] = json.loads(_read("feeds"))


_KINDS: Final = (
    "schemas", "parameters", "requestBodies", "headers", "responses", "examples", "securitySchemes"
)  # fmt: skip


class Components:
    """Collects the parts that others refer to, in one language."""

    def __init__(self, translate: Translate) -> None:
        self.translate = translate
        self.parts: dict[str, dict[str, Json]] = {kind: {} for kind in _KINDS}
        for kind in ("headers", "securitySchemes"):
            self.parts[kind] = {name: self.translated(part) for name, part in COMPONENTS[kind].items()}

    def text(self, name: str, **values: str) -> str:
        """A text of `texts.json`."""
        text = self.translate(TEXTS[name])
        return text.format(**values) if values else text

    def translated(self, part: Json) -> Json:
        return {**part, "description": self.translate(str(part["description"]))}

    def add(self, kind: str, name: str, part: Json) -> Ref:
        self.parts[kind][name] = part
        return {"$ref": f"#/components/{kind}/{name}"}

    def example(self, name: str, summary: str, value: object) -> Ref:
        return self.add("examples", name, {"summary": summary, "value": value})
