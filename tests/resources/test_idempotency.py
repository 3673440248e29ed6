"""`Idempotency-Key` on creation: sent twice, stored once (docs/interface.md#idempotency)."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from webtest import TestResponse

from calendar_api import database
from calendar_api.contract import validation
from calendar_api.database.models import IdempotentResponse
from calendar_api.domain import dates
from calendar_api.store import idempotency
from tests import factories
from tests.client import Client
from tests.resources.records import at_once
from tests.resources.test_etags import CREATE

Json = dict[str, Any]

KEY = {"Idempotency-Key": "8e03978e-40d5-43dd-bc93-6894a57f9324"}
COUNTED = ("events", "venues", "organizers", "categories", "tags")
ANSWER = ("Location", "ETag", "Allow", "Content-Type", "Cache-Control")


def counted(client: Client) -> list[int]:
    query = "hide_empty=0&starts_after=2000-01-01"
    return [client.get(f"/{noun}?{query}", as_="admin").json["total"] for noun in COUNTED]


def reused(response: TestResponse) -> bool:
    return bool(response.json == {
        "code": "rest_idempotency_key_reused",
        "message": "This Idempotency-Key was used for another request: choose a new one.",
        "data": {"status": 422},
    })  # fmt: skip


@pytest.mark.both_databases
@pytest.mark.parametrize("noun", ["events", "venues", "tags"])
def test_second_request_gets_the_answer_of_the_first(client: Client, noun: str) -> None:
    first = client.post(f"/{noun}", CREATE[noun], as_="admin", headers=KEY, status=201)
    before = counted(client)
    second = client.post(f"/{noun}", CREATE[noun], as_="admin", headers=KEY, status=201)
    body = {**CREATE[noun], "description": "other"}
    other = client.post(f"/{noun}", body, as_="admin", headers=KEY, status=422)

    assert second.json == first.json
    assert [second.headers[name] for name in ANSWER] == [first.headers[name] for name in ANSWER]
    assert reused(other)
    assert counted(client) == before


def test_first_answer_stands_though_the_record_has_changed_or_gone(client: Client) -> None:
    def sent() -> TestResponse:
        return client.post("/tags", {"name": "Music"}, as_="admin", headers=KEY, status=201)

    first = sent()
    client.put(f"/tags/{first.json['id']}", {"name": "Noise"}, as_="admin", status=200)
    changed = sent()
    client.delete(f"/tags/{first.json['id']}", as_="admin", status=200)
    gone = sent()

    assert changed.json == gone.json == first.json
    assert gone.headers["ETag"] == first.headers["ETag"]
    assert client.get("/tags?hide_empty=0").json["total"] == 0


def test_first_answer_is_kept_whole_and_may_be_cut_by_fields(client: Client) -> None:
    first = client.post("/tags?_fields=slug", {"name": "Music"}, as_="admin", headers=KEY, status=201)
    cut = client.post("/tags?_fields=slug", {"name": "Music"}, as_="admin", headers=KEY, status=201)
    whole = client.post("/tags", {"name": "Music"}, as_="admin", headers=KEY, status=201)
    assert first.json == cut.json == {"slug": "music"}
    assert whole.json["name"] == "Music"
    assert len({answer.headers["ETag"] for answer in (first, cut, whole)}) == 1


def test_form_and_json_that_mean_the_same_are_the_same_request(client: Client) -> None:
    body = {"venue": "Hall", "city": "Rome"}
    first = client.post("/venues", body, as_="admin", headers=KEY, status=201)
    for sent in ({"form": {"city": "Rome", "venue": "Hall"}}, {"body": body | {"x": 1}}):
        assert client.post("/venues", as_="admin", headers=KEY, status=201, **sent).json == first.json


def test_another_caller_and_another_key_make_another_record(client: Client) -> None:
    factories.category(client, name="music")
    upper = {"Idempotency-Key": KEY["Idempotency-Key"].upper()}
    longest = {"Idempotency-Key": '~!@#$%^&*() "' + "x" * 242}
    made = [
        client.post("/events", CREATE["events"], as_=as_, headers=headers, status=201).json["id"]
        for as_, headers in (
            ("author", KEY), ("author2", KEY), ("author", upper), ("author", longest), ("author", {}),
            ("author", {}), ("author", longest),
        )
    ]  # fmt: skip

    assert len(set(made[:6])) == 6
    assert made[6] == made[3]


def test_another_collection_or_an_invalid_body_is_another_request(client: Client) -> None:
    client.post("/tags", {"name": "Music"}, as_="admin", headers=KEY, status=201)
    for path, body in (("/categories", {"name": "Music"}), ("/tags", {})):
        assert reused(client.post(path, body, as_="admin", headers=KEY, status=422))
    assert client.get("/categories?hide_empty=0").json["total"] == 0


def test_errors_are_not_remembered(client: Client) -> None:
    taken = factories.tag(client, name="taken")
    before = counted(client)
    wrong = {**CREATE["events"], "venue": 4711}
    for noun, body in (("events", {"title": "x"}), ("tags", {"name": "taken"}), ("events", wrong)):
        client.post(f"/{noun}", body, as_="admin", headers=KEY, status=400)
    client.post("/tags", {"name": "x"}, as_="author", headers=KEY, status=403)
    client.post("/tags", {"name": "x"}, headers=KEY, status=401)
    assert counted(client) == before

    client.delete(f"/tags/{taken['id']}", as_="admin", status=200)
    client.post("/tags", {"name": "taken"}, as_="admin", headers=KEY, status=201)
    client.post("/tags", {"name": "taken"}, as_="author", headers=KEY, status=403)


def test_bad_keys_are_refused(client: Client) -> None:
    for key in ("", "x" * 256, "schlüssel", "a\tb", "a\x00b", "a\x7f"):
        sent = {"Idempotency-Key": key.encode().decode("latin-1")}
        refused = client.post("/tags", {"name": "x"}, as_="admin", headers=sent, status=400)
        assert refused.json == {
            "code": "rest_invalid_idempotency_key",
            "message": "An Idempotency-Key must have 1 to 255 printable ASCII characters.",
            "data": {"status": 400},
        }
    assert client.get("/tags?hide_empty=0").json["total"] == 0


def test_answers_are_forgotten_after_a_day(client: Client) -> None:
    def sent() -> int:
        return int(client.post("/events", CREATE["events"], as_="admin", headers=KEY, status=201).json["id"])

    first = sent()
    for hours, again in ((23.99, True), (24.01, False)):
        with database.write():
            then = dates.text(datetime.now(UTC) - timedelta(hours=hours))
            IdempotentResponse.update(created_utc=then).execute()
        assert (sent() == first) == again
        with database.read():
            assert IdempotentResponse.select().count() == 1


@pytest.mark.both_databases
def test_requests_at_once_make_one_record(client: Client) -> None:
    answers = at_once(client, 8, "POST", "/events", lambda _: CREATE["events"], KEY)
    assert [answer.status_int for answer in answers] == [201] * 8
    assert len({answer.body for answer in answers}) == 1
    assert counted(client) == [1, 1, 1, 1, 2]


def test_password_of_an_event_is_kept_as_scrypt_only_and_is_part_of_the_request(client: Client) -> None:
    """A digest that can be guessed fast would reveal the password to every reader of the database."""
    body = {**CREATE["events"], "password": "sesame"}
    first = client.post("/events", body, as_="admin", headers=KEY, status=201)
    (row,) = IdempotentResponse.select()
    fast = idempotency.digest(["events", validation.check("event", "create", body).fields, [], ()])
    again = client.post("/events", body, as_="admin", headers=KEY, status=201)
    other = client.post("/events", {**body, "password": "other"}, as_="admin", headers=KEY, status=422)

    assert again.json["id"] == first.json["id"]
    assert reused(other)
    assert row.request_digest != fast
    assert "sesame" not in repr(row.__data__)
    assert KEY["Idempotency-Key"] not in repr(row.__data__)
