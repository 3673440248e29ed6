"""What only venues have: lines of an address, state or province, coordinates."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client
from tests.resources.records import change, listed, path_of, read, refused

LINES = ("address", "city", "country", "province", "state", "zip", "phone", "stateprovince")


def test_venue_has_lines_of_plain_text_that_is_not_escaped(client: Client) -> None:
    """`&` stays `&`; an empty line is left out (docs/interface.md#venue-keys)."""
    record = factories.venue(client, **dict.fromkeys(LINES, " Straße 1 & <b>2</b>\nHof &amp; Tor "))
    assert {record[name] for name in LINES} == {"Straße 1 & 2 Hof & Tor"}
    for empty, names in (("", (*LINES, "website")), (None, (*LINES, "website")), ("0", LINES)):
        assert not set(names) & set(factories.venue(client, **dict.fromkeys(names, empty)))


def test_stateprovince_is_derived_unless_it_is_sent(client: Client) -> None:
    """See docs/interface.md#venue-keys; tests/store/test_venues.py has the rule itself."""
    for sent, derived in (
        ({"state": "TX", "country": "United States", "province": "Lazio"}, "TX"),
        ({"state": "TX", "country": "Italy"}, None), ({"state": "TX", "stateprovince": "Own"}, "Own"),
        ({"province": "Lazio", "stateprovince": ""}, None),
    ):  # fmt: skip
        created, updated = factories.venue(client, **sent), change(client, factories.venue(client), **sent)
        assert (created.get("stateprovince"), updated.get("stateprovince")) == (derived, derived)


def test_stateprovince_follows_an_update_of_one_of_its_sources_and_no_other(client: Client) -> None:
    """See docs/interface.md#updates."""
    own = factories.venue(client, stateprovince="Own", province="Lazio")
    for sent in ({"address": "2 Side"}, {"venue": "New"}, {"website": ""}, {"show_map": False}):
        assert change(client, own, **sent)["stateprovince"] == "Own"
    record = factories.venue(client, state="TX", country="US", province="Lazio")
    updates = ({"country": "Italy"}, {"province": "Umbria"}, {"country": None}, {"state": ""})
    shown = [change(client, record, **sent).get("stateprovince") for sent in updates]
    assert shown == ["Lazio", "Umbria", "TX", "Umbria"]


@pytest.mark.both_databases
def test_coordinates_are_shown_when_set(client: Client) -> None:
    """See docs/interface.md#own-fields."""
    for lat, lng in (("41.9", "12.5"), (-90, -180), (90, 180), (0, 0), ("0", "0"), (1e-7, 1)):
        record = factories.venue(client, geo_lat=lat, geo_lng=lng)
        single = read(client, record)
        for shown in (record, single):
            assert (shown["geo_lat"], shown["geo_lng"]) == (float(lat), float(lng))
        assert single["json_ld"]["geo"] == {
            "@type": "GeoCoordinates", "latitude": float(lat), "longitude": float(lng)
        }  # fmt: skip


def test_one_coordinate_without_the_other_is_refused(client: Client) -> None:
    """Both or neither; absent and empty lack alike (docs/interface.md#own-fields)."""
    record = factories.venue(client, geo_lat=1, geo_lng=2)

    def patched(**fields: Any) -> list[str]:
        return refused(client.patch(path_of(record), fields, as_="admin", status=400))

    for name, other in (("geo_lat", "geo_lng"), ("geo_lng", "geo_lat")):
        for value in (12.5, "12.5", 0):
            for empty in (None, ""):
                sent = {name: value, other: empty}
                assert patched(**sent) == [other]
                assert refused(client.post("/venues", {"venue": "New", **sent}, as_="admin")) == [other]
        for empty in (None, ""):
            assert patched(**{name: empty})
    created = client.post("/venues", {"venue": "New", "geo_lat": 5}, as_="admin", status=400)
    assert refused(created) == ["geo_lng"]
    assert listed(client, "/venues") == [record]


def test_coordinates_are_kept_and_cleared_together(client: Client) -> None:
    record = factories.venue(client, geo_lat=1, geo_lng=2)
    assert change(client, record, city="Rome")["geo_lng"] == 2.0
    for lat, lng in ((None, None), ("", ""), (None, "")):
        change(client, record, geo_lat=1, geo_lng=2)
        cleared = change(client, record, geo_lat=lat, geo_lng=lng)
        assert set(record) - set(cleared) == {"geo_lat", "geo_lng"}
