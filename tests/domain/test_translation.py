"""Every text for people is translated, with the same placeholders."""

import gettext
import re
from collections import Counter
from functools import cache

import pytest

from calendar_api.domain import translation
from calendar_api.domain.translation import message, translated
from tests import catalogues

texts = cache(catalogues.texts)
PLACEHOLDERS = re.compile(r"\{\w+\}|`[^`]*`")


def problems(texts: list[str], translations: dict[str, str]) -> list[str]:
    """The texts that have no translation, or one with other placeholders."""
    missing = [f"no translation: {text}" for text in texts if not translations.get(text)]
    different = [
        f"other placeholders: {text}"
        for text in texts
        if translations.get(text)
        and Counter(PLACEHOLDERS.findall(text)) != Counter(PLACEHOLDERS.findall(translations[text]))
    ]
    return missing + different


def catalogue(language: str) -> dict[str, str]:
    return {str(entry.id): str(entry.string) for entry in catalogues.catalogue(language) if entry.id}


@pytest.mark.parametrize("language", catalogues.TRANSLATED)
def test_every_text_has_a_translation_with_the_same_placeholders_and_no_other_has(language: str) -> None:
    assert problems(texts(), catalogue(language)) == []
    assert set(catalogue(language)) - set(texts()) == set()


@pytest.mark.parametrize(
    ("language", "others"),
    [
        ("de", r"\b(du|dein\w*|dir|dich)\b"), ("es", r"\b(tú|tus?|puedes|tienes|vuestr\w+)\b"),
        ("fr", r"\b(tu|ton|tes|toi)\b"),
        ("it", r"\b(vostr\w+|potete|avete|\w+(at|et|it)e(lo|la|ci)|inserite)\b"),
        ("nl", r"\b(je|jouw|jij)\b"),
    ],
)  # fmt: skip
def test_people_are_addressed_in_one_way(language: str, others: str) -> None:
    assert [text for text in catalogue(language).values() if re.search(others, text, re.IGNORECASE)] == []


def test_missing_translations_and_placeholders_are_found() -> None:
    assert problems(["a", "{b}"], {"{b}": "x"}) == ["no translation: a", "other placeholders: {b}"]


@pytest.mark.parametrize("language", catalogues.TRANSLATED)
def test_compiled_catalogue_is_that_of_the_source(language: str) -> None:
    with catalogues.po_path(language).with_suffix(".mo").open("rb") as compiled:
        said = gettext.GNUTranslations(compiled)

    expected = catalogue(language)
    assert {text: said.gettext(text) for text in expected} == expected


def test_message_is_translated_with_its_values() -> None:
    german = translation.translator("de")
    said = message("{name} must be {accepts}.", name="page", accepts=message("a whole number above 0"))

    assert said == "page must be a whole number above 0."
    assert translated(said, german) == "page muss eine ganze Zahl über 0 sein."
