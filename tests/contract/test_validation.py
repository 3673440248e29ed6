"""Validation of bodies and query strings: every problem at once.

See docs/interface.md#order-of-checks, #limits.
"""

import json
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calendar_api.contract import formats, schemas, validation
from calendar_api.domain.errors import InvalidParameters

EVENT = {"title": "x", "start_date": "2031-01-01", "end_date": "2031-01-01"}
NOUNS = ("event", "venue", "organizer", "category", "tag")
ID_LIMIT = 2**63 - 1

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def problems(noun: str, role: str, given: dict[str, Any]) -> list[str]:
    return sorted(validation.check(noun, role, given).problems)


def test_check_casts_a_copy() -> None:
    given = {
        **EVENT, "author": "7", "featured": "yes", "tags": "a, b",
        "venue": {"venue": "Hall", "geo_lat": "1.5", "geo_lng": 2},
    }  # fmt: skip
    before = deepcopy(given)
    checked = validation.check("event", "create", given)

    assert given == before
    assert checked.problems == {}
    assert {name: checked.fields[name] for name in ("author", "featured", "tags", "venue")} == {
        "author": 7, "featured": True, "tags": ["a", "b"],
        "venue": [{"venue": "Hall", "geo_lat": 1.5, "geo_lng": 2}],
    }  # fmt: skip


def test_required_fields() -> None:
    required = {"event": ["title", "start_date", "end_date"], "venue": ["venue"], "organizer": ["organizer"]}
    for noun, names in (required | {"category": ["name"], "tag": ["name"]}).items():
        assert validation.check(noun, "create", {}).missing == names
        assert validation.check(noun, "create", dict.fromkeys(names)).missing == names
        assert validation.check(noun, "update", {}).valid


def test_every_problem_is_reported() -> None:
    checked = validation.check("event", "create", {"title": "", "author": "x", "featured": 7, "cost": {}})
    assert sorted(checked.problems) == ["author", "cost", "featured", "title"]
    assert checked.missing == ["start_date", "end_date"]
    assert checked.causes == {"featured": "rest_invalid_type"}


def test_error_puts_missing_fields_first() -> None:
    checked = validation.check("event", "create", {"title": ""})
    body: Any = checked.error({"image": "image is unknown."}).body()
    assert body["code"] == "rest_missing_callback_param"
    assert body["data"] == {"status": 400, "params": ["start_date", "end_date"]}
    (more,) = body["additional_errors"]
    assert sorted(more["data"]["params"]) == ["image", "title"]


@pytest.mark.parametrize("empty", [[], {}, 0, 0.0, False])
def test_empty_values_of_a_wrong_type_are_named_where_a_text_may_be_empty(empty: object) -> None:
    """Elsewhere they are simply no such text."""
    blamed = (
        ("venue", "address"), ("venue", "description"), ("venue", "website"), ("organizer", "phone"),
        ("organizer", "email"), ("event", "timezone"),
    )  # fmt: skip
    others = (
        ("event", "description"), ("event", "website"), ("venue", "status"), ("organizer", "organizer"),
        ("category", "description"), ("tag", "slug"),
    )  # fmt: skip
    for noun, field in (*blamed, *others):
        checked = validation.check(noun, "update", {field: empty})
        assert list(checked.problems) == [field]
        assert checked.causes == ({field: "rest_invalid_type"} if (noun, field) in blamed else {})


def test_sentence_says_what_would_be_accepted() -> None:
    given: dict[str, Any] = {"title": "", "start_date": "2031-02-30", "timezone": "Mars"}
    found = validation.check("event", "update", given).problems
    expected = "title must be a text of 1 to 255 characters that is more than white space and markup."
    assert found["title"] == expected
    assert found["start_date"] == "start_date must name a day that exists in the calendar."
    assert found["timezone"].startswith("timezone must be a time zone such as Europe/Berlin")
    given = {"venue": [{"city": "Rome"}], "organizer": [{"organizer": "Ann", "email": "nonsense"}]}
    nested = validation.check("event", "update", given).problems
    assert nested["venue"] == "venue must have a name in `venue` when it describes a new one."
    assert nested["organizer"].startswith("organizer: email must be ")


def test_sentence_repeats_nothing_of_the_value() -> None:
    given = {"website": "javascript:NEEDLE", "author": "NEEDLE", "cost": {"NEEDLE": 1}}
    checked = validation.check("event", "update", given)
    assert (len(checked.problems), "NEEDLE" in str(checked.problems)) == (3, False)


def test_usable_and_unusable_venues() -> None:
    usable = [
        7, {"id": 7}, {"venue": "only the name"}, [7, {"id": "8"}, {"venue": "Hall"}], "7,8", "", [], None,
        {"id": 7, "venue": "Hall", "city": 7, "image": {"url": "x"}},
    ]  # fmt: skip
    unusable = [
        10**30, "no id", "{id: 7}", {"city": "none"}, [{"venue": "ok"}, {"city": "none"}], True, 1.5, -1,
    ]  # fmt: skip

    assert [value for value in usable if problems("event", "update", {"venue": value})] == []
    assert [value for value in unusable if problems("event", "update", {"venue": value}) != ["venue"]] == []


@pytest.mark.parametrize(
    ("noun", "field", "shape"),
    [
        ("event", "title", "%s"), ("venue", "venue", "%s"), ("venue", "city", "%s"),
        ("organizer", "phone", "%s"),
        ("event", "venue", {"venue": "%s"}), ("event", "venue", [{"venue": "x", "zip": "%s"}]),
    ],
)  # fmt: skip
def test_length_is_that_of_what_is_stored(noun: str, field: str, shape: Any) -> None:
    def problems(letter: str, times: int) -> dict[str, str]:
        value = json.loads(json.dumps(shape).replace("%s", letter * times))
        return validation.check(noun, "update", {field: value}).problems

    assert problems("\u05e9", 255) == {}
    assert problems("\ufb2c", 85) == {}  # one letter that is stored as three
    assert list(problems("\ufb2c", 86)) == [field]


def test_half_a_surrogate_pair_is_found_at_any_depth() -> None:
    for half in ("\ud800", "a\udfff"):
        venue = [{"venue": "x", "city": half}]
        given = {"tags": [half], "venue": venue, "organizer": {half: 1}, "title": half}
        checked = validation.check("event", "update", given)
        assert sorted(checked.problems) == ["organizer", "tags", "title", "venue"]
        assert checked.fields == {}
        str(checked.problems).encode()


# -- limits, at the boundary and one past it


def xs(length: int) -> tuple[str, str]:
    return "x" * length, "x" * (length + 1)


def marks(length: int) -> tuple[str, str]:
    return "e" + "\u0323" * length, "e" + "\u0323" * (length + 1)


IDS = (ID_LIMIT, ID_LIMIT + 1)
LIMITS: list[tuple[str, str, Any, Any]] = [
    ("event", "title", *xs(255)), ("event", "slug", *xs(200)), ("event", "excerpt", *xs(8185)),
    ("event", "title", *marks(30)), ("event", "tags", *([text] for text in marks(30))),
    ("event", "timezone", None, "x" * 65), ("event", "event_status_reason", "é" * 1000, "é" * 1001),
    ("event", "start_date", "2031-01-01" + " " * 90, "2031-01-01" + " " * 91),
    ("event", "website", *(f"http://a.example/{text}" for text in xs(2031))),
    ("event", "image", *IDS), ("event", "author", *IDS), ("event", "author", 1, 0),
    ("event", "post_parent", *IDS), ("event", "post_parent", 0, -1), ("event", "password", *xs(255)),
    ("event", "tags", ["x"] * 50, ["x"] * 51), ("event", "categories", ["x" * 200], ["x" * 201]),
    ("event", "categories", *map(",".join, xs(50))), ("event", "venue", [1] * 20, [1] * 21),
    ("event", "venue", *([{"venue": text}] for text in xs(255))), ("event", "cost", ["1"] * 20, ["1"] * 21),
    ("event", "featured", 1, 2), ("venue", "address", *xs(255)), ("venue", "geo_lat", 90, 90.0001),
    ("venue", "geo_lat", "-90", "-90.1"), ("venue", "geo_lng", -180, -180.0001),
    ("venue", "geo_lng", 0.0, float("nan")), ("venue", "geo_lat", 0, float("inf")),
    ("venue", "show_map", *xs(20)), ("category", "name", *xs(200)), ("tag", "description", *xs(65529)),
    ("organizer", "email", "a@" + "b" * 240 + ".example", "a@" + "b" * 300 + ".example"),
]  # fmt: skip

QUERY_LIMITS: list[tuple[str, str, str, str]] = [
    ("event", "page", "1", "0"), ("event", "page", *map(str, IDS)), ("event", "per_page", *map(str, IDS)),
    ("event", "search", *xs(200)), ("event", "tags", *map(",".join, xs(100))),
    ("venue", "search", " ".join("a" * 100), ".".join(map(str, range(60)))),
    ("event", "include", ",".join("1" * 100), ",".join("1" * 101)), ("event", "venue", *map(str, IDS)),
    ("event", "geoloc_lat", "90", "90.1"), ("event", "geoloc_lng", "-180", "-180.1"),
    ("event", "geoloc_distance", "20038", "20038.1"), ("event", "geoloc_distance", "0.001", "0"),
    ("event", "strict_dates", *xs(20)), ("event", "password", *xs(255)),
    ("event", "status", ",".join(["publish"] * 6), ",".join(["publish"] * 7)),
    ("tag", "orderby", *xs(20)), ("tag", "slug", *xs(200)),
]  # fmt: skip


@pytest.mark.parametrize(("noun", "field", "inside", "outside"), LIMITS)
def test_limit_of_a_field(noun: str, field: str, inside: Any, outside: Any) -> None:
    assert problems(noun, "update", {field: inside}) == []
    assert problems(noun, "update", {field: outside}) == [field]


@pytest.mark.parametrize(("noun", "name", "inside", "outside"), QUERY_LIMITS)
def test_limit_of_a_parameter(noun: str, name: str, inside: str, outside: str) -> None:
    assert name in validation.parse_query(noun, "query", {name: inside})
    with pytest.raises(InvalidParameters) as refused:
        validation.parse_query(noun, "query", {name: outside})
    assert list(refused.value.problems) == [name]


def test_parse_query_fills_in_defaults() -> None:
    assert validation.parse_query("tag", "query", {}) == {"page": 1, "hide_empty": True}
    found = validation.parse_query("event", "query", {"page": "2", "nonsense": "x"})
    assert found == {"page": 2, "strict_dates": "false", "geoloc_distance": 25}


@pytest.mark.parametrize("noun", NOUNS)
@given(data=st.data())
def test_check_takes_every_value_in_every_field(noun: str, data: st.DataObject) -> None:
    names = sorted(schemas.schema(noun, "update")["properties"])
    given = data.draw(st.dictionaries(st.sampled_from(names), anything, max_size=4))
    checked = validation.check(noun, "update", given)
    assert set(checked.fields) | set(checked.problems) == set(given)
    assert checked.missing == []
    for name, sentence in checked.problems.items():
        assert sentence.startswith(name)
        assert sentence.endswith(".")


@pytest.mark.parametrize("noun", NOUNS)
@given(data=st.data())
def test_parse_query_takes_every_value_in_every_parameter(noun: str, data: st.DataObject) -> None:
    names = sorted(schemas.schema(noun, "query")["properties"])
    value = st.text(max_size=20) | st.lists(st.text(max_size=5), max_size=3)
    given = data.draw(st.dictionaries(st.sampled_from(names), value, max_size=4))
    problems, parsed = outcome(noun, given)
    assert problems <= set(given)
    assert problems or set(given) <= parsed


def outcome(noun: str, given: dict[str, Any]) -> tuple[set[str], set[str]]:
    """The parameters that are refused, or those that are understood."""
    try:
        return set(), set(validation.parse_query(noun, "query", given))
    except InvalidParameters as error:
        return set(error.problems), set()


def test_cost_whose_composed_form_is_longer_is_checked_like_any_other() -> None:
    checked = validation.check("event", "update", {"cost": "\U0001d160" * 40})
    assert list(checked.problems) == ["cost"]


DAYS = (
    "2031-01-10", "2031-02-31", "1000-01-01", "2999-12-31", "2031-02-29", "2031-02-28", "1899-01-01",
    "2031-01-10 23:59:59", "2031-02-31T00:00", "2031-01-10 24:00", "2031-01-10T1:00",
    "2031-13-01", "2031-00-10", "2031-01-00", "2031-1-1", "٢031-01-10",
)  # fmt: skip


PLAIN_OR_NOT: tuple[object, ...] = (
    True, False, -1, 0, 1, 2, 90, 181, 101, ID_LIMIT, ID_LIMIT + 1, 1.5, "1", *DAYS,
    [], [1, ID_LIMIT], [0], [ID_LIMIT + 1], [1, True], [1.5], ["1"], [None], [1] * 21, [1] * 51,
    "Zürich 2", "0", " ", "<b>", "-", "\u00d7", "\u200b", "a\u200b", "a" * 50, "\ufdfa" * 50, "a " * 51,
    ["a"], ["a" * 66], ["a" * 67], ["\u1fb7" * 66], [""], ["a"] * 101, ["draft"], "a" * 66,
)  # fmt: skip


@pytest.mark.parametrize("noun", NOUNS)
@pytest.mark.parametrize("role", ["query", "update"])
def test_fast_pre_check_accepts_only_what_jsonschema_accepts(noun: str, role: str) -> None:
    rules = schemas.schema(noun, role)["properties"]
    for value in PLAIN_OR_NOT:
        fast = {name for name, rule in rules.items() if validation._is_plain(rule, value)}
        assert {name for name in fast if list(formats.error_finder(rules[name])(value))} == set(), value
        assert fast or repr(value) != "1" or role == "update"
