"""The database of the matrix: a record of every kind, in every state, of every owner; and its way back."""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from calendar_api.database.sqlite import driver
from tests.confidentiality.rules import STATES
from tests.confidentiality.speaking import Speaker
from tests.editing import COOKIE, new_session
from tests.templates import opened

Json = dict[str, Any]

OTHER = "author2"
OWNERS = (OTHER, "subscriber", "contributor", "author", "editor", "admin")
AHEAD = "2099-01-01 00:00:00"
LATER = datetime.now(UTC) + timedelta(days=1)
DATES = {"start_date": f"{LATER:%Y-%m-%d} 10:00:00", "end_date": f"{LATER:%Y-%m-%d} 12:00:00"}
KEY = "open sesame"
LOGINS = {"administrator": "admin", "wrong": "wrong", "anonymous": None}
_ABSENT = {"id": 999_999, "slug": "never-was", "word": "neverwas"}


def login(principal: str) -> str | None:
    """The user that a column of the matrix stands for."""
    role = principal.rstrip("+")
    return LOGINS.get(role, role)


class Undo:
    """Puts a SQLite file back to what it was; nobody may be in a transaction on it."""

    def __init__(self, path: Path) -> None:
        self.kept, self.there = driver.connect("file::memory:", 0), opened(path)
        self.there.execute("PRAGMA synchronous = OFF")
        self.there.backup(self.kept)

    def __call__(self) -> None:
        self.kept.backup(self.there)

    def close(self) -> None:
        self.kept.close()
        self.there.close()

    @property
    def revision(self) -> tuple[int, int]:
        """Counts the write transactions, and wrong guesses beside them: a refused write leaves it alone."""
        guesses = "SELECT total(failures + blocks) FROM failed_attempt"
        found = self.there.execute(f"SELECT number, ({guesses}) FROM revision").fetchone()
        return int(found[0]), int(found[1])


@dataclass
class World:
    """`records[noun, owner, state]` is a record as its creation answered, with its `word` to be found by."""

    speaker: Speaker
    ids: dict[str, int]
    records: dict[tuple[str, str, str], Json] = field(default_factory=dict)
    terms: dict[str, Json] = field(default_factory=dict)
    holders: dict[str, int] = field(default_factory=dict)
    known: Json = field(default_factory=dict)
    cookies: dict[str, str] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    lists: dict[tuple[str, ...], dict[int, str]] = field(default_factory=dict)

    def record(self, noun: str, owner: str, state: str) -> Json:
        if state == "absent":
            return dict(_ABSENT)
        if state == "other kind":
            return self.records["organizer" if noun == "venue" else "venue", OTHER, "publish"]
        return self.terms[noun] if noun in self.terms else self.records[noun, owner, state]


def made(speaker: Speaker, ids: dict[str, int]) -> World:
    """Also `cookies` of sessions by login, and `tokens` of their forms; "wrong" is a forged session."""
    world = World(speaker, ids)
    for user in ("subscriber", "contributor", "author", "editor", "admin"):
        world.cookies[user] = f"{COOKIE}={new_session(user)}"
        page = speaker.send("GET", "//edit/account/", headers={"Cookie": world.cookies[user]}).text
        (world.tokens[user],) = set(re.findall('name="token" value="([0-9a-f]+)"', page))
    world.cookies["wrong"] = world.cookies["admin"].rpartition(".")[0] + "." + "0" * 64
    world.tokens["wrong"] = world.tokens["admin"]
    for noun in ("event", "venue", "organizer"):
        for owner in OWNERS:
            for state in STATES["event" if noun == "event" else "linked"]:
                if state not in ("absent", "other kind"):
                    world.records[noun, owner, state] = _record(world, noun, owner, state)
    world.terms["category"] = speaker.made("/categories", {"name": "Known category"})
    world.terms["tag"] = speaker.made("/tags", {"name": "Known tag"})
    for owner in OWNERS:
        links = {
            noun: [record["id"] for key, record in world.records.items() if key[:2] == (noun, owner)]
            for noun in ("venue", "organizer")
        }
        holder = speaker.made("/events", {"title": "Holder", **DATES, **links, "image": _image("seen")})
        world.holders[owner] = holder["id"]
        world.known |= {"image public": holder["image"]["id"], "post_parent public": holder["id"]}
    hidden = {"title": "Hidden image", **DATES, "status": "draft", "image": _image("unseen")}
    unseen = speaker.made("/events", hidden)
    world.known |= {"image hidden": unseen["image"]["id"], "post_parent hidden": unseen["id"]}
    return world


def _image(name: str) -> str:
    return f"https://pictures.example/{name}.png"


def _record(world: World, noun: str, owner: str, state: str) -> Json:
    word = f"{noun}{owner}{state}".replace(" ", "")
    slug = f"{word}-slug"
    fields: Json = {"author": world.ids[owner]}
    fields |= {"title": word, **DATES} if noun == "event" else {noun: f"{word} {slug}"}
    fields |= {"slug": slug} if noun == "event" else {}
    if state == "future":
        fields["date_utc"] = AHEAD
    if "protected" in state:
        fields["password"] = KEY
    if state == "unlisted":
        fields["hide_from_listings"] = True
    wanted = {"protected draft": "draft"}.get(state, state)
    if wanted in ("draft", "pending", "private", "trash"):
        fields["status"] = wanted
    return {**world.speaker.made(f"/{noun}s", fields), "word": word}
