"""Random questions on every route that the service has, by everybody who may not see what is hidden.

Routes come from the router and filters from the schemas, so that a new one is asked without being named
here; one with a variable that nobody here knows makes the tests fail.
"""

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from falcon import inspect

from calendar_api.contract import schemas
from calendar_api.middleware.url_prefix import PAGES, Router
from tests.confidentiality.speaking import Answer, Speaker, segment
from tests.confidentiality.twins import END, LATER_START, PRINCIPALS, START, STATES, Twin

Json = dict[str, Any]

READS = ("GET", "HEAD", "OPTIONS")
ROOT = "/calendar/events/v1"
_PREFIXES = (
    "//calendar/events/v1", "//wp-json/tribe/events/v1", "//de/calendar/events/v1",
    "//fr/wp-json/tribe/events/v1",
)  # fmt: skip
_NOUNS = {
    "events": "event", "venues": "venue", "organizers": "organizer", "categories": "category", "tags": "tag",
}  # fmt: skip
_FILES = ("docs.css", "docs.js", "none.js")
#: Feeds of pages; the router has one route for all of them.
_FEEDS = "/feeds/{path:path}"
_FEED_PAGES = (
    "/events", "/events/month/2026-07", "/events/2026-07-03", "/events/category/{slug}", "/tag/{slug}",
    "/venue/{slug}", "/organizer/{slug}", "/event/{slug}",
)  # fmt: skip
_ENDS = (".ics", ".rss", ".atom", ".csv", ".jsonld", "/ical/", "/feed/", "/feed/atom/")
_NUMBERS = ("1", "2", "0")
_DAYS = ("2026-06", "2026-07", "2026-13", "2026-07-01", "2026-07-03", "2026-07-10", "2026-09-01", "2031-01")
#: What stands below the page of a category or tag.
_BELOW = ("", "", "/month", "/month/2026-07", "/month/2026-09", "/list/page/1", "/list/page/2")
_SITEMAPS = ("events", "venues", "organizers", "lists", "tags")


@dataclass(frozen=True)
class Question:
    route: str
    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    as_: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    body: Any = field(default=None, hash=False)

    def asked(self, speaker: Speaker) -> Answer:
        return speaker.send(
            self.method, self.path, self.body, query=self.query, as_=self.as_, headers=dict(self.headers)
        )

    def with_header(self, name: str, value: str) -> "Question":
        return Question(
            self.route, self.method, self.path, self.query, self.as_, (*self.headers, (name, value))
        )

    @property
    def said(self) -> str:
        """All that the caller has said, which an answer may say again."""
        return f"{self.path} {self.query} {self.headers} {self.body}"


@inspect.register_router(Router)
def _all_routes(router: Router) -> list[inspect.RouteInfo]:
    return [*inspect.inspect_compiled_router(router), *inspect.inspect_compiled_router(router.pages)]


def routes(app: Any) -> list[str]:
    """The templates below the namespace, as the router knows them."""
    return [route.path.removeprefix(ROOT) for route in inspect.inspect_routes(app.application)]


class Asking:
    """`twin` gives the ids, slugs and words to ask for: visible ones, hidden ones, and of nothing at all."""

    def __init__(self, app: Any, twin: Twin, seed: str) -> None:
        self.random = random.Random(seed)  # noqa: S311 - questions, no secrets
        self.routes = routes(app)
        records = [*twin.visible, *twin.hidden]
        images = [record["image"]["id"] for record in records if record.get("image")]
        self.ids = [str(record["id"]) for record in records] + [str(id) for id in images] + ["999999", "0"]
        self.hidden = [record["id"] for record in twin.hidden]
        slugs = [record.get("slug") or "" for record in records]
        self.slugs = [slug for slug in slugs if slug] + ["never-was"]
        self.hidden_slugs = [str(record["slug"]) for record in twin.hidden if record.get("slug")]
        self.hidden_images = [record["image"]["id"] for record in twin.hidden if record.get("image")]
        self.words = [*twin.words, "open", "hall", "club", "locked", "zq", "mail"]

    def questions(self, number: int) -> list[Question]:
        """Every route with every method by every caller, then random ones up to `number`, or half of it."""
        every = [
            self.question(route, method, as_)
            for route in self.routes
            for method in READS
            for as_ in PRINCIPALS
        ]
        return every + self.some(max(number - len(every), number // 2))

    def some(self, number: int) -> list[Question]:
        return [self.anything() for _ in range(number)]

    def anything(self) -> Question:
        pick = self.random.choice
        lists = [route for route in self.routes if route.strip("/").partition(".{")[0] in _NOUNS]
        lists += [_FEEDS, *(route for route in self.routes if _shows_events(route))]
        others = [route for route in self.routes if not _is_of_editing(route)]
        route = pick(lists) if self.random.random() < 0.6 else pick(others)
        return self.question(route, pick(("GET",) * 6 + READS), pick(PRINCIPALS))

    def question(self, route: str, method: str, as_: str | None) -> Question:
        if route == _FEEDS:
            template = self.random.choice(_FEED_PAGES) + self.random.choice(_ENDS)
            path = re.sub(r"\{([^}]*)\}", lambda match: self._variable(match[1]), template)
            language = self.random.choice(("", "", "/de"))
            return Question(route, method, f"/{language}{path}", self._query("/events"), as_)
        path = re.sub(r"\{([^}]*)\}", lambda match: self._variable(match[1]), route)
        query = self._query("/events" if _shows_events(route) else route)
        if route.startswith(PAGES):
            return Question(route, method, self._page(path), query, as_)
        prefix = _PREFIXES[0] if self.random.random() < 0.8 else self.random.choice(_PREFIXES)
        return Question(route, method, prefix + path, query, as_)

    def _page(self, path: str) -> str:
        """The address of a page: in a language, with a slash at the end unless it is a file."""
        path = path.removeprefix(PAGES)
        end = "" if "." in path.rpartition("/")[2] else "/"
        return f"/{self.random.choice(('', '/de'))}{path}{end}"

    def _variable(self, name: str) -> str:
        known: dict[str, Sequence[str]] = {"id:record_id": self.ids, "slug": self.slugs, "name": _FILES}
        known |= {"number": _NUMBERS, "number:record_id": _NUMBERS, "kind": _SITEMAPS, "when": _DAYS}
        if name.startswith("format:one_of("):
            return self.random.choice(re.findall(r"'(\w+)'", name))
        if name == "path:path":  # of a category or tag
            return segment(self.random.choice(self.slugs)) + self.random.choice(_BELOW)
        if name not in known:
            raise KeyError(f"tests.confidentiality.asking does not know what to put into {{{name}}}")
        return segment(self.random.choice(known[name]))

    def _query(self, route: str) -> tuple[tuple[str, str], ...]:
        pairs: list[tuple[str, str]] = []
        noun = _NOUNS.get(re.split(r"[/.]", route.removeprefix(PAGES).strip("/"))[0])
        if noun and "{" not in route.replace(".{format", ""):
            rules = schemas.schema(noun, "query")["properties"]
            names = self.random.sample(sorted(rules), self.random.choice((0, 1, 1, 2, 2, 3)))
            pairs = [(name, self._value(name, rules[name])) for name in names]
            if noun == "event" and self.random.random() < 0.5:
                pairs += [("start_date", "2000-01-01"), ("end_date", "2100-01-01")]
        elif "{" in route and self.random.random() < 0.15:
            pairs.append(("password", "wrong"))
        if self.random.random() < 0.1:
            fields = ("id,slug", "total", "events.title,events.venue.venue", "categories.count", "json_ld")
            pairs.append(("_fields", self.random.choice(fields)))
        return tuple(pairs)

    def _value(self, name: str, rule: Json) -> str:
        pick = self.random.choice
        if "date" in name or name.startswith(("starts", "ends")):
            dates = (START, END, LATER_START, "2026-07-01", "2026-07-10 10:00", "2026-09-01", "now")
            return pick(dates) if name != "strict_dates" else pick(("true", "false"))
        if name.startswith("geoloc_"):
            return {"geoloc_lat": pick(("51.4", "37", "52.4")), "geoloc_lng": pick(("13.5", "-8"))}.get(
                name, "50"
            )
        fixed = {
            "search": lambda: pick((pick(self.words), "-" + pick(self.words), pick(self.words)[:4])),
            "status": lambda: ",".join(self.random.sample(("publish", *STATES), pick((1, 1, 2, 6)))),
            "page": lambda: pick("1123"), "per_page": lambda: pick(("1", "2", "3", "50")),
            "order": lambda: pick(("asc", "desc")),
            "orderby": lambda: pick(("id", "name", "slug", "count", "description", "parent", "include")),
            "password": lambda: "wrong", "slug": lambda: pick(self.slugs),
        }  # fmt: skip
        if name in fixed:
            return fixed[name]()
        if rule.get("type") == "boolean" or name in ("has_events", "only_with_upcoming"):
            return pick(("true", "false", "1", "0"))
        return ",".join(
            self.random.choices(self.ids, k=pick((1, 1, 1, 3)) if rule.get("type") == "array" else 1)
        )

    def refused_writes(self) -> list[Question]:
        """Writes to hidden records, and writes that name them; nobody here may carry one out."""
        new = {"title": "New", "start_date": "2026-07-01", "end_date": "2026-07-02"}
        asked = []
        for as_ in PRINCIPALS:
            for noun in ("events", "venues", "organizers"):
                paths = [f"/{noun}/{id}" for id in self.hidden]
                paths += [f"/{noun}/by-slug/{segment(slug)}" for slug in self.hidden_slugs]
                for path in paths:
                    method = self.random.choice(("POST", "PUT", "PATCH", "DELETE"))
                    body = (
                        None
                        if method == "DELETE"
                        else self.random.choice(({}, {"title": "x", "phone": "1"}, {"author": "x"}))
                    )
                    headers = self.random.choice(((), (("If-Match", "*"),), (("If-None-Match", "*"),)))
                    asked.append(Question(noun, method, path, (), as_, headers, body))
            for id in self.hidden:
                # Of the three kinds only one is a record that there is.
                linked = {"venue": id, "organizer": [id], "post_parent": id}
                asked.append(Question("events", "POST", "/events", (), as_, (), new | linked))
            for id in self.hidden_images:
                asked.append(Question("events", "POST", "/events", (), as_, (), new | {"image": id}))
                body = {"venue": "New", "image": id}
                asked.append(Question("venues", "POST", "/venues", (), as_, (), body))
        return asked


def _is_of_editing(route: str) -> bool:
    """Whether a route leads to the sign-in form without a session, whatever the credentials."""
    return route.startswith(f"{PAGES}/edit")


def _shows_events(route: str) -> bool:
    """Whether a route is that of a page that lists events."""
    return route.startswith(tuple(f"{PAGES}/{noun}" for noun in ("events", "tag", "venue/", "organizer/")))


def asked(questions: Iterable[Question], speaker: Speaker) -> list[Answer]:
    return [question.asked(speaker) for question in questions]
