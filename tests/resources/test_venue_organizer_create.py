"""Creating venues and organizers: what is required, what comes back, what is refused."""

from typing import Any

import pytest

from calendar_api.config import Config
from tests import factories
from tests.client import Client

OWN_LINES = {
    "venue": {
        "address": "1 Main & Side",
        "city": "Rome",
        "country": "Italy",
        "province": "Lazio",
        "state": "RM",
        "zip": "00100",
        "phone": "555",
        "stateprovince": "Elsewhere",
        "website": "https://hall.example.org/?a=1&b=2",
    },
    "organizer": {"phone": "555", "website": "https://ann.example.org/?a=1&b=2", "email": "ann@example.org"},
}

pytestmark = pytest.mark.parametrize("noun", OWN_LINES)


@pytest.fixture
def config(database_url: str) -> Config:
    return Config(database_url=database_url, timezone="America/New_York", base_url="http://localhost")


def total(client: Client, noun: str) -> int:
    status = "publish,future,draft,pending,private,trash"
    found: int = client.get(f"/{noun}s", {"status": status}, as_="admin", status=200).json["total"]
    return found


def refused(client: Client, noun: str, body: Any, names: list[str], as_: str = "admin") -> None:
    response = client.post(f"/{noun}s", body, as_=as_, status=400)

    assert response.json["code"] == "rest_invalid_param"
    assert sorted(response.json["data"]["params"]) == sorted(names)
    assert total(client, noun) == 0


@pytest.mark.parametrize(
    ("sent", "local", "utc"),
    [
        ({"date": "2026-07-01 10:00:00"}, "2026-07-01 10:00:00", "2026-07-01 14:00:00"),
        ({"date_utc": "2026-07-01 10:00:00"}, "2026-07-01 06:00:00", "2026-07-01 10:00:00"),
        ({"date": "2026-07-01T10:00:00+02:00"}, "2026-07-01 04:00:00", "2026-07-01 08:00:00"),
        ({"date_utc": "2026-07-01T10:00:00+02:00"}, "2026-07-01 04:00:00", "2026-07-01 08:00:00"),
        ({"date": "20260701"}, "2026-07-01 00:00:00", "2026-07-01 04:00:00"),
    ],
)
def test_publication_date_in_the_zone_of_the_site(
    client: Client, noun: str, sent: dict[str, str], local: str, utc: str
) -> None:
    record = getattr(factories, noun)(client, **sent)

    assert (record["date"], record["date_utc"]) == (local, utc)


@pytest.mark.parametrize("name", ["", "0", "x" * 256, 5, True, ["a"], {"a": "b"}])
def test_name_that_is_none(client: Client, noun: str, name: Any) -> None:
    refused(client, noun, {noun: name}, [noun])


@pytest.mark.parametrize("name", [" ", "<b> </b>"])
def test_blank_name_makes_no_record(client: Client, noun: str, name: str) -> None:
    response = client.post(f"/{noun}s", {noun: name}, as_="admin", status=400)

    assert response.json["code"] == f"could-not-create-{noun}"
    assert list(response.json["data"]["params"]) == [noun]


def test_all_that_is_wrong_is_reported_together(client: Client, noun: str) -> None:
    wrong = {"author": 999_999, "date": "x", "status": "x", "website": "x", "image": 999_999, "phone": 5}

    refused(client, noun, {noun: "Hall", **wrong}, list(wrong))


def test_fields_that_are_not_writable_are_ignored(client: Client, noun: str) -> None:
    read_only = {
        "id": 4711,
        "slug": "own-slug",
        "excerpt": "Short",
        "url": "http://x.example.org",
        "global_id": "x",
        "modified": "2020-01-01 00:00:00",
        "modified_utc": "2020-01-01 00:00:00",
        "password": "secret",
        "foo": "bar",
    }

    record = getattr(factories, noun)(client, **{noun: "The Hall"}, **read_only)

    assert record["slug"] == "the-hall"
    assert not {"excerpt", "password", "foo"} & record.keys()
    assert record["id"] != 4711
    assert record["modified_utc"] > "2026-01-01"
    client.get(f"/{noun}s/{record['id']}", status=200)


@pytest.mark.parametrize("login", ["contributor", "author"])
def test_author_is_set_by_those_who_edit_others_only(client: Client, noun: str, login: str) -> None:
    """See docs/interface.md#authors."""
    for other in (client.ids["editor"], 999_999):
        body = {noun: "Hall", "author": other}
        response = client.post(f"/{noun}s", body, as_=login, status=403)
        assert response.json["code"] == "rest_forbidden"
    assert total(client, noun) == 0
    own = getattr(factories, noun)(client, login, author=str(client.ids[login]))
    assert own["author"] == str(client.ids[login])


def test_name_is_plain_text_and_comes_out_escaped(client: Client, noun: str) -> None:
    """What was read can be written back unchanged (docs/interface.md#round-trips)."""
    record = getattr(factories, noun)(client, **{noun: ' Tom &amp; <b>"Jerry"</b>\n& <script>x</script>Co '})

    again = client.patch(f"/{noun}s/{record['id']}", {noun: record[noun]}, as_="admin", status=200).json

    assert record[noun] == "Tom &#038; &quot;Jerry&quot; &#038; Co"
    assert (again[noun], again["slug"]) == (record[noun], record["slug"])


def test_description_is_sanitised_for_every_role(client: Client, noun: str) -> None:
    for login in ("contributor", "admin"):
        record = getattr(factories, noun)(
            client, login, description='<p onclick="x()">Text</p><script>alert(1)</script>'
        )
        assert record["description"] == "<p>Text</p>"


@pytest.mark.both_databases
def test_slug_is_free_for_each_noun_and_counted_up(client: Client, noun: str) -> None:
    factories.event(client, title="Hall")
    first, second = (
        getattr(factories, noun)(client, **{noun: "Hall"}, description=text) for text in ("one", "two")
    )

    assert (first["slug"], second["slug"]) == ("hall", "hall-2")


@pytest.mark.parametrize("status", ["draft", "pending"])
def test_draft_has_its_slug_at_once(client: Client, noun: str, status: str) -> None:
    record = getattr(factories, noun)(client, **{noun: "Hall"}, status=status)

    published = client.patch(f"/{noun}s/{record['id']}", {"status": "publish"}, as_="admin", status=200).json

    assert record["slug"] == "hall"
    assert published["slug"] == "hall"
