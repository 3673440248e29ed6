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


@pytest.mark.parametrize("name", LINES)
def test_line_is_plain_text_on_one_line_and_not_escaped(client: Client, name: str) -> None:
    """`&` stays `&` (docs/interface.md#venue-keys)."""
    record = factories.venue(client, **{name: " Straße 1 & <b>2</b>\nHof &amp; Tor "})

    assert record[name] == "Straße 1 & 2 Hof & Tor"


@pytest.mark.parametrize("name", [*LINES, "website"])
@pytest.mark.parametrize("empty", ["", None])
def test_line_that_is_empty_is_left_out(client: Client, name: str, empty: Any) -> None:
    assert name not in factories.venue(client, **{name: empty})


@pytest.mark.parametrize("name", LINES)
def test_line_that_is_zero_counts_as_empty(client: Client, name: str) -> None:
    assert name not in factories.venue(client, **{name: "0"})


@pytest.mark.parametrize("name", ["show_map", "show_map_link"])
@pytest.mark.parametrize(
    ("value", "shown"),
    [
        *((text, True) for text in ("true", "TRUE", "1", "yes", "Yes", "on", "y", "enable", "enabled")),
        *((text, False) for text in ("false", "0", "no", "off", "", "n", "abc")),
        *((True, True), (1, True), (False, False), (0, False)),
    ],
)
def test_map_flags_as_texts_and_booleans(client: Client, name: str, value: Any, shown: Any) -> None:
    """See docs/interface.md#lenient-types."""
    other = "show_map_link" if name == "show_map" else "show_map"

    created = factories.venue(client, **{name: value})
    opposing: Any = not shown
    opposite = factories.venue(client, **{name: opposing})
    updated = patched(client, opposite["id"], **{name: value})

    assert (created[name], created[other]) == (shown, True)
    assert (opposite[name], updated[name], updated[other]) == (not shown, shown, True)


def test_map_flags_are_kept_when_absent(client: Client) -> None:
    """See docs/interface.md#updates."""
    record = factories.venue(client, show_map=False, show_map_link="no")

    kept = patched(client, record["id"], city="Rome")

    assert (kept["show_map"], kept["show_map_link"]) == (False, False)


@pytest.mark.parametrize(
    ("sent", "derived"),
    [
        ({"state": "TX"}, "TX"),
        ({"state": "TX", "country": ""}, "TX"),
        ({"state": "TX", "country": "US"}, "TX"),
        ({"state": "TX", "country": "United States"}, "TX"),
        ({"state": "TX", "province": "Lazio"}, "TX"),
        ({"state": "TX", "country": "US", "province": "Lazio"}, "TX"),
        ({"state": "TX", "country": "Italy", "province": "Lazio"}, "Lazio"),
        ({"state": "TX", "country": "Italy"}, None),
        ({"province": "Lazio"}, "Lazio"),
        ({"province": "Lazio", "country": "US"}, "Lazio"),
        ({"country": "US"}, None),
        ({"state": "TX", "stateprovince": "Own"}, "Own"),
        ({"province": "Lazio", "stateprovince": ""}, None),
    ],
)
def test_stateprovince_is_derived_unless_it_is_sent(
    client: Client, sent: dict[str, str], derived: str | None
) -> None:
    """See docs/interface.md#venue-keys."""
    created = factories.venue(client, **sent)
    updated = patched(client, factories.venue(client)["id"], **sent)

    assert (created.get("stateprovince"), updated.get("stateprovince")) == (derived, derived)


@pytest.mark.parametrize(
    "sent", [{"address": "2 Side"}, {"venue": "New"}, {"website": ""}, {"show_map": False}]
)
@pytest.mark.parametrize(
    "place", [{"state": "TX", "country": "US"}, {"stateprovince": "Own", "province": "Lazio"}]
)
def test_stateprovince_is_kept_by_an_update_of_something_else(
    client: Client, place: dict[str, str], sent: dict[str, Any]
) -> None:
    """See docs/interface.md#updates."""
    record = factories.venue(client, **place)

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


@pytest.mark.parametrize("value", [12.5, "12.5", 0])
@pytest.mark.parametrize("lacking", [[], [None], [""]])
@pytest.mark.parametrize(("name", "other"), [("geo_lat", "geo_lng"), ("geo_lng", "geo_lat")])
def test_one_coordinate_without_the_other(
    client: Client, name: str, other: str, lacking: list[Any], value: Any
) -> None:
    """Both or neither; absent and empty lack alike (docs/interface.md#own-fields)."""
    record = factories.venue(client, geo_lat=1, geo_lng=2)

    refused(client, record, {name: value} | dict.fromkeys([other] if lacking else [], *lacking), [other])


@pytest.mark.parametrize("empty", [None, ""])
@pytest.mark.parametrize("name", ["geo_lat", "geo_lng"])
def test_one_coordinate_is_not_cleared_alone(client: Client, name: str, empty: str | None) -> None:
    record = factories.venue(client, geo_lat=1, geo_lng=2)

    response = client.patch(f"/venues/{record['id']}", {name: empty}, as_="admin", status=400)

    assert response.json["code"] == "rest_invalid_param"
    assert len(response.json["data"]["params"]) == 1
    assert client.get("/venues", status=200).json["venues"] == [record]


@pytest.mark.parametrize("empty", [(None, None), ("", ""), (None, "")])
def test_both_coordinates_are_cleared_together(client: Client, empty: tuple[Any, Any]) -> None:
    """See docs/interface.md#updates."""
    record = factories.venue(client, geo_lat=1, geo_lng=2)

    cleared = patched(client, record["id"], geo_lat=empty[0], geo_lng=empty[1])

    assert list(cleared) == [key for key in record if key not in ("geo_lat", "geo_lng")]


def test_coordinates_are_kept_when_absent(client: Client) -> None:
    record = factories.venue(client, geo_lat=1, geo_lng=2)

    kept = patched(client, record["id"], city="Rome")

    assert (kept["geo_lat"], kept["geo_lng"]) == (1.0, 2.0)


def test_wrong_coordinates_are_reported_with_everything_else(client: Client) -> None:
    """All that is wrong together, and before the record is looked for (docs/interface.md#order-of-checks)."""
    sent = {"geo_lat": 1, "website": "x"}
    for address in ("999999", str(factories.venue(client)["id"])):
        response = client.patch(f"/venues/{address}", sent, as_="admin", status=400)
        assert sorted(response.json["data"]["params"]) == ["geo_lng", "website"]
