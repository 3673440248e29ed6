"""Check request bodies and query strings against `schemas/`, and report every problem at once."""

import json
import re
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from calendar_api.contract import coercion
from calendar_api.contract.coercion import Fields
from calendar_api.contract.schemas import Schema, schema
from calendar_api.domain import html, json_text
from calendar_api.domain.errors import InvalidParameters, could_not_create
from calendar_api.domain.text import MAX_MARKS, SURROGATES, has_many_marks
from calendar_api.domain.translation import Message, message

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

    ErrorFinder = Callable[[object], Iterable[ValidationError]]

#: Finds problems of valid parameters, by name.
FindProblems = Callable[[Fields], Mapping[str, str]]

_NESTED = ("venue", "organizer")
_COORDINATES = {"geo_lat", "geo_lng"}
_SHORT = 300  # characters of a text, or of another value as JSON
_MAX_ID = 2**63 - 1
_LENGTHS = {"type", "minLength", "maxLength"}
_CLOCK = r"(?:[ T](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9])?)?"
_LETTERS = re.compile(r"[A-Za-zÀ-ɏ][0-9A-Za-zÀ-ɏ -]{0,49}")  # other scripts may have longer folded forms
#: Most values of these formats, all of them valid.
_PLAIN_TEXTS = {
    "filter-date": re.compile(rf"[12][0-9]{{3}}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01]){_CLOCK}"),
    "loose-date": re.compile(rf"(?:19|20)[0-9]{{2}}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8]){_CLOCK}"),
    **dict.fromkeys(("search", "visible-text"), _LETTERS),
}


@dataclass
class Checked:
    """The coerced fields of a body and every problem found.

    `problems` maps a field to a message, `missing` lists required fields that were not sent, `causes` maps a
    field to the error code of the rule that it breaks.
    """

    fields: Fields = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    causes: dict[str, str] = field(default_factory=dict)

    @property
    def valid(self) -> bool:
        return not self.problems and not self.missing

    @property
    def sound(self) -> Fields:
        """The fields without a problem."""
        return {name: value for name, value in self.fields.items() if name not in self.problems}

    def require_valid(self) -> Fields:
        """Return the fields; raises InvalidParameters."""
        if not self.valid:
            raise self.error()
        return self.fields

    def without(self, names: Container[str]) -> "Checked":
        """The same without these fields and their problems."""
        return Checked(
            fields={name: value for name, value in self.fields.items() if name not in names},
            problems={name: text for name, text in self.problems.items() if name not in names},
            causes={name: code for name, code in self.causes.items() if name not in names},
            missing=self.missing,
        )

    def error(self, more: Mapping[str, str] | None = None) -> InvalidParameters:
        """The error for these problems and `more`, which only the database could find."""
        problems = {**(more or {}), **self.problems}
        return InvalidParameters(problems, missing=tuple(self.missing), causes=self.causes)


@cache
def list_names(noun: str, role: str) -> frozenset[str]:
    """Names of the fields or filters that take a list or a comma-separated text."""
    return frozenset(
        name
        for name, rule in schema(noun, role)["properties"].items()
        if rule.get("type") == "array" or rule.get("x-cast") in ("list", *_NESTED)
    )


def check(noun: str, role: str, given: Mapping[str, object]) -> Checked:
    """Check a body against the role `create` or `update`. Unknown fields are ignored
    (docs/interface.md#unknown-parameters), and null for a required field means missing
    (docs/interface.md#bodies).
    """
    rules = schema(noun, role)
    required = rules.get("required", ())
    sent = {
        name: given[name]
        for name in rules["properties"]
        if name in given and not (given[name] is None and name in required)
    }
    problems: dict[str, str] = {key: why for key, value in sent.items() if (why := _text_problem(key, value))}
    sound = {name: value for name, value in sent.items() if name not in problems}
    missing = [name for name in required if name not in sent]
    checked = Checked(coercion.body(noun, role, sound), problems, missing)
    _validate(checked, noun, role, given)
    _limit_nested(checked)
    return checked


def parse_query(
    noun: str, role: str, given: Mapping[str, object], more: FindProblems = lambda sound: {}
) -> Fields:
    """Coerce and check a query, and add defaults. An InvalidParameters also has what `more` finds."""
    checked = Checked(coercion.query(noun, role, given))
    _validate(checked, noun, role, given)
    if not checked.valid:
        raise checked.error(more(checked.sound))
    return {**_defaults(noun, role), **checked.fields}


@cache
def _defaults(noun: str, role: str) -> Mapping[str, object]:
    rules = schema(noun, role)["properties"]
    return {name: rule["default"] for name, rule in rules.items() if "default" in rule}


def unchanged_fields(noun: str, given: Mapping[str, object], current: Mapping[str, object]) -> set[str]:
    """Names of the fields of an update that have the value that a GET returns already, in any accepted form.

    They are not written: the returned value may be longer than the limit, or say less than the stored one.
    A publication date that is sent always counts as changed, because it also says that the record is not due
    before; coordinates count as a pair.
    """
    shown = {name: current[name] for name in given if name in current}
    before, now = (coercion.body(noun, "update", fields) for fields in (shown, given))
    same = {
        name
        for name, value in now.items()
        if name in before
        and before[name] == value
        and isinstance(before[name], bool) == isinstance(value, bool)
    }
    if not same >= _COORDINATES:
        same -= _COORDINATES
    return same - ({"date"} if "date" in given else {"date_utc"})


def _validate(checked: Checked, noun: str, role: str, given: Mapping[str, object]) -> None:
    """Report what jsonschema finds wrong with the coerced fields: one problem per field."""
    rules = schema(noun, role)
    for name, value in checked.fields.items():
        error = _first_error(noun, role, name, value)
        if error is not None:
            checked.problems[name] = _problem(error, name, rules)
            if _has_wrong_type(given[name], rules["properties"][name]):
                checked.causes[name] = "rest_invalid_type"


def _is_plain(rule: Schema, value: object) -> bool:
    """Fast pre-check: reads rarely load jsonschema. True: certainly valid. False: ask jsonschema."""
    if isinstance(value, bool):
        return "boolean" in rule.get("type", ()) and "format" not in rule
    if isinstance(value, str):
        plain = _PLAIN_TEXTS.get(rule.get("format", ""))
        if plain is not None:
            return plain.fullmatch(value) is not None
        # In NFC, as texts are counted, a character can become three.
        return rule.keys() == _LENGTHS and 0 < 3 * len(value) <= rule["maxLength"]
    if isinstance(value, list) and len(value) <= rule.get("maxItems", 0):
        if rule["type"] == "array":
            return bool(value) and all(_is_plain(rule["items"], item) for item in value)
        # Ids, which all lists of records and terms take.
        is_list = rule.get("x-cast") in ("list", *_NESTED)
        return is_list and all(type(item) is int and 0 < item <= _MAX_ID for item in value)
    return (
        isinstance(value, int)
        and rule.get("type") == "integer"
        and rule.get("minimum", value) <= value <= rule.get("maximum", value)
    )


def _first_error(noun: str, role: str, name: str, value: object) -> "ValidationError | None":
    """Short values are looked up in a cache first: imports send the same ones again and again."""
    rule = schema(noun, role)["properties"][name]
    if _is_plain(rule, value) or (
        noun == "event" and name in _NESTED and _are_new_and_valid(name, rule, value)
    ):
        return None
    decode, key = (str, value) if isinstance(value, str) else (json.loads, json.dumps(value))
    if len(key) <= _SHORT and _is_valid(noun, role, name, decode, key):
        return None
    return next(iter(_error_finder(noun, role, name)(value)), None)


def _are_new_and_valid(noun: str, rule: Schema, value: object) -> bool:
    """Fast pre-check of new records of an event, field by field. False: ask jsonschema."""
    required = schema(noun, "create")["required"]
    return (
        isinstance(value, list)
        and 0 < len(value) <= rule.get("maxItems", 0)
        and all(isinstance(one, dict) and all(name in one for name in required) for one in value)
        and not any(_first_error(noun, "create", *field) for one in value for field in one.items())
    )


@lru_cache(maxsize=1024)
def _is_valid(noun: str, role: str, name: str, decode: Callable[[str], object], key: str) -> bool:
    return next(iter(_error_finder(noun, role, name)(decode(key))), None) is None


@cache
def _error_finder(noun: str, role: str, name: str) -> "ErrorFinder":
    """Compile the rule of one field at its first use."""
    # Imported late: a process that only answers simple reads never needs jsonschema.
    formats = import_module("calendar_api.contract.formats")
    find: ErrorFinder = formats.error_finder(schema(noun, role)["properties"][name])
    return find


def _problem(error: "ValidationError", name: str, rules: Schema) -> Message:
    """Word an error in the field `name`; in a nested record it is at an index and the name of a field."""
    rule = rules["properties"][name]
    is_blank_name = name in rules.get("required", ()) and error.validator == "format"
    steps = [str(step) for step in error.absolute_path] if name in _NESTED else []
    if steps and isinstance(error.instance, dict):
        problem = message("{name} must have a name in `{name}` when it describes a new one.", name=name)
    elif len(steps) > 1:
        inner = schema(name, "create")["properties"].get(steps[1], {})
        problem = message(
            "{name}: {field} must be {accepts}.", name=name, field=steps[1], accepts=_accepts(inner)
        )
    elif error.cause:  # a format gave a reason: "must name a day that exists ..."
        problem = message("{name} {reason}.", name=name, reason=message(str(error.cause)))
    else:
        problem = message("{name} must be {accepts}.", name=name, accepts=_accepts(rule))
    if name in _NESTED and (len(steps) > 1 or is_blank_name):
        could_not_create(name, problem)
    return problem


def _accepts(rule: Schema) -> Message:
    return message(rule.get("x-accepts", "valid"))


def _has_wrong_type(value: object, rule: Schema) -> bool:
    """Whether the answer names the type as the cause: for null, wrong flags, a number instead of a date, and
    other empty values instead of an empty text.
    """
    if value is None or rule.get("type") == "boolean" or rule.get("x-cast") in ("flag", "lenient-flag"):
        return True
    declared = rule.get("x-declared", {})
    if value in (0, [], {}) and declared.get("type") == "string" and "null" in rule["type"]:
        return "default" in declared or rule.get("format") == "time-zone"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return rule.get("format") == "loose-date" or (rule.get("x-cast") == "id" and isinstance(value, float))


def _text_problem(name: str, value: object) -> Message | None:
    """Find a text at any depth of a JSON value that cannot be stored."""
    texts = "\0".join(json_text.strings(value))
    if texts.isascii():
        return None
    if SURROGATES.search(texts):
        return message("{name} must be valid Unicode text, without half a surrogate pair.", name=name)
    if has_many_marks(texts):
        return message(
            "{name} must have at most {limit} combining marks in a row.", name=name, limit=MAX_MARKS
        )
    return None


def _limit_nested(checked: Checked) -> None:
    """Limit the HTML of all new venues and organizers of one event together to that of a single record."""
    texts: list[str] = []
    for name in _NESTED:
        items = checked.fields.get(name)
        records = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
        new = [text for record in records if isinstance(text := record.get("description"), str)]
        texts += new
        too_long = sum(map(len, texts)) > html.MAX_HTML
        if new and (too_long or sum(text.count("<") for text in texts) > html.MAX_TAGS):
            problem = message(
                "{name}: new descriptions together must have at most {limit} characters and {tags} tags.",
                name=name,
                limit=html.MAX_HTML,
                tags=html.MAX_TAGS,
            )
            checked.problems.setdefault(name, could_not_create(name, problem))
