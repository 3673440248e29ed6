"""What tests of the interface do with records: change and remove them, list them, link them to events."""

import json
import threading
from collections.abc import Callable
from typing import Any

from webtest import TestApp, TestResponse

from calendar_api import database
from tests.client import ROOT, Client

Json = dict[str, Any]

#: Lists by a key that only their records have.
ARCHIVES = {"title": "events", "venue": "venues", "organizer": "organizers"}
#: What each write changes in a record.
MODIFIED = ("modified", "modified_utc")


def path_of(record: Json) -> str:
    """The address of a record of any kind."""
    if "urls" in record:
        return str(record["urls"]["self"])
    archive = next(archive for key, archive in ARCHIVES.items() if key in record)
    return f"/{archive}/{record['id']}"


def change(client: Client, record: Json, as_: str = "admin", **fields: Any) -> Json:
    answer: Json = client.patch(path_of(record), fields, as_=as_, status=200).json
    return answer


def trash(client: Client, record: Json, as_: str = "admin") -> Json:
    """Move a record to the trash; terms are deleted."""
    answer: Json = client.delete(path_of(record), as_=as_, status=200).json
    return answer


def read(client: Client, record: Json, as_: str | None = None) -> Json:
    answer: Json = client.get(path_of(record), as_=as_, status=200).json
    return answer


def listed(client: Client, path: str, as_: str | None = None, **query: Any) -> list[Json]:
    """The records of a list that fits on one page, whose total is checked."""
    response = client.get(path, {"per_page": 50, **query}, as_=as_, status=200)
    noun = path.strip("/").partition("?")[0]
    found: list[Json] = response.json[noun]
    assert response.json["total"] == len(found)
    assert response.headers["X-TEC-Total"] == str(len(found))
    return found


def titles(client: Client, query: str = "", as_: str | None = None, **more: Any) -> list[str]:
    """The titles of the events that a list has, in its order."""
    return [event["title"] for event in listed(client, f"/events?{query}", as_, **more)]


def ids(records: Any) -> list[int]:
    """The ids of records; a single linked venue is not in a list."""
    return [record["id"] for record in ([records] if isinstance(records, dict) else records)]


def without(record: Json, *names: str) -> Json:
    return {name: value for name, value in record.items() if name not in names}


def refused(response: TestResponse, code: str = "rest_invalid_param") -> list[str]:
    """The names of the parameters that a response with this code refuses."""
    assert response.json["code"] == code
    return list(response.json["data"]["params"])


def at_once(
    client: Client, number: int, method: str, path: str, body: Callable[[int], Json], headers: dict[str, str]
) -> list[TestResponse]:
    """The responses to requests of the administrator that threads send at the same moment."""
    start, answers = threading.Barrier(number), []
    sent = {**headers, "Authorization": client.basic("admin"), "Content-Type": "application/json"}

    def send(at: int) -> None:
        app = TestApp(client.app.app, extra_environ={"HTTP_HOST": "localhost"})
        raw = json.dumps(body(at)).encode()
        start.wait()
        answers.append(app.request(ROOT + path, method=method, body=raw, headers=sent, expect_errors=True))
        database.close_connection()

    threads = [threading.Thread(target=send, args=(at,)) for at in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers
