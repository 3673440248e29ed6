"""Rights on single fields: author, presentation flags, images by address.

See docs/interface.md#authors, #contributors.
"""

import pytest

from tests import factories
from tests.client import Client

DATES = {"start_date": "2031-01-10 10:00:00", "end_date": "2031-01-10 12:00:00"}
FLAGS = pytest.mark.parametrize("flag", ["featured", "sticky", "hide_from_listings"])


def total(client: Client) -> int:
    window = "/events?start_date=2031-01-01&end_date=2031-12-31"
    found: int = client.get(window, as_="admin", status=200).json["total"]
    return found


@pytest.mark.parametrize("login", ["admin", "editor"])
def test_editor_sets_another_author(client: Client, login: str) -> None:
    response = client.post(
        "/events", {"title": "For you", **DATES, "author": client.ids["author"]}, as_=login, status=201
    )

    assert response.json["author"] == str(client.ids["author"])


@pytest.mark.parametrize("login", ["author", "contributor"])
def test_other_author_is_refused_on_create(client: Client, login: str) -> None:
    body = {"title": "For you", **DATES, "author": client.ids["author2"]}

    response = client.post("/events", body, as_=login, status=403)

    assert response.json["code"] == "rest_forbidden"
    assert total(client) == 0


@pytest.mark.parametrize("login", ["author", "contributor"])
def test_author_that_does_not_exist_is_refused_like_any_other(client: Client, login: str) -> None:
    known = {"title": "For you", **DATES, "author": client.ids["admin"]}
    unknown = {"title": "For you", **DATES, "author": 999_999}

    first = client.post("/events", known, as_=login, status=403)
    second = client.post("/events", unknown, as_=login, status=403)

    assert first.json == second.json


@pytest.mark.parametrize("login", ["author", "contributor"])
@pytest.mark.parametrize("as_text", [False, True])
def test_naming_oneself_as_author_is_no_change(client: Client, login: str, as_text: bool) -> None:
    own = str(client.ids[login]) if as_text else client.ids[login]

    made = client.post("/events", {"title": "Mine", **DATES, "author": own}, as_=login, status=201)
    changed = client.put(f"/events/{made.json['id']}", {"author": own}, as_=login, status=200)

    assert made.json["author"] == str(client.ids[login])
    assert changed.json["author"] == str(client.ids[login])


def test_editor_changes_the_author(client: Client) -> None:
    event = factories.event(client, "author")

    response = client.put(
        f"/events/{event['id']}", {"author": client.ids["author2"]}, as_="editor", status=200
    )

    assert response.json["author"] == str(client.ids["author2"])
    client.put(f"/events/{event['id']}", {"title": "x"}, as_="author", status=403)
    client.put(f"/events/{event['id']}", {"title": "x"}, as_="author2", status=200)


def test_author_cannot_hand_an_event_over(client: Client) -> None:
    event = factories.event(client, "author", title="Mine")
    body = {"title": "Yours", "author": client.ids["author2"]}

    response = client.put(f"/events/{event['id']}", body, as_="author", status=403)

    assert response.json["code"] == "rest_forbidden"
    read = client.get(f"/events/{event['id']}").json
    assert (read["title"], read["author"]) == ("Mine", str(client.ids["author"]))


@FLAGS
@pytest.mark.parametrize("value", [True, 1, "1", "true", "yes", "on"])
def test_contributor_cannot_set_presentation_flags(client: Client, flag: str, value: object) -> None:
    response = client.post("/events", {"title": "Mine", **DATES, flag: value}, as_="contributor", status=403)

    assert response.json["code"] == "rest_forbidden"
    assert flag in response.json["message"]
    assert total(client) == 0


@FLAGS
def test_contributor_cannot_set_presentation_flags_later(client: Client, flag: str) -> None:
    event = factories.event(client, "contributor", title="Mine")

    response = client.put(
        f"/events/{event['id']}", {"title": "New", flag: True}, as_="contributor", status=403
    )

    assert response.json["code"] == "rest_forbidden"
    read = client.get(f"/events/{event['id']}", as_="contributor").json
    assert (read["title"], read[flag]) == ("Mine", False)


@FLAGS
def test_contributor_may_say_that_a_flag_is_not_set(client: Client, flag: str) -> None:
    response = client.post("/events", {"title": "Mine", **DATES, flag: False}, as_="contributor", status=201)

    assert response.json[flag] is False


@FLAGS
def test_contributor_keeps_a_flag_that_an_editor_set(client: Client, flag: str) -> None:
    event = factories.event(client, "contributor", status="draft")
    client.put(f"/events/{event['id']}", {flag: True}, as_="editor", status=200)

    whole = client.put(f"/events/{event['id']}", {"title": "New", flag: True}, as_="contributor", status=200)
    part = client.put(f"/events/{event['id']}", {"title": "Newer"}, as_="contributor", status=200)

    assert (whole.json["title"], whole.json[flag]) == ("New", True)
    assert (part.json["title"], part.json[flag]) == ("Newer", True)


@pytest.mark.parametrize("flag", ["show_map", "show_map_link", "ticketed", "all_day"])
def test_contributor_sets_the_other_flags(client: Client, flag: str) -> None:
    response = client.post("/events", {"title": "Mine", **DATES, flag: True}, as_="contributor", status=201)

    assert response.json[flag] is True


@FLAGS
def test_flags_of_a_form_are_refused_as_well(client: Client, flag: str) -> None:
    form = {"title": "Mine", **DATES, flag: "on"}

    response = client.send("POST", "/events", form=form, as_="contributor", status=403)

    assert response.json["code"] == "rest_forbidden"


@pytest.mark.parametrize("noun", ["venue", "organizer"])
def test_nested_record_of_another_author_is_refused_with_the_whole_event(client: Client, noun: str) -> None:
    body = {"title": "Mine", **DATES, noun: [{noun: "New", "author": client.ids["author2"]}]}

    response = client.post("/events", body, as_="author", status=403)

    assert response.json["code"] == "rest_forbidden"
    assert total(client) == 0
    assert client.get(f"/{noun}s", as_="admin").json["total"] == 0


@pytest.mark.parametrize("noun", ["venue", "organizer"])
def test_editor_nests_a_record_of_another_author(client: Client, noun: str) -> None:
    body = {"title": "Mine", **DATES, noun: [{noun: "New", "author": client.ids["author2"]}]}

    client.post("/events", body, as_="editor", status=201)

    records = client.get(f"/{noun}s").json[f"{noun}s"]
    assert [(record[noun], record["author"]) for record in records] == [("New", str(client.ids["author2"]))]
