"""The order in which a request is checked.

See docs/interface.md#order-of-checks, #head-and-options.
"""

import pytest

from tests import factories
from tests.client import Client

INVALID = {"start_date": "never", "website": "nowhere"}


@pytest.mark.parametrize(("login", "status"), [(None, 401), ("subscriber", 403)])
def test_general_right_goes_before_the_body_on_create(client: Client, login: str | None, status: int) -> None:
    response = client.post("/events", INVALID, as_=login, status=status)

    assert response.json["code"] == "rest_forbidden"
    assert response.headers["Allow"] == "GET"


@pytest.mark.parametrize(("login", "status"), [(None, 401), ("subscriber", 403)])
@pytest.mark.parametrize("path", ["/events/999999", "/events/by-slug/nothing"])
def test_general_right_goes_before_body_and_record(
    client: Client, login: str | None, status: int, path: str
) -> None:
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        response = client.send(method, path, INVALID, as_=login, status=status)

        assert response.json["code"] == "rest_forbidden"


@pytest.mark.parametrize("path", ["/events/999999", "/events/by-slug/nothing"])
def test_body_goes_before_the_record(client: Client, path: str) -> None:
    response = client.put(path, INVALID, as_="contributor", status=400)

    assert response.json["code"] == "rest_invalid_param"
    assert sorted(response.json["data"]["params"]) == ["start_date", "website"]


def test_broken_json_goes_before_the_record(client: Client) -> None:
    response = client.send(
        "PUT", "/events/999999", raw=b"{", content_type="application/json", as_="admin", status=400
    )

    assert response.json["code"] == "rest_invalid_json"


def test_body_goes_before_the_right_on_the_record(client: Client) -> None:
    event = factories.event(client, "author")

    response = client.put(f"/events/{event['id']}", INVALID, as_="contributor", status=400)

    assert response.json["code"] == "rest_invalid_param"


@pytest.mark.parametrize("path", ["/events/999999?password=", "/events/by-slug/nothing?password="])
def test_parameters_of_a_read_go_before_the_record(client: Client, path: str) -> None:
    response = client.get(path, status=400)

    assert response.json["code"] == "rest_invalid_param"
    assert list(response.json["data"]["params"]) == ["password"]


def test_record_goes_before_the_right_on_single_fields(client: Client) -> None:
    response = client.put("/events/999999", {"featured": True}, as_="contributor", status=404)

    assert response.json["code"] == "rest-event-not-found"


def test_bad_credentials_go_before_everything_but_the_route(client: Client) -> None:
    event = factories.event(client)
    wrong = {"Authorization": "Basic YWRtaW46d3Jvbmc="}

    read = client.get(f"/events/{event['id']}", headers=wrong, status=401)
    write = client.put(f"/events/{event['id']}", INVALID, headers=wrong, status=401)
    nowhere = client.get("/nowhere", headers=wrong, status=404)

    assert (read.json["code"], write.json["code"]) == ("rest_not_authenticated", "rest_not_authenticated")
    assert nowhere.json["code"] == "rest_no_route"
