"""Messages in English that can be translated later: a message is a str that knows its template."""

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from pathlib import Path

Translate = Callable[[str], str]


class Message(str):
    """A text made of `template` and `values`, which may be messages too; `code` is an error code or ""."""

    template: str
    values: dict[str, object]
    code = ""


def message(template: str, **values: object) -> Message:
    """Format a template; a test asserts that every catalogue has it.

    >>> message("{name} must be {accepts}.", name="page", accepts="a number")
    'page must be a number.'
    """
    made = Message(template.format(**values) if values else template)
    made.template = template
    made.values = values
    return made


def translated(text: str, translate: Translate) -> str:
    """Translate a text; without an entry in the catalogue it stays English."""
    if not isinstance(text, Message):
        return translate(text) if text else text
    values = {
        name: translated(value, translate) if isinstance(value, Message) else value
        for name, value in text.values.items()
    }
    template = translate(text.template)
    return template.format(**values) if values else template


DEFAULT = "en"
LANGUAGES = (DEFAULT, "de", "es", "fr", "it", "nl")


@lru_cache
def translator(language: str) -> Translate:
    """Return the function that translates into this language."""
    if language == DEFAULT:
        return str
    folder = Path(__file__).parent / "locale"
    found: Translate = import_module("gettext").translation("messages", folder, [language]).gettext
    return found
