"""Addresses in the event list: which filters they repeat, how they are written, and where they lead."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests import factories
from tests.client import Client

YEAR = {"start_date": "2031-01-01", "end_date": "2031-12-31"}


def made(client: Client, title: str, start: str, **fields: Any) -> int:
    record = factories.event(client, title=title, start_date=start, end_date=start, **fields)
    return int(record["id"])


def parameters(url: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(url).query, keep_blank_values=True, strict_parsing=True))


def inside(url: str) -> str:
    """The address as the test client takes it: below the namespace."""
    return url.partition("/calendar/events/v1")[2]


def walked(client: Client, path: str, as_: str | None = None) -> list[int]:
    """The ids on all pages from `path` on, by the links; each page by its own link and by the next one."""
    found: list[int] = []
    for _ in range(20):
        page = client.get(path, as_=as_, status=200).json
        again = client.get(inside(page["rest_url"]), as_=as_, status=200).json
        assert again == page
        found += [event["id"] for event in page["events"]]
        if "next_rest_url" not in page:
            return found
        following = client.get(inside(page["next_rest_url"]), as_=as_, status=200).json
        back = client.get(inside(following["previous_rest_url"]), as_=as_, status=200).json
        assert back["events"] == page["events"]
        path = inside(page["next_rest_url"])
    raise AssertionError("the links do not come to an end")


def test_status_is_not_invented_for_those_who_see_more_than_what_is_published(client: Client) -> None:
    assert "status" not in parameters(client.get("/events", as_="contributor").json["rest_url"])
    assert parameters(client.get("/events", as_="subscriber").json["rest_url"])["status"] == "publish"


def test_include_leaves_the_dates_out_of_the_links(client: Client) -> None:
    id = made(client, "Past", "2001-01-01 10:00:00")

    listed = client.get("/events", {**YEAR, "starts_after": "2031-01-01", "include": id}).json

    expected = {"page": "1", "per_page": "10", "status": "publish", "include": str(id)}
    assert parameters(listed["rest_url"]) == expected


def test_links_carry_no_password(client: Client) -> None:
    made(client, "One", "2031-01-01 10:00:00", password="sesame")
    made(client, "Two", "2031-01-02 10:00:00", password="sesame")

    response = client.get("/events", {**YEAR, "password": "sesame", "per_page": 1})

    assert "sesame" not in response.json["rest_url"] + response.json["next_rest_url"]
    assert "sesame" not in response.headers["Link"]


def test_links_of_a_search_with_odd_characters_lead_through_all_pages(client: Client) -> None:
    title = 'Rock & café + "50%" #1? a=b;c %41'
    ids = [made(client, title, f"2031-01-0{day} 10:00:00") for day in range(1, 6)]
    made(client, "Rock", "2031-01-03 10:00:00")
    words = "per_page=2&start_date=2031-01-01&search=Rock+%26+caf%C3%A9+%2B+50%25+%231%3F+a%3Db%3Bc+%2541"

    assert walked(client, f"/events?end_date=2031-12-31&{words}") == ids


def test_links_lead_through_all_pages_whatever_their_size(client: Client) -> None:
    ids = [made(client, "Same moment", "2031-01-01 10:00:00", featured=True) for _ in range(5)]
    made(client, "Not featured", "2031-01-01 10:00:00")

    for per_page in (1, 2, 4, 5, 6):
        assert walked(client, f"/events?featured=true&starts_after=2030-12-31&per_page={per_page}") == ids


def test_links_repeat_what_was_asked(client: Client) -> None:
    venue = factories.venue(client, geo_lat=1, geo_lng=1)["id"]
    fields = {"venue": venue, "categories": ["東京"], "tags": ["日本"]}
    ids = [made(client, "In", f"2031-01-0{day} 10:00:00", **fields) for day in (1, 2, 3)]
    made(client, "Early", "2030-12-30 10:00:00", **fields)

    for query in (
        "starts_after=2030-12-31&strict_dates=true",
        "starts_after=2031-01-01T11:00:00%2B02:00&strict_dates=yes",
        "ends_after=2030-12-31&starts_before=2031-01-31",
        "start_date=1924905600&end_date=2031-02-01&status[]=publish&status[]=draft",
        "starts_after=2030-12-31&geoloc=1&geoloc_lat=1&geoloc_lng=1&geoloc_distance=0.5",
        "starts_after=2030-12-31&categories=%E6%9D%B1%E4%BA%AC%2C&tags[]=%E6%97%A5%E6%9C%AC",
        f"include={ids[0]},{ids[1]},{ids[2]}",
    ):
        assert walked(client, f"/events?per_page=1&{query}", as_="admin") == ids, query
