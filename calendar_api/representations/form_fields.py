"""What the inputs of a form hold, and what was changed in them.

A form says of each field what it was when it was made (`digests`), so that only what a person has changed is
written, and what two people have changed is found.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping

from calendar_api.representations import description_text

#: What the inputs of a form hold, by their names; several checkboxes with one name are a list.
Inputs = Mapping[str, str | list[str]]
Filled = dict[str, str | list[str]]


class FormFields(dict[str, tuple[str, ...]]):
    """The inputs for each field of the interface: one of the same name, or those in `inputs_of`.

    `lists` are those inputs that are lists.
    """

    def __init__(self, names: Iterable[str], lists: Iterable[str] = (), **inputs_of: tuple[str, ...]) -> None:
        super().__init__({name: inputs_of.get(name, (name,)) for name in names})
        self.lists = frozenset(lists)

    @property
    def inputs(self) -> list[str]:
        return [name for names in self.values() for name in names]

    def digests(self, inputs: Inputs, names: Iterable[str] | None = None) -> str:
        """What the fields with these names hold, for a hidden input and for `changed`."""
        return " ".join(f"{name}:{self._digest(inputs, name)}" for name in (self if names is None else names))

    def changed(self, inputs: Inputs, before: str) -> set[str]:
        """The fields in `before` (made by `digests`) that hold something else now."""
        pairs = (part.split(":", 1) for part in before.split() if ":" in part)
        return {name for name, digest in pairs if name in self and digest != self._digest(inputs, name)}

    def merged(self, mine: Inputs, theirs: Inputs, before: str) -> tuple[Filled, set[str]]:
        """Theirs with what I have changed since `before`, and the fields that both have changed."""
        own, others = self.changed(mine, before), self.changed(theirs, before)
        changes = {name: mine[name] for field in own for name in self[field] if name in mine}
        both = {field for field in own & others if self._digest(mine, field) != self._digest(theirs, field)}
        return {**theirs, **changes}, both

    def _digest(self, inputs: Inputs, field: str) -> str:
        """Browsers send line ends as CRLF, and nothing for a checkbox that is off."""
        held = [
            sorted(one.strip().replace("\r\n", "\n") for one in values(inputs, name)) for name in self[field]
        ]
        return hashlib.sha256(json.dumps(held).encode()).hexdigest()[:12]


def text(inputs: Inputs, name: str) -> str:
    value = inputs.get(name, "")
    return value.strip() if isinstance(value, str) else ""


def values(inputs: Inputs, name: str) -> list[str]:
    """The values of a list, or the text if there is one."""
    value = inputs.get(name, [])
    return value if isinstance(value, list) else [value] if value.strip() else []


def of_description(html: str) -> Filled:
    """The inputs of a description: as text if it has paragraphs and links alone, else as HTML."""
    plain = description_text.as_text(html)
    shown, format = (html, "html") if plain is None else (plain, "text")
    return {"description": shown, "description_format": format}


def description(inputs: Inputs, stored: str) -> str:
    """The HTML of the inputs; paragraphs that stay are taken from `stored`."""
    typed = text(inputs, "description")
    return typed if inputs.get("description_format") == "html" else description_text.as_html(typed, stored)
