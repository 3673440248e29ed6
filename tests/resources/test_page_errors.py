"""Errors as pages."""

from typing import Any

import pytest

from calendar_api import database
from tests import factories
from tests.client import Client, ClientWith
from tests.factories import day
from tests.page_checks import check, get, text_of
from tests.resources.records import trash


def test_absent_and_hidden_events_have_the_same_page(client: Client) -> None:
    draft = factories.event(client, slug="draft-one", status="draft")
    shown = [
        factories.event(client, slug="private-one", status="private"),
        factories.event(client, slug="later-one", date=day(3)),
    ]
    gone = factories.event(client, slug="gone-one")
    trash(client, gone)
    absent, editor = get(client, "/event/absent/", 404), client.basic("editor")

    for event in (draft, *shown, gone):
        for path in (f"/event/{event['slug']}/", f"/?p={event['id']}"):
            expected = absent.text.replace("/event/absent/", path.partition("?")[0])
            assert get(client, path, 404).text == expected
        get(client, f"/?p={event['id']}", 301 if event in shown else 404, Authorization=editor)
    assert "noindex" in absent.text
    assert get(client, "/nothing/at/all/", 404).text == absent.text.replace("event/absent", "nothing/at/all")


def test_bad_filter_is_a_page_that_names_it(client: Client) -> None:
    page = get(client, "/de/events/?start_date=whenever&geoloc_lat=x", 400)
    assert "start_date muss ein Datum sein" in text_of(page)
    assert "geoloc_lat muss" in text_of(page)
    assert '<html lang="de">' in page.text
    assert page.headers["Cache-Control"] == "private, no-store"
    get(client, "/events/?search[a]=x", 400)
    get(client, "/events/?venue=-1", 400)


@pytest.mark.parametrize("path", ["/events/", "/events/month/", "/events/2031-05-01/"])
def test_unknown_records_are_named_with_other_bad_filters(client: Client, path: str) -> None:
    shown = text_of(get(client, f"{path}?geoloc_lat=x&venue=7&categories=none", 400))
    for name in ("geoloc_lat", "venue", "categories"):
        assert f"{name} must" in shown


def test_post_to_other_pages_is_refused_with_a_page(client: Client) -> None:
    page = client.app.post("/events/", {"a": "b"}, expect_errors=True)
    assert page.status_int == 405
    check(page)
    assert page.headers["Allow"] == "GET, HEAD, OPTIONS"


def test_pages_without_a_database_say_so_with_the_request_id(client_with: ClientWith, tmp_path: Any) -> None:
    database.close_connection()
    client = client_with(database_url=f"sqlite:///{tmp_path}/missing.sqlite3")
    for path in ("/events/", "/event/x/", "/nothing/"):
        page = get(client, path, 503)
        assert page.headers["X-Request-Id"] in text_of(page)
        assert page.headers["Retry-After"]
        assert page.headers["Cache-Control"] == "private, no-store"


@pytest.mark.settings(pages="off")
def test_pages_can_be_switched_off(client: Client) -> None:
    event = factories.event(client)
    for path in ("/", "/events/", f"/event/{event['slug']}/", "/static/x.css", f"/?p={event['id']}"):
        found = client.app.get(path, expect_errors=True)
        assert (found.status_int, found.json["code"]) == (404, "rest_no_route")
