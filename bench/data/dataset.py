"""The content of the data set: a seeded, deterministic calendar.

Starts are uniform over ten years in steps of 15 minutes; durations, statuses, flags and links are spread as
calendars are, with a few venues, organizers and terms that most events share. Each kind has a generator of
its own, so that another field of one kind changes nothing of the others.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

from bench.data import vocabulary

SEED = 7
ANCHOR = datetime(2026, 1, 15, 12, tzinfo=UTC)  # six years before it, four after it
FIRST = ANCHOR - timedelta(days=6 * 365)
_STEPS = 10 * 365 * 96
_PAST_STEPS = 6 * 365 * 96
CATEGORIES, TAGS, IMAGES = 50, 500, 200
ZONES = ("America/Los_Angeles", "Europe/Berlin", "UTC", "Asia/Tokyo")
COSTS = ("$12", "", "$5 – $20", "Free")
_UNPUBLISHED = ("draft", "private", "trash")


@dataclass(frozen=True, slots=True)
class Place:
    number: int
    name: str
    description: str
    lat: float
    lng: float


@dataclass(frozen=True, slots=True)
class Person:
    number: int
    name: str
    description: str


@dataclass(frozen=True, slots=True)
class Happening:
    """An event; linked records are numbered from 0 within each kind."""

    number: int
    title: str
    description: str
    excerpt: str
    status: str
    published: datetime
    zone: str
    all_day: bool
    start: datetime
    end: datetime
    cost: str
    hidden: bool
    featured: bool
    ticketed: bool
    image: int
    venue: int
    organizers: tuple[int, ...]
    categories: tuple[int, ...]
    tags: tuple[int, ...]


@dataclass(frozen=True)
class Size:
    """The number of records of each kind for a number of events."""

    events: int

    @property
    def venues(self) -> int:
        return max(5, self.events // 20)

    @property
    def organizers(self) -> int:
        return max(5, self.events // 30)


def places(size: Size, seed: int = SEED) -> Iterator[Place]:
    """Over 25 by 40 degrees, with a few at the 180th meridian and a few near the pole."""
    random = Random(f"{seed} venues")
    for number in range(size.venues):
        lat, lng = random.uniform(35, 60), random.uniform(-10, 30)
        if number % 50 == 3:
            lat, lng = random.uniform(-20, -15), random.choice((-1, 1)) * random.uniform(178, 180)
        elif number % 50 == 4:
            lat, lng = random.uniform(88.5, 90), random.uniform(-180, 180)
        yield Place(
            number, f"{vocabulary.words(random, 2)} {number}", vocabulary.words(random, 9),
            round(lat, 6), round(lng, 6),
        )  # fmt: skip


def persons(size: Size, seed: int = SEED) -> Iterator[Person]:
    random = Random(f"{seed} organizers")
    for number in range(size.organizers):
        yield Person(number, f"{vocabulary.words(random, 2)} {number}", vocabulary.words(random, 12))


def names(taxonomy: str, number: int, seed: int = SEED) -> list[str]:
    random = Random(f"{seed} {taxonomy}")
    return [f"{vocabulary.words(random, 1)} {place}" for place in range(number)]


def happenings(size: Size, seed: int = SEED) -> Iterator[Happening]:
    random = Random(f"{seed} events")
    texts = vocabulary.pieces(random)
    for number in range(size.events):
        yield _happening(random, texts, number, size)


def _happening(random: Random, texts: list[str], number: int, size: Size) -> Happening:
    zone, all_day = random.choice(ZONES), random.random() < 0.05
    start, end = _times(random, ZoneInfo(zone), all_day=all_day)
    text = vocabulary.description(random, texts, vocabulary.rare(random))
    organizers = [_skewed(random, size.organizers)]
    if random.random() < 0.2:
        organizers.append(size.organizers // 2)
    return Happening(
        number=number,
        title=vocabulary.words(random, 5),
        description=text,
        excerpt=text[:100].strip(),
        status="publish" if random.random() < 0.9 else random.choice(_UNPUBLISHED),
        published=FIRST + timedelta(minutes=15 * random.randrange(_PAST_STEPS)),
        zone=zone,
        all_day=all_day,
        start=start,
        end=end,
        cost=random.choice(COSTS),
        hidden=random.random() < 0.01,
        featured=random.random() < 0.05,
        ticketed=random.random() < 0.1,
        image=random.randrange(IMAGES),
        venue=_skewed(random, size.venues),
        organizers=tuple(dict.fromkeys(organizers)),
        categories=_several(random, CATEGORIES, random.randrange(1, 3)),
        tags=_several(random, TAGS, random.randrange(4)),
    )


def _times(random: Random, zone: ZoneInfo, *, all_day: bool) -> tuple[datetime, datetime]:
    """Aware start and end in the zone of the event."""
    start = _once(FIRST + timedelta(minutes=15 * random.randrange(_STEPS)), zone)
    kind = random.random()
    if kind < 0.9:
        lasts = timedelta(minutes=30 * random.randrange(1, 16))
    elif kind < 0.99:
        lasts = timedelta(days=random.randrange(1, 14))
    else:
        lasts = timedelta(days=random.randrange(30, 180))
    end = _once(start.astimezone(UTC) + lasts, zone)
    if all_day:
        return (
            start.replace(hour=0, minute=0, second=0, fold=0),
            end.replace(hour=23, minute=59, second=59, fold=0),
        )
    return start, end


def _once(moment: datetime, zone: ZoneInfo) -> datetime:
    """The time in the zone; one hour later if the wall time is ambiguous."""
    there = moment.astimezone(zone)
    return (there.astimezone(UTC) + timedelta(hours=there.fold)).astimezone(zone)


def _skewed(random: Random, number: int) -> int:
    """A number below a limit, small ones far more often."""
    return min(number - 1, int(number * random.random() ** 2))


def _several(random: Random, number: int, wanted: int) -> tuple[int, ...]:
    return tuple(sorted({_skewed(random, number) for _ in range(wanted)}))
