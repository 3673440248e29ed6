"""Sentences for people, in English with places to fill in, that can be said in another language later (pure).

A message is a text like any other, so that nothing else has to know about languages; it remembers how it was
made, and `translated` makes it again from the catalogue's template.
"""

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from pathlib import Path

Translate = Callable[[str], str]


class Message(str):
    """`template` and the `values` that fill its places; values may be messages themselves.

    `code` is the code of an error that has nothing to report but problems with a code, or "".
    """

    template: str
    values: dict[str, object]
    code = ""


def message(template: str, **values: object) -> Message:
    """A sentence with its places filled in; a test asserts that every catalogue has its template.

    >>> message("{name} must be {accepts}.", name="page", accepts="a number")
    'page must be a number.'
    """
    made = Message(template.format(**values) if values else template)
    made.template = template
    made.values = values
    return made


def translated(text: str, translate: Translate) -> str:
    """The text in the language of `translate`; as it is where the catalogue has no entry."""
    if not isinstance(text, Message):
        return translate(text) if text else text
    values = {
        name: translated(value, translate) if isinstance(value, Message) else value
        for name, value in text.values.items()
    }
    said = translate(text.template)
    return said.format(**values) if values else said


DEFAULT = "en"
LANGUAGES = (DEFAULT, "de", "es", "fr", "it", "nl")


@lru_cache
def translator(language: str) -> Translate:
    """What says a text in this language; texts without an entry stay English."""
    if language == DEFAULT:
        return str
    folder = Path(__file__).parent / "locale"
    found: Translate = import_module("gettext").translation("messages", folder, [language]).gettext
    return found
