"""Worlds that look the same to everybody but the few who may see what is hidden in them.

Hidden things are made last, because all records share one sequence of ids; what hides under a password is
there in every world. The clock stands still, so that equal worlds are equal to the second.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from tests.confidentiality.speaking import Speaker

Json = dict[str, Any]

NOW = "2026-06-15T12:00:00+00:00"
#: Who may see nothing of what is hidden here, though two of them have drafts of their own.
PRINCIPALS = (None, "subscriber", "contributor", "author")
STATES = ("draft", "pending", "private", "future", "trash")
_OWNERS = ("admin", "author2", "contributor2")
#: Moments that only hidden events have.
START, END = "2026-07-03 04:37:13", "2026-07-03 05:41:17"
LATER_START, LATER_END = "2026-08-19 06:53:29", "2026-08-19 07:59:31"


@dataclass
class Twin:
    """A world to be asked; `words` says of each canary where it was put."""

    speaker: Speaker
    ids: dict[str, int]
    words: dict[str, str] = field(default_factory=dict)
    visible: list[Json] = field(default_factory=list)
    hidden: list[Json] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))
    mark: str = "a"

    def word(self, where: str) -> str:
        """A text that stands nowhere else and that nothing on its way would change."""
        word = f"zq{next(self._numbers):04}{self.mark}"
        self.words[word] = where
        return word

    def keep(self, where: str, text: str) -> str:
        """A canary that is no free text: a number, a moment."""
        self.words[text] = where
        return text


def populate(twin: Twin, hidden: str, unhidden: str = "") -> Twin:
    """`hidden` is "none", "a" or "b": nothing, one set of things, or another one under the same ids.

    `unhidden` names a state whose event is published, which must be noticed.
    """
    twin.mark = {"none": "n"}.get(hidden, hidden)
    _visible(twin)
    public = _linking(twin)
    if hidden != "none":
        _hidden(twin, public, hidden == "b", unhidden)
    return twin


def _visible(twin: Twin) -> None:
    make = twin.speaker.made
    terms = {
        "categories": [make("/categories", {"name": f"Category {n}"})["id"] for n in range(3)],
        "tags": [make("/tags", {"name": f"Tag {n}"})["id"] for n in range(3)],
    }
    twin.visible += [{"id": id, "slug": f"category-{n}"} for n, id in enumerate(terms["categories"])]
    twin.visible += [{"id": id, "slug": f"tag-{n}"} for n, id in enumerate(terms["tags"])]
    places = [
        make("/venues", {"venue": f"Open hall {n}", "city": "Faro", "geo_lat": 37, "geo_lng": -8})
        for n in range(3)
    ]
    persons = [make("/organizers", {"organizer": f"Open club {n}"}) for n in range(3)]
    twin.visible += [*places, *persons]
    for number in range(9):
        owner = ("admin", "author", "author2")[number % 3]
        fields: Json = {
            "title": f"Open event {number}", "description": "Come all",
            "start_date": f"2026-07-{number + 1:02} 10:00", "end_date": f"2026-07-{number + 2:02} 12:00",
            "featured": number % 2 == 0, "ticketed": number % 4 == 0,
            "venue": places[number % 3]["id"], "organizer": persons[number % 2]["id"],
            "categories": terms["categories"][number % 2], "tags": terms["tags"][number % 2],
            "author": twin.ids[owner], "hide_from_listings": number == 8,
        }  # fmt: skip
        twin.visible.append(make("/events", fields))
    for owner in ("author", "contributor"):
        own = {
            "title": f"Own of {owner}", "start_date": "2026-07-05 09:00", "end_date": "2026-07-05 10:00",
            "status": "draft", "slug": f"own-{owner}",
        }  # fmt: skip
        twin.visible.append(make("/events", own, owner))
        twin.visible.append(make("/venues", {"venue": f"Own hall of {owner}", "status": "draft"}, owner))
    _locked(twin, places, persons, terms)


def _locked(twin: Twin, places: list[Json], persons: list[Json], terms: Json) -> None:
    """Published under a password: in every world, with other things behind it in each."""
    for number in range(2):
        other = {"n": 0, "a": 1, "b": 2}[twin.mark]
        content = {
            **_texts(twin, f"locked event {number}", ("description", "excerpt", "event_status_reason")),
            "website": f"https://{twin.word(f'locked event {number}: website')}.example/",
            "image": f"https://pics.example/{twin.word(f'locked event {number}: image')}.png",
            "cost": twin.keep(f"locked event {number}: cost", f"8{other}{number}41.{other}7"),
            "password": twin.word(f"locked event {number}: password"),
            "venue": places[other]["id"], "organizer": persons[other]["id"],
            "categories": terms["categories"][other], "tags": terms["tags"][other],
            "featured": other == 1, "ticketed": other == 1, "sticky": other == 1, "show_map": other == 1,
            "post_parent": next(one["id"] for one in twin.visible if "title" in one) if other == 1 else 0,
        }  # fmt: skip
        shown = {
            "title": f"Locked {number}", "slug": f"locked-{number}", "start_date": "2026-07-09 10:00",
            "end_date": "2026-07-09 11:00",
        }  # fmt: skip
        twin.visible.append(twin.speaker.made("/events", shown | content))


def _linking(twin: Twin) -> Json:
    """A public event that hidden things will be linked to."""
    public = {"title": "Open and linked", "start_date": "2026-07-20 10:00", "end_date": "2026-07-20 11:00"}
    # A hidden first venue moves the sequence of the event, see docs/decisions/0010: so does another start.
    start = {"start_date": "2026-07-20 09:00"} if twin.mark == "n" else {}
    event: Json = twin.speaker.made("/events", public | start)
    if start:
        event = twin.speaker.changed(f"/events/{event['id']}", public)
    twin.visible.append(event)
    # Ends what is visible, so that the clock of its last change stands the same everywhere.
    return event


def _texts(twin: Twin, where: str, names: Iterable[str]) -> Json:
    return {name: twin.word(f"{where}: {name}") for name in names}


def _hidden(twin: Twin, public: Json, other: bool, unhidden: str) -> None:
    states = [*STATES[1:], STATES[0]] if other else list(STATES)
    places, persons = [], []
    for number, state in enumerate(states):
        owner = _OWNERS[(number + other) % len(_OWNERS)]
        places.append(_made(twin, "venue", state, owner, _venue(twin, state, other)))
        persons.append(_made(twin, "organizer", state, owner, _organizer(twin, state)))
    for number, state in enumerate(states):
        owner = _OWNERS[(number + other) % len(_OWNERS)]
        fields = _event(twin, state, other)
        if not other:
            seen = [record["id"] for record in twin.visible]
            fields |= {
                "categories": [seen[0], seen[2]],
                "tags": [seen[3], seen[5]],
                "venue": [seen[6], places[number]["id"]],
            }
            fields |= {"organizer": [seen[9], persons[number]["id"]], "post_parent": seen[12]}
        shown = state if state != unhidden else "publish"
        _made(twin, "event", shown, owner, fields)
    links: Json = {
        "venue": [record["id"] for record in places],
        "organizer": [record["id"] for record in persons],
    }
    if other:
        links = {"venue": [places[0]["id"]]}
    twin.speaker.changed(f"/events/{public['id']}", links | {"post_parent": twin.hidden[-1]["id"]})


def _made(twin: Twin, noun: str, state: str, owner: str, fields: Json) -> Json:
    fields = {**fields, "author": twin.ids[owner]}
    fields |= {"date_utc": "2099-01-01"} if state == "future" else {"status": state}
    record: Json = twin.speaker.made(f"/{noun}s", fields)
    twin.hidden.append(record)
    return record


def _event(twin: Twin, state: str, other: bool) -> Json:
    where = f"{state} event"
    start = LATER_START if other else START
    return {
        **_texts(twin, where, ("title", "description", "excerpt", "slug", "event_status_reason")),
        "event_status": "postponed" if other else "canceled",
        # One is closed twice; of the others nothing but their status keeps the filters away.
        **(_texts(twin, where, ("password",)) if state == "private" else {}),
        "website": f"https://{twin.word(where + ': website')}.example/",
        "image": f"https://pics.example/{twin.word(where + ': image')}.png",
        "cost": twin.keep(f"{where}: cost", f"9{len(twin.hidden)}73.{int(other)}1"),
        "start_date": twin.keep(f"{where}: start", start),
        "end_date": twin.keep(f"{where}: end", LATER_END if other else END),
        "timezone": twin.keep(f"{where}: zone", "Antarctica/Troll" if other else "Pacific/Chatham"),
        "featured": True, "sticky": True, "ticketed": True, "hide_from_listings": other,
    }  # fmt: skip


def _venue(twin: Twin, state: str, other: bool) -> Json:
    where = f"{state} venue"
    lines = "venue description address city country province state zip phone stateprovince"
    return {
        **_texts(twin, where, lines.split()),
        "website": f"https://{twin.word(where + ': website')}.example/",
        "image": f"https://pics.example/{twin.word(where + ': image')}.png",
        "geo_lat": float(twin.keep(f"{where}: geo_lat", f"{51 + other}.4{len(twin.hidden):02}77")),
        "geo_lng": 13.5,
    }  # fmt: skip


def _organizer(twin: Twin, state: str) -> Json:
    where = f"{state} organizer"
    return {
        **_texts(twin, where, ("organizer", "description", "phone")),
        "website": f"https://{twin.word(where + ': website')}.example/",
        "email": f"{twin.word(where + ': email')}@mail.example",
        "image": f"https://pics.example/{twin.word(where + ': image')}.png",
    }
