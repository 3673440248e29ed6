"""Convert what clients send to what schemas expect: text to number, "yes" to true, commas to lists.

A value that cannot be converted is returned unchanged; validation then refuses it with a message.
"""

import math
import re
import string
import unicodedata
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import partial
from urllib.parse import quote, urlsplit

from calendar_api.contract.schemas import Schema, schema
from calendar_api.domain.form_params import truthy
from calendar_api.domain.text import without_entities

Fields = dict[str, object]

_FLAGS = {
    "true": True, "1": True, "yes": True, "on": True,
    "false": False, "0": False, "no": False, "off": False,
}  # fmt: skip
_QUERY_FLAGS = {"true": True, "1": True, "false": False, "0": False}
_MAX_LENIENT_FLAG = 20  # characters
_MAX_HOST = 253  # characters
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_NUMBER = re.compile(r"[+-]?[0-9]{1,30}(?:\.[0-9]{0,30})?(?:[eE][+-]?[0-9]{1,2})?")
_ID = re.compile(r"[0-9]{1,19}")


def body(noun: str, role: str, sent: Mapping[str, object]) -> Fields:
    """Convert the fields of a body as their `x-cast` says; unknown fields are left out."""
    rules = schema(noun, role)["properties"]
    return {name: _body_value(rule, sent[name]) for name, rule in rules.items() if name in sent}


def query(noun: str, role: str, sent: Mapping[str, object]) -> Fields:
    """Convert the parameters of a query string to the types in the schema; unknown ones are left out."""
    rules = schema(noun, role)["properties"]
    return {name: query_value(rule, sent[name]) for name, rule in rules.items() if name in sent}


def _body_value(rule: Schema, value: object) -> object:
    """Leave a text that is too long for the validator."""
    if not isinstance(value, str):
        value = whole(value)
    elif len(value) > rule.get("maxLength", len(value)):
        return value
    convert = BY_NAME.get(rule.get("x-cast", ""))
    return convert(value) if convert else value


def flag(value: object) -> object:
    if isinstance(value, str):
        return _FLAGS.get(value.lower(), value)
    return bool(value) if isinstance(value, int) and value in (0, 1) else value


def lenient_flag(value: object) -> object:
    return truthy(value) if isinstance(value, str) and len(value) <= _MAX_LENIENT_FLAG else flag(value)


def whole(value: object) -> object:
    """Replace `1.0` with `1` at any depth, because JSON Schema accepts both as integers."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [whole(item) for item in value]
    if isinstance(value, dict):
        return {name: whole(item) for name, item in value.items()}
    return value


def record_id(value: object) -> object:
    return int(value) if isinstance(value, str) and _ID.fullmatch(value) else value


def parent_id(value: object) -> object:
    """The id of a parent; None for an empty text."""
    return None if value == "" else record_id(value)


def number(value: object) -> object:
    """A finite number; None for an empty text."""
    if value == "":
        return None
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        parsed = float(value)
        return parsed if math.isfinite(parsed) else value
    return value


def image(value: object) -> object:
    """An id or a URL; None for no image. An image object, as a GET returns it, becomes its id."""
    if isinstance(value, dict):
        value = value.get("id", value.get("url", value))
    if value is False or (isinstance(value, str) and value.lower() in ("", "false")):
        return None
    return web_address(record_id(value))


def event_status(value: object) -> object:
    if value in (None, ""):
        return "scheduled"
    return "canceled" if value == "cancelled" else value


def web_address(value: object) -> object:
    """Encode the host with IDNA, and spaces and non-ASCII characters after it with percent signs."""
    if not isinstance(value, str) or _CONTROL.search(value):
        return value
    value = value.strip() or value  # a text of spaces only stays, to be refused
    try:
        host_and_port = urlsplit(value).netloc
        before, _, after = value.partition(host_and_port) if host_and_port else (value, "", "")
        return before + _ascii_host(host_and_port) + quote(after, safe=string.punctuation)
    except ValueError:
        return value


def _ascii_host(host_and_port: str) -> str:
    """Raises ValueError for a name that IDNA replaces with another, such as straße with strasse."""
    if host_and_port.isascii():
        return host_and_port
    host, colon, port = host_and_port.partition(":")
    if len(host) > _MAX_HOST:
        raise ValueError
    encoded = host.encode("idna")
    if encoded.decode("idna") != unicodedata.normalize("NFC", host).lower():
        raise ValueError
    return f"{encoded.decode()}{colon}{port}"


def listing(value: object) -> object:
    """Ids, slugs or names from a list or a comma-separated text, without empty items."""
    if value is None:
        return []
    if isinstance(value, dict) and "id" not in value:  # `categories[a]=music` of a form
        value = list(value.values())
    items = [item.strip() if isinstance(item, str) else item for item in _items(value)]
    for place, item in enumerate(items):  # terms as a GET returns them
        if isinstance(item, dict) and isinstance(item.get("id"), int | str):
            items[place] = record_id(item["id"])
    return [item for item in items if item != ""]


def _items(value: object) -> list[object]:
    if isinstance(value, str):
        return [*value.split(",")]
    return value if isinstance(value, list) else [value]


def linked(value: object, coerce_new: Callable[[Fields], object]) -> object:
    """Ids and new records from any accepted form (docs/interface.md#linked-records).

    `coerce_new` converts the fields of an object without an id, which describes a new record.
    """
    if value in (None, "", 0, "0", [], {}):  # False equals 0
        return []
    items = (item.strip() if isinstance(item, str) else item for item in _items(value))
    return [_linked_item(item, coerce_new) for item in items if item != ""]


def _linked_item(item: object, coerce_new: Callable[[Fields], object]) -> object:
    if not isinstance(item, dict):
        return record_id(item)
    if "id" not in item:
        return coerce_new(item)
    # An object with an id refers to that record; its other fields change nothing. An id that is itself an
    # object must not be used in place of the record.
    return None if isinstance(item["id"], dict) else record_id(item["id"])


#: By the name that `x-cast` has in `schemas/`.
BY_NAME: dict[str, Callable[[object], object]] = {
    "flag": flag,
    "lenient-flag": lenient_flag,
    "id": record_id,
    "parent-id": parent_id,
    "number": number,
    "image": image,
    "web-address": lambda value: web_address(without_entities(value) if isinstance(value, str) else value),
    "list": listing,
    "event-status": event_status,
    "venue": lambda value: linked(value, partial(body, "venue", "create")),
    "organizer": lambda value: linked(value, partial(body, "organizer", "create")),
}


def query_value(rule: Schema, value: object) -> object:
    """Convert a query parameter to the type in its schema (docs/interface.md#lenient-types)."""
    declared = rule.get("type")
    if declared == "array":
        return _query_list(rule, value)
    if not isinstance(value, str):
        return value
    if declared == "integer":
        return _integer(value)
    if declared == "number":
        return number(value) if value else value
    if declared == "boolean":
        return _QUERY_FLAGS.get(value.lower(), value)
    return value


def _query_list(rule: Schema, value: object) -> list[object]:
    given = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else [value]
    items: list[object] = []
    for item in given:
        items += (
            [part for part in map(str.strip, item.split(",")) if part] if isinstance(item, str) else [item]
        )
    if rule.get("items", {}).get("type") == "integer":
        return [_integer(item) if isinstance(item, str) else item for item in items]
    return items


def _integer(value: str) -> object:
    """`2`, `2.0` and `1e1` are integers, as in the reference."""
    stripped = value.strip()
    if not _NUMBER.fullmatch(stripped):
        return value
    parsed = Decimal(stripped)
    return int(parsed) if parsed == parsed.to_integral_value() else value
