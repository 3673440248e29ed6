"""The five roles and nobody, on records of their own and of others."""

from tests.conformance import stage
from tests.conformance.play import Play

CALLERS = (None, "subscriber", "contributor", "author", "editor", "admin")
WHEN = {"start_date": "2026-12-01 18:00", "end_date": "2026-12-01 19:00"}
SHOWN = "_fields=status,author,featured"


def rights_create(play: Play) -> None:
    """What each role stores when it asks for a status, a flag, an author or a new term."""
    for caller in CALLERS:
        play(f"POST /events?{SHOWN}", {"title": f"Plain {caller}", **WHEN}, as_=caller)
        play("POST /events", {}, as_=caller)
    for status in ("publish", "future", "draft", "pending", "private"):
        body = {"title": "Status", "status": status, **WHEN}
        play(f"POST /events?{SHOWN}", body, as_="contributor")
    for field, value in (
        ("featured", True),
        ("sticky", True),
        ("hide_from_listings", True),
        ("featured", False),
        ("author", "{admin}"),
        ("categories", "Brand new"),
        ("tags", "Brand new"),
        ("venue", {"venue": "New venue"}),
        ("image", "https://images.example.org/a.png"),
    ):
        for caller in ("contributor", "author"):
            body = {"title": f"{field} {caller}", field: value, **WHEN}
            play(f"POST /events?_fields={field},status", body, as_=caller)
    play("GET /tags?hide_empty=0&_fields=total")


def rights_records(play: Play) -> None:
    """Reading, changing and deleting: own and others', published, private and draft."""
    stage.town(play)
    for record in ("concert", "locked", "hidden", "draft"):
        for caller in (*CALLERS, "author2"):
            play(f"GET /events/{{{record}}}?_fields=id,status", as_=caller)
    for record in ("concert", "hidden", "draft"):
        for caller in (None, "subscriber", "contributor", "author", "editor"):
            play(f"PATCH /events/{{{record}}}?_fields=website", {"website": ""}, as_=caller)
    for record in ("concert", "hidden", "draft"):
        for caller in (None, "subscriber", "contributor", "author"):
            play(f"DELETE /events/{{{record}}}?_fields=status", as_=caller)


def rights_contributor(play: Play) -> None:
    """A contributor's own records, until an editor publishes them."""
    play("POST /events", {"title": "Mine", **WHEN}, as_="contributor", save="mine")
    play("PATCH /events/{mine}?_fields=status,slug", {"status": "publish"}, as_="contributor")
    play("PATCH /events/{mine}?_fields=status", {"featured": True}, as_="contributor")
    play("PATCH /events/{mine}?_fields=author", {"author": "{author}"}, as_="contributor")
    play("GET /events/{mine}", as_="contributor2")
    play("PATCH /events/{mine}?_fields=status", {"status": "publish"}, as_="editor")
    play("PATCH /events/{mine}", {"title": "Too late"}, as_="contributor")
    play("DELETE /events/{mine}", as_="contributor")
    play("GET /events/{mine}?_fields=id,title,status", as_="contributor")
    play("POST /events", {"title": "Scrap", **WHEN}, as_="contributor", save="scrap")
    play("DELETE /events/{scrap}?_fields=status", as_="contributor")
    play("PATCH /events/{scrap}?_fields=status", {"status": "draft"}, as_="contributor")


def rights_credentials(play: Play) -> None:
    """Good, bad and odd credentials, on public routes too."""
    play("GET /events?_fields=total", as_="subscriber")
    play("GET /events?_fields=total", bearer="editor")
    play("POST /events?_fields=status", {"title": "Bearer", **WHEN}, bearer="editor")
    for value in (
        "Basic YWRtaW46d3Jvbmc=",
        "Basic bm9ib2R5Ondyb25n",
        "Basic !!",
        "Basic",
        "Bearer wrong",
        "Bearer ",
        "Digest x",
        "nonsense",
    ):
        play("GET /events?_fields=total", headers={"Authorization": value})
    play("POST /events", {}, headers={"Authorization": "Bearer wrong"})
    play("GET /nothing", headers={"Authorization": "Bearer wrong"})
    for method, path in (("POST", "/venues"), ("POST", "/organizers"), ("POST", "/tags")):
        play(f"{method} {path}", {"unknown": 1})
        play(f"{method} {path}", {"unknown": 1}, as_="subscriber")


GROUPS = ((rights_create, {}), (rights_records, {}), (rights_contributor, {}), (rights_credentials, {}))
