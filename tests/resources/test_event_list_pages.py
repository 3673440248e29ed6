"""Pages of the event list: their size, totals and headers, and links that lead through all of them."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests import factories
from tests.client import Client, links
from tests.resources.records import ids

YEAR = {"start_date": "2031-01-01", "end_date": "2031-12-31"}


def made(client: Client, title: str, start: str, **fields: Any) -> int:
    return int(factories.event(client, title=title, start_date=start, **fields)["id"])


def parameters(url: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(url).query, keep_blank_values=True, strict_parsing=True))


def walked(client: Client, path: str, as_: str | None = None) -> list[int]:
    """The ids on all pages from `path` on, by the links; each page by its own link and by the next one."""
    found: list[int] = []
    for _ in range(20):
        page = client.get(path, as_=as_, status=200).json
        assert client.get(page["rest_url"], as_=as_, status=200).json == page
        found += ids(page["events"])
        if "next_rest_url" not in page:
            return found
        following = client.get(page["next_rest_url"], as_=as_, status=200).json
        back = client.get(following["previous_rest_url"], as_=as_, status=200).json
        assert back["events"] == page["events"]
        path = page["next_rest_url"]
    raise AssertionError("the links do not come to an end")


@pytest.mark.settings(base_url="http://localhost", per_page=5, per_page_max=7)
def test_per_page_goes_before_the_setting_up_to_the_maximum(client: Client) -> None:
    expected = [made(client, "Event", factories.day(number)) for number in range(1, 9)]

    sizes = ("7.0", "70e-1", " 7", "8", "9223372036854775807")
    for size, count in ((None, 5), *((size, 7) for size in sizes)):
        response = client.get("/events", {} if size is None else {"per_page": size}, status=200)
        assert ids(response.json["events"]) == expected[:count]
        assert (response.json["total"], response.json["total_pages"]) == (8, 2)
        assert (response.headers["X-TEC-Total"], response.headers["X-TEC-TotalPages"]) == ("8", "2")
        assert f"per_page={count}&" in response.json["rest_url"]
    for page in ("1.0", "+1", " 1 ", "0.1e1", "01"):
        assert "?page=1&" in client.get("/events", {"page": page}, status=200).json["rest_url"]


@pytest.mark.settings(base_url="http://localhost")
def test_link_header_says_what_the_envelope_says(client: Client) -> None:
    for number in (1, 2, 3):
        made(client, f"Event {number}", factories.day(number))
    response = client.get("/events", {"per_page": 1, "page": 2, "search": 'event -"100% & café"'})
    body = response.json
    assert links(response) == {"next": body["next_rest_url"], "prev": body["previous_rest_url"]}
    assert response.headers["Link"].count('; rel="next"') == 1
    assert response.headers["Link"].endswith(', <http://localhost/>; rel="https://api.w.org/"')


@pytest.mark.both_databases
def test_links_lead_through_all_pages_without_gap_and_double(client: Client) -> None:
    """Also when all events start together."""
    expected = [made(client, "Same moment", "2031-01-01 10:00:00", featured=True) for _ in range(5)]
    made(client, "Not featured", "2031-01-01 10:00:00")
    for per_page in (1, 2, 4, 5):
        query = f"featured=true&starts_after=2030-12-31&per_page={per_page}"
        assert walked(client, f"/events?{query}") == expected


def test_links_repeat_what_was_asked(client: Client) -> None:
    venue = factories.venue(client, geo_lat=1, geo_lng=1)["id"]
    fields = {"venue": venue, "categories": ["東京"], "tags": ["日本"]}
    title = 'Rock & café + "50%" #1? a=b;c %41'
    expected = [made(client, title, f"2031-01-0{day} 10:00:00", **fields) for day in (1, 2, 3)]
    made(client, "Early", "2030-12-30 10:00:00", **fields)
    made(client, "Rock", "2031-06-03 10:00:00")

    for query in (
        "starts_after=2030-12-31&ends_before=2031-05-01&strict_dates=true",
        "starts_after=2031-01-01T11:00:00%2B02:00&starts_before=2031-05-01&strict_dates=yes",
        "ends_after=2030-12-31&starts_before=2031-01-31",
        "start_date=1924905600&end_date=2031-02-01&status[]=publish&status[]=draft",
        "starts_after=2030-12-31&geoloc=1&geoloc_lat=1&geoloc_lng=1&geoloc_distance=0.5",
        "starts_after=2030-12-31&categories=%E6%9D%B1%E4%BA%AC%2C&tags[]=%E6%97%A5%E6%9C%AC",
        "starts_after=2030-12-31&search=Rock+%26+caf%C3%A9+%2B+50%25+%231%3F+a%3Db%3Bc+%2541",
        f"include={expected[0]},{expected[1]},{expected[2]}",
    ):
        assert walked(client, f"/events?per_page=1&{query}", as_="admin") == expected, query


def test_links_leave_out_what_was_not_asked(client: Client) -> None:
    """No status for those who see more than what is published, no dates with `include`."""
    id = made(client, "Past", "2001-01-01 10:00:00")
    assert "status" not in parameters(client.get("/events", as_="contributor").json["rest_url"])
    assert parameters(client.get("/events", as_="subscriber").json["rest_url"])["status"] == "publish"
    listed = client.get("/events", {**YEAR, "starts_after": "2031-01-01", "include": id}).json
    expected = {"page": "1", "per_page": "10", "status": "publish", "include": str(id)}
    assert parameters(listed["rest_url"]) == expected


def test_links_carry_no_password(client: Client) -> None:
    made(client, "One", "2031-01-01 10:00:00", password="sesame")
    made(client, "Two", "2031-01-02 10:00:00", password="sesame")
    response = client.get("/events", {**YEAR, "password": "sesame", "per_page": 1})
    assert "sesame" not in response.json["rest_url"] + response.json["next_rest_url"]
    assert "sesame" not in response.headers["Link"]
