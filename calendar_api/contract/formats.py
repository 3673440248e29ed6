"""The `format` words of `schemas/`: checks that JSON Schema cannot say by itself (pure).

Each returns False, or raises ValueError with the reason, for what is not of its form.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import urlsplit

from calendar_api.domain import costs, dates, html, search_query, time_zones

MAX_EXCERPT = 8192

_MAIL = re.compile(r"[^@\s<>\"(),:;\\\[\]]{1,64}@[^\W_](?:[\w-]*[^\W_])?(?:\.[^\W_](?:[\w-]*[^\W_])?)+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def _loose_date(value: object) -> bool:
    if isinstance(value, str | int) and not isinstance(value, bool):
        dates.parse(value, UTC, datetime.now(UTC))
    return True


def _filter_date(value: object) -> bool:
    if isinstance(value, str):
        dates.parse_filter(value, UTC, datetime.now(UTC))
    return True


def _time_zone(value: object) -> bool:
    if isinstance(value, str) and value:
        time_zones.named(value)
    return True


def _visible_text(value: object) -> bool:
    return not isinstance(value, str) or bool(html.plain(value))


def _markup(value: object, limit: int = html.MAX_HTML) -> bool:
    """Check HTML as it will be read: what a GET returns must be accepted by a PUT."""
    if not isinstance(value, str):
        return True
    if value.count("<") > html.MAX_TAGS:
        return False
    shown = html.paragraphs(html.sanitize(value))
    if len(shown) > limit or shown.count("<") > html.MAX_TAGS:
        raise ValueError(html.TOO_MUCH_HTML)
    return True


def _excerpt(value: object) -> bool:
    return _markup(value, MAX_EXCERPT)


def _search(value: object) -> bool:
    if isinstance(value, str):
        search_query.require_few(value)
    return _printable(value)


def _printable(value: object) -> bool:
    return not isinstance(value, str) or not _CONTROL.search(value)


_LONGEST_ADDRESS = 2048


def web_address(value: object) -> bool:
    """An absolute http or https address in ASCII without anything that would need escaping, or empty."""
    if not isinstance(value, str) or value == "":
        return True
    if len(value) > _LONGEST_ADDRESS:  # `urlsplit` would keep it in its cache
        return False
    if not value.isascii() or re.search(r"[\s\"<>\\^`{|}]", value) or _CONTROL.search(value):
        return False
    try:
        parts = urlsplit(value)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _mail_address(value: object) -> bool:
    return not isinstance(value, str) or value == "" or bool(_MAIL.fullmatch(value))


def _image(value: object) -> bool:
    # An image as it is shown, or false for none, has been cast before.
    return not isinstance(value, bool | dict) and web_address(value)


def _coordinate(value: object) -> bool:
    # A text that is a number has been cast before; what is still a text is none.
    return not isinstance(value, str)


def _cost(value: object) -> bool:
    costs.parse(value)
    return True


WORDS: dict[str, Callable[[object], bool]] = {
    "loose-date": _loose_date,
    "filter-date": _filter_date,
    "time-zone": _time_zone,
    "visible-text": _visible_text,
    "markup": _markup,
    "excerpt": _excerpt,
    "search": _search,
    "printable": _printable,
    "web-address": web_address,
    "mail-address": _mail_address,
    "image": _image,
    "latitude": _coordinate,
    "longitude": _coordinate,
    "cost": _cost,
}
