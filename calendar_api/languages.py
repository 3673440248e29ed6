"""The languages that descriptions and messages can be had in, and their gettext catalogues."""

import gettext
from functools import lru_cache
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
    return gettext.translation("messages", folder, [language]).gettext
