"""The validator of `schemas/`: jsonschema with our formats and our way to count characters.

Only `validation` imports this module, and only when something needs jsonschema: loading it takes longer than
answering most requests.
"""

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from urllib.parse import urlsplit

from jsonschema import Draft202012Validator, FormatChecker, validators
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator

from calendar_api.contract.schemas import Schema
from calendar_api.domain import costs, dates, html, search_query, text, time_zones
from calendar_api.domain.text import is_visible

MAX_EXCERPT = 8192  # characters

_MAX_URL = 2048  # characters; `urlsplit` would cache longer ones
_EMAIL = re.compile(r"[^@\s<>\"(),:;\\\[\]]{1,64}@[^\W_](?:[\w-]*[^\W_])?(?:\.[^\W_](?:[\w-]*[^\W_])?)+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_UNSAFE = re.compile(r"[\s\"<>\\^`{|}\x00-\x1f\x7f-\x9f]")


def _loose_date(value: object) -> bool:
    if isinstance(value, str | int) and not isinstance(value, bool):
        dates.parse(value, UTC, datetime.now(UTC))
    return True


def _fits(limit: int, value: str) -> bool:
    """Limit the HTML as a GET returns it, so that a PUT accepts what a GET returns."""
    if value.count("<") > html.MAX_TAGS:
        return False
    returned = text.paragraphs(html.sanitize(value))
    if len(returned) > limit or returned.count("<") > html.MAX_TAGS:
        raise ValueError(html.TOO_MUCH_HTML)
    return True


def _printable(value: str) -> bool:
    return not _CONTROL.search(value)


def _search(value: str) -> bool:
    search_query.require_few(value)
    return _printable(" ".join(value.split()))


def _web_address(value: str) -> bool:
    """Empty, or an absolute http or https URL in ASCII that needs no escaping."""
    if not value:
        return True
    if len(value) > _MAX_URL or not value.isascii() or _UNSAFE.search(value):
        return False
    try:
        parts = urlsplit(value)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _image(value: object) -> bool:
    # `coercion.image` has already replaced false and an image object with an id.
    return not isinstance(value, bool | dict) and (not isinstance(value, str) or _web_address(value))


def _number(value: object) -> bool:
    """A number of JSON: NaN is within all limits. `coercion.number` has already replaced texts of numbers."""
    return not isinstance(value, str) and not (isinstance(value, float) and math.isnan(value))


#: Each returns False for a wrong value, or raises ValueError with a reason for people such as "must name a
#: day that exists in the calendar". Values of other types are left to `type`.
_TEXT_FORMATS: dict[str, Callable[[str], object]] = {
    "filter-date": lambda value: dates.parse_filter(value, UTC, datetime.now(UTC)),
    "time-zone": lambda value: value == "" or time_zones.named(value),
    "visible-text": is_visible,
    "markup": partial(_fits, html.MAX_HTML),
    "excerpt": partial(_fits, MAX_EXCERPT),
    "search": _search,
    "printable": _printable,
    "web-address": _web_address,
    "mail-address": lambda value: value == "" or bool(_EMAIL.fullmatch(value)),
}
_OTHER_FORMATS: dict[str, Callable[[object], bool]] = {
    "loose-date": _loose_date,
    "image": _image,
    "latitude": _number,
    "longitude": _number,
    "cost": lambda value: costs.parse(value) is not None,
}


def _conforms(check: Callable[[str], object], value: object) -> bool:
    return not isinstance(value, str) or check(value) is not False


checker = FormatChecker(formats=())
_of_texts: dict[str, Callable[[object], bool]] = {
    word: partial(_conforms, check) for word, check in _TEXT_FORMATS.items()
}
for _word, _check in {**_of_texts, **_OTHER_FORMATS}.items():
    checker.checks(_word, raises=ValueError)(_check)


def error_finder(schema: Schema) -> Callable[[object], Iterable[ValidationError]]:
    """Compile a schema without `$ref` to a function that yields every error of a value."""
    find: Callable[[object], Iterable[ValidationError]] = _Validator(
        schema, format_checker=checker
    ).iter_errors
    return find


def is_longer(value: str, limit: int) -> bool:
    """Count the characters in NFC, as texts are stored: one letter can become three."""
    if len(value) > limit:
        return True
    return 3 * len(value) > limit and len(unicodedata.normalize("NFC", value)) > limit


def _max_length(_: Validator, limit: int, value: object, schema: Schema) -> Iterator[ValidationError]:
    if isinstance(value, str) and is_longer(value, limit):
        yield ValidationError(f"is longer than {limit} characters")


def _format(own: Validator, word: str, value: object, schema: Schema) -> Iterator[ValidationError]:
    """Do not parse a text that is too long anyway."""
    if not isinstance(value, str) or "maxLength" not in schema or not is_longer(value, schema["maxLength"]):
        yield from Draft202012Validator.VALIDATORS["format"](own, word, value, schema)


_Validator = validators.extend(  # type: ignore[no-untyped-call]  # the stubs do not annotate it
    Draft202012Validator, {"maxLength": _max_length, "format": _format}
)
