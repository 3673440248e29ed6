"""`Idempotency-Key` on creation: sent twice, stored once (docs/interface.md#idempotency)."""

import json
import threading
from datetime import timedelta
from typing import Any

import pytest
from webtest import TestApp, TestResponse

from calendar_api import database
from calendar_api.contract import validation
from calendar_api.database.models import IdempotentResponse
from calendar_api.domain import dates
from calendar_api.store import idempotency
from tests import factories
from tests.client import ROOT, Client
from tests.resources.test_etags import CREATE

pytestmark = pytest.mark.both_databases

Json = dict[str, Any]

KEY = {"Idempotency-Key": "8e03978e-40d5-43dd-bc93-6894a57f9324"}
COUNTED = ("events", "venues", "organizers", "categories", "tags")
ANSWER = ("Location", "ETag", "Allow", "Content-Type", "Cache-Control")


def counted(client: Client) -> list[int]:
    return [client.get(f"/{noun}?hide_empty=0&starts_after=2000-01-01", as_="admin").json["total"]
            for noun in COUNTED]  # fmt: skip


def reused(response: TestResponse) -> bool:
    return bool(response.json == {
        "code": "rest_idempotency_key_reused",
        "message": "This Idempotency-Key was used for another request: choose a new one.",
        "data": {"status": 422},
    })  # fmt: skip


@pytest.mark.parametrize("noun", COUNTED)
def test_second_request_gets_the_answer_of_the_first(client: Client, noun: str) -> None:
    first = client.post(f"/{noun}", CREATE[noun], as_="admin", headers=KEY, status=201)
    before = counted(client)

    second = client.post(f"/{noun}", CREATE[noun], as_="admin", headers=KEY, status=201)

    assert second.json == first.json
    assert [second.headers[name] for name in ANSWER] == [first.headers[name] for name in ANSWER]
    assert counted(client) == before


@pytest.mark.parametrize("noun", COUNTED)
def test_another_body_is_refused(client: Client, noun: str) -> None:
    client.post(f"/{noun}", CREATE[noun], as_="admin", headers=KEY, status=201)
    before = counted(client)

    other = {**CREATE[noun], "description": "other"}
    response = client.post(f"/{noun}", other, as_="admin", headers=KEY, status=422)

    assert reused(response)
    assert counted(client) == before


def test_first_answer_stands_though_the_record_has_changed_or_gone(client: Client) -> None:
    body = {"name": "Music"}
    first = client.post("/tags", body, as_="admin", headers=KEY, status=201)
    client.put(f"/tags/{first.json['id']}", {"name": "Noise"}, as_="admin", status=200)
    changed = client.post("/tags", body, as_="admin", headers=KEY, status=201)
    client.delete(f"/tags/{first.json['id']}", as_="admin", status=200)

    gone = client.post("/tags", body, as_="admin", headers=KEY, status=201)

    assert changed.json == gone.json == first.json
    assert gone.headers["ETag"] == first.headers["ETag"]
    assert client.get("/tags?hide_empty=0").json["total"] == 0


def test_first_answer_may_be_cut_by_fields(client: Client) -> None:
    first = client.post("/tags", {"name": "Music"}, as_="admin", headers=KEY, status=201)

    second = client.post("/tags?_fields=id", {"name": "Music"}, as_="admin", headers=KEY, status=201)

    assert second.json == {"id": first.json["id"]}
    assert second.headers["ETag"] == first.headers["ETag"]


def test_first_answer_that_was_cut_is_kept_whole(client: Client) -> None:
    client.post("/tags?_fields=id", {"name": "Music"}, as_="admin", headers=KEY, status=201)

    second = client.post("/tags", {"name": "Music"}, as_="admin", headers=KEY, status=201)

    assert second.json["name"] == "Music"


def test_form_and_json_that_mean_the_same_are_the_same_request(client: Client) -> None:
    first = client.post("/venues", {"venue": "Hall", "city": "Rome"}, as_="admin", headers=KEY, status=201)

    forms = client.post("/venues", form={"city": "Rome", "venue": "Hall"}, as_="admin", headers=KEY)
    unknown = client.post("/venues", {"venue": "Hall", "city": "Rome", "x": 1}, as_="admin", headers=KEY)

    assert [forms.status_int, unknown.status_int] == [201, 201]
    assert forms.json == unknown.json == first.json


def test_another_caller_makes_a_record_of_its_own(client: Client) -> None:
    bodies = [{"title": "Talk", "start_date": "2031-05-01", "end_date": "2031-05-01"}] * 2

    made = [
        client.post("/events", body, as_=as_, headers=KEY, status=201)
        for as_, body in zip(("author", "author2"), bodies, strict=True)
    ]

    assert made[0].json["id"] != made[1].json["id"]
    assert [answer.json["author"] for answer in made] == [
        str(client.ids[as_]) for as_ in ("author", "author2")
    ]


def test_another_collection_is_another_request(client: Client) -> None:
    client.post("/tags", {"name": "Music"}, as_="admin", headers=KEY, status=201)

    response = client.post("/categories", {"name": "Music"}, as_="admin", headers=KEY, status=422)

    assert reused(response)
    assert client.get("/categories?hide_empty=0").json["total"] == 0


def test_another_key_makes_another_record(client: Client) -> None:
    body = CREATE["events"]

    made = {
        client.post("/events", body, as_="admin", headers=headers, status=201).json["id"]
        for headers in (KEY, {"Idempotency-Key": KEY["Idempotency-Key"].upper()}, {}, {})
    }

    assert len(made) == 4


@pytest.mark.parametrize(
    ("noun", "body", "status"),
    [
        ("events", {"title": "Talk"}, 400),
        ("tags", {"name": "taken"}, 400),
        ("events", {**CREATE["events"], "venue": 4711}, 400),
        ("events", {**CREATE["events"], "categories": "unknown"}, 403),
    ],
)
def test_errors_are_not_remembered(client: Client, noun: str, body: Json, status: int) -> None:
    taken = factories.tag(client, name="taken")
    as_ = "author" if status == 403 else "admin"
    before = counted(client)

    for _ in range(2):
        client.post(f"/{noun}", body, as_=as_, headers=KEY, status=status)
    assert counted(client) == before

    if noun == "tags":
        client.delete(f"/tags/{taken['id']}", as_="admin", status=200)
        client.post("/tags", body, as_="admin", headers=KEY, status=201)
    client.post("/venues", {"venue": "Hall"}, as_=as_, headers=KEY, status=422 if noun == "tags" else 201)


def test_invalid_request_under_a_used_key_is_another_request(client: Client) -> None:
    client.post("/tags", {"name": "Music"}, as_="admin", headers=KEY, status=201)

    assert reused(client.post("/tags", {}, as_="admin", headers=KEY, status=422))


def test_rights_are_asked_before_the_first_answer_is_given(client: Client) -> None:
    client.post("/tags", {"name": "Music"}, as_="editor", headers=KEY, status=201)

    client.post("/tags", {"name": "Music"}, headers=KEY, status=401)
    client.post("/tags", {"name": "Music"}, as_="author", headers=KEY, status=403)


@pytest.mark.parametrize("key", ["", "x" * 256, "schlüssel", "a\tb", "a\x00b", "a\x7f"])
def test_bad_keys_are_refused(client: Client, key: str) -> None:
    response = client.app.post(
        f"{ROOT}/tags",
        json.dumps({"name": "x"}),
        headers={"Authorization": client.basic("admin"), "Content-Type": "application/json"},
        extra_environ={"HTTP_IDEMPOTENCY_KEY": key.encode().decode("latin-1"), "HTTP_HOST": "localhost"},
        expect_errors=True,
    )

    assert response.status_int == 400
    assert response.json == {
        "code": "rest_invalid_idempotency_key",
        "message": "An Idempotency-Key must have 1 to 255 printable ASCII characters.",
        "data": {"status": 400},
    }
    assert client.get("/tags?hide_empty=0").json["total"] == 0


@pytest.mark.parametrize("key", ["x", "x" * 255, "a b", '"quoted"', "~!@#$%^&*()"])
def test_other_keys_are_taken(client: Client, key: str) -> None:
    headers = {"Idempotency-Key": key}

    first = client.post("/tags", {"name": "x"}, as_="admin", headers=headers, status=201)

    assert client.post("/tags", {"name": "x"}, as_="admin", headers=headers, status=201).json == first.json


def test_key_means_nothing_to_an_update(client: Client) -> None:
    path = f"/venues/{factories.venue(client)['id']}"

    for city in ("Rome", "Bonn"):
        changed = client.post(path, {"city": city}, as_="admin", headers=KEY, status=200)

        assert changed.json["city"] == city


@pytest.mark.parametrize(("hours", "again"), [(23.99, True), (24.01, False)])
def test_answers_are_forgotten_after_a_day(client: Client, hours: float, again: bool) -> None:
    body = CREATE["events"]
    first = client.post("/events", body, as_="admin", headers=KEY, status=201)
    with database.write():
        row = IdempotentResponse.get()
        then = dates.text(dates.from_text(row.created_utc) - timedelta(hours=hours))
        IdempotentResponse.update(created_utc=then).execute()

    second = client.post("/events", body, as_="admin", headers=KEY, status=201)

    assert (second.json["id"] == first.json["id"]) == again
    with database.read():
        assert IdempotentResponse.select().count() == 1


def test_secrets_of_an_event_are_not_kept_with_the_answer(client: Client) -> None:
    body = {**CREATE["events"], "password": "open-sesame"}

    client.post("/events", body, as_="admin", headers=KEY, status=201)

    with database.read():
        kept = IdempotentResponse.get()
    assert "open-sesame" not in f"{kept.body}{kept.headers}{kept.key_digest}{kept.request_digest}"
    assert KEY["Idempotency-Key"] not in f"{kept.body}{kept.headers}{kept.key_digest}"


def test_requests_at_once_make_one_record(client: Client) -> None:
    start, answers = threading.Barrier(8), []

    def send() -> None:
        app = TestApp(client.app.app, extra_environ={"HTTP_HOST": "localhost"})
        headers = {**KEY, "Authorization": client.basic("admin"), "Content-Type": "application/json"}
        start.wait()
        answers.append(app.post(f"{ROOT}/events", json.dumps(CREATE["events"]), headers=headers))
        database.close_connection()

    threads = [threading.Thread(target=send) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [answer.status_int for answer in answers] == [201] * 8
    assert len({answer.body for answer in answers}) == 1
    assert counted(client) == [1, 1, 1, 1, 2]


def test_password_of_an_event_is_kept_as_scrypt_only_and_is_part_of_the_request(client: Client) -> None:
    """A digest that can be guessed fast would reveal the password to every reader of the database."""
    body = {**CREATE["events"], "password": "sesame"}
    first = client.post("/events", body, as_="admin", headers=KEY, status=201)
    (row,) = IdempotentResponse.select()

    fast = idempotency.digest(["events", {**stored_fields(body)}, [], ()])
    again = client.post("/events", body, as_="admin", headers=KEY, status=201)
    other = client.post("/events", {**body, "password": "other"}, as_="admin", headers=KEY, status=422)

    assert again.json["id"] == first.json["id"]
    assert reused(other)
    assert row.request_digest != fast
    assert "sesame" not in repr(row.__data__)


def stored_fields(body: Json) -> Json:
    return validation.check("event", "create", body).fields
