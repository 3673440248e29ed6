"""From what a client wrote to what a schema means: texts to numbers, yes to true, commas to lists (pure).

A value that cannot be cast is left as it is, and the schema refuses it with a sentence.
"""

import math
import re
import string
import unicodedata
from collections.abc import Callable, Mapping
from decimal import Decimal
from urllib.parse import quote, urlsplit

from calendar_api.domain import html
from calendar_api.domain.form_params import truthy

_FLAGS = {
    "true": True, "1": True, "yes": True, "on": True,
    "false": False, "0": False, "no": False, "off": False,
}  # fmt: skip
_QUERY_FLAGS = {"true": True, "1": True, "false": False, "0": False}
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_LONGEST_HOST = 253
_NUMBER = re.compile(r"[+-]?[0-9]{1,30}(?:\.[0-9]{0,30})?(?:[eE][+-]?[0-9]{1,2})?")

Caster = Callable[[object], object]


def flag(value: object) -> object:
    if isinstance(value, str):
        return _FLAGS.get(value.lower(), value)
    return bool(value) if isinstance(value, int) and value in (0, 1) else value


def lenient_flag(value: object) -> object:
    return truthy(value) if isinstance(value, str) and len(value) <= 20 else flag(value)


def whole(value: object) -> object:
    """The same with `1.0` written as `1`, at any depth: JSON Schema takes both for whole numbers."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [whole(item) for item in value]
    if isinstance(value, dict):
        return {name: whole(item) for name, item in value.items()}
    return value


def record_id(value: object) -> object:
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,19}", value):
        return int(value)
    return value


def number(value: object) -> object:
    """A finite number; an empty text is None."""
    if value == "":
        return None
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        read = float(value)
        return read if math.isfinite(read) else value
    return value


def image(value: object) -> object:
    """An id or an address; an image as it is shown is its id, and None is no image."""
    if isinstance(value, dict):
        value = value.get("id", value.get("url", value))
    if value is False or (isinstance(value, str) and value.lower() in ("", "false")):
        return None
    return _ascii_address(record_id(value))


def web_address(value: object) -> object:
    """An address in ASCII, without the entities that HTML needs."""
    return _ascii_address(html.without_entities(value) if isinstance(value, str) else value)


def _ascii_address(value: object) -> object:
    """Blanks and characters beyond ASCII percent-encoded, in the name of the host by IDNA."""
    if not isinstance(value, str) or _CONTROL.search(value):
        return value
    value = value.strip() or value  # nothing but blanks is no address
    try:
        host_and_port = urlsplit(value).netloc
        before, _, after = value.partition(host_and_port) if host_and_port else (value, "", "")
        return before + _ascii_host(host_and_port) + quote(after, safe=string.punctuation)
    except ValueError:
        return value


def _ascii_host(host_and_port: str) -> str:
    """Raises ValueError for a name that IDNA would replace by another one, such as straße by strasse."""
    if host_and_port.isascii():
        return host_and_port
    host, colon, port = host_and_port.partition(":")
    if len(host) > _LONGEST_HOST:
        raise ValueError
    encoded = host.encode("idna")
    if encoded.decode("idna") != unicodedata.normalize("NFC", host).lower():
        raise ValueError
    return f"{encoded.decode()}{colon}{port}"


def listing(value: object) -> object:
    """A list, or a text with commas, of ids, slugs or names; empty items are dropped."""
    if value is None or value == "":
        return []
    if isinstance(value, dict) and "id" in value:  # one term as it is shown
        value = [value]
    if isinstance(value, dict):  # `categories[a]=music` of a form: the names do not matter
        value = list(value.values())
    if isinstance(value, str):
        value = value.split(",")
    elif not isinstance(value, list):
        value = [value]
    items = [item.strip() if isinstance(item, str) else _term_id(item) for item in value]
    return [item for item in items if item != ""]


def _term_id(item: object) -> object:
    """A term as it is shown is its id."""
    given = item.get("id") if isinstance(item, dict) else None
    return record_id(given) if isinstance(given, int | str) else item


def linked(value: object, nested: Caster) -> object:
    """Any accepted form (docs/interface.md#linked-records) as a list of ids and objects without an id.

    `nested` casts the fields of an object that describes a new record.
    """
    if value in (None, "", 0, "0", [], {}):  # False equals 0
        return []
    if isinstance(value, str):
        items: list[object] = [part.strip() for part in value.split(",") if part.strip()]
    else:
        items = value if isinstance(value, list) else [value]
    return [_linked_item(item, nested) for item in items]


def _linked_item(item: object, nested: Caster) -> object:
    if not isinstance(item, dict):
        return record_id(item)
    if "id" not in item:
        return nested(item)
    # An object with an id means that record; what else it says about it is not ours to change here. An id
    # that is an object itself is none: it must not pass for that object.
    return None if isinstance(item["id"], dict) else record_id(item["id"])


def query_value(rule: Mapping[str, object], value: object) -> object:
    """A value of a query string by the type that its schema declares (docs/interface.md#lenient-types)."""
    declared = rule.get("type")
    if declared == "array":
        return _query_list(rule, value)
    if not isinstance(value, str):
        return value
    if declared == "integer":
        return _whole(value)
    if declared == "number":
        return number(value) if value else value
    if declared == "boolean":
        return _QUERY_FLAGS.get(value.lower(), value)
    return value


def _query_list(rule: Mapping[str, object], value: object) -> object:
    given = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else [value]
    items: list[object] = []
    for item in given:
        items.extend(_parts(item) if isinstance(item, str) else [item])
    expected = rule.get("items")
    if isinstance(expected, dict) and expected.get("type") == "integer":
        return [_whole(item) if isinstance(item, str) else item for item in items]
    return items


def _parts(value: str) -> list[object]:
    return [part.strip() for part in value.split(",") if part.strip()]


def _whole(value: str) -> object:
    """`2`, `2.0` and `1e1` are whole numbers, as they are for the reference."""
    stripped = value.strip()
    if not _NUMBER.fullmatch(stripped):
        return value
    read = Decimal(stripped)
    return int(read) if read == read.to_integral_value() else value
