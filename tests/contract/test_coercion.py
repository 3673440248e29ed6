"""From what a client wrote to what a schema means (docs/interface.md#lenient-types, #linked-records)."""

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
LEFT = [None, [], {}, 1.5, ["1"], {"a": 1}]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.0, 1), (-0.0, 0), (1e18, 10**18), ([2.0, "2.0"], [2, "2.0"]), ({"id": 3.0}, {"id": 3}),
        ([{"a": [4.0]}], [{"a": [4]}]),
    ],
)  # fmt: skip
def test_whole_number_is_written_as_one(value: object, expected: object) -> None:
    assert repr(coercion.whole(value)) == repr(expected)


@pytest.mark.parametrize("value", [1.5, float("inf"), True, None, "1.0", 7, [], {}])
def test_what_is_no_whole_number_is_left(value: object) -> None:
    assert repr(coercion.whole(value)) == repr(value)


@pytest.mark.parametrize("word", ["true", "TRUE", "1", "yes", "Yes", "on"])
def test_flag_true(word: str) -> None:
    assert coercion.flag(word) is True


@pytest.mark.parametrize("word", ["false", "False", "0", "no", "NO", "off"])
def test_flag_false(word: str) -> None:
    assert coercion.flag(word) is False


@pytest.mark.parametrize(("value", "expected"), [(True, True), (False, False), (1, True), (0, False)])
def test_flag_of_json(value: object, expected: bool) -> None:
    assert coercion.flag(value) is expected


@pytest.mark.parametrize("value", [*LEFT, "", "maybe", "y", " true", 2, -1, "ｔrue"])
def test_flag_leaves_the_rest(value: object) -> None:
    assert coercion.flag(value) is value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1", True), ("true", True), ("YES", True), ("on", True), ("y", True), ("Enable", True),
        ("enabled", True), ("0", False), ("", False), ("no", False), ("anything", False), (True, True),
        (False, False), (1, True), (0, False), ("x" * 21, "x" * 21), (2, 2), (None, None),
    ],
)  # fmt: skip
def test_lenient_flag(value: object, expected: object) -> None:
    result = coercion.lenient_flag(value)

    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("value", "expected"), [("7", 7), ("0007", 7), ("0", 0), ("9" * 19, 10**19 - 1), (7, 7)]
)
def test_record_id(value: object, expected: int) -> None:
    assert coercion.record_id(value) == expected


@pytest.mark.parametrize("value", [*LEFT, "", "-1", "+1", " 1", "1 ", "1.0", "1e3", "٣", "²", "9" * 20, "x"])
def test_record_id_leaves_the_rest(value: object) -> None:
    assert coercion.record_id(value) is value


@pytest.mark.parametrize(
    ("value", "expected"),
    [("1", 1.0), ("-1.5", -1.5), ("+2", 2.0), (" 3 ", 3.0), ("1e3", 1000.0), ("5.", 5.0), ("", None), (7, 7)],
)
def test_number(value: object, expected: object) -> None:
    assert coercion.number(value) == expected


@pytest.mark.parametrize(
    "value",
    ["x", "1,5", "nan", "inf", "Infinity", "-inf", "0x10", "1_0", "٣", "1" * 31, "1e100", ".5", [], {}],
)
def test_number_leaves_the_rest(value: object) -> None:
    assert coercion.number(value) is value


@pytest.mark.parametrize(
    ("value", "expected"),
    [("", None), ("7", 7), (7, 7), (None, None), ("https://x.example/a.png", "https://x.example/a.png")],
)
def test_image(value: object, expected: object) -> None:
    assert coercion.image(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, []),
        ("", []),
        (",, ,", []),
        ("a", ["a"]),
        (" a , b,,c ", ["a", "b", "c"]),
        (["a", " b ", "", "c,d", 7], ["a", "b", "c,d", 7]),
        (7, [7]),
        ([], []),
        ({"a": 1, "b": "x"}, [1, "x"]),
        ([["a"]], [["a"]]),
    ],
)
def test_listing(value: object, expected: object) -> None:
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


@pytest.mark.parametrize(
    ("rule", "value", "expected"),
    [
        ({"type": "integer"}, "7", 7),
        ({"type": "integer"}, " 7 ", 7),
        ({"type": "integer"}, "7.0", 7),
        ({"type": "integer"}, "1e1", 10),
        ({"type": "integer"}, "-7", -7),
        ({"type": "integer"}, "7.5", "7.5"),
        ({"type": "integer"}, "", ""),
        ({"type": "integer"}, "x", "x"),
        ({"type": "integer"}, "٣", "٣"),
        ({"type": "integer"}, "1e99", 10**99),
        ({"type": "integer"}, "1e-99", "1e-99"),
        ({"type": "integer"}, ["7"], ["7"]),
        ({"type": "number"}, "7.5", 7.5),
        ({"type": "number"}, "", ""),
        ({"type": "number"}, "nan", "nan"),
        ({"type": "boolean"}, "TRUE", True),
        ({"type": "boolean"}, "0", False),
        ({"type": "boolean"}, "yes", "yes"),
        ({"type": "string"}, "7", "7"),
        ({}, "7", "7"),
        ({"type": "array"}, "a, b,", ["a", "b"]),
        ({"type": "array"}, "", []),
        ({"type": "array"}, ["a,b", "c"], ["a", "b", "c"]),
        ({"type": "array"}, {"x": "a", "y": "b"}, ["a", "b"]),
        ({"type": "array"}, [["a"]], [["a"]]),
        ({"type": "array", "items": {"type": "integer"}}, "1,x,2.0", [1, "x", 2]),
        ({"type": "array", "items": {"type": "string"}}, "1,x", ["1", "x"]),
    ],
)
def test_query_value(rule: dict[str, object], value: object, expected: object) -> None:
    result = coercion.query_value(rule, value)

    assert result == expected
    assert type(result) is type(expected)


@given(anything)
def test_casts_take_everything(value: Any) -> None:
    for cast in (coercion.flag, coercion.lenient_flag, coercion.record_id, coercion.number, coercion.image):
        cast(value)
    assert isinstance(coercion.listing(value), list)
    assert isinstance(coercion.linked(value, lambda item: item), list)
    for declared in ("integer", "number", "boolean", "string", "array", None):
        coercion.query_value({"type": declared}, value)


@given(st.integers(0, 10**19 - 1))
def test_record_id_reads_what_python_writes(id: int) -> None:
    assert coercion.record_id(str(id)) == id


@given(st.floats(-(10**20), 10**20).filter(lambda value: abs(value) > 1e-20 or value == 0))
def test_number_reads_what_python_writes(value: float) -> None:
    assert coercion.number(repr(value)) == value
