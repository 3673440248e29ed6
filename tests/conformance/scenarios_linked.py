"""Venues and organizers: creation, every field, lists, duplicates, trash."""

from tests.conformance import stage
from tests.conformance.play import Play

VENUE_FIELDS = (
    ("author", "{author}"),
    ("date", "2026-11-01 09:00:00"),
    ("date_utc", "2026-11-02 09:00:00"),
    ("venue", "Quay & Sons"),
    ("description", "Up the <b>stairs</b>"),
    ("status", "draft"),
    ("status", "publish"),
    ("show_map", "false"),
    ("show_map_link", True),
    ("address", "2 Quay Street"),
    ("address", ""),
    ("city", "Lübeck"),
    ("country", "Denmark"),
    ("province", "Jutland"),
    ("state", "Ohio"),
    ("zip", "01234"),
    ("phone", None),
    ("stateprovince", "Elsewhere"),
    ("website", "http://quay.example.org"),
    ("image", "https://images.example.org/quay.jpg"),
    ("geo_lat", None),
    ("slug", "ignored-for-venues"),
    ("venue", ""),
    ("venue", None),
    ("author", 0),
    ("date", "x"),
    ("status", "open"),
    ("show_map", {}),
    ("city", 5),
    ("website", "gopher://quay"),
    ("image", "none"),
    ("geo_lat", 91),
    ("geo_lng", "east"),
)
ORGANIZER_FIELDS = (
    ("author", "{editor}"),
    ("date", "2026-11-01 09:00:00"),
    ("date_utc", "2026-11-02 09:00:00"),
    ("organizer", '<i>Choir</i> of "St. Mary\'s"'),
    ("description", "A\n\nB"),
    ("status", "private"),
    ("status", "publish"),
    ("phone", "112"),
    ("website", "https://choir.example.org"),
    ("website", ""),
    ("email", "choir@example.org"),
    ("email", ""),
    ("image", "https://images.example.org/choir.webp"),
    ("image", None),
    ("organizer", " "),
    ("status", ""),
    ("email", "choir at example"),
    ("website", "choir"),
    ("author", 4711),
)
LISTS = (
    "",
    "per_page=1",
    "per_page=1&page=2",
    "per_page=1&page=3",
    "page=0",
    "search=kiel",
    "search=club",
    "search=nothing",
    "search=",
    "event={regatta}",
    "event={hidden}",
    "event=4711",
    "event=x",
    "has_events=true",
    "has_events=0",
    "has_events=maybe",
    "only_with_upcoming=yes",
    "only_with_upcoming=false",
    "status=publish",
    "status=draft",
    "status=any",
    "event={regatta}&search=club&has_events=1&only_with_upcoming=1",
)


def venue_fields(play: Play) -> None:
    """Every field of a venue by itself."""
    play("POST /venues", {"venue": "Least"}, as_="author", save="least")
    play("GET /venues/{least}")
    play("POST /venues", stage.FULL_VENUE, as_="admin", save="hall")
    play("GET /venues/{hall}")
    for name, value in VENUE_FIELDS:
        play(f"PATCH /venues/{{hall}}?_fields=venue,slug,{name}", {name: value}, as_="admin")
    play("GET /venues/{hall}")


def organizer_fields(play: Play) -> None:
    """Every field of an organizer by itself."""
    play("POST /organizers", {"organizer": "Least"}, as_="author", save="least")
    play("GET /organizers/{least}")
    play("POST /organizers", stage.FULL_ORGANIZER, as_="admin", save="society")
    play("GET /organizers/{society}")
    for name, value in ORGANIZER_FIELDS:
        play(f"PATCH /organizers/{{society}}?_fields=organizer,slug,{name}", {name: value}, as_="admin")
    play("GET /organizers/{society}")


def _life(play: Play, plural: str, name: str) -> None:
    """Creation to trash and back, by id and by slug, as several callers."""
    play(f"POST /{plural}", {}, as_="admin")
    play(f"POST /{plural}", {name: "Barn", "image": 99}, as_="admin")
    play(f"POST /{plural}", {name: "Barn"}, as_="author", save="barn")
    play(f"POST /{plural}", {name: "Barn"}, as_="editor")
    play(f"POST /{plural}", {name: "Barn", "description": "Another"}, as_="editor", save="other")
    play(f"POST /{plural}", form={name: "Form barn", "phone": "1"}, as_="contributor", save="draft")
    play(f"GET /{plural}/{{draft}}")
    play(f"GET /{plural}/{{draft}}", as_="contributor")
    play(f"GET /{plural}/by-slug/BARN")
    play(f"HEAD /{plural}/by-slug/barn")
    play(f"HEAD /{plural}/{{barn}}")
    for method in ("POST", "PUT", "PATCH"):
        play(f"{method} /{plural}/{{barn}}", {"phone": method}, as_="author")
        play(f"{method} /{plural}/by-slug/barn", {"website": f"https://{method}.example.org"}, as_="author")
    play(f"PATCH /{plural}/{{other}}", {"phone": "1"}, as_="author")
    play(f"PATCH /{plural}/{{barn}}", {"phone": "1"}, as_="subscriber")
    play(f"PATCH /{plural}/{{barn}}", {"phone": "1"})
    play(f"DELETE /{plural}/{{other}}", as_="author")
    play(f"DELETE /{plural}/{{barn}}", as_="author")
    play(f"GET /{plural}/{{barn}}")
    play(f"GET /{plural}/{{barn}}", as_="author")
    play(f"DELETE /{plural}/{{barn}}", as_="author")
    play(f"PATCH /{plural}/{{barn}}", {"status": "publish"}, as_="author")
    play(f"DELETE /{plural}/by-slug/barn", as_="editor")
    play(f"DELETE /{plural}/by-slug/barn", as_="editor")
    play(f"GET /{plural}?status=trash&_fields=total", as_="editor")
    play(f"GET /{plural}/4711")
    play(f"GET /{plural}/by-slug/nothing")
    play(f"PATCH /{plural}/4711", {"phone": "1"}, as_="admin")
    play(f"DELETE /{plural}/by-slug/nothing", as_="admin")


def venue_life(play: Play) -> None:
    _life(play, "venues", "venue")


def organizer_life(play: Play) -> None:
    _life(play, "organizers", "organizer")


def _lists(play: Play, plural: str, name: str) -> None:
    play(f"GET /{plural}")
    stage.town(play)
    play(f"POST /{plural}", {name: "Nobody's own", "status": "draft"}, as_="contributor", save="own")
    play(f"GET /{plural}")
    play(f"HEAD /{plural}")
    for query in LISTS:
        play(f"GET /{plural}?_fields=rest_url,next_rest_url,total,{plural}.{name}&{query}")
    for caller in ("subscriber", "contributor", "author", "editor"):
        play(f"GET /{plural}?_fields=total,{plural}.{name}", as_=caller)


def venue_lists(play: Play) -> None:
    """Whole, by page, and through every filter."""
    _lists(play, "venues", "venue")


def organizer_lists(play: Play) -> None:
    """Whole, by page, and through every filter."""
    _lists(play, "organizers", "organizer")


GROUPS = (
    (venue_fields, {}),
    (organizer_fields, {}),
    (venue_life, {}),
    (organizer_life, {}),
    (venue_lists, {}),
    (organizer_lists, {}),
)
