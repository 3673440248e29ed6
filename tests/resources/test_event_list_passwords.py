"""Protected events in lists: what is masked, for whom, and what opens them."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

MASKED = {
    "description": "", "excerpt": "", "image": False, "all_day": None, "cost": "",
    "cost_details": {"currency_symbol": "", "currency_code": "", "currency_position": "", "values": []},
    "website": "", "show_map": None, "show_map_link": None, "hide_from_listings": None, "sticky": None,
    "featured": None, "categories": [], "tags": [], "venue": [], "organizer": [], "custom_fields": [],
    "post_parent": None, "ticketed": None,
}  # fmt: skip


@pytest.fixture
def protected(client: Client) -> dict[str, Any]:
    """An event of `author` with something in every field that a password hides."""
    parent = factories.event(client, title="Parent")["id"]
    return factories.event(
        client, title="Protected", author=client.ids["author"], password="sesame", description="Deep secret",
        excerpt="Short secret", image="https://images.example/secret.png", cost="$10 - $20",
        website="https://secret.example", show_map=True, show_map_link=True, sticky=True, featured=True,
        ticketed=True, categories=["Secret"], tags=["secret"], post_parent=parent,
        venue={"venue": "Secret hall"}, organizer={"organizer": "Secret agent"},
    )  # fmt: skip


def listed(client: Client, as_: str | None = None, **query: str) -> dict[str, Any]:
    """The protected event as the list shows it."""
    page = client.get("/events", query, as_=as_, status=200).json
    (event,) = [event for event in page["events"] if event["title"] == "Protected"]
    return dict(event)


@pytest.mark.parametrize("as_", [None, "subscriber", "author2"])
def test_others_get_it_masked(client: Client, protected: dict[str, Any], as_: str | None) -> None:
    shown = listed(client, as_)
    text = client.get("/events", as_=as_).text.lower()

    assert shown == {**protected, **MASKED}
    assert list(shown) == list(protected)
    assert "secret" not in text
    assert "sesame" not in text


def test_right_password_unmasks_in_both(client: Client, protected: dict[str, Any]) -> None:
    refused = client.get(f"/events/{protected['id']}", status=403)
    opened = client.get(f"/events/{protected['id']}", {"password": "sesame"}, status=200).json

    assert refused.json["code"] == "event-password-protected"
    assert opened["description"] == protected["description"]
    assert listed(client, password="sesame") == protected
    assert listed(client, "subscriber", password="sesame") == protected


def test_wrong_passwords_leave_it_masked(client: Client, protected: dict[str, Any]) -> None:
    for password in ("wrong", "Sesame", "sesame ", "scrypt$00$00"):
        assert listed(client, password=password) == {**protected, **MASKED}


def test_password_opens_only_the_events_that_it_fits(client: Client) -> None:
    for title, password in (("one", "sesame"), ("two", "other"), ("three", "sesame"), ("open", "")):
        factories.event(client, title=title, password=password, description=f"Text of {title}")

    def shown(query: dict[str, str]) -> list[str]:
        return [event["description"] for event in client.get("/events", query).json["events"]]

    assert shown({}) == ["", "", "", "<p>Text of open</p>"]
    assert shown({"password": "sesame"}) == [
        "<p>Text of one</p>", "", "<p>Text of three</p>", "<p>Text of open</p>"
    ]  # fmt: skip


@pytest.mark.both_databases
def test_masked_events_count_in_totals(client: Client, protected: dict[str, Any]) -> None:
    response = client.get("/events", {"per_page": 1})

    assert (response.json["total"], response.json["total_pages"]) == (2, 2)
