"""The list of events: its window, every filter, pages and links, and who sees what."""

from tests.conformance import stage
from tests.conformance.play import Play

WINDOW = "start_date=2026-01-01&end_date=2030-01-01"
SHOWN = "_fields=rest_url,next_rest_url,previous_rest_url,total,total_pages,events.slug"

WINDOWS = (
    "",
    "start_date=2026-10-01",
    "end_date=2026-12-31",
    "start_date=2027-01-01&end_date=2027-02-28",
    "start_date=yesterday&end_date=%2B1%20month",
    "start_date=1798761600",
    "start_date=2027-02-01T20:00:00Z&end_date=2027-02-01T20:00:00Z",
    "starts_after=2027-01-31",
    "starts_before=2027-01-02&start_date=2026-01-01",
    "ends_after=2027-03-01",
    "ends_before=2026-12-06",
    "starts_after=2026-12-05%2018:00:00&strict_dates=true",
    "starts_after=2026-12-05%2018:00:00&strict_dates=1",
    "ends_before=2026-12-05%2020:00:00&strict_dates=true",
    "strict_dates=false&start_date=2027-02-01",
    "strict_dates=no&start_date=2027-02-01",
    "start_date=2027-02-30",
    "start_date=",
    "end_date=never&starts_after=x&ends_before=y",
    "strict_dates=",
    "start_date=2027-06-01&end_date=2027-01-01",
)
FILTERS = (
    "search=concert",
    "search=CONCERT%20brass",
    "search=%22winter%20concert%22",
    "search=concert%20-encore",
    "search=100%25",
    "search=strong",
    "search=no-such-word",
    "search=",
    "categories=music",
    "categories={music}",
    "categories=music,sport",
    "categories[]=music&categories[]=sport",
    "categories=nothing-like-it",
    "categories=",
    "tags=outdoor",
    "tags={evening},{outdoor}",
    "tags=nobody",
    "venue={hall}",
    "venue={hall},{park}",
    "venue=4711",
    "venue=hall",
    "organizer={society}",
    "organizer[]={club}",
    "organizer=0",
    "featured=true",
    "featured=0",
    "featured=perhaps",
    "ticketed=1",
    "ticketed=false",
    "ticketed=x",
    "post_parent={concert}",
    "post_parent={hidden}",
    "post_parent=0",
    "geoloc=true",
    "geoloc=false",
    "geoloc=?",
    "geoloc_lat=54.3&geoloc_lng=10.1",
    "geoloc_lat=54.3&geoloc_lng=10.1&geoloc_distance=1",
    "geoloc_lat=54.3&geoloc_lng=10.1&geoloc_distance=20038",
    "geoloc_lat=54.3",
    "geoloc_lat=91&geoloc_lng=181",
    "geoloc_lat=1&geoloc_lng=1&geoloc_distance=0",
    "include={past},{far}",
    "include[]={concert}&include[]={hidden}",
    "include=4711",
    "include=x",
    "categories=music&tags=evening&venue={hall}&featured=true&search=winter&ticketed=1",
    "unknown=ignored",
    "password=open%20sesame",
)
STATUSES = ("publish", "draft", "future", "pending", "private", "trash", "draft,private", "any", "")
CALLERS = (None, "subscriber", "contributor", "author", "author2", "editor", "admin")


def list_whole(play: Play) -> None:
    """Whole answers, so that every key of a list is seen once."""
    play("GET /events")
    stage.town(play)
    play("GET /events")
    play("HEAD /events")
    play("GET /events", as_="editor")


def list_windows(play: Play) -> None:
    """The default window, and every date filter."""
    stage.town(play)
    for window in WINDOWS:
        play(f"GET /events?{SHOWN}&{window}")


def list_filters(play: Play) -> None:
    """Every other filter."""
    stage.town(play)
    for query in FILTERS:
        play(f"GET /events?{SHOWN}&{WINDOW}&{query}")


def list_pages(play: Play) -> None:
    """Pages of two, and the links between them."""
    stage.town(play)
    for query in (
        "per_page=2",
        "per_page=2&page=2",
        "per_page=2&page=3",
        "per_page=2&page=4",
        "per_page=500",
        "per_page=0",
        "per_page=-1",
        "per_page=two",
        "page=0",
        "page=1.5",
        "page=1&page=2&per_page=2",
        "page=99999999999999999999",
        "per_page=2&search=concert%20a%26b",
    ):
        play(f"GET /events?{SHOWN}&{WINDOW}&{query}")


def list_statuses(play: Play) -> None:
    """Which statuses each role may ask for, and what it then sees."""
    stage.town(play)
    for caller in CALLERS:
        play(f"GET /events?{SHOWN}&{WINDOW}", as_=caller)
    for status in STATUSES:
        for caller in (None, "author", "editor"):
            play(f"GET /events?{SHOWN}&{WINDOW}&status={status}", as_=caller)


GROUPS = ((list_whole, {}), (list_windows, {}), (list_filters, {}), (list_pages, {}), (list_statuses, {}))
