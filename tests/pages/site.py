"""A server with demo records and with records that are hard to show, and the addresses of its pages."""

import contextlib
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from tests.system import servers
from tests.system.servers import Server

Json = dict[str, Any]

ZONE = "Europe/Berlin"
#: The interface removes elements from titles; with entities, they remain as text.
MARKUP = "<img src=x onerror=alert(1)></script>&lt;img src=x onerror=alert(2)&gt; &lt;/script&gt;"
LETTERS = "Donaudampfschifffahrt" * 12
#: Descriptions may be longer than titles: 10,000 letters without a space.
LONG = f"<h4>{LETTERS}</h4><p>{'Rindfleisch' * 910}</p><pre>{'x' * 300}</pre>"
ARABIC = "مهرجان الموسيقى والفنون في المدينة القديمة"
EMOJI = "🎷🦦 Jazz & Otter 👩‍👩‍👧‍👦🏳️‍🌈"
RICH = (
    "<h2>Programme</h2><p>Doors at <strong>19:00</strong>, <a href='https://example.org/a'>more</a>.</p>"
    "<h4>Later</h4><ul><li>Tea</li><li>Cake</li></ul><blockquote>Bring friends.</blockquote>"
    "<table><tbody><tr><td>One</td><td>Two</td></tr></tbody></table>"
    f"<table><tbody><tr>{'<td>One of many afternoons</td>' * 12}</tr></tbody></table>"
)
CROWD = 60


#: When the process began: the records stay when a day ends between two tests.
TODAY = datetime.now(UTC).astimezone(ZoneInfo(ZONE))


def day(offset: int) -> str:
    return f"{TODAY + timedelta(days=offset):%Y-%m-%d}"


def records(image: str) -> list[Json]:
    """Events, as `calendar-api import` reads them; `image` is the address of a picture."""

    def event(slug: str, title: str, offset: int = 1, hours: Any = (10, 12), **fields: Any) -> Json:
        start, end = (f"{day(offset)} {hour:02}:00" for hour in hours)
        return {"slug": slug, "title": title, "start_date": start, "end_date": end, **fields}

    hostile_place = {
        "venue": f"{MARKUP} hall", "address": LETTERS[:200], "city": ARABIC, "country": EMOJI, "phone": "12",
        "website": f"https://example.org/{LETTERS}", "description": LONG, "geo_lat": 48.4, "geo_lng": 9.98,
        "show_map_link": True, "image": image,
    }  # fmt: skip
    hostile_host = {
        "organizer": f"{MARKUP} club", "email": f"{LETTERS[:50]}@example.org", "phone": "+49 731 12",
        "description": LONG, "website": "https://example.org/",
    }  # fmt: skip
    return [
        event("bare", "Bare", hours=(9, 9)),
        event(
            "hostile", f"{MARKUP} {LETTERS[:100]}", description=LONG, excerpt=LETTERS, image=image,
            cost=LETTERS[:100], website=f"https://example.org/{LETTERS}",
            categories=[f"{MARKUP} kind", LETTERS[:150]], tags=[f"{MARKUP} tag", LETTERS[:180]],
            venue=hostile_place, organizer=[hostile_host], featured=True, show_map=True,
            show_map_link=True, event_status="canceled", event_status_reason=LETTERS,
        ),
        event("letters", LETTERS[:250], description=LETTERS, venue={"venue": LETTERS[:250]}),
        event("arabic", ARABIC, description=f"<p>{ARABIC}</p>", venue={"venue": ARABIC}),
        event("emoji", EMOJI, image=image, tags=[EMOJI], cost="€12", event_status="postponed",
              event_status_reason="The singer is ill; the new date is not known."),
        event("rich", "Programme with everything", offset=2, description=RICH, image=image, featured=True,
              cost="5 €", venue={"venue": "Town hall", "address": "Market 1", "zip": "89073", "city": "Ulm"}),
        event("all-day", "Whole day", all_day=True),
        event("festival", "Festival of three days", all_day=True, end_date=day(3), featured=True),
        event("late", "Until the small hours", offset=2, hours=(22, 23), end_date=f"{day(3)} 03:00"),
        event("elsewhere", "Call with Lisbon", offset=2, timezone="America/St_Johns"),
        event("protected", "For members", offset=2, password="open sesame", description="<p>The secret.</p>"),
        *(
            event(f"crowd-{n}", f"One of {CROWD}, number {n}", offset=40, hours=(8 + n % 12, 21))
            for n in range(CROWD)
        ),
    ]  # fmt: skip


def pages() -> dict[str, str]:
    """The addresses of every kind of page, by a name for it."""
    crowded = day(40)
    return {
        "list": "/events/", "list, page 2": "/events/list/page/2/", "past": "/events/?eventDisplay=past",
        "search": "/events/?search=otter", "nothing found": "/events/?search=nothingatall",
        "month": "/events/month/", "crowded month": f"/events/month/{crowded[:7]}/",
        "day": f"/events/{day(1)}/", "crowded day": f"/events/{crowded}/", "today": "/events/today/",
        "event": "/event/rich/", "bare event": "/event/bare/", "hostile event": "/event/hostile/",
        "arabic event": "/event/arabic/", "postponed event": "/event/emoji/",
        "protected event": "/event/protected/", "venue": "/venue/kellerclub-sumpfotter/",
        "organizer": "/organizer/laternenmacher-e-v/", "category": "/events/category/music/",
        "category by month": "/events/category/music/month/", "tag": "/tag/late-night/",
        "hostile venue": "/venue/hall/", "hostile organizer": "/organizer/club/",
        "hostile category": "/events/category/hostile/", "hostile tag": "/tag/hostile/",
        "400": "/events/?start_date=never", "404": "/event/no-such-event/", "German list": "/de/events/",
        "embedded list": "/events/?embed=1", "embedded month": "/events/month/?embed=1",
        "embedded event": "/event/rich/?embed=1",
    }  # fmt: skip


@contextlib.contextmanager
def running(folder: Path, **settings: str) -> Iterator[Server]:
    """Start a server with the records; `secret` is the administrator's password."""
    settings = {"CALENDAR_TIMEZONE": ZONE, "CALENDAR_SITE_NAME": "Lower Valley", **settings}
    settings |= {"CALENDAR_SUBMISSIONS": "on"}
    with servers.running(folder, "--demo", command=servers.serve, migrated=False, **settings) as server:
        (server.secret,) = servers.SECRET.findall(server.output)
        page = server.send("GET", "/events/").body.decode()
        (icon,) = re.findall('<link rel="icon" href="([^"]*)"', page)
        lines = folder / "events.jsonl"
        lines.write_text("".join(json.dumps(one) + "\n" for one in records(icon)), "utf-8")
        servers.done("import", str(lines), "--user", "admin", "--all-or-nothing", env=server.env)
        hostile = server.get("/events/by-slug/hostile").json
        for kind in ("categories", "tags"):
            changed = server.ask("PATCH", f"/{kind}/{hostile[kind][0]['id']}", {"slug": "hostile"})
            assert changed.status == 200, changed.body
        yield server
