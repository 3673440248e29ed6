"""Collect the texts that the gettext catalogues must hold; `python -m tests.catalogues` updates these.

It adds new texts without a translation to each messages.po, deletes texts that no longer exist, and compiles.
"""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from calendar_api.contract import schemas
from calendar_api.contract.openapi import data
from calendar_api.domain.translation import DEFAULT, LANGUAGES

PACKAGE = Path(__file__).parent.parent / "calendar_api"
LOCALE = PACKAGE / "domain" / "locale"
TEMPLATES = PACKAGE / "representations" / "templates"
SCHEMAS = PACKAGE.parent / "schemas"
TRANSLATED = tuple(language for language in LANGUAGES if language != DEFAULT)

#: Modules of `domain` whose ValueErrors have a message for people.
_RAISING = ("costs", "dates", "relative_dates", "search_query", "text", "html", "time_zones")
_TRANSLATING = ("message", "say", "translate")


def texts() -> list[str]:
    """Every text for people in a response, sorted."""
    found = set(_of_schemas()) | set(_of_code()) | set(_of_templates())
    return sorted(text for text in found if text)


def _of_schemas() -> Iterator[str]:
    for path in SCHEMAS.glob("*.json"):
        yield from _descriptions(schemas.document(path.stem)["$defs"])
    yield from _descriptions([data.ERRORS, data.COMPONENTS])
    yield from data.TEXTS.values()


def _descriptions(part: Any) -> Iterator[str]:
    if isinstance(part, list):
        for item in part:
            yield from _descriptions(item)
    if isinstance(part, dict):
        for key, value in part.items():
            if key in ("description", "x-accepts") and isinstance(value, str):
                yield value
            else:
                yield from _descriptions(value)


def _of_code() -> Iterator[str]:
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        name = path.stem
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                yield from _said(node, name)
    yield from ("Id of the record.", "Slug of the record.", "valid")


def _of_templates() -> Iterator[str]:
    for path in sorted(TEMPLATES.rglob("*.html")):
        yield from re.findall(r"""\b_\("([^"]+)"\)""", path.read_text("utf-8"))


def _said(call: ast.Call, module: str) -> Iterator[str]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if not call.args:
        return
    first = call.args[0]
    if name in _TRANSLATING and isinstance(first, ast.Constant) and isinstance(first.value, str):
        yield first.value
    elif name == "ValueError" and module in _RAISING:
        home = importlib.import_module(f"calendar_api.domain.{module}")
        yield _literal(first, home)


def _literal(expression: ast.expr, home: ModuleType) -> str:
    """The text of a constant, of a name of the module, or of an f-string of these; raises TypeError."""
    match expression:
        case ast.Constant(value):
            return str(value)
        case ast.Name(id):
            return str(getattr(home, id))
        case ast.FormattedValue(value, conversion=-1, format_spec=None):
            return _literal(value, home)
        case ast.JoinedStr(values):
            return "".join(_literal(value, home) for value in values)
    raise TypeError(f"line {expression.lineno} of {home.__name__}: write the text as one literal or one name")


def catalogue(language: str) -> Catalog:
    """The catalogue in the checkout; an empty one for a new language."""
    path = po_path(language)
    if not path.exists():
        return Catalog(locale=language)
    with path.open("rb") as lines:
        return read_po(lines, locale=language)


def po_path(language: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / "messages.po"


def update(language: str) -> int:
    """Update one catalogue; returns how many texts have no translation."""
    old = catalogue(language)
    new = Catalog(locale=language, project="calendar-api", charset="utf-8", fuzzy=False, header_comment="")
    for text in texts():
        known = old.get(text)
        new.add(text, known.string if known else "")
    path = po_path(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as out:
        write_po(out, new, width=100, omit_header=True, sort_output=True)
    with path.with_suffix(".mo").open("wb") as out:
        write_mo(out, new)
    return sum(1 for entry in new if entry.id and not entry.string)


if __name__ == "__main__":
    for one in TRANSLATED:
        print(f"{one}: {update(one)} without a translation")
