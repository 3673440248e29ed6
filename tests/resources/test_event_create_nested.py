"""Venues and organizers of an event in every form (docs/interface.md#linked-records)."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

FACTORIES = {"venue": factories.venue, "organizer": factories.organizer}
NOUNS = pytest.mark.parametrize("noun", ["venue", "organizer"])
DATES = {"start_date": "2031-01-10 10:00:00", "end_date": "2031-01-10 12:00:00"}


def linked(event: dict[str, Any], noun: str) -> list[dict[str, Any]]:
    """The linked records as a list, whatever their number."""
    found = event[noun]
    return [found] if isinstance(found, dict) else list(found)


def ids(event: dict[str, Any], noun: str) -> list[int]:
    return [record["id"] for record in linked(event, noun)]


@NOUNS
def test_one_id_in_every_form(client: Client, noun: str) -> None:
    id = FACTORIES[noun](client)["id"]
    forms: list[Any] = [
        id, str(id), f" {id} ", {"id": id}, {"id": str(id)}, [id], [str(id)], [{"id": id}], f"{id},",
        [id, id], [{"id": id}, id], f"{id},{id}", {"id": id, noun: "Ignored", "phone": "1"},
    ]  # fmt: skip
    event = factories.event(client)

    made = [ids(factories.event(client, **{noun: form}), noun) for form in forms]
    changed = []
    for form in forms:
        client.put(f"/events/{event['id']}", {noun: []}, as_="admin", status=200)
        answer = client.put(f"/events/{event['id']}", {noun: form}, as_="admin", status=200)
        changed.append(ids(answer.json, noun))

    assert made == [[id]] * len(forms)
    assert changed == [[id]] * len(forms)
    assert "phone" not in client.get(f"/{noun}s/{id}").json


@pytest.mark.both_databases
@NOUNS
def test_several_ids_keep_their_order(client: Client, noun: str) -> None:
    a, b, c = (FACTORIES[noun](client)["id"] for _ in range(3))
    forms: list[Any] = [
        [c, a, b], [str(c), a, str(b)], f"{c},{a},{b}", f" {c} , {a} ,{b}", [{"id": c}, a, {"id": str(b)}],
        [c, a, c, b, a],
    ]  # fmt: skip

    made = [factories.event(client, **{noun: form}) for form in forms]

    assert [ids(event, noun) for event in made] == [[c, a, b]] * len(forms)
    assert [ids(client.get(f"/events/{event['id']}").json, noun) for event in made] == [[c, a, b]] * len(
        forms
    )


@NOUNS
def test_data_creates_records(client: Client, noun: str) -> None:
    event = factories.event(client, "admin", **{noun: [{noun: "A", "phone": "1"}, {noun: "B"}, {noun: "C"}]})

    assert [(record[noun], record.get("phone")) for record in linked(event, noun)] == [
        ("A", "1"), ("B", None), ("C", None),
    ]  # fmt: skip
    assert client.get(f"/{noun}s").json["total"] == 3
    assert [record["author"] for record in linked(event, noun)] == [str(client.ids["admin"])] * 3


@NOUNS
def test_data_and_ids_mix_in_order(client: Client, noun: str) -> None:
    a, b = FACTORIES[noun](client)["id"], FACTORIES[noun](client)["id"]

    event = factories.event(client, "admin", **{noun: [{noun: "New"}, {"id": b}, {noun: "Newer"}, a]})

    new = {record[noun]: record["id"] for record in client.get(f"/{noun}s").json[f"{noun}s"]}
    assert ids(event, noun) == [new["New"], b, new["Newer"], a]


def test_whole_answer_of_a_venue_links_it(client: Client) -> None:
    venue = factories.venue(client, city="Rome")

    event = factories.event(client, venue=venue)

    assert event["venue"] == venue


ADDRESSES = [
    ({"address": "1 Main St", "city": "Austin", "country": "United States", "state": "TX"}, "TX"),
    ({"address": "2 Rue Principale", "city": "Québec", "country": "Canada", "province": "QC"}, "QC"),
    ({"address": "3 Long Street", "city": "Cape Town", "country": "South Africa", "province": "WC"}, "WC"),
    (
        {"address": "4 Rue de l'Église", "city": "Orléans", "country": "France", "province": "Loiret"},
        "Loiret",
    ),
]


@pytest.mark.parametrize(("address", "stateprovince"), ADDRESSES)
@pytest.mark.parametrize("way", ["create", "update"])
def test_venue_data_is_stored_whole(
    client: Client, address: dict[str, str], stateprovince: str, way: str
) -> None:
    data = {
        "venue": "Hall", "description": "Big", **address, "zip": "12345", "phone": "+1 2", "show_map": True,
        "website": "https://hall.example", "show_map_link": "true", "geo_lat": "10.5", "geo_lng": -20,
    }  # fmt: skip

    if way == "create":
        event = factories.event(client, venue=data)
    else:
        event = client.put(
            f"/events/{factories.event(client)['id']}", {"venue": data}, as_="admin", status=200
        ).json

    venue = event["venue"]
    assert {name: venue[name] for name in data} == {
        **data, "description": "<p>Big</p>", "show_map_link": True, "geo_lat": 10.5,
    }  # fmt: skip
    assert venue["stateprovince"] == stateprovince
    assert (venue["status"], venue["slug"]) == ("publish", "hall")


@NOUNS
@pytest.mark.parametrize("empty", [None, "", 0, "0", [], {}, False], ids=repr)
def test_empty_means_none(client: Client, noun: str, empty: object) -> None:
    """A venue is unlinked as well (docs/interface.md#linked-records)."""
    made = factories.event(client, "admin", **{noun: empty})
    other = factories.event(client, "admin", **{noun: {noun: "New"}})

    changed = client.put(f"/events/{other['id']}", {noun: empty}, as_="admin", status=200).json

    assert (made[noun], changed[noun]) == ([], [])
    assert client.get(f"/{noun}s").json["total"] == 1


@NOUNS
@pytest.mark.parametrize(
    ("field", "value"),
    [("website", "nowhere"), ("date", "never"), ("status", "any"), ("image", "nothing"), ("author", 999_999),
     ("author", "someone"), ("image", 999_999), ("phone", 5)],
)  # fmt: skip
def test_nested_data_keeps_the_rules_of_its_noun(
    client: Client, noun: str, field: str, value: object
) -> None:
    body = {"title": "x", **DATES, noun: [{noun: "Good"}, {noun: "Bad", field: value}]}

    response = client.post("/events", body, as_="admin", status=400)

    assert response.json["code"] == f"could-not-create-{noun}"
    assert response.json["data"]["params"][noun].startswith(f"{noun}: {field} must be")
    assert client.get(f"/{noun}s", as_="admin").json["total"] == 0


@NOUNS
@pytest.mark.parametrize("field", ["website", "author"])
def test_code_names_the_nested_record_only_when_nothing_else_is_wrong(
    client: Client, noun: str, field: str
) -> None:
    """So that a client that sends the event again without it is not refused again."""
    event = {"title": "x", **DATES}
    bad = {noun: "Bad", field: "nobody"} if field == "website" else {noun: "Bad", field: 999_999}
    for body in (
        {noun: {"phone": "1"}},
        {noun: 999_999},
        {noun: bad, "image": "x"},
        {noun: bad, "author": 999_999},
    ):
        refused = client.post("/events", event | body, as_="admin", status=400)
        assert refused.json["code"] == "rest_invalid_param"
    lacking = client.post("/events", {noun: bad}, as_="admin", status=400)
    assert lacking.json["code"] == "rest_missing_callback_param"

    both = client.post("/events", event | {"venue": {"venue": ""}, noun: bad}, as_="admin", status=400).json
    updated = client.put(
        f"/events/{factories.event(client)['id']}", {noun: bad}, as_="admin", status=400
    ).json

    assert both["code"] in ("could-not-create-venue", "could-not-create-organizer")
    assert updated["code"] == f"could-not-create-{noun}"
    assert set(both["data"]["params"]) == {"venue", noun}


@pytest.mark.parametrize("field", ["geo_lat", "geo_lng"])
def test_nested_venue_needs_both_coordinates(client: Client, field: str) -> None:
    body = {"title": "x", **DATES, "venue": {"venue": "Hall", field: 5}}

    response = client.post("/events", body, as_="admin", status=400)

    assert response.json["code"] == "could-not-create-venue"
    assert list(response.json["data"]["params"]) == ["venue"]


@NOUNS
def test_brackets_of_a_form(client: Client, noun: str) -> None:
    id = FACTORIES[noun](client)["id"]
    mixed = [("title", "x"), *DATES.items(), (f"{noun}[0][{noun}]", "A"), (f"{noun}[1][id]", str(id))]
    bare = [("title", "x"), *DATES.items(), (f"{noun}[{noun}]", "B")]
    listed = [("title", "x"), *DATES.items(), (f"{noun}[]", str(id)), (f"{noun}[]", str(id))]

    made = [
        client.send("POST", "/events", form=form, as_="admin", status=201) for form in (mixed, bare, listed)
    ]

    new = {record[noun]: record["id"] for record in client.get(f"/{noun}s").json[f"{noun}s"]}
    assert [ids(event.json, noun) for event in made] == [[new["A"], id], [new["B"]], [id]]
