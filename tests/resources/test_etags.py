"""Entity tags: equal for equal answers, and nothing sent again that the client has.

See docs/interface.md#etags.
"""

import re
from typing import Any

import pytest

from tests import factories
from tests.client import ROOT, Client

Json = dict[str, Any]

LISTS = ("/events", "/venues", "/organizers", "/categories", "/tags")
STRONG = re.compile(r'"[0-9a-f]{32}"')

CREATE: dict[str, Json] = {
    "events": {
        "title": "Talk", "start_date": "2031-05-01 10:00", "end_date": "2031-05-01 11:00",
        "timezone": "Europe/Berlin", "cost": "10", "venue": {"venue": "Hall"},
        "organizer": [{"organizer": "Ann"}], "categories": ["music"], "tags": "a,b",
        "image": "https://pictures.example/a.png",
    },
    "venues": {"venue": "Hall", "city": "Rome", "geo_lat": 1, "geo_lng": 2},
    "organizers": {"organizer": "Ann", "email": "ann@example.org"},
    "categories": {"name": "Music", "description": "x"},
    "tags": {"name": "Music"},
}  # fmt: skip
UPDATE: dict[str, Json] = {
    "events": {"title": "Changed", "venue": [], "status": "draft", "tags": "c"},
    "venues": {"city": "Bonn", "status": "private"},
    "organizers": {"phone": "1", "status": "pending"},
    "categories": {"name": "Noise", "slug": "noise"},
    "tags": {"description": "y"},
}


def tag_of(client: Client, path: str, as_: str | None = None, **more: Any) -> str:
    tag: str = client.get(path, as_=as_, status=200, **more).headers["ETag"]
    assert STRONG.fullmatch(tag)
    return tag


@pytest.fixture
def event(client: Client) -> Json:
    linked = {"venue": {"venue": "Hall"}, "organizer": {"organizer": "Ann"}}
    return factories.event(client, **linked, categories="m", tags="a")


def test_any_change_that_shows_changes_the_tag(client: Client, event: Json) -> None:
    path = f"/events/{event['id']}"
    seen = [tag_of(client, path)]

    for part, change in (
        (path, {"title": "New"}), (path, {"cost": "5"}),
        (f"/venues/{event['venue']['id']}", {"city": "Rome"}),
        (f"/organizers/{event['organizer'][0]['id']}", {"phone": "1"}),
        (f"/tags/{event['tags'][0]['id']}", {"name": "renamed"}),
        (f"/categories/{event['categories'][0]['id']}", {"description": "new"}),
    ):  # fmt: skip
        client.put(part, change, as_="admin", status=200)
        seen.append(tag_of(client, path))
    # Language and alias have tags of their own.
    prefixes = (f"/de{ROOT}", "/wp-json/tribe/events/v1")
    seen += [tag_of(client, f"http://localhost{prefix}{path}") for prefix in prefixes]

    assert len(set(seen)) == 9


def test_selection_of_fields_has_the_tag_of_the_whole(client: Client, event: Json) -> None:
    for path, fields in ((f"/events/{event['id']}", "title"), ("/events", "events.id"), ("/doc", "openapi")):
        cut = f"{path}?_fields={fields}"
        assert tag_of(client, cut) == tag_of(client, path)
        client.get(cut, headers={"If-None-Match": tag_of(client, path)}, status=304)
    before = tag_of(client, cut := f"/events/{event['id']}?_fields=title")
    answer = client.patch(cut, {"cost": "7"}, as_="admin", headers={"If-Match": before}, status=200)
    assert (answer.json, answer.headers["ETag"]) == ({"title": event["title"]}, tag_of(client, cut))
    assert tag_of(client, cut) != before


def test_callers_who_see_more_have_another_tag(client: Client, event: Json) -> None:
    draft = factories.venue(client, as_="author", status="draft")
    linked = factories.event(client, as_="author", venue=draft["id"])
    for path in ("/venues", f"/events/{linked['id']}"):
        assert tag_of(client, path) == tag_of(client, path, "subscriber")
        assert tag_of(client, path) != tag_of(client, path, "editor")
    term = f"/tags/{event['tags'][0]['id']}"
    assert tag_of(client, term) == tag_of(client, term, "author")
    assert tag_of(client, term) != tag_of(client, term, "editor")  # it names what the caller may do


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_what_the_client_has_is_not_sent_again(client: Client, event: Json, method: str) -> None:
    for path in (*LISTS, f"/events/{event['id']}", f"/events/by-slug/{event['slug']}", "/doc"):
        for as_ in (None, "admin"):
            whole = client.send(method, path, as_=as_, status=200)
            known = {"If-None-Match": whole.headers["ETag"]}
            again = client.send(method, path, as_=as_, headers=known, status=304)
            assert again.body == b""
            assert "Content-Length" not in again.headers
            for name in ("ETag", "Cache-Control", "Vary", "X-TEC-Total", "Link", "Allow"):
                assert again.headers.get(name) == whole.headers.get(name)


@pytest.mark.parametrize("path", ["/events", "/events/{id}"])
def test_several_and_weak_tags_are_understood(client: Client, event: Json, path: str) -> None:
    path = path.format_map(event)
    tag = tag_of(client, path)
    bare = tag.strip('"')

    for status, headers in (
        (304, (" * ", tag, f"W/{tag}", f'"x",{tag} , "y"', f'W/"x", W/{tag}')),
        (200, ('W/"x", "y"', bare, f'"{bare}', f'"{bare.upper()}X"', f'"a{bare}"', '"*"', "", ",")),
    ):
        for header in headers:
            client.get(path, headers={"If-None-Match": header}, status=status)


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_if_none_match_does_not_hold_back_a_write(client: Client, method: str) -> None:
    path = f"/venues/{factories.venue(client)['id']}"
    answer = client.send(method, path, as_="admin", headers={"If-None-Match": "*"}, status=200)
    assert ("ETag" in answer.headers) == (method == "PUT")
