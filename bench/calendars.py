"""The calendars to measure on: generated ones of any size, and a file of real conferences.

`calendar-api import` stores every event, so a database holds exactly what the service stores for it, also
what another release stores beside its rows. It is made once for a checkout and kept in build/bench/data.
"""

import contextlib
import hashlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate, islice
from pathlib import Path
from random import Random
from typing import Any

from tests.system import conferences

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "bench"
LOGIN = "admin"
CONFERENCES = "conferences"
SEED = 7

Payload = dict[str, Any]
Ids = dict[str, dict[str, int]]

#: Field of an event -> table and column with the names of what it links to.
_LINKED = {
    "venue": ("venue", "venue"), "organizer": ("organizer", "organizer"),
    "categories": ("term WHERE taxonomy = 'tribe_events_cat'", "name"),
    "tags": ("term WHERE taxonomy = 'post_tag'", "name"),
}  # fmt: skip
_PART = 5_000  # events of one import

_FIRST = datetime(2020, 1, 15, 12)
_STEPS = 10 * 365 * 96  # ten years in quarters of an hour
_PAST_STEPS = 6 * 365 * 96  # publication dates lie in the first six
_CATEGORIES, _TAGS, _IMAGES = 50, 500, 200
_ZONES = ("America/Los_Angeles", "Europe/Berlin", "UTC", "Asia/Tokyo")
_COSTS = ("$12", "", "$5 – $20", "Free")
_STEMS = """
festival market museum garden lecture theatre film dance yoga harvest summer winter open house workshop river
evening morning choir reading walk village station library children kitchen poetry quartet canvas Zürich café
naïve smörgåsbord Größe crème brûlée piñata żółw Čapek Ελλάδα θέατρο μουσική Москва выставка концерт 東京 音楽
"""
#: 2,000 words, used by Zipf's law.
_WORDS = [*_STEMS.split(), *(f"{one}{other}" for one in _STEMS.split() for other in _STEMS.split())]
_WEIGHTS = list(accumulate(1 / place for place in range(1, len(_WORDS) + 1)))


@dataclass(frozen=True)
class Calendar:
    """A filled database; `password` is an application password of the administrator."""

    name: str
    url: str
    password: str

    @property
    def path(self) -> Path:
        return Path(self.url.removeprefix("sqlite:///"))

    def copied(self, name: str) -> "Calendar":
        """A copy of an SQLite database to write to."""
        folder = new_folder("copies", name)
        shutil.copytree(self.path.parent, folder, dirs_exist_ok=True)
        return Calendar(self.name, f"sqlite:///{folder / self.path.name}", self.password)


def new_folder(*names: str) -> Path:
    """An empty folder below build/bench."""
    folder = BUILD.joinpath(*names)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def command(calendar: Calendar, *arguments: str) -> str:
    """Run `calendar-api` on this database; return what it prints. Raises CalledProcessError."""
    ran = subprocess.run(
        [sys.executable, "-m", "calendar_api", *arguments], cwd=ROOT, env=environment(calendar.url),
        stdout=subprocess.PIPE, check=True, text=True,
    )  # fmt: skip
    return ran.stdout


def environment(url: str, **settings: str) -> dict[str, str]:
    """The environment of a process of the service with only these settings."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("CALENDAR_")}
    return {
        **own, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "", "CALENDAR_DATABASE_URL": url,
        "CALENDAR_BASE_URL": "https://calendar.example.org", "CALENDAR_LOG": "off", **settings,
    }  # fmt: skip


def generated(events: int) -> Calendar:
    """The generated calendar of this size."""
    return _cached(f"{events:,}")


def real_conferences() -> Calendar | None:
    """The conferences in the file that CALENDAR_TEST_CONFERENCES names; None if it names none."""
    return _cached(CONFERENCES) if os.environ.get("CALENDAR_TEST_CONFERENCES") else None


def events_named(name: str) -> Iterator[Payload]:
    """The events of the calendar of this name."""
    if name == CONFERENCES:
        return (one.payload() for one in conferences.read(Path(os.environ["CALENDAR_TEST_CONFERENCES"])))
    return events_of(int(name.replace(",", "")))


def _cached(name: str) -> Calendar:
    """The calendar of this name for this checkout, made when it is missing."""
    folder = BUILD / "data" / name.replace(",", "")
    stamp = folder / "made-by"
    if not stamp.is_file() or stamp.read_text() != _fingerprint():
        make(new_folder("data", folder.name), name, events_named(name))
        stamp.write_text(_fingerprint())
    return Calendar(name, f"sqlite:///{folder / 'calendar.sqlite3'}", (folder / "password").read_text())


def make(folder: Path, name: str, events: Iterable[Payload]) -> Calendar:
    """Create a database in this folder with an administrator and these events."""
    made = empty(Calendar(name, f"sqlite:///{folder / 'calendar.sqlite3'}", ""))
    (folder / "password").write_text(made.password)
    remaining = iter(events)
    while part := list(islice(remaining, _PART)):
        known = linked_ids(made.path)
        command(
            made, "import", str(write_lines(folder / "events.jsonl", (with_ids(one, known) for one in part)))
        )
    return made


def empty(calendar: Calendar) -> Calendar:
    """Create the tables in this database and an administrator."""
    command(calendar, "migrate")
    printed = command(calendar, "user", "add", LOGIN, "--role", "administrator")
    found = re.search(r"^ +(\S.*\S)$", printed, re.MULTILINE)
    if found is None:
        raise RuntimeError("`calendar-api user add` printed no password.")
    return Calendar(calendar.name, calendar.url, found[1])


def write_lines(path: Path, events: Iterable[Payload]) -> Path:
    with path.open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps(event, ensure_ascii=False) + "\n" for event in events)
    return path


def linked_ids(path: Path) -> Ids:
    """The ids of all venues, organizers and terms by name."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return {
            noun: dict(connection.execute(f"SELECT {column}, id FROM {table}"))
            for noun, (table, column) in _LINKED.items()
        }


def with_ids(event: Payload, known: Ids) -> Payload:
    """The event with ids of linked records that exist, as an editor sends it; also faster to store."""
    found = dict(event)
    for noun, ids in known.items():
        if noun in event:
            given = event[noun] if isinstance(event[noun], list) else [event[noun]]
            names = [one[noun] if isinstance(one, dict) else one for one in given]
            found[noun] = [ids.get(name, one) for name, one in zip(names, given, strict=True)]
    return found


def _fingerprint() -> str:
    """A digest of the service and of this file: both decide what a database holds."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for path in sorted((ROOT / "calendar_api").rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def events_of(size: int, seed: int = SEED) -> Iterator[Payload]:
    """The events of the generated calendar of this size, or more of its kind with another seed.

    A twentieth as many venues and a thirtieth as many organizers, used unequally; 10 % are not published,
    1 % hidden, 5 % featured; descriptions have 300 to 1,500 characters in four scripts.
    """
    categories, tags = _names("category", _CATEGORIES), _names("tag", _TAGS)
    venues = list(map(_venue, _names("venue", max(5, size // 20)), range(size)))
    organizers = list(map(_organizer, _names("organizer", max(5, size // 30))))
    random = Random(f"{seed} events")
    for number in range(size):
        text = _text(random, random.randrange(40, 160))
        yield {
            **_dates(random),
            "title": _text(random, 5),
            "description": f"<p>{text}</p>",
            "excerpt": f"<p>{text[:100]}</p>",
            "status": "publish" if random.random() < 0.9 else random.choice(("draft", "pending", "private")),
            "date_utc": f"{_FIRST + timedelta(minutes=15 * random.randrange(_PAST_STEPS))}",
            "timezone": random.choice(_ZONES),
            "cost": random.choice(_COSTS),
            "website": f"https://event.example.org/{number}",
            "hide_from_listings": random.random() < 0.01,
            "featured": random.random() < 0.05,
            "ticketed": random.random() < 0.1,
            "image": f"https://images.example.org/{random.randrange(_IMAGES)}.jpg",
            "venue": _skewed(random, venues),
            "organizer": _several(random, organizers, 1 + (random.random() < 0.2)),
            "categories": _several(random, categories, random.randrange(1, 3)),
            "tags": _several(random, tags, random.randrange(4)),
        }


def _text(random: Random, words: int) -> str:
    return " ".join(random.choices(_WORDS, cum_weights=_WEIGHTS, k=words))


def _dates(random: Random) -> Payload:
    """Start and end; 90 % last some hours, 9 % some days, 1 % some months."""
    start, kind = _FIRST + timedelta(minutes=15 * random.randrange(_STEPS)), random.random()
    if kind < 0.9:
        lasts = timedelta(minutes=30 * random.randrange(3, 16))  # longer than a change of the clocks
    else:
        lasts = timedelta(days=random.randrange(1, 14) if kind < 0.99 else random.randrange(30, 180))
    return {"start_date": str(start), "end_date": str(start + lasts), "all_day": random.random() < 0.05}


def _names(kind: str, number: int) -> list[str]:
    random = Random(f"{SEED} {kind}")
    return [f"{_text(random, 2)} {place}" for place in range(number)]


def _venue(name: str, number: int) -> Payload:
    random = Random(f"{SEED} {name}")
    return {
        "venue": name, "description": f"<p>{_text(random, 9)}</p>",
        "address": f"{number} Example Street", "city": "Springfield", "country": "United States",
        "state": "OR", "zip": "97477", "phone": "+1 555 0100", "website": "https://venue.example.org",
        "geo_lat": round(random.uniform(35, 60), 6), "geo_lng": round(random.uniform(-10, 30), 6),
    }  # fmt: skip


def _organizer(name: str) -> Payload:
    return {
        "organizer": name, "description": f"<p>About {name}</p>", "phone": "+1 555 0101",
        "website": "https://organizer.example.org", "email": "info@organizer.example.org",
    }  # fmt: skip


def _skewed(random: Random, given: list[Any]) -> Any:
    """One of these, the first ones far more often."""
    return given[int(len(given) * random.random() ** 2)]


def _several(random: Random, given: list[Any], number: int) -> list[Any]:
    found: list[Any] = []
    for one in (_skewed(random, given) for _ in range(number)):
        if one not in found:
            found.append(one)
    return found
