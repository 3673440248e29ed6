"""Parse the cost of an event, format it as a range, and split it into numbers (docs/interface.md#costs).

A cost is stored as its parts, as they were sent, one per line. A part is an amount (a number with an optional
currency) or words ("Donation", "10 per person").
"""

import math
import re
import unicodedata
from decimal import Decimal
from functools import lru_cache
from operator import itemgetter
from typing import Final, NamedTuple, TypedDict

from calendar_api.domain import text

MOST_PARTS: Final = 20
LONGEST_PART: Final = 100

_RANGE: Final = " – "
#: Characters of all parts as sent, with entities.
_LONGEST_TEXT: Final = 10 * MOST_PARTS * LONGEST_PART
_TOO_MANY: Final = f"must have at most {MOST_PARTS} parts"
_TOO_LONG: Final = f"must have parts of at most {LONGEST_PART} characters"

_GROUPED: Final = (
    r"[0-9]{1,3}(?P<gap>[ .,'’])[0-9]{3}(?:(?P=gap)[0-9]{3})*(?![0-9])(?:(?!(?P=gap))[.,][0-9]+)?"
)
_NUMBER: Final = rf"(?:{_GROUPED}|[0-9]+(?:[.,][0-9]+)?|(?<!\w)[.,][0-9]+)"
_SYMBOL: Final = r"(?:[^\W\d_]{1,4}\.|[^\s0-9.,;:()]{1,5})"
_AMOUNT: Final = re.compile(rf"(?:(?P<prefix>{_SYMBOL}) ?)?(?P<number>{_NUMBER})(?: ?(?P<suffix>{_SYMBOL}))?")
_NUMBERS: Final = re.compile(rf"(?<![0-9])(?<![0-9][.,]){_NUMBER}")
_THOUSAND: Final = re.compile(r"[1-9][0-9]{0,2},[0-9]{3}")
_FORMATTED_RANGE: Final = re.compile(_RANGE)
_SEPARATORS: Final = (
    _FORMATTED_RANGE,
    re.compile(r"(?<=\S)(?: ?[-–—] ?| to | ?; ?|, )", re.IGNORECASE),
    re.compile(" ?, ?"),
    re.compile(" "),
)
_CODE: Final = re.compile("[A-Z]{3}")
_LETTERS: Final = frozenset(
    {"Fr", "Fr.", "Ft", "Kč", "Kr", "Kr.", "R", "RM", "Rs", "Rs.", "S/", "din", "kr", "kr.", "lei", "zł"}
    | {"грн", "лв", "лв.", "руб", "руб."}
)
_SIGNS: Final = frozenset({"-", "−"})


class _Currency(NamedTuple):
    symbol: str
    position: str


class _Amount(NamedTuple):
    written: str
    currency: _Currency


_NO_CURRENCY: Final = _Currency("", "")

#: Codes of ISO 4217 for symbols that name one currency, or mean one if nothing else is said.
_CODES: Final = {
    "$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₽": "RUB", "₺": "TRY", "₴": "UAH",
    "₩": "KRW", "₪": "ILS", "zł": "PLN", "Kč": "CZK", "Ft": "HUF", "lei": "RON", "R$": "BRL", "Fr.": "CHF",
}  # fmt: skip


class CostDetails(TypedDict):
    """`currency_code` is always ""; `values` are amounts without a currency, ascending."""

    currency_symbol: str
    currency_code: str
    currency_position: str
    values: list[str]


class Amounts(NamedTuple):
    """A cost of numbers only: decimal numbers, ascending; `position` is "prefix", "postfix" or ""."""

    symbol: str
    position: str
    values: list[str]

    @property
    def code(self) -> str:
        """The code of the currency (ISO 4217), "" if the symbol tells none."""
        return currency_code(self.symbol)


# Sort key: numbers by size, then words by the alphabet.
_Rank = tuple[bool, Decimal, str]


def currency_code(symbol: str) -> str:
    """The code of a currency (ISO 4217), "" if the symbol tells none."""
    return symbol if _CODE.fullmatch(symbol) else _CODES.get(symbol, "")


def parse(value: object) -> str:
    """Return the stored form of a text, a number or a list of these; `""` for no cost.

    Lists ("5, 10, 15") and ranges ("$10 - $20", "10 to 20") are split if every piece is an amount or "Free",
    which is stored as 0. Raises ValueError for other types, for numbers that are not finite, and above the
    limits.
    """
    items = value if isinstance(value, list) else [] if value is None else [value]
    written = [_as_text(item) for item in items]
    if sum(map(len, written)) > _LONGEST_TEXT:
        raise ValueError(_TOO_LONG)
    lines = [line for item in written for line in item.split("\n") if line.strip()]
    parts = [part for line in lines[: MOST_PARTS + 1] for part in _parts(line)]
    if max(len(items), len(lines), len(parts)) > MOST_PARTS:
        raise ValueError(_TOO_MANY)
    if any(len(part) > LONGEST_PART for part in parts):
        raise ValueError(_TOO_LONG)
    return "\n".join(parts)


@lru_cache(maxsize=256)
def formatted(stored: str, symbol: str = "$", free: str = "Free") -> str:
    """Format a stored cost: the lowest and the highest part ("$10 – $20"), as plain text.

    Amounts have the only currency of the cost, else `symbol` before them; zero is `free`. Words stay
    unchanged; a minus sign takes the place of a currency.
    """
    parts = stored.split("\n") if stored else []
    if not parts:
        return ""
    currency = _currency(parts)
    if not currency.symbol or currency.symbol in _SIGNS:
        currency = _Currency(symbol, "prefix")
    return _RANGE.join(_format_part(end, currency, free) for end in _ends(parts))


@lru_cache(maxsize=256)
def price(stored: str) -> str:
    """Format a stored cost for `json_ld`: the lowest and the highest part ("10 – 20"), without currency.

    Amounts are decimal numbers, no cost is "0", and words stay unchanged.
    """
    return _RANGE.join(dict.fromkeys(map(_price_of_part, _ends(stored.split("\n")))))


def details(stored: str) -> CostDetails:
    """Return `cost_details`: the only currency and the ascending values (docs/interface.md#parts-of-records).

    A minus sign counts as the symbol, as in the reference, so values have none.
    """
    parts = stored.split("\n") if stored else []
    symbol, position = _currency(parts)
    values: dict[_Rank, str] = {}
    for rank, value in sorted((one for part in parts for one in _values(part)), key=itemgetter(0)):
        values.setdefault(rank, value)
    return {
        "currency_symbol": symbol, "currency_code": "", "currency_position": position,
        "values": list(values.values()),
    }  # fmt: skip


def amounts(formatted: str, values: list[str]) -> Amounts | None:
    """Return the numbers of a cost, from what `formatted` and `details` return; None if it contains words.

    The currency is the one that is shown. The lowest end of a cost of nothing is a word of any language.
    """
    lowest, *others = formatted.split(_RANGE)
    free = values[:1] == ["free"] or (values and not values[0].strip("0.") and not _NUMBERS.search(lowest))
    ends = [_amount(end) for end in (others if free else [lowest, *others])]
    currencies = {end.currency if end else None for end in ends} or {_NO_CURRENCY}
    currency = currencies.pop()
    if not values or currencies or currency is None or currency.symbol in _SIGNS:
        return None
    return Amounts(*currency, ["0", *values[1:]] if free else values)


def _ends(parts: list[str]) -> list[str]:
    """Return the lowest and the highest part; one alone if they are equal."""
    lowest, highest = min(parts, key=_rank), max(parts, key=_rank)
    return [lowest] if _rank(lowest) == _rank(highest) else [lowest, highest]


def _as_text(item: object) -> str:
    if isinstance(item, str):
        return item
    if isinstance(item, bool) or not isinstance(item, int | float):
        raise ValueError("must be a text, a number, or a list of texts and numbers")
    if isinstance(item, float) and not math.isfinite(item):
        raise ValueError("must hold finite numbers only")
    if abs(item) >= 10**LONGEST_PART:
        raise ValueError(_TOO_LONG)
    return f"{Decimal(str(item)):f}".removesuffix(".0") if item else "0"


def _parts(line: str) -> list[str]:
    """Split a line into amounts; other text is one part, white space none."""
    line = text.plain(line)
    if len(line) > MOST_PARTS * (LONGEST_PART + len(_RANGE)):
        raise ValueError(_TOO_LONG)
    if not line or _amount(line):
        return [line] if line else []
    for separator in _SEPARATORS:
        pieces = separator.split(line)
        is_word = _has_no_number if separator is _FORMATTED_RANGE else _is_free
        if any(map(_amount, pieces)) and all(_amount(piece) or is_word(piece) for piece in pieces):
            return ["0" if _is_free(piece) else piece for piece in pieces]
    return [line]


@lru_cache(maxsize=256)
def _amount(part: str) -> _Amount | None:
    match = _AMOUNT.fullmatch(part)
    if match is None:
        return None
    number, prefix, suffix = match["number"], match["prefix"], match["suffix"]
    symbol = prefix or suffix
    if not symbol:
        return _Amount(number, _NO_CURRENCY)
    is_known = symbol in _LETTERS or _CODE.fullmatch(symbol) or (prefix and symbol in _SIGNS)
    if (prefix and suffix) or not (is_known or "Sc" in map(unicodedata.category, symbol)):
        return None
    return _Amount(number, _Currency(symbol, "prefix" if prefix else "postfix"))


def _is_free(part: str) -> bool:
    return part.casefold() == "free"


def _has_no_number(part: str) -> bool:
    return bool(part) and _NUMBERS.search(part) is None


def _currency(parts: list[str]) -> _Currency:
    """Return the currency, if all amounts that have one have the same."""
    amounts = [amount for part in parts if (amount := _amount(part))]
    found = {amount.currency for amount in amounts} - {_NO_CURRENCY}
    return found.pop() if len(found) == 1 else _NO_CURRENCY


def _format_part(part: str, currency: _Currency, free: str) -> str:
    amount = _amount(part)
    if amount is None:
        return part
    if not Decimal(_decimal(amount.written)):
        return free
    symbol, position = amount.currency if amount.currency.symbol in _SIGNS else currency
    return f"{symbol}{amount.written}" if position == "prefix" else f"{amount.written}{symbol}"


def _price_of_part(part: str) -> str:
    amount = _amount(part)
    number = _decimal(amount.written) if amount else "0" if _is_free(part) else part
    return number if not amount or Decimal(number) else "0"


def _decimal(written: str) -> str:
    """Remove thousands separators and use a decimal point; the decimals stay unchanged.

    A single point or comma separates decimals, except a comma that can only group thousands ("1,000").
    """
    digits = re.sub("[ '’]", "", written)
    last = "," if digits.rfind(",") > digits.rfind(".") else "."
    if digits.count(last) > 1 or _THOUSAND.fullmatch(digits):
        return digits.replace(".", "").replace(",", "")
    whole, decimals = digits.rsplit(last, 1) if last in digits else (digits, "")
    whole = whole.replace(".", "").replace(",", "") or "0"
    return f"{whole}.{decimals}" if decimals else whole


def _values(part: str) -> list[tuple[_Rank, str]]:
    """Return the values of a part with sort keys: its numbers, else its slug, if that is not empty."""
    amount = _amount(part)
    written = [amount.written] if amount else [match[0] for match in _NUMBERS.finditer(part)]
    if numbers := [_decimal(number) for number in written]:
        return [((False, Decimal(number), ""), number) for number in numbers]
    key = text.slug(part)
    return [((not _is_free(part), Decimal(0), key), key)] if key else []


def _rank(part: str) -> _Rank:
    return min((rank for rank, _ in _values(part)), default=(True, Decimal(0), ""))
