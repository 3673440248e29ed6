"""What is accepted at once is what the judge accepts: jsonschema has the last word."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calendar_api.contract import acceptance, coercion, schemas, verdicts

NOUNS = ("event", "venue", "organizer", "category", "tag")
ROLES = [(noun, role) for noun in NOUNS for role in ("create", "update", "query")] + [("event", "read")]

TEXTS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        [
            "", "0", "1", "yes", "publish", "future", "2031-01-10 20:00:00", "tomorrow", "2031-02-30", "UTC",
            "UTC+25", "Europe/Berlin", "https://a.example/b.png", "javascript:1", "ann@example.org", "<p>",
            "$10 - 20", "<b></b>", "a\x00b", "\u0958" * 128, "x" * 256, "x" * 8193, "<" * 2001, "5", "5\n",
            "9223372036854775808", "off\n",
        ]
    ),
)  # fmt: skip
SCALARS = st.one_of(
    TEXTS, st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False),
    st.sampled_from([0, 1, -1, 2**63, 2**63 - 1, 90, 90.5, 180, 181, 1.0, 20038, 20039]),
)  # fmt: skip
OBJECTS = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("id", "venue", "organizer", "city", "website", "geo_lat", "x"), SCALARS)
)
VALUES = st.one_of(SCALARS, OBJECTS, st.lists(st.one_of(SCALARS, OBJECTS), max_size=4), st.just([1] * 101))


@pytest.mark.parametrize(("noun", "role"), ROLES)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_acceptance_agrees_with_the_judge(noun: str, role: str, data: st.DataObject) -> None:
    rules = schemas.schema(noun, role)
    names = sorted(rules["properties"])
    value = coercion.whole(data.draw(st.dictionaries(st.sampled_from(names), VALUES, max_size=3)))

    assert acceptance.of(rules)(value) == (not list(verdicts.validator(rules).iter_errors(value)))


FINE: list[tuple[str, dict[str, Any]]] = [
    (
        "event",
        {
            "title": "Concert", "start_date": "2031-01-10 20:00", "end_date": 1924984800, "all_day": True,
            "timezone": "Europe/Berlin", "featured": "no", "cost": ["$10", 20.5], "image": 5,
            "website": "https://a.example", "description": "<p>Text</p>", "categories": [1, "music"],
            "venue": [7, {"venue": "Hall", "geo_lat": 1.5}], "status": "draft",
            "organizer": [{"id": 5}, {"organizer": "Ann", "email": "ann@example.org"}],
        },
    ),
    ("venue", {"venue": "Hall", "city": None, "show_map": "yes", "geo_lat": -90, "geo_lng": 180.0}),
    ("organizer", {"organizer": "Ann", "website": ""}),
    ("category", {"name": "Music", "parent": 0}),
    ("tag", {"name": "Music", "slug": "m"}),
]  # fmt: skip


@pytest.mark.parametrize(("noun", "fields"), FINE)
def test_what_clients_send_is_accepted_at_once(noun: str, fields: dict[str, Any]) -> None:
    assert acceptance.of(schemas.schema(noun, "create"))(fields)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "uniqueItems": True},
        {"anyOf": [{}]},
        {"not": {"type": "string"}},
        {"if": {"properties": {"a": {"const": 1}}}, "then": {}},
        {"if": {"type": "string"}, "then": {}},
    ],
)
def test_what_is_not_known_is_left_to_the_judge(schema: dict[str, Any]) -> None:
    assert not acceptance.of(schema)("a")
