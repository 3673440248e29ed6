"""Turns a value and its place into a request that is valid but for that; and many at once, for the fuzzer."""

import json
import random
from dataclasses import dataclass, field
from typing import Any

from tests.hostile.corpus import ALL, GROUPS, VALUES
from tests.hostile.sending import environ, percent
from tests.hostile.slots import NAMES, Slot
from tests.system.servers import basic
from tests.wsgi import Environ, octets

Json = dict[str, Any]

CALLERS = (None, "contributor", "admin")
#: More than any server lets through in the line of a request; gunicorn ends it at 4,094 bytes.
_LINE = 8000
_BOUNDARY = "b0undary"
_FORM = "application/x-www-form-urlencoded"
#: What is likely to reach deep where it stands; the rest of the corpus is for the others.
_AT_HOME = {
    "date": "dates", "timezone": "zones", "id": "numbers", "page": "numbers", "author": "numbers", "geo":
    "numbers", "slug": "paths", "website": "addresses", "image": "addresses", "email": "addresses",
    "search": "injections", "order": "injections", "description": "markup", "excerpt": "markup", "title":
    "unicode", "name": "unicode", "starts": "dates", "ends": "dates", "categories": "lists", "tags":
    "lists", "venue": "lists", "organizer": "lists", "include": "lists", "exclude": "lists", "status":
    "lists", "cost": "numbers", "parent": "numbers",
}  # fmt: skip


@dataclass
class Records:
    """What requests need to know: the users' secrets, and the ids and slugs of records by noun."""

    secrets: dict[str, str]
    ids: dict[str, list[int]]
    slugs: dict[str, str] = field(default_factory=dict)

    def credentials(self, caller: str | None) -> dict[str, str]:
        return {"Authorization": basic(caller, self.secrets[caller])} if caller else {}


def request_for(slot: Slot, value: str, caller: str | None, number: int, records: Records) -> Environ:
    """One value in one place; `number` turns through the methods of the slot."""
    method = slot.methods[number % len(slot.methods)]
    headers = records.credentials(caller)
    path = addressed(slot, value[:_LINE] if slot.place == "path" else None, number, records)
    query, body, kind = "", b"", "application/json"
    if slot.place in ("query", "path"):
        value = value[:_LINE]
    if slot.place == "query":
        query = f"{percent(slot.name, '[]')}={percent(value)}"
        body = valid(slot.noun, number) if method == "POST" and "{" not in slot.path else b""
    elif slot.place == "body":
        body = bodied(slot, value, number)
    elif slot.place == "header":
        headers[slot.name] = value.replace("\r", "").replace("\n", "")  # no server hands these over
        body = valid(slot.noun, number) if method == "POST" else b""
    elif slot.place in ("form", "multipart", "name", "raw"):
        query, body, kind = _encoded(slot, value)
    elif slot.place == "method":
        method = value.replace("\r", "").replace("\n", "")[:50] or "-"
    elif slot.place == "address":
        path = f"//{percent(value, '/')}"
    headers.setdefault("Content-Type", kind)
    if method in ("GET", "HEAD", "OPTIONS", "DELETE") and slot.name != "Content-Type":
        del headers["Content-Type"]
        body = b""
    return environ(method, path, query, headers, body)


def addressed(slot: Slot, value: str | None, number: int, records: Records) -> str:
    path = slot.path
    for name in ("id", "slug", "name"):
        if "{" + name + "}" in path:
            known = records.ids.get(slot.noun, [0])
            own = known[number % len(known)] if name == "id" else records.slugs.get(slot.noun, "x")
            path = path.replace("{" + name + "}", percent(str(own) if value is None else value))
    return path


def document(noun: str, number: int) -> Json:
    found: Json = {NAMES.get(noun, "title"): f"Record {number}"}
    if noun == "event":
        found |= {"start_date": "2031-06-07 20:00", "end_date": "2031-06-07 22:00"}
    return found


def valid(noun: str, number: int) -> bytes:
    return json.dumps(document(noun, number)).encode()


def bodied(slot: Slot, value: str, number: int) -> bytes:
    """A body in which one field, perhaps of a nested record, is the value: as a text or as what it says."""
    fields = {} if "{" in slot.path else document(slot.noun, number)
    written = value if VALUES.get(value) and number % 3 else json.dumps(value)
    outer, _, inner = slot.name.partition(".")
    fields.pop(outer, None)
    if inner:
        own = {} if inner == outer else {outer: f"Record {number}"}
        written = _object(own, inner, written)
    return octets(_object(fields, outer, written))


def _object(fields: Json, name: str, written: str) -> str:
    pairs = [
        *(f"{json.dumps(key)}:{json.dumps(item)}" for key, item in fields.items()),
        f"{json.dumps(name)}:{written}",
    ]
    return "{" + ",".join(pairs) + "}"


def _encoded(slot: Slot, value: str) -> tuple[str, bytes, str]:
    """The value as the only thing in a form, as a name, or as all there is."""
    pair = f"{percent(value, '[]')}=1"
    if slot.place == "name":
        if slot.name == "query":
            return pair, b"", "application/json"
        if slot.name == "form":
            return "", pair.encode(), _FORM
        return "", octets("{" + json.dumps(value) + ":1}"), "application/json"
    if slot.place == "form":
        return "", f"{slot.name}={percent(value)}".encode(), _FORM
    if slot.place == "multipart":
        head = f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="{slot.name}"\r\n\r\n'
        part = octets(f"{head}{value}\r\n--{_BOUNDARY}--\r\n")
        return "", part, f"multipart/form-data; boundary={_BOUNDARY}"
    return "", octets(value), "application/json"


def values_for(slot: Slot, seed: str, how_many: int) -> list[str]:
    """A seeded sample, half of it of the kind that this parameter is about."""
    chosen = random.Random(f"{seed}/{slot}")  # noqa: S311
    home = next((group for word, group in _AT_HOME.items() if word in slot.name.lower()), "literals")
    near = chosen.sample(GROUPS[home], min(how_many // 2, len(GROUPS[home])))
    return list(dict.fromkeys([*near, *chosen.sample(ALL, how_many)]))[:how_many]


def fuzzed(slots: tuple[Slot, ...], seed: str, number: int, records: Records) -> tuple[str, Environ]:
    """The request of this number: several values in several places of one route, by a random caller."""
    chosen = random.Random(f"{seed}/{number}")  # noqa: S311
    slot = chosen.choice(slots)
    caller = chosen.choice(CALLERS)
    asked = request_for(slot, chosen.choice(ALL), caller, number, records)
    beside = [other for other in chosen.sample(slots, 40) if other.noun == slot.noun]
    asked["QUERY_STRING"] = "&".join([asked["QUERY_STRING"], *_queries(chosen, beside)]).strip("&")
    fields = [other for other in beside if other.place == "body" and "." not in other.name]
    method = asked["REQUEST_METHOD"]
    if method in ("POST", "PUT", "PATCH") and slot.place != "raw" and fields:
        body = document(slot.noun, number) | {other.name: _bent(chosen) for other in fields[:4]}
        sent = environ(
            method, "", asked["QUERY_STRING"], records.credentials(caller), octets(json.dumps(body))
        )
        asked = sent | {"PATH_INFO": asked["PATH_INFO"], "CONTENT_TYPE": "application/json"}
    return f"fuzz {seed}/{number} {slot}", asked


def _queries(chosen: random.Random, beside: list[Slot]) -> list[str]:
    names = [other.name for other in beside if other.place == "query"][:3]
    return [f"{percent(name, '[]')}={percent(_bent(chosen)[:_LINE])}" for name in names]


def _bent(chosen: random.Random) -> str:
    """A value, two of them on each other, or one with something taken out or put in."""
    value = chosen.choice(ALL)
    way = chosen.randrange(6)
    if way == 0:
        return value[: chosen.randrange(len(value) + 1)]
    if way == 1:
        return value[:3000] + chosen.choice(ALL)[:3000]
    if way == 2 and value:
        at = chosen.randrange(len(value))
        return value[:at] + chr(chosen.randrange(0x110000)) + value[at + 1 :]
    return value
