"""The `format` words of `schemas/`: checks that JSON Schema cannot say by itself (pure)."""

import re
from datetime import UTC, datetime
from urllib.parse import urlsplit

from jsonschema import FormatChecker

from calendar_api import costs, dates, text, zones

MAX_MARKUP = 65_536
MAX_TAGS = 2000

_MAIL = re.compile(r"[^@\s<>\"(),:;\\\[\]]{1,64}@[^\W_](?:[\w-]*[^\W_])?(?:\.[^\W_](?:[\w-]*[^\W_])?)+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")

checker = FormatChecker(formats=())


@checker.checks("loose-date", raises=ValueError)
def _loose_date(value: object) -> bool:
    if isinstance(value, str | int) and not isinstance(value, bool):
        dates.parse(value, UTC, datetime.now(UTC))
    return True


@checker.checks("time-zone", raises=ValueError)
def _time_zone(value: object) -> bool:
    if isinstance(value, str) and value:
        zones.named(value)
    return True


@checker.checks("visible-text")
def _visible_text(value: object) -> bool:
    return not isinstance(value, str) or bool(text.plain(value))


@checker.checks("markup")
def _markup(value: object) -> bool:
    # Sanitising takes quadratic time on deeply nested markup, so its amount is bounded.
    return not isinstance(value, str) or value.count("<") <= MAX_TAGS


@checker.checks("printable")
def _printable(value: object) -> bool:
    return not isinstance(value, str) or not _CONTROL.search(value)


@checker.checks("web-address")
def web_address(value: object) -> bool:
    """An absolute http or https address in ASCII without anything that would need escaping, or empty."""
    if not isinstance(value, str) or value == "":
        return True
    if not value.isascii() or re.search(r"[\s\"<>\\^`{|}]", value) or _CONTROL.search(value):
        return False
    try:
        parts = urlsplit(value)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


@checker.checks("mail-address")
def _mail_address(value: object) -> bool:
    return not isinstance(value, str) or value == "" or bool(_MAIL.fullmatch(value))


@checker.checks("image")
def _image(value: object) -> bool:
    return web_address(value)


@checker.checks("latitude")
@checker.checks("longitude")
def _coordinate(value: object) -> bool:
    # A text that is a number has been cast before; what is still a text is none.
    return not isinstance(value, str)


@checker.checks("cost", raises=ValueError)
def _cost(value: object) -> bool:
    costs.parse(value)
    return True
