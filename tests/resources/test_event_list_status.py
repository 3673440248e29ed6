"""Event lists by status and role, scheduled and trashed events, and those that hide from lists."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

ROLES = (None, "subscriber", "contributor", "author", "editor", "admin")
STATUSES = ("publish", "future", "draft", "pending", "private", "trash")


def made(client: Client, title: str, as_: str = "admin", **fields: Any) -> int:
    return int(factories.event(client, as_, title=title, **fields)["id"])


def found(client: Client, query: str = "", as_: str | None = None) -> list[str]:
    page = client.get(f"/events?per_page=50&{query}", as_=as_, status=200).json
    assert page["total"] == len(page["events"])
    return [event["title"] for event in page["events"]]


def one_of_each(client: Client, author: int | None = None, prefix: str = "") -> None:
    """An event of each status, all starting together, in the order of STATUSES."""
    who: dict[str, Any] = {} if author is None else {"author": author}
    made(client, f"{prefix}publish", **who)
    made(client, f"{prefix}future", date="2999-01-01", **who)
    for status in ("draft", "pending", "private"):
        made(client, f"{prefix}{status}", status=status, **who)
    client.delete(f"/events/{made(client, prefix + 'trash', **who)}", as_="admin", status=200)


def test_lists_show_exactly_what_can_be_read_one_by_one(client: Client) -> None:
    """Over every status, owner and role (docs/interface.md#visibility)."""
    for login in ("contributor", "author", "editor", "contributor2"):
        one_of_each(client, client.ids[login], f"{login} ")
    query = f"status={','.join(STATUSES)}"
    everything = client.get(f"/events?per_page=50&{query}", as_="admin").json["events"]
    assert len(everything) == 24

    for role in ROLES:
        read = [client.get(f"/events/{event['id']}", as_=role).status_int == 200 for event in everything]
        alone = [event["title"] for event, may in zip(everything, read, strict=True) if may]
        assert found(client, "" if role in (None, "subscriber") else query, as_=role) == alone


@pytest.mark.both_databases
def test_publication_date_ahead_makes_an_event_future(client: Client) -> None:
    made(client, "now")
    made(client, "ahead", date=factories.day(1))
    made(client, "behind", date=factories.day(-1))
    made(client, "asked for", status="future", date=factories.day(1))
    made(client, "draft", status="draft", date=factories.day(1))

    assert found(client) == ["now", "behind"]
    assert found(client, "status=publish", as_="editor") == ["now", "behind"]
    assert found(client, "status=future", as_="editor") == ["ahead", "asked for"]
    assert found(client, "status=draft", as_="editor") == ["draft"]
    listed = client.get("/events", as_="editor").json["events"]
    assert [event["status"] for event in listed] == ["publish", "future", "publish", "future", "draft"]


def test_sticky_and_featured_do_not_change_the_order(client: Client) -> None:
    made(client, "second", start_date=factories.day(2), sticky=True, featured=True)
    made(client, "first", start_date=factories.day(1))
    made(client, "third", start_date=factories.day(3), date="2020-01-01")

    assert found(client) == ["first", "second", "third"]
