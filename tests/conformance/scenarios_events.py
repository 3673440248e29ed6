"""Events: creation, every field, reading, updates, trash, and what a body may look like."""

from tests.conformance import stage
from tests.conformance.play import Play

TALK = {"title": "Talk", "start_date": "2026-12-01 18:00:00", "end_date": "2026-12-01 19:30:00"}

GOOD_FIELDS = (
    ("title", 'Tea & <b>cake</b> at "Kit\'s"'),
    ("title", "Ünïcode – 日本語 🎉"),
    ("description", "<p>Fine</p><script>alert(1)</script><a href='javascript:x'>no</a>"),
    ("description", "first line\nsecond line\n\nsecond paragraph"),
    ("description", None),
    ("excerpt", "In <em>short</em>"),
    ("excerpt", ""),
    ("slug", "Café à Paris"),
    ("slug", "日本の祭り"),
    ("status", "draft"),
    ("status", "pending"),
    ("status", "private"),
    ("status", "future"),
    ("status", "publish"),
    ("date", "2027-01-01 09:00:00"),
    ("date", "2026-11-01 09:00:00"),
    ("date_utc", "2026-11-02 09:00:00"),
    ("author", "{author}"),
    ("author", "{admin}"),
    ("cost", 10),
    ("cost", "0"),
    ("cost", "$1,234.56"),
    ("cost", "1.234,56 €"),
    ("cost", "10 - 20"),
    ("cost", "Donation"),
    ("cost", ["5", 7.5]),
    ("cost", ""),
    ("website", "https://example.org/talk?a=1&b=2"),
    ("website", None),
    ("image", "https://images.example.org/talk.PNG"),
    ("image", "{picture}"),
    ("image", "https://images.example.org/first.jpg"),
    ("image", ""),
    ("all_day", "yes"),
    ("all_day", False),
    ("show_map", "on"),
    ("show_map", "off"),
    ("show_map_link", 1),
    ("show_map_link", "no"),
    ("hide_from_listings", True),
    ("hide_from_listings", 0),
    ("sticky", "true"),
    ("sticky", "0"),
    ("featured", True),
    ("featured", False),
    ("ticketed", True),
    ("ticketed", "off"),
    ("password", "open sesame"),
    ("password", ""),
    ("id", 4711),
    ("unknown", "ignored"),
)

BAD_FIELDS = (
    ("title", ""),
    ("title", "0"),
    ("title", " <br> "),
    ("title", None),
    ("title", "x" * 256),
    ("title", ["list"]),
    ("slug", ""),
    ("slug", "0"),
    ("status", "published"),
    ("status", None),
    ("date", "someday"),
    ("date_utc", ""),
    ("author", 4711),
    ("author", "me"),
    ("start_date", "0"),
    ("start_date", None),
    ("start_date", "2026-02-30 10:00:00"),
    ("end_date", "never"),
    ("end_date", "2020-01-01 10:00:00"),
    ("timezone", "Mars/Olympus"),
    ("all_day", "maybe"),
    ("all_day", 2),
    ("featured", None),
    ("image", 4711),
    ("image", "ftp://images.example.org/a.png"),
    ("cost", True),
    ("cost", {"from": 1}),
    ("website", "javascript:alert(1)"),
    ("website", "no address"),
    ("show_map", []),
    ("categories", [["nested"]]),
    ("tags", [True]),
    ("venue", 4711),
    ("venue", {"city": "Nameless"}),
    ("venue", {"venue": "Half", "geo_lat": 1}),
    ("organizer", "society"),
    ("organizer", {"organizer": "Mail", "email": "nobody"}),
    ("post_parent", 4711),
    ("post_parent", "{talk}"),
    ("post_parent", -1),
    ("ticketed", "perhaps"),
    ("password", "tab\tkey"),
    ("password", 12),
)

LINKS = (
    ("venue", "{hall}"),
    ("venue", {"id": "{park}"}),
    ("venue", ["{hall}", "{park}"]),
    ("venue", {"venue": "Harbour Hall"}),
    ("venue", {"venue": "Pop-up tent", "city": "Kiel", "geo_lat": "54.3", "geo_lng": "10.1"}),
    ("venue", ""),
    ("organizer", "{society},{club}"),
    ("organizer", [{"id": "{club}"}, {"organizer": "Choir", "email": "choir@example.org"}]),
    ("organizer", []),
    ("categories", ["{music}", "sport", "New shelf"]),
    ("categories", "music, brass-music"),
    ("categories", None),
    ("tags", "Evening,Sunrise"),
    ("tags", ["{outdoor}"]),
    ("tags", []),
    ("post_parent", "{regatta}"),
    ("post_parent", 0),
)


def event_create(play: Play) -> None:
    """From the least that makes an event to all of it; and what is missing."""
    play("POST /events", TALK, as_="admin", save="talk")
    play("POST /events", TALK, as_="admin")
    play("GET /events/{talk}", save="read")
    play("GET /events/by-slug/talk")
    play("GET /events/by-slug/TALK-2")
    play("POST /events", stage.FULL_EVENT | {"categories": ["News"], "tags": "Hot"}, as_="admin", save="full")
    play("GET /events/{full}", as_="admin")
    for missing in ({}, {"title": "Only"}, {"start_date": "2026-12-01"}, {**TALK, "title": None}):
        play("POST /events", missing, as_="admin")
    play("POST /events", {"start_date": "soon", "featured": "?", "author": 99}, as_="admin")
    nested = {**TALK, "venue": {"venue": "Shed"}, "organizer": {"organizer": "Owner"}, "tags": ["new"]}
    play("POST /events", {**nested, "cost": True}, as_="admin")
    play("GET /venues?_fields=total")
    play("POST /events", nested, as_="admin")
    play("GET /venues?_fields=total")
    play("POST /events", {**TALK, "title": "Later", "date": "2026-12-24 00:00:00"}, as_="admin", save="later")
    play("GET /events/{later}")
    play("GET /events/{later}", as_="editor")
    play("POST /events", {**TALK, "password": "pw", "description": "x"}, as_="author", save="shut")
    play("POST /events", {**TALK, "status": "trash"}, as_="admin")


def event_bodies(play: Play) -> None:
    """JSON, forms, multipart and the query string say the same."""
    boundary = "----line"
    parts = "".join(
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in {**TALK, "venue[venue]": "Multi hall", "tags[]": "part"}.items()
    )
    multipart = f"{parts}--{boundary}--\r\n".encode()
    play("POST /events", form=TALK, as_="admin")
    play("POST /events", form={**TALK, "tags[]": ["a", "b"], "venue[venue]": "Form hall"}, as_="admin")
    play("POST /events", raw=multipart, content_type=f"multipart/form-data; boundary={boundary}", as_="admin")
    play("POST /events", raw=b"nothing", content_type="multipart/form-data; boundary=x", as_="admin")
    play("POST /events?title=Asked&start_date=2026-12-01&end_date=2026-12-02", as_="admin", save="asked")
    play("PATCH /events/{asked}?title=Query", {"title": "Body"}, as_="admin")
    for raw in (b"{", b"nope", b"[1, 2]", b'"text"', b"", b'{"title": "\\ud800"}', b'{"title": "\xff"}'):
        play("POST /events", raw=raw, content_type="application/json", as_="admin")
    play("PUT /events/{asked}", raw=b"", content_type="application/json", as_="admin")
    play(
        "POST /events",
        raw=b'{"title": "Suffix"}',
        content_type="application/vnd.x+json; charset=utf-8",
        as_="admin",
    )
    play("POST /events", raw=b"<event/>", content_type="application/xml", as_="admin")
    play("POST /events", raw=b"title=x", as_="admin", content_type="text/plain")
    play("POST /events", raw=b" " * 1_048_577, content_type="application/json", as_="admin")
    play("POST /events", raw=b"[" * 20 + b"]" * 20, content_type="application/json", as_="admin")


def event_fields(play: Play) -> None:
    """Every field by itself, as an update that shows this field only."""
    pictured = {**TALK, "image": "https://images.example.org/first.jpg"}
    talk = play("POST /events", pictured, as_="admin", save="talk").json
    play.saved["picture"] = talk["image"]
    for name, value in GOOD_FIELDS:
        play(f"PATCH /events/{{talk}}?_fields=status,date,date_utc,slug,{name}", {name: value}, as_="admin")
    play("GET /events/{talk}", as_="admin")


def event_refusals(play: Play) -> None:
    """Every field with a value that cannot be stored, and proof that nothing was."""
    play("POST /events", TALK, as_="admin", save="talk")
    for name, value in BAD_FIELDS:
        play("POST /events/{talk}", {name: value}, as_="admin")
    play("GET /events/{talk}")


def event_links(play: Play) -> None:
    """Venues, organizers, terms and parents, by every way to name them."""
    stage.town(play)
    play("POST /events", TALK, as_="admin", save="talk")
    for name, value in LINKS:
        play(f"POST /events/{{talk}}?_fields={name}", {name: value}, as_="admin")
    play("POST /events/{concert}", {"post_parent": "{child}"}, as_="admin")
    play("GET /events/{regatta}")
    play("DELETE /venues/{park}", as_="admin")
    play("GET /events/{regatta}?_fields=venue,organizer,json_ld")
    play("PATCH /venues/{park}", {"status": "publish"}, as_="admin")
    play("GET /events/{regatta}?_fields=venue")


def event_by_slug(play: Play) -> None:
    """What an address with a slug takes."""
    play("POST /events", {**TALK, "slug": "the-talk"}, as_="author", save="talk")
    for method in ("POST", "PUT", "PATCH"):
        play(f"{method} /events/by-slug/the-talk", {"title": f"By {method}", "id": 5}, as_="author")
    play("PATCH /events/by-slug/the-talk", {"password": "not here"}, as_="author")
    play("GET /events/by-slug/the-talk")
    play("HEAD /events/by-slug/the-talk")
    play("PATCH /events/by-slug/the-talk", {"slug": "Ein Gespräch"}, as_="author")
    play("GET /events/by-slug/the-talk")
    play("GET /events/by-slug/Ein-Gesprach")
    play("PATCH /events/by-slug/ein-gesprach", {"title": "Mine?"}, as_="contributor")
    play("DELETE /events/by-slug/ein-gesprach")
    play("DELETE /events/by-slug/ein-gesprach", as_="author")
    play("DELETE /events/by-slug/ein-gesprach", as_="author")
    play("GET /events/by-slug/no-such-talk")
    play("POST /events/by-slug/no-such-talk", {"title": "x"}, as_="admin")
    play("GET /events/by-slug/%F0%9F%8E%89")


def event_trash(play: Play) -> None:
    """Into the trash, seen there by editors only, and back."""
    play("POST /events", TALK, as_="author", save="talk")
    play("DELETE /events/{talk}?password=any", as_="author")
    play("GET /events/{talk}")
    play("GET /events/{talk}", as_="subscriber")
    play("GET /events/{talk}", as_="author")
    play("GET /events/{talk}", as_="author2")
    play("DELETE /events/{talk}", as_="author2")
    play("DELETE /events/{talk}", as_="author")
    play("GET /events?status=trash", as_="editor")
    play("GET /events?status=trash", as_="author2")
    play("GET /events?status=trash")
    play("PATCH /events/{talk}", {"title": "Still there"}, as_="author")
    play("PATCH /events/{talk}", {"status": "publish"}, as_="author")
    play("GET /events/{talk}")
    play("PATCH /events/{talk}", {"status": "trash"}, as_="editor")
    play("DELETE /events/4711", as_="admin")
    play("GET /events/99999999999999999999")


def event_passwords(play: Play) -> None:
    """What a password hides, and from whom."""
    stage.town(play)
    play("GET /events/{locked}")
    play("GET /events/{locked}?password=wrong")
    play("GET /events/{locked}?password=")
    play("GET /events/{locked}?password=open%20sesame")
    play("HEAD /events/{locked}?password=open%20sesame")
    play("GET /events/by-slug/members-night")
    play("GET /events/by-slug/members-night?password=open+sesame&_fields=id,excerpt")
    play("GET /events/{locked}?_fields=excerpt", as_="author")
    play("GET /events/{locked}?_fields=excerpt", as_="editor")
    play("GET /events/{locked}?_fields=excerpt", as_="author2")
    play("GET /events/{locked}?_fields=excerpt", as_="contributor")
    window = "start_date=2027-02-01&end_date=2027-02-02"
    play(f"GET /events?{window}")
    play(f"GET /events?{window}&password=open%20sesame")
    play(f"GET /events?{window}&password=wrong&_fields=events.excerpt,events.title")
    play(f"GET /events?{window}&_fields=events.excerpt,events.title", as_="author")
    play(f"GET /events?{window}&search=handshake&_fields=total")
    play(f"GET /events?{window}&venue={{hall}}&_fields=total")
    play("PATCH /events/{locked}", {"password": "changed"}, as_="author2")
    play("PATCH /events/{locked}?_fields=id", {"password": "changed"}, as_="author")
    play("GET /events/{locked}?password=open%20sesame")
    play("GET /events/{locked}?password=changed&_fields=id")
    play("DELETE /events/{locked}?password=changed")
    play("PATCH /events/{locked}?_fields=id", {"password": None}, as_="editor")
    play("GET /events/{locked}?_fields=excerpt")


GROUPS = (
    (event_create, {}),
    (event_bodies, {}),
    (event_fields, {}),
    (event_refusals, {}),
    (event_links, {}),
    (event_by_slug, {}),
    (event_trash, {}),
    (event_passwords, {}),
)
