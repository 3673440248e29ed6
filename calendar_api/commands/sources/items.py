"""What readers of sources yield: records, what they reject, and notices."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple, TypeAlias

Noun: TypeAlias = Literal["event", "venue", "organizer", "category", "tag"]


class Reference(NamedTuple):
    """Another record of the same source.

    A "series" is the parent of the events that name it: the first of them that was ever imported.
    """

    noun: Noun | Literal["series"]
    foreign_id: str


def references(value: object) -> list[Reference]:
    """Return the references that a field holds."""
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, Reference)]


def unlinked(value: object) -> object:
    """Return a value of a field without the references in its list."""
    return [one for one in value if not isinstance(one, Reference)] if isinstance(value, list) else value


class Original(NamedTuple):
    """What an exact copy of a record keeps: its id, that of its image, and its last change, UTC.

    0 and "" mean none. `highest` is the highest id that the source uses.
    """

    id: int
    image: int
    modified_utc: str
    highest: int


@dataclass(frozen=True, slots=True)
class Item:
    """A record as its source describes it.

    `foreign_id` identifies it in the source for good. `fields` is the payload of a POST of the noun; a field
    that names other records may hold a `Reference`, or a list of them, to items that came before. `place` is
    where it is in the source, for people: "line 12", "UID 4711@example.org". `canceled`: do not create it; an
    event that is known becomes canceled. `modified` is the source's own text for when it was last changed, or
    "": an item with the same `modified` as last time is not compared. `original` is for `--ids keep`.
    """

    noun: Noun
    foreign_id: str
    fields: dict[str, Any]
    place: str
    title: str = ""
    canceled: bool = False
    modified: str = ""
    original: Original | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """A part of the source that cannot be imported; `remedy` tells the person what to do.

    `reason` is the same for equal problems: what differs is in `value`. `foreign_id` is that of the event, if
    this is known: it is in the source, and other events are complete without it.
    """

    place: str
    reason: str
    title: str = ""
    field: str = ""
    remedy: str = ""
    value: str = ""
    foreign_id: str = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something about the source that a person should know, once."""

    text: str


Found: TypeAlias = Item | Problem | Notice


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says about reading.

    `timezone` is for times without a zone; "" leaves them to what the source says of itself, and then to
    `site_timezone`. `first` and `last`, which are aware, limit the occurrences of recurring events.
    `day_first` says how to read 03/04/2031; None: refuse it.
    """

    timezone: str
    first: datetime
    last: datetime
    day_first: bool | None = None
    site_timezone: str = ""
