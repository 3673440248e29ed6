"""Rights on single fields: author, presentation flags, images by address.

See docs/interface.md#authors, #contributors.
"""

import pytest

from tests import factories
from tests.client import Client

DATES = {"start_date": "2031-01-10 10:00:00", "end_date": "2031-01-10 12:00:00"}
FLAGS = pytest.mark.parametrize("flag", ["featured", "sticky", "hide_from_listings"])


@pytest.mark.parametrize("login", ["author", "contributor"])
def test_author_that_does_not_exist_is_refused_like_any_other(client: Client, login: str) -> None:
    known = {"title": "For you", **DATES, "author": client.ids["admin"]}
    unknown = {"title": "For you", **DATES, "author": 999_999}

    first = client.post("/events", known, as_=login, status=403)
    second = client.post("/events", unknown, as_=login, status=403)

    assert first.json == second.json


def test_editor_changes_the_author(client: Client) -> None:
    event = factories.event(client, "author")

    response = client.put(
        f"/events/{event['id']}", {"author": client.ids["author2"]}, as_="editor", status=200
    )

    assert response.json["author"] == str(client.ids["author2"])
    client.put(f"/events/{event['id']}", {"title": "x"}, as_="author", status=403)
    client.put(f"/events/{event['id']}", {"title": "x"}, as_="author2", status=200)


@FLAGS
def test_contributor_keeps_a_flag_that_an_editor_set(client: Client, flag: str) -> None:
    event = factories.event(client, "contributor", status="draft")
    client.put(f"/events/{event['id']}", {flag: True}, as_="editor", status=200)

    whole = client.put(f"/events/{event['id']}", {"title": "New", flag: True}, as_="contributor", status=200)
    part = client.put(f"/events/{event['id']}", {"title": "Newer"}, as_="contributor", status=200)

    assert (whole.json["title"], whole.json[flag]) == ("New", True)
    assert (part.json["title"], part.json[flag]) == ("Newer", True)


@FLAGS
def test_flags_of_a_form_are_refused_as_well(client: Client, flag: str) -> None:
    form = {"title": "Mine", **DATES, flag: "on"}

    response = client.send("POST", "/events", form=form, as_="contributor", status=403)

    assert response.json["code"] == "rest_forbidden"
