"""What only venues have: address, map flags, state or province, coordinates; and their website."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

LINES = ("address", "city", "country", "province", "state", "zip", "phone", "stateprovince")


def patched(client: Client, id: int, **fields: Any) -> Any:
    return client.patch(f"/venues/{id}", fields, as_="admin", status=200).json


def refused(client: Client, record: Any, fields: dict[str, Any], names: list[str]) -> None:
    """Neither a new venue nor a change of this one is taken, and nothing is stored."""
    for address, body in (("/venues", {"venue": "New"}), (f"/venues/{record['id']}", {})):
        response = client.post(address, {**body, **fields}, as_="admin", status=400)
        assert response.json["code"] == "rest_invalid_param"
        assert list(response.json["data"]["params"]) == names
    assert client.get("/venues", status=200).json["venues"] == [record]


def test_line_is_plain_text_on_one_line_and_not_escaped(client: Client) -> None:
    """`&` stays `&` (docs/interface.md#venue-keys)."""
    record = factories.venue(client, **dict.fromkeys(LINES, " Straße 1 & <b>2</b>\nHof &amp; Tor "))

    assert {record[name] for name in LINES} == {"Straße 1 & 2 Hof & Tor"}


@pytest.mark.parametrize("empty", ["", None, "0"])
def test_line_that_is_empty_is_left_out(client: Client, empty: str | None) -> None:
    names = LINES if empty == "0" else (*LINES, "website")

    assert not set(names) & set(factories.venue(client, **dict.fromkeys(names, empty)))


def test_stateprovince_is_derived_unless_it_is_sent(client: Client) -> None:
    """See docs/interface.md#venue-keys."""
    for sent, derived in (
        ({"state": "TX"}, "TX"),
        ({"state": "TX", "country": "US"}, "TX"),
        ({"state": "TX", "country": "United States"}, "TX"),
        ({"state": "TX", "province": "Lazio"}, "TX"),
        ({"state": "TX", "country": "Italy", "province": "Lazio"}, "Lazio"),
        ({"state": "TX", "country": "Italy"}, None),
        ({"province": "Lazio", "country": "US"}, "Lazio"),
        ({"state": "TX", "stateprovince": "Own"}, "Own"),
        ({"province": "Lazio", "stateprovince": ""}, None),
    ):
        created = factories.venue(client, **sent)
        updated = patched(client, factories.venue(client)["id"], **sent)

        assert (created.get("stateprovince"), updated.get("stateprovince")) == (derived, derived)


def test_stateprovince_is_kept_by_an_update_of_something_else(client: Client) -> None:
    """See docs/interface.md#updates."""
    for place in ({"state": "TX", "country": "US"}, {"stateprovince": "Own", "province": "Lazio"}):
        record = factories.venue(client, **place)
        for sent in ({"address": "2 Side"}, {"venue": "New"}, {"website": ""}, {"show_map": False}):
            assert patched(client, record["id"], **sent)["stateprovince"] == record["stateprovince"]


def test_stateprovince_follows_an_update_of_one_of_its_sources(client: Client) -> None:
    record = factories.venue(client, state="TX", country="US", province="Lazio")

    shown = [
        patched(client, record["id"], **sent).get("stateprovince")
        for sent in ({"country": "Italy"}, {"province": "Umbria"}, {"country": None}, {"state": ""})
    ]

    assert shown == ["Lazio", "Umbria", "TX", "Umbria"]


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("lat", "lng"), [(41.9, 12.5), ("41.9", "12.5"), (-90, -180), (90, 180), (0, 0), ("0", "0"), (1e-7, 1)]
)
def test_coordinates_are_shown_when_set(client: Client, lat: Any, lng: Any) -> None:
    """See docs/interface.md#own-fields."""
    record = factories.venue(client, geo_lat=lat, geo_lng=lng)
    body = client.get(f"/venues/{record['id']}", status=200).json

    for shown in (record, body):
        assert (shown["geo_lat"], shown["geo_lng"]) == (float(lat), float(lng))
    assert body["json_ld"]["geo"] == {
        "@type": "GeoCoordinates",
        "latitude": float(lat),
        "longitude": float(lng),
    }


def test_one_coordinate_without_the_other(client: Client) -> None:
    """Both or neither; absent and empty lack alike (docs/interface.md#own-fields)."""
    record = factories.venue(client, geo_lat=1, geo_lng=2)

    for name, other in (("geo_lat", "geo_lng"), ("geo_lng", "geo_lat")):
        for value in (12.5, "12.5", 0):
            refused(client, record, {name: value, other: None}, [other])
            refused(client, record, {name: value, other: ""}, [other])
        for empty in (None, ""):
            response = client.patch(f"/venues/{record['id']}", {name: empty}, as_="admin", status=400)
            assert response.json["code"] == "rest_invalid_param"
    created = client.post("/venues", {"venue": "New", "geo_lat": 5}, as_="admin", status=400)
    assert list(created.json["data"]["params"]) == ["geo_lng"]
    assert patched(client, record["id"], city="Rome")["geo_lng"] == 2.0

    for empties in ((None, None), ("", ""), (None, "")):
        patched(client, record["id"], geo_lat=1, geo_lng=2)
        cleared = patched(client, record["id"], **dict(zip(("geo_lat", "geo_lng"), empties, strict=True)))
        assert set(record) - set(cleared) == {"geo_lat", "geo_lng"}
