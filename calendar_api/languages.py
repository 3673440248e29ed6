"""The languages that descriptions and messages can be had in, and their gettext catalogues."""

from functools import lru_cache
from importlib import import_module
from pathlib import Path

from calendar_api.messages import Translate

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
