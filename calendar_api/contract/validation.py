"""Loads `schemas/`, checks request bodies and parses query strings; reports every problem at once."""

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from typing import Any

from calendar_api.contract import acceptance, coercion
from calendar_api.contract.schemas import Schema, schema
from calendar_api.domain import html
from calendar_api.domain.errors import InvalidParameters, could_not_create
from calendar_api.domain.translation import Message, message

_NESTED = ("venue", "organizer")
_COORDINATES = {"geo_lat", "geo_lng"}


@dataclass
class Checked:
    """What a body says, cast, with all that is wrong with it."""

    fields: dict[str, Any] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    causes: dict[str, str] = field(default_factory=dict)

    @property
    def valid(self) -> bool:
        return not self.problems and not self.missing

    @property
    def sound(self) -> dict[str, Any]:
        """The fields without a problem."""
        return {name: value for name, value in self.fields.items() if name not in self.problems}

    def without(self, names: Container[str]) -> "Checked":
        """The same without these fields and their problems."""
        kept = [
            {name: value for name, value in part.items() if name not in names}
            for part in (self.fields, self.problems, self.causes)
        ]
        return Checked(fields=kept[0], problems=kept[1], causes=kept[2], missing=self.missing)

    def error(self, more: Mapping[str, str] | None = None) -> InvalidParameters:
        """The error for these problems and those that only the database could tell."""
        return InvalidParameters(
            {**(more or {}), **self.problems}, missing=tuple(self.missing), causes=self.causes
        )


@lru_cache
def list_names(noun: str, role: str) -> frozenset[str]:
    """The fields or filters that take a list or a text with commas."""
    rules = schema(noun, role)["properties"].items()
    casts = ("list", *_NESTED)
    return frozenset(
        name for name, rule in rules if rule.get("type") == "array" or rule.get("x-cast") in casts
    )


@lru_cache
def _acceptance(noun: str, role: str) -> acceptance.Accepts:
    return acceptance.of(schema(noun, role))


@lru_cache
def _judge(noun: str, role: str) -> Any:
    # Loaded when something is refused for the first time: who only reads may never need it.
    return import_module("calendar_api.contract.verdicts").validator(schema(noun, role))


def _mistakes(noun: str, role: str, fields: Mapping[str, Any]) -> Iterable[Any]:
    """What jsonschema finds wrong with the fields; it is not asked where nothing can be."""
    return () if _acceptance(noun, role)(fields) else _judge(noun, role).iter_errors(fields)


def check(noun: str, role: str, given: Mapping[str, Any]) -> Checked:
    """Check a body against `create` or `update`; unknown fields are ignored
    (docs/interface.md#unknown-parameters).

    null for a required field is a missing field (docs/interface.md#bodies).
    """
    rules = schema(noun, role)
    required = rules.get("required", ())
    checked = Checked()
    for name, rule in rules["properties"].items():
        if name not in given or (given[name] is None and name in required):
            continue
        if _any_text(given[name], html.has_lone_surrogate):
            checked.problems[name] = message(
                "{name} must be valid Unicode text, without half a surrogate pair.", name=name
            )
            continue
        if _any_text(given[name], html.has_many_marks):
            checked.problems[name] = message(
                "{name} must have at most {limit} combining marks in a row.", name=name, limit=html.MAX_MARKS
            )
            continue
        checked.fields[name] = cast(rule, coercion.whole(given[name]))
    for error in _mistakes(noun, role, checked.fields):
        _report(checked, error, rules, given)
    _limit_nested(checked)
    return checked


def unchanged(noun: str, given: Mapping[str, Any], shown: Mapping[str, Any]) -> set[str]:
    """The fields of an update that say what the record shows already, in whatever form.

    Such a field is not written: what is shown may be longer than what may be sent, or tell less than what is
    stored. A publication date counts nevertheless, because it also says that the record is not due before,
    and coordinates count together.
    """
    rules = schema(noun, "update")["properties"]
    same = set()
    for name in rules.keys() & given.keys() & shown.keys():
        before, now = (cast(rules[name], coercion.whole(value)) for value in (shown[name], given[name]))
        if before == now and isinstance(before, bool) == isinstance(now, bool):
            same.add(name)
    if not same >= _COORDINATES:
        same -= _COORDINATES
    return same - ({"date"} if "date" in given else {"date_utc"})


def _limit_nested(checked: Checked) -> None:
    """New venues and organizers of one event share what one record may have of markup."""
    characters = tags = 0
    for name in _NESTED:
        items = checked.fields.get(name)
        texts = [
            item["description"]
            for item in (items if isinstance(items, list) else ())
            if isinstance(item, dict) and isinstance(item.get("description"), str)
        ]
        characters += sum(map(len, texts))
        tags += sum(described.count("<") for described in texts)
        if texts and (characters > html.MAX_HTML or tags > html.MAX_TAGS):
            checked.problems.setdefault(
                name,
                could_not_create(
                    name,
                    message(
                        "{name}: new descriptions together must have at most {limit} characters and "
                        "{tags} tags.",
                        name=name,
                        limit=html.MAX_HTML,
                        tags=html.MAX_TAGS,
                    ),
                ),
            )


def parse_query(noun: str, role: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """A query string by its declared types, with defaults filled in; raises InvalidParameters."""
    rules = schema(noun, role)
    checked = Checked()
    for name, rule in rules["properties"].items():
        if name in given:
            checked.fields[name] = coercion.query_value(rule, given[name])
    for error in _mistakes(noun, role, checked.fields):
        _report(checked, error, rules, given)
    if not checked.valid:
        raise checked.error()
    defaults = {name: rule["default"] for name, rule in rules["properties"].items() if "default" in rule}
    return {**defaults, **checked.fields}


def cast(rule: Schema, value: Any) -> Any:
    """A value of a body as its schema means it (`x-cast`); a text that is too long is left for the schema."""
    if isinstance(value, str) and len(value) > rule.get("maxLength", len(value)):
        return value
    match rule.get("x-cast"):
        case "flag":
            return coercion.flag(value)
        case "lenient-flag":
            return coercion.lenient_flag(value)
        case "id":
            return coercion.record_id(value)
        case "number":
            return coercion.number(value)
        case "image":
            return coercion.image(value)
        case "web-address":
            return coercion.web_address(value)
        case "list":
            return coercion.listing(value)
        case "venue" | "organizer" as noun:
            return coercion.linked(value, lambda item: _cast_nested(noun, item))
        case _:
            return value


def _cast_nested(noun: str, item: object) -> object:
    if not isinstance(item, dict):
        return item
    properties = schema(noun, "create")["properties"]
    return {name: cast(rule, item[name]) for name, rule in properties.items() if name in item}


def _report(checked: Checked, error: Any, rules: Schema, given: Mapping[str, Any]) -> None:
    path = [str(step) for step in error.absolute_path]
    if not path:  # only `required` speaks about the body as a whole
        lacking = [name for name in rules["required"] if name not in checked.fields]
        checked.missing = [name for name in lacking if name not in checked.problems]
        return
    name = path[0]
    rule = rules["properties"][name]
    sentence = _sentence(error, path, rule)
    nested = len(path) > 2
    blank_name = name in rules.get("required", ()) and error.validator == "format"
    if name in _NESTED and (nested or blank_name):
        could_not_create(name, sentence)
    checked.problems.setdefault(name, sentence)
    if _is_of_another_type(given[name], rule):
        checked.causes[name] = "rest_invalid_type"


def _is_of_another_type(value: Any, rule: Schema) -> bool:
    """Whether clients are told that the type is wrong: for null, odd flags, and numbers for a date.

    So they are for other empty values where a text may be empty.
    """
    if value is None or rule.get("type") == "boolean" or rule.get("x-cast") in ("flag", "lenient-flag"):
        return True
    declared = rule.get("x-declared", {})
    if value in (0, [], {}) and declared.get("type") == "string" and "null" in rule["type"]:
        return "default" in declared or rule.get("format") == "time-zone"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return rule.get("format") == "loose-date" or (rule.get("x-cast") == "id" and isinstance(value, float))


def _sentence(error: Any, path: list[str], rule: Schema) -> Message:
    name = path[0]
    if name in _NESTED and len(path) > 1 and isinstance(error.instance, dict):
        return message("{name} must have a name in `{name}` when it describes a new one.", name=name)
    if name in _NESTED and len(path) > 2:
        inner = schema(name, "create")["properties"].get(path[2], {})
        return message(
            "{name}: {field} must be {accepts}.", name=name, field=path[2], accepts=_accepts(inner)
        )
    if error.cause:  # a format that knows more than the schema: "must name a day that exists ..."
        return message("{name} {reason}.", name=name, reason=message(str(error.cause)))
    return message("{name} must be {accepts}.", name=name, accepts=_accepts(rule))


def _accepts(rule: Schema) -> Message:
    return message(rule.get("x-accepts", "valid"))


def _any_text(value: object, has_problem: Callable[[str], bool]) -> bool:
    """Whether any text in a value of JSON has the problem."""
    if isinstance(value, str):
        return has_problem(value)
    if isinstance(value, list):
        return any(_any_text(item, has_problem) for item in value)
    if isinstance(value, dict):
        return any(_any_text(item, has_problem) for pair in value.items() for item in pair)
    return False
