"""A write with the tag that the client knows changes nothing that others have changed.

See docs/interface.md#concurrency.
"""

from typing import Any

import pytest

from tests import factories
from tests.client import Client
from tests.resources.records import at_once
from tests.resources.test_etags import CREATE, UPDATE

Json = dict[str, Any]

ERROR = {
    "code": "rest_precondition_failed",
    "message": "The record was changed since you read it: read it again, then repeat your change.",
    "data": {"status": 412},
}


def made(client: Client, noun: str, as_: str = "admin") -> tuple[str, Json, str]:
    """Path, record and tag of a new record."""
    answer = client.post(f"/{noun}", CREATE[noun], as_=as_, status=201)
    path: str = f"/{noun}/{answer.json['id']}"
    read = client.get(path, as_=as_, status=200)
    assert answer.headers["ETag"] == read.headers["ETag"]
    return path, read.json, read.headers["ETag"]


def unchanged(client: Client, path: str, tag: str) -> bool:
    return bool(client.get(path, as_="admin", status=200).headers["ETag"] == tag)


@pytest.mark.parametrize("noun", ["events", "venues", "tags"])
def test_current_tag_passes_and_the_old_one_does_not(client: Client, noun: str) -> None:
    path, _, old = made(client, noun)
    changed = client.patch(path, UPDATE[noun], as_="admin", headers={"If-Match": old}, status=200)
    current = changed.headers["ETag"]
    refused = [
        client.patch(path, CREATE[noun], as_="admin", headers={"If-Match": old}, status=412),
        client.delete(path, as_="admin", headers={"If-Match": old}, status=412),
    ]

    assert [answer.json for answer in refused] == [ERROR] * 2
    assert unchanged(client, path, current)
    client.delete(path, as_="admin", headers={"If-Match": current}, status=200)


def test_several_tags_and_the_star(client: Client) -> None:
    path, _, tag = made(client, "venues")
    for header in ('"x"', tag.strip('"'), '"*"', ""):
        client.put(path, {"city": "Bonn"}, as_="admin", headers={"If-Match": header}, status=412)
    assert unchanged(client, path, tag)
    # A proxy that compresses weakens a tag; the record is the same.
    for header in ("*", '"x", {}', "W/{}"):
        match = {"If-Match": header.format(tag)}
        tag = client.put(path, {"city": header}, as_="admin", headers=match, status=200).headers["ETag"]


def test_rights_and_existence_are_told_first(client: Client) -> None:
    path, _, _ = made(client, "events")
    hidden = factories.event(client, as_="author2", status="draft")

    for target, as_, status, code in (
        (path, None, 401, "rest_forbidden"),
        (path, "author", 403, "rest_forbidden"),
        ("/events/4711", "admin", 404, "rest-event-not-found"),
        (f"/events/{hidden['id']}", "author", 404, "rest-event-not-found"),
    ):
        for method in ("PUT", "DELETE"):
            refused = client.send(method, target, as_=as_, headers={"If-Match": '"old"'}, status=status)
            assert refused.json["code"] == code
    invalid = client.put(path, {"start_date": "x"}, as_="admin", headers={"If-Match": '"old"'}, status=400)
    assert invalid.json["code"] == "rest_invalid_param"


def test_trashed_record_is_gone_whatever_the_tag(client: Client) -> None:
    path, _, _ = made(client, "venues")
    client.delete(path, as_="admin", status=200)
    tag = client.get(path, as_="admin", status=200).headers["ETag"]
    client.delete(path, as_="admin", headers={"If-Match": tag}, status=410)
    client.put(path, {"status": "publish"}, as_="admin", headers={"If-Match": tag}, status=200)


def test_tag_of_what_the_caller_sees_counts(client: Client) -> None:
    """Two callers may see a record differently, and each of them writes with the tag of what it saw."""
    tag = factories.tag(client)
    path = f"/tags/{tag['id']}"
    anonymous = client.get(path, status=200).headers["ETag"]
    editor = client.get(path, as_="editor", status=200).headers["ETag"]
    client.put(path, {"description": "x"}, as_="editor", headers={"If-Match": anonymous}, status=412)
    client.put(path, {"description": "x"}, as_="editor", headers={"If-Match": editor}, status=200)


def test_refused_write_leaves_nothing_behind(client: Client) -> None:
    path, _, tag = made(client, "events")
    totals = [client.get(f"/{noun}?hide_empty=0", as_="admin").json["total"] for noun in CREATE]
    body = {
        "title": "Changed", "venue": [{"venue": "Half"}], "organizer": [{"organizer": "Half"}],
        "categories": ["half"], "tags": ["half"],
    }  # fmt: skip
    client.put(path, body, as_="admin", headers={"If-Match": '"old"'}, status=412)

    assert unchanged(client, path, tag)
    assert [client.get(f"/{noun}?hide_empty=0", as_="admin").json["total"] for noun in CREATE] == totals


@pytest.mark.both_databases
@pytest.mark.parametrize(("method", "noun"), [("PUT", "venues"), ("PUT", "tags"), ("DELETE", "tags")])
def test_of_clients_in_a_race_one_wins(client: Client, method: str, noun: str) -> None:
    path, _, tag = made(client, noun)
    bodies = [{"description": f"Writer {number}"} for number in range(6)]
    answers = at_once(client, 6, method, path, bodies.__getitem__, {"If-Match": tag})
    statuses = sorted(answer.status_int for answer in answers)
    assert statuses == [200, *[404 if method == "DELETE" else 412] * 5]
    if method == "PUT":
        won = next(answer for answer in answers if answer.status_int == 200)
        assert unchanged(client, path, won.headers["ETag"])
