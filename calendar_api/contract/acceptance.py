"""Says yes at once to what a schema accepts; where it says no, the judge of `verdicts` has the word (pure).

Nearly everything that is sent is as it should be, and to find that out takes a fraction of the time that a
report of all mistakes does. It knows the keywords that `schemas/` use, and what it does not know it never
accepts; a test asserts that it accepts nothing that the judge refuses.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from calendar_api.contract import formats

Schema = Mapping[str, Any]
Accepts = Callable[[Any], bool]

_CLASSES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}
_NUMBERS = (int, float)
#: What a condition may ask for: here a yes is a yes of the schema, and a no is a no.
_CONDITIONS = {"type", "required"}


def of(schema: Schema) -> Accepts:
    """What tells whether a value is surely as this schema wants it."""
    makers = [(_KEYWORDS.get(word), argument) for word, argument in schema.items() if not _says_nothing(word)]
    checks = [_never if make is None else make(argument, schema) for make, argument in makers]

    def accepts(value: Any) -> bool:
        for check in checks:  # noqa: SIM110 - all() takes twice the time
            if not check(value):
                return False
        return True

    return accepts


def _says_nothing(word: str) -> bool:
    return word in ("description", "default", "then", "else", "$comment") or word.startswith("x-")


def _never(value: Any) -> bool:
    return False


def _type(names: str | list[str], _: Schema) -> Accepts:
    given = [names] if isinstance(names, str) else names
    classes = frozenset(one for name in given for one in _CLASSES[name])
    return lambda value: type(value) in classes


def _enum(values: list[Any], _: Schema) -> Accepts:
    texts = frozenset(value for value in values if isinstance(value, str))
    return lambda value: type(value) is str and value in texts


def _not(schema: Schema, _: Schema) -> Accepts:
    if schema.keys() != {"const"} or not isinstance(schema["const"], str):
        return _never
    excluded = schema["const"]
    return lambda value: bool(value != excluded)


def _minimum(limit: float, _: Schema) -> Accepts:
    return lambda value: type(value) not in _NUMBERS or bool(value >= limit)


def _exclusive_minimum(limit: float, _: Schema) -> Accepts:
    return lambda value: type(value) not in _NUMBERS or bool(value > limit)


def _maximum(limit: float, _: Schema) -> Accepts:
    return lambda value: type(value) not in _NUMBERS or bool(value <= limit)


def _min_length(limit: int, _: Schema) -> Accepts:
    return lambda value: type(value) is not str or len(value) >= limit


def _max_length(limit: int, _: Schema) -> Accepts:
    return lambda value: type(value) is not str or not is_longer(value, limit)


def is_longer(value: str, limit: int) -> bool:
    """Characters count as they are stored: composed, which of some letters makes two or three."""
    if len(value) > limit:
        return True
    return 3 * len(value) > limit and len(unicodedata.normalize("NFC", value)) > limit


def _pattern(pattern: str, _: Schema) -> Accepts:
    search = re.compile(pattern).search
    return lambda value: type(value) is not str or search(value) is not None


def _format(word: str, _: Schema) -> Accepts:
    check = formats.WORDS[word]

    def accepts(value: Any) -> bool:
        try:
            return check(value)
        except ValueError:
            return False

    return accepts


def _min_items(limit: int, _: Schema) -> Accepts:
    return lambda value: type(value) is not list or len(value) >= limit


def _max_items(limit: int, _: Schema) -> Accepts:
    return lambda value: type(value) is not list or len(value) <= limit


def _items(schema: Schema, _: Schema) -> Accepts:
    accepts = of(schema)
    return lambda value: type(value) is not list or all(map(accepts, value))


def _properties(schemas: Mapping[str, Schema], _: Schema) -> Accepts:
    checks = {name: of(schema) for name, schema in schemas.items()}

    def accepts(value: Any) -> bool:
        if type(value) is not dict:
            return True
        return all(checks[name](item) for name, item in value.items() if name in checks)

    return accepts


def _required(names: list[str], _: Schema) -> Accepts:
    return lambda value: type(value) is not dict or all(name in value for name in names)


def _if(condition: Schema, schema: Schema) -> Accepts:
    if not condition.keys() <= _CONDITIONS or condition.get("type") != "object":
        return _never
    applies, then, otherwise = of(condition), of(schema.get("then", {})), of(schema.get("else", {}))
    return lambda value: then(value) if applies(value) else otherwise(value)


_KEYWORDS: dict[str, Callable[[Any, Schema], Accepts]] = {
    "type": _type,
    "enum": _enum,
    "not": _not,
    "minimum": _minimum,
    "exclusiveMinimum": _exclusive_minimum,
    "maximum": _maximum,
    "minLength": _min_length,
    "maxLength": _max_length,
    "pattern": _pattern,
    "format": _format,
    "minItems": _min_items,
    "maxItems": _max_items,
    "items": _items,
    "properties": _properties,
    "required": _required,
    "if": _if,
}
