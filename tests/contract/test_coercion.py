"""Values of clients cast to the types of the schemas (docs/interface.md#lenient-types, #linked-records)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calendar_api.contract import coercion

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def test_values_that_are_cast_and_those_that_are_not() -> None:
    for cast, changed, unchanged in (
        (
            coercion.whole,
            [(1.0, 1), (-0.0, 0), (1e18, 10**18), ([2.0, "2.0"], [2, "2.0"]), ({"id": 3.0}, {"id": 3}),
             ([{"a": [4.0]}], [{"a": [4]}])],
            [1.5, float("inf"), True, None, "1.0", 7, [], {}],
        ),
        (
            coercion.flag,
            [*((word, True) for word in ("true", "TRUE", "1", "yes", "Yes", "on", 1)),
             *((word, False) for word in ("false", "False", "0", "no", "NO", "off", 0))],
            [None, [], {}, 1.5, ["1"], True, False, "", "maybe", "y", " true", 2, -1, "ｔrue"],
        ),
        (
            coercion.lenient_flag,
            [*((word, True) for word in ("1", "true", "YES", "on", "y", "Enable", "enabled", 1)),
             *((word, False) for word in ("0", "", "no", "anything", 0))],
            [True, False, "x" * 21, 2, None],
        ),
        (coercion.image, [("", None), ("7", 7)], [7, None, "https://x.example/a.png"]),
        (
            coercion.record_id,
            [("7", 7), ("0007", 7), ("0", 0), ("9" * 19, 10**19 - 1)],
            [None, [], {}, 1.5, 7, "", "-1", "+1", " 1", "1 ", "1.0", "1e3", "٣", "²", "9" * 20, "x"],
        ),
        (
            coercion.number,
            [("1", 1.0), ("-1.5", -1.5), ("+2", 2.0), (" 3 ", 3.0), ("1e3", 1000.0), ("5.", 5.0), ("", None)],
            [7, "x", "1,5", "nan", "inf", "Infinity", "-inf", "0x10", "1_0", "٣", "1" * 31, "1e100", ".5"],
        ),
    ):  # fmt: skip
        for value, expected in (*changed, *((value, value) for value in unchanged)):
            assert repr(cast(value)) == repr(expected), value


def test_listing() -> None:
    for value, expected in (
        (None, []), ("", []), (",, ,", []), ("a", ["a"]), (" a , b,,c ", ["a", "b", "c"]),
        (["a", " b ", "", "c,d", 7], ["a", "b", "c,d", 7]), (7, [7]), ([], []),
        ({"a": 1, "b": "x"}, [1, "x"]), ([["a"]], [["a"]]),
    ):  # fmt: skip
        assert coercion.listing(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, []), ("", []), (0, []), ("0", []), (False, []), ([], []), ({}, []),
        (7, [7]), ("7", [7]), ("7, 8 ,,9", [7, 8, 9]), ([7, "8"], [7, 8]),
        ({"id": 7}, [7]), ({"id": "7"}, [7]), ({"id": 7, "venue": "ignored"}, [7]),
        ([{"id": 7}, 8, {"venue": "Hall"}], [7, 8, {"venue": "Hall", "seen": True}]),
        ({"venue": "Hall"}, [{"venue": "Hall", "seen": True}]),
        ("Hall", ["Hall"]), (True, [True]), ([None, 1.5], [None, 1.5]), ({"id": None}, [None]),
        ([[7]], [[7]]),
    ],
)  # fmt: skip
def test_linked(value: object, expected: object) -> None:
    def nested(item: object) -> object:
        return {**item, "seen": True} if isinstance(item, dict) else item

    assert coercion.linked(value, nested) == expected


def test_query_value() -> None:
    for rule, changed, unchanged in (
        ({"type": "integer"},
         [("7", 7), (" 7 ", 7), ("7.0", 7), ("1e1", 10), ("-7", -7), ("1e99", 10**99)],
         ["7.5", "", "x", "٣", "1e-99", ["7"]]),
        ({"type": "number"}, [("7.5", 7.5)], ["", "nan"]), ({"type": "string"}, [], ["7"]), ({}, [], ["7"]),
        ({"type": "boolean"}, [("TRUE", True), ("0", False)], ["yes"]),
        (
            {"type": "array"},
            [("a, b,", ["a", "b"]), ("", []), ({"x": "a", "y": "b"}, ["a", "b"]),
             (["a,b", "c"], ["a", "b", "c"])],
            [[["a"]]],
        ),
        ({"type": "array", "items": {"type": "integer"}}, [("1,x,2.0", [1, "x", 2])], []),
        ({"type": "array", "items": {"type": "string"}}, [("1,x", ["1", "x"])], []),
    ):  # fmt: skip
        for value, expected in (*changed, *((value, value) for value in unchanged)):
            assert repr(coercion.query_value(rule, value)) == repr(expected), value


@given(anything)
def test_casts_take_everything(value: Any) -> None:
    for cast in (coercion.flag, coercion.lenient_flag, coercion.record_id, coercion.number, coercion.image):
        cast(value)
    assert isinstance(coercion.listing(value), list)
    assert isinstance(coercion.linked(value, lambda item: item), list)
    for declared in ("integer", "number", "boolean", "string", "array", None):
        coercion.query_value({"type": declared}, value)


@given(st.floats(-(10**20), 10**20).filter(lambda value: abs(value) > 1e-20 or value == 0))
def test_number_reads_what_python_writes(value: float) -> None:
    assert coercion.number(repr(value)) == value
