"""The one shape of every error, and what the database's troubles look like.

See docs/interface.md#error-body, #no-server-errors.
"""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import falcon
import pytest
from webtest import TestApp, TestResponse

from calendar_api import database
from calendar_api.app import create_app
from calendar_api.config import Config
from calendar_api.database.models import Term, Venue
from calendar_api.domain.auth import Caller
from tests import factories
from tests.client import ROOT, Client
from tests.templates import opened, path_of

SECRET = "/srv/private/place SELECT secret FROM user"


def error_response(client: Client, method: str, path: str, body: Any = None, status: int = 0) -> TestResponse:
    """The answer of a request of the administrator, which may be a 5xx, in the shape of errors."""
    raw = b"" if body is None else json.dumps(body).encode()
    headers = {"Authorization": client.basic("admin"), "Content-Type": "application/json"}
    response = client.app.request(ROOT + path, method=method, body=raw, headers=headers, expect_errors=True)
    assert response.status_int == status, response.text
    shaped(response)
    return response


def shaped(response: TestResponse) -> dict[str, Any]:
    """The body of an error, whose shape is checked."""
    body: dict[str, Any] = response.json
    assert response.headers["Content-Type"] == "application/json; charset=UTF-8"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert response.headers["Vary"] == "Authorization, Accept-Encoding, Origin"
    assert response.headers["Cache-Control"] == "private, no-store"
    assert not {"server", "x-powered-by", "set-cookie"} & {name.lower() for name in response.headers}
    assert len(response.headers["X-Request-Id"]) == 16
    assert list(body)[:3] == ["code", "message", "data"]
    assert set(body) <= {"code", "message", "data", "additional_errors"}
    assert body["data"]["status"] == response.status_int
    assert body["message"].endswith(".")
    return body


# -- crashes


class Crash:
    """A resource with a mistake in it."""

    methods = ("GET", "POST")

    def may_write(self, caller: Caller) -> bool:
        return False

    def allow(self, resp: falcon.Response, *, write: bool) -> None:
        resp.set_header("Allow", "GET")

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        resp.media = {"half": "done"}
        raise RuntimeError(SECRET)

    on_head = on_get

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        with database.write():
            Term.insert(name="half done").execute()


@pytest.fixture
def crashing(config: Config) -> TestApp:
    app = create_app(config)
    app.application.add_route(f"{ROOT}/crash", Crash())
    return TestApp(app, extra_environ={"HTTP_HOST": "localhost"})


def test_crash_is_a_500_that_tells_nothing(crashing: TestApp, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "calendar_api"):
        response = crashing.get(f"{ROOT}/crash", expect_errors=True)
        assert crashing.head(f"{ROOT}/crash", expect_errors=True).body == b""

    body = shaped(response)
    assert response.status_int == 500
    assert body == {
        "code": "internal_server_error",
        "message": "Something went wrong in the server; its log says what, under this request id.",
        "data": {"status": 500, "request_id": response.headers["X-Request-Id"]},
    }
    record, _ = caplog.records
    assert response.headers["X-Request-Id"] in record.getMessage()
    assert record.exc_info is not None
    assert str(record.exc_info[1]) == SECRET


def test_damaged_value_in_the_database_is_a_500(client: Client) -> None:
    venue = factories.venue(client)
    with database.write():
        Venue.update(modified_utc="x" * 19, document=None).execute()
    error_response(client, "GET", f"/venues/{venue['id']}", status=500)


@pytest.mark.both_databases
def test_unexpected_database_error_is_a_500_and_is_rolled_back(crashing: TestApp, client: Client) -> None:
    response = crashing.post(f"{ROOT}/crash", expect_errors=True)
    assert response.status_int == 500
    assert shaped(response)["code"] == "internal_server_error"
    assert "NOT NULL" not in response.text
    assert client.get("/tags?hide_empty=0", status=200).json["total"] == 0
    factories.tag(client)


# -- the database


@pytest.fixture
def other(client: Client, database_url: str) -> Iterator[Any]:
    """A second connection to the database of the service, which itself does not wait for locks."""
    client.get("/tags", status=200)
    database.db.pragma("busy_timeout", 20)
    connection = opened(path_of(database_url))
    yield connection
    connection.close()


@pytest.mark.sqlite
@pytest.mark.parametrize("is_busy", [True, False])
def test_database_that_takes_no_writes_is_a_503_and_is_read(
    client: Client, other: Any, is_busy: bool
) -> None:
    tag = factories.tag(client)["id"]
    if is_busy:
        other.execute("BEGIN IMMEDIATE")
    else:
        database.db.pragma("query_only", 1)

    response = error_response(client, "POST", "/tags", {"name": "late"}, 503)
    read = client.get(f"/tags/{tag}", status=200).json

    assert response.json["code"] == "rest_database_unavailable"
    assert response.json["data"]["request_id"] == response.headers["X-Request-Id"]
    assert response.headers["Retry-After"] == "1"
    assert read["id"] == tag
    if is_busy:
        other.execute("ROLLBACK")
        assert factories.tag(client, name="late")["name"] == "late"


@pytest.mark.sqlite
def test_full_disk_is_a_507_and_nothing_is_stored(client: Client) -> None:
    factories.tag(client, name="before")
    pages = database.db.pragma("page_count")
    database.db.pragma("max_page_count", pages)
    response = error_response(client, "POST", "/tags", {"name": "x", "description": "word " * 13_000}, 507)
    database.db.pragma("max_page_count", 2**30)

    assert response.json["code"] == "rest_storage_full"
    assert "Location" not in response.headers
    assert [tag["name"] for tag in client.get("/tags?hide_empty=0").json["tags"]] == ["before"]
    assert factories.tag(client, name="x")["slug"] == "x"


def unserved(url: str) -> dict[str, Any]:
    """The 503 of a database that cannot be served, on every kind of request."""
    app = TestApp(create_app(Config(database_url=url)), extra_environ={"HTTP_HOST": "localhost"})
    requests = (("GET", "/events"), ("GET", "/nothing"), ("POST", "/tags"), ("OPTIONS", "/tags"))
    answers = [app.request(ROOT + path, method=method, expect_errors=True) for method, path in requests]
    bodies = [shaped(answer) for answer in answers]
    assert [answer.status_int for answer in answers] == [503] * 4
    assert len({body["code"] for body in bodies}) == 1
    assert {answer.headers["Retry-After"] for answer in answers} <= {"1", "60"}
    database.close_connection()
    return bodies[0]


@pytest.mark.both_databases
def test_no_database_is_not_initialised_and_none_is_made(tmp_path: Path) -> None:
    """See docs/interface.md#authentication."""
    path = tmp_path / "below" / "none.sqlite3"
    body = unserved(f"sqlite:///{path}")
    assert body["code"] == "not_initialised"
    assert "`calendar-api migrate`" in body["message"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("statement", "code", "told"),
    [
        ("DELETE FROM schema_migration", "rest_schema_outdated", "`calendar-api migrate`"),
        ("INSERT INTO schema_migration (name, applied) VALUES ('9999_later', '2030-01-01 00:00:00')",
         "rest_schema_unknown", "newer"),
    ],
)  # fmt: skip
def test_database_of_another_version(database_url: str, statement: str, code: str, told: str) -> None:
    with database.write():
        database.db.execute_sql(statement)
    body = unserved(database_url)
    assert body["code"] == code
    assert told in body["message"]


@pytest.mark.parametrize("content", [b"garbage " * 1000, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_file_that_is_no_database_is_unavailable(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "calendar.sqlite3"
    path.write_bytes(content)
    body = unserved(f"sqlite:///{path}")
    assert body["code"] == "rest_database_unavailable"
    assert str(tmp_path) not in str(body)
    assert path.read_bytes() == content


@pytest.mark.sqlite
def test_service_recovers_by_itself_when_the_database_comes(database_url: str) -> None:
    path = path_of(database_url)
    hidden = path.rename(path.with_suffix(".hidden"))
    database.close_connection()
    app = TestApp(create_app(Config(database_url=database_url)), extra_environ={"HTTP_HOST": "localhost"})
    assert app.get(f"{ROOT}/tags", expect_errors=True).json["code"] == "not_initialised"
    hidden.rename(path)
    assert app.get(f"{ROOT}/tags").json["total"] == 0
