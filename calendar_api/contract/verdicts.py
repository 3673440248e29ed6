"""The judge of what is sent, who finds all that is wrong with it; loaded when there is something to judge."""

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker, validators
from jsonschema.exceptions import ValidationError

from calendar_api.contract import acceptance, formats

checker = FormatChecker(formats=())
for _word, _check in formats.WORDS.items():
    checker.checks(_word, raises=ValueError)(_check)


def _max_length(_: Any, limit: int, value: object, rule: dict[str, Any]) -> Iterator[ValidationError]:
    if isinstance(value, str) and acceptance.is_longer(value, limit):
        yield ValidationError(f"is longer than {limit} characters")


def _format(own: Any, word: str, value: object, rule: dict[str, Any]) -> Iterator[ValidationError]:
    """Parse no text that is too long anyway."""
    if isinstance(value, str) and "maxLength" in rule and acceptance.is_longer(value, rule["maxLength"]):
        return
    yield from Draft202012Validator.VALIDATORS["format"](own, word, value, rule)


# The library's types leave this one function out.
_Validator = validators.extend(  # type: ignore[no-untyped-call]
    Draft202012Validator, {"maxLength": _max_length, "format": _format}
)


def validator(schema: dict[str, Any]) -> Any:
    """What finds every mistake of a document, as jsonschema words it."""
    return _Validator(schema, format_checker=checker)
