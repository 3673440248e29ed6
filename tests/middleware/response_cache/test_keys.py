"""Two requests have one key only if they cannot have two answers."""

from typing import Any

import pytest

from calendar_api.contract import schemas
from calendar_api.domain.trusted_proxies import Proxies
from calendar_api.middleware.response_cache.keys import Keys

KEYS = Keys(schemas.read_parameters(), Proxies(("10.0.0.1",)).trusts)
REQUEST = {"PATH_INFO": "/calendar/events/v1/events", "HTTP_HOST": "localhost", "wsgi.url_scheme": "http"}


def key(query: str = "", **more: Any) -> Any:
    return KEYS.key({**REQUEST, "QUERY_STRING": query, **more})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("", "utm_source=x"), ("", "_=1234"), ("page=2&per_page=3", "per_page=3&page=2"),
        ("page=1&&", "page=1"), ("page=1", "page=1&x=1&y=2"),
        ("search=b&page=1&search=a", "page=1&search=b&search=a"),
    ],
)  # fmt: skip
def test_same_request_has_the_same_key(one: str, other: str) -> None:
    assert key(one) == key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("", "page=2"), ("search=a&search=b", "search=b&search=a"), ("search=a", "search=A"),
        ("categories=1&categories[]=2", "categories[]=2&categories=1"), ("%70age=2", ""), ("+page=2", ""),
        ("categories=1&categories=2", "categories=2&categories=1"),
        ("categories=1&categories=2", "categories=2"), ("categories=1&categories=2", "categories=1"),
        ("rest_route=/x", ""), ("_fields=id", ""), ("tags[]=1", "tags[]=2"), ("x[page]=1", ""),
    ],
)  # fmt: skip
def test_other_requests_have_other_keys(one: str, other: str) -> None:
    assert key(one) != key(other)


@pytest.mark.parametrize(
    "more",
    [
        {"PATH_INFO": "/calendar/events/v1/venues"}, {"HTTP_HOST": "other"}, {"wsgi.url_scheme": "https"},
        {"SCRIPT_NAME": "/sub"}, {"HTTP_X_FORWARDED_HOST": "x", "REMOTE_ADDR": "10.0.0.1"},
        {"HTTP_X_FORWARDED_PROTO": "https", "REMOTE_ADDR": "10.0.0.1"},
        {"HTTP_X_FORWARDED_PREFIX": "/x", "REMOTE_ADDR": "10.0.0.1"},
    ],
)  # fmt: skip
def test_other_addresses_have_other_keys(more: dict[str, Any]) -> None:
    assert key(**more) != key()


def test_a_peer_that_is_believed_is_not_one_that_is_not() -> None:
    forwarded = {"HTTP_X_FORWARDED_HOST": "x"}

    assert key(**forwarded, REMOTE_ADDR="10.0.0.1") != key(**forwarded, REMOTE_ADDR="10.0.0.2")


def test_long_and_crowded_queries_are_not_remembered() -> None:
    assert key("search=" + "x" * 2000) is None
    assert key("&".join(f"x{number}=1" for number in range(32))) is None


def test_every_parameter_of_a_read_is_known() -> None:
    assert {"page", "search", "geoloc_lat", "_fields", "rest_route", "password", "hide_empty"} <= (
        schemas.read_parameters()
    )


def test_headers_of_a_peer_that_is_not_believed_are_not_looked_at() -> None:
    assert key(HTTP_X_FORWARDED_HOST="x" * 8000, REMOTE_ADDR="10.0.0.2") == key(REMOTE_ADDR="10.0.0.2")


@pytest.mark.parametrize(
    "more",
    [
        {"PATH_INFO": "/calendar" + "/" * 8000 + "events/v1"},
        {"HTTP_HOST": "x" * 8000},
        {"SCRIPT_NAME": "/x" * 4000},
        {"HTTP_X_FORWARDED_PREFIX": "/x" * 4000, "REMOTE_ADDR": "10.0.0.1"},
        {"QUERY_STRING": "search=" + "x" * 8000},
    ],
)
def test_no_key_is_large(more: dict[str, Any]) -> None:
    assert KEYS.key({**REQUEST, **more}) is None
