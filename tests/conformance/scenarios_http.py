"""Addresses, languages, methods, selections, entity tags, repeated requests and the description."""

from tests.conformance import stage
from tests.conformance.play import Play

WHEN = {"start_date": "2026-12-01 18:00", "end_date": "2026-12-01 19:00"}
SITE = "http://localhost"
PATHS = (
    "/events",
    "/events/{concert}",
    "/events/by-slug/winter-concert",
    "/venues",
    "/venues/{hall}",
    "/venues/by-slug/harbour-hall",
    "/organizers",
    "/organizers/{society}",
    "/organizers/by-slug/brass-society",
    "/categories",
    "/categories/{music}",
    "/tags",
    "/tags/{outdoor}",
)


def http_addresses(play: Play) -> None:
    """The namespace, its aliases, `rest_route`, and everything that is none of these."""
    stage.town(play)
    fields = "_fields=rest_url,categories.urls,events.rest_url"
    for path in (
        "/calendar/events/v1/events?per_page=1&",
        "/calendar/events/v1/events/?per_page=1&",
        "/CALENDAR//events/V1/events?per_page=1&",
        "/wp-json/tribe/events/v1/events?per_page=1&",
        "/wp-json/tribe/events/v1/events/{concert}?",
        "/wp-json/tribe/events/v1/categories?per_page=1&",
        "/?rest_route=/tribe/events/v1/events&per_page=1&",
        "/?rest_route=/tribe/events/v1/events/{concert}/&",
        "/index.php?rest_route=/tribe/events/v1/tags&",
        "/?rest_route=/calendar/events/v1/tags&",
        "/?rest_route=/other/v1/tags&",
        "/de/calendar/events/v1/events?per_page=1&",
        "/fr/wp-json/tribe/events/v1/events?per_page=1&",
        "/it/?rest_route=/tribe/events/v1/events&per_page=1&",
        "/en/calendar/events/v1/events?per_page=1&",
        "/xx/calendar/events/v1/events?",
        "/",
        "/calendar",
        "/calendar/events/v2/events?",
        "/calendar/events/v1/festivals?",
        "/calendar/events/v1/events/abc?",
        "/calendar/events/v1/events/1/2?",
        "/calendar/events/v1/tags/by-slug/outdoor?",
    ):
        play(f"GET {SITE}{path}{fields if '?' in path else ''}")
    play("GET /events", headers={"Host": "evil.example.org"})
    play("GET /events?per_page=1&_fields=rest_url", headers={"Host": "127.0.0.1:8000"})
    play("GET /events?per_page=1&_fields=rest_url", headers={"X-Forwarded-Host": "evil.example.org"})


def http_languages(play: Play) -> None:
    """The same sentences in every language; names and codes stay."""
    for language in ("en", "de", "fr", "es", "it", "nl"):
        root = f"{SITE}/{language}/calendar/events/v1"
        play(f"GET {root}/events/4711")
        play(f"POST {root}/venues", {"venue": "", "geo_lat": 100}, as_="admin")
        play(f"OPTIONS {root}/tags/1")
        play(f"GET {root}/doc?_fields=openapi,servers")


def http_methods(play: Play) -> None:
    """HEAD, OPTIONS and wrong methods on every route; POST that stands for another."""
    stage.town(play)
    for path in PATHS:
        play(f"HEAD {path}")
        play(f"OPTIONS {path}")
        play(f"PATCH {path}" if path.count("/") == 1 else f"TRACE {path}", as_="admin")
    play("OPTIONS /events/{concert}", as_="admin")
    play("OPTIONS /events/4711")
    for path in ("/", "/doc"):
        for method in ("HEAD", "OPTIONS", "POST", "DELETE"):
            play(f"{method} {path}?_fields=namespace,methods,openapi")
    for method in ("PUT", "PATCH", "DELETE"):
        play(f"{method} /events", {}, as_="admin")
    play("POST /events/{concert}?_method=PATCH&_fields=title", {"title": "A"}, as_="admin")
    play("POST /events/{concert}?_method=get&_fields=title", {"title": "B"}, as_="admin")
    override = {"X-HTTP-Method-Override": "DELETE"}
    play("GET /events/{concert}?_method=DELETE&_fields=status", as_="admin")
    play("GET /events/{concert}?_fields=status", as_="admin", headers=override)
    play("POST /events/{concert}?_fields=status", as_="admin", headers=override)
    play("POST /events?_method=DELETE", as_="admin")


def http_selections(play: Play) -> None:
    """`_fields` on lists, records, errors and terms; what is not offered."""
    stage.town(play)
    for path in (
        "/events/{concert}?_fields=id,title",
        "/events/{concert}?_fields=venue.city,venue.geo_lat",
        "/events/{concert}?_fields=categories.slug,cost_details.values",
        "/events/{concert}?_fields=nothing",
        "/events/{concert}?_fields=",
        "/events/{concert}?_fields=title,%20slug,,id",
        "/events?_fields=events.id,total",
        "/categories?_fields=categories.urls.self",
        "/venues/{hall}?_fields=json_ld.geo.latitude",
        "/events/4711?_fields=id",
        "/events/{concert}?_fields=id&_jsonp=go",
        "/events/{concert}?_fields=id&_envelope=1",
        "/events/{concert}?_fields=id&_embed=1",
    ):
        play(f"GET {path}")


def http_entity_tags(play: Play) -> None:
    """Reading again only what changed, and changing only what was read."""
    play("POST /events", {"title": "Tagged", **WHEN}, as_="admin", save="tagged")
    play("GET /events/{tagged}", as_="admin", save="seen")
    play("GET /events/{tagged}", as_="admin", headers={"If-None-Match": "{seen.etag}"})
    play("GET /events/{tagged}", as_="admin", headers={"If-None-Match": '"old", {seen.etag}'})
    play("GET /events/{tagged}", as_="admin", headers={"If-None-Match": "*"})
    play("GET /events/{tagged}?_fields=id", as_="admin", headers={"If-None-Match": '"old"'})
    play("HEAD /events/{tagged}", as_="admin", headers={"If-None-Match": "{seen.etag}"})
    play("PATCH /events/{tagged}", {"title": "Old"}, as_="admin", headers={"If-Match": '"old"'})
    known = {"If-Match": "{seen.etag}"}
    play("PATCH /events/{tagged}?_fields=title", {"title": "New"}, as_="admin", headers=known)
    play("PATCH /events/{tagged}?_fields=title", {"title": "Newer"}, as_="admin", headers=known)
    play("DELETE /events/{tagged}", as_="admin", headers=known)
    play("DELETE /events/{tagged}?_fields=status", as_="admin", headers={"If-Match": "*"})
    play("GET /tags", headers={"Origin": "https://app.example.org"})


def http_repeats(play: Play) -> None:
    """A POST that is sent twice under one key."""
    key = {"Idempotency-Key": "k-1"}
    body = {"title": "Once", **WHEN}
    play("POST /events", body, as_="admin", headers=key)
    play("POST /events", body, as_="admin", headers=key)
    play("POST /events", {**body, "title": "Twice"}, as_="admin", headers=key)
    play("POST /events?_fields=id,title", body, as_="editor", headers=key)
    play("POST /events", body, as_="admin", headers={"Idempotency-Key": "ä"})
    play("POST /events", body, as_="admin", headers={"Idempotency-Key": "k" * 256})
    play("POST /venues?_fields=id", {"venue": "Once"}, as_="admin", headers={"Idempotency-Key": "v"})
    play("POST /venues?_fields=id", {"venue": "Once"}, as_="admin", headers={"Idempotency-Key": "v"})
    play("POST /tags", {"name": ""}, as_="admin", headers={"Idempotency-Key": "t"})
    play("POST /tags", {"name": "Once"}, as_="admin", headers={"Idempotency-Key": "t"})
    play("GET /events?_fields=total")


def http_index(play: Play) -> None:
    """The root with every argument table; `/doc` is looked at by its own tests, so only its head is here."""
    play("GET /")
    play("GET /?context=view&_fields=namespace")
    play("GET /?namespace=calendar/events/v1&_fields=namespace")
    play("GET /?namespace=other/v1")
    play("GET /doc?_fields=openapi,servers")
    play(f"GET {SITE}/wp-json/tribe/events/v1?_fields=namespace,_links")
    play(f"GET {SITE}/wp-json/tribe/events/v1/doc?_fields=servers")
    names = "&".join(f"x{number}=1" for number in range(70))
    play(f"GET /events?{names}")


GROUPS = (
    (http_addresses, {}),
    (http_languages, {}),
    (http_methods, {}),
    (http_selections, {}),
    (http_entity_tags, {}),
    (http_repeats, {}),
    (http_index, {}),
)
