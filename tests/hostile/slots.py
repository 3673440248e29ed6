"""Every parameter of every route, as a place that a value can be put in."""

from dataclasses import dataclass
from typing import Any

from calendar_api.contract import schemas
from calendar_api.resources.routes import ROUTES
from tests.client import contract, resolved

Json = dict[str, Any]

NAMES = {"event": "title", "venue": "venue", "organizer": "organizer", "category": "name", "tag": "name"}
_HEADERS = (
    "Authorization", "Accept", "Accept-Encoding", "Accept-Language", "Content-Type", "Content-Length",
    "Cookie", "Origin", "Host", "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto",
    "X-Forwarded-Prefix", "Records", "Referer", "User-Agent", "If-Match", "If-None-Match",
    "If-Modified-Since", "Idempotency-Key", "X-HTTP-Method-Override", "X-WP-Nonce", "Expect",
)  # fmt: skip
_UNDECLARED = ("_method", "rest_route", "_jsonp", "_embed", "tags[x]", "x[a][b][c][d][e]", "", "id", "[]")
_FORMS = ("form", "multipart")


@dataclass(frozen=True)
class Slot:
    """`place` is path, query, body, header, name, form, multipart, raw, method or address."""

    path: str
    methods: tuple[str, ...]
    place: str
    name: str
    noun: str = ""

    def __str__(self) -> str:
        return f"{'|'.join(self.methods)} {self.path} {self.place} {self.name}"


def slots() -> tuple[Slot, ...]:
    """What the description of the interface declares, then what clients send without being asked."""
    found: dict[tuple[str, str, str, bool], Slot] = {}
    nouns = {template.replace(":record_id", ""): resource.noun for template, resource in ROUTES}
    for path, operations in contract()["paths"].items():
        noun = nouns.get(path, "")
        for method, operation in operations.items():
            for place, name in _declared(operation, noun, path):
                writes = method in ("post", "put", "patch", "delete")
                key = (path, place, name, writes)
                known = found[key].methods if key in found else ()
                found[key] = Slot(path, (*known, method.upper()), place, name, noun)
    return (*found.values(), *_extra(nouns))


def _declared(operation: Json, noun: str, path: str) -> list[tuple[str, str]]:
    parameters = [resolved(parameter) for parameter in operation["parameters"]]
    found = [(parameter["in"], parameter["name"]) for parameter in parameters]
    if "requestBody" in operation:
        role = "update" if "{" in path else "create"
        found += [("body", name) for name in schemas.schema(noun, role)["properties"]]
    return found


def _extra(nouns: dict[str, str]) -> list[Slot]:
    first = {noun: path for path, noun in reversed(nouns.items())}
    found = [Slot("/events", ("GET", "POST"), "header", name, "event") for name in _HEADERS]
    found += [Slot("/events/{id}", ("GET", "POST", "DELETE"), "query", name, "event") for name in _UNDECLARED]
    found += [Slot("/events", ("GET",), "query", f"{name}[]", "event") for name in ("tags", "search", "page")]
    found += [Slot("/events", ("GET",), "query", f"{name}[x]", "event") for name in ("venue", "start_date")]
    for noun, path in first.items():
        found += [Slot(path, ("POST",), place, NAMES[noun], noun) for place in _FORMS]
        found += [Slot(path, ("POST",), "name", place, noun) for place in ("body", "form", "query")]
        found.append(Slot(path, ("POST",), "raw", "", noun))
    for noun in ("venue", "organizer"):
        rules = schemas.schema(noun, "create")["properties"]
        found += [Slot("/events", ("POST",), "body", f"{noun}.{name}", "event") for name in rules]
    pages = ("/docs/{name}", "/{name}", "/events/by-slug/{name}/x", "/{name}/events")
    found += [Slot(page, ("GET", "POST", "OPTIONS"), "path", "name") for page in pages]
    return [*found, Slot("", ("GET", "PUT"), "address", ""), Slot("/events", ("GET",), "method", "", "event")]
