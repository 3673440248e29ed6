"""Column types that models and migrations share. Migrations are frozen: add here, change nothing."""

from typing import Any

from peewee import (
    BigIntegerField,
    BlobField,
    BooleanField,
    CharField,
    Check,
    DoubleField,
    FixedCharField,
    Model,
    TextField,
)

INSTANT = 19  # characters of "YYYY-MM-DD HH:MM:SS"


class FoldedField(TextField):
    """Text that MySQL stores as UTF-8 bytes, which it searches ten times as fast as characters."""

    field_type = "FOLDED"

    def python_value(self, value: object) -> object:
        return value.decode() if isinstance(value, bytes) else value


class DocumentField(BlobField):
    """Bytes of any length."""

    field_type = "DOCUMENT"


def flag(name: str) -> BooleanField:
    return BooleanField(constraints=[Check(f"{name} IN (0, 1)")])


def utc(**more: Any) -> FixedCharField:
    """An instant without a check of its length; `more` are arguments of a field of Peewee."""
    return FixedCharField(INSTANT, **more)


def digest(length: int = 64, **more: Any) -> FixedCharField:
    """Hexadecimal digits; `length` in characters."""
    return FixedCharField(length, **more)


def big_number(**more: Any) -> BigIntegerField:
    return BigIntegerField(**more)


def real() -> DoubleField:
    return DoubleField(null=True)


def degrees(name: str, most: int) -> DoubleField:
    return DoubleField(null=True, constraints=[Check(f"{name} BETWEEN -{most} AND {most}")])


def instant(name: str) -> FixedCharField:
    return FixedCharField(INSTANT, constraints=[Check(f"length({name}) = {INSTANT}")])


def required(name: str, length: int) -> CharField:
    """Text that must not be empty; `length` in characters."""
    return CharField(length, constraints=[Check(f"{name} <> ''")])


def one_of(name: str, length: int, *values: str) -> CharField:
    allowed = ", ".join(f"'{value}'" for value in values)
    return CharField(length, constraints=[Check(f"{name} IN ({allowed})")])


def event_start() -> FixedCharField:
    """A copy of the event's start, so that an index returns the events of a venue or term in order."""
    return FixedCharField(INSTANT, default="")


def plain(model: type[Model], base: type[Model], *others: str) -> tuple[str, ...]:
    """The text columns of a model that its base has not, without `others`, which have rules of their own."""
    own = [field for field in model._meta.sorted_fields if field.name not in base._meta.fields]
    return tuple(
        field.name for field in own if isinstance(field, CharField | TextField) and field.name not in others
    )
