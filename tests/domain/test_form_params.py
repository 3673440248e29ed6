"""Names with brackets, in forms and query strings (docs/interface.md#lists-in-parameters, #bodies)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calendar_api.domain.form_params import MAX_DEPTH, joined, last, nest

names = st.text(alphabet="ab[]01.é", max_size=12)


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([], {}),
        ([("a", "1")], {"a": "1"}),
        ([("a", "1"), ("a", "2")], {"a": "2"}),
        ([("a", "")], {"a": ""}),
        ([("a[]", "1"), ("a[]", "2")], {"a": ["1", "2"]}),
        ([("a[1]", "2"), ("a[0]", "1")], {"a": ["1", "2"]}),
        ([("a[10]", "b"), ("a[9]", "a")], {"a": ["a", "b"]}),
        ([("a[5]", "x")], {"a": ["x"]}),
        ([("a[x]", "1"), ("a[y]", "2")], {"a": {"x": "1", "y": "2"}}),
        ([("a[x]", "1"), ("a[0]", "2")], {"a": {"x": "1", "0": "2"}}),
        ([("a[0][x]", "1"), ("a[0][y]", "2"), ("a[1][x]", "3")], {"a": [{"x": "1", "y": "2"}, {"x": "3"}]}),
        ([("a[][x]", "1"), ("a[][x]", "2")], {"a": [{"x": "1"}, {"x": "2"}]}),
        ([("a[x][]", "1"), ("a[x][]", "2")], {"a": {"x": ["1", "2"]}}),
        ([("a", "1"), ("a[]", "2")], {"a": ["2"]}),
        ([("a[]", "1"), ("a", "2")], {"a": "2"}),
        ([("a[x]", "1"), ("a[x][y]", "2")], {"a": {"x": {"y": "2"}}}),
        ([("a[", "1")], {"a[": "1"}),
        ([("a[x", "1")], {"a[x": "1"}),
        ([("a[x]y", "1")], {"a[x]y": "1"}),
        ([("[x]", "1")], {"[x]": "1"}),
        ([("a[[x]]", "1")], {"a[[x]]": "1"}),
        ([("a[1][2][3]", "1")], {"a": [[["1"]]]}),
        ([("a[1][2][3][4]", "1")], {"a[1][2][3][4]": "1"}),
        ([("a[9999999]", "1")], {"a": {"9999999": "1"}}),
        ([("a[٣]", "1")], {"a": {"٣": "1"}}),
        ([("a[-1]", "1")], {"a": {"-1": "1"}}),
    ],
)
def test_nest(pairs: list[tuple[str, str]], expected: object) -> None:
    assert nest(pairs) == expected


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([("a", "1,2")], {"a": "1,2"}),
        ([("a", "1,2"), ("b", "x"), ("a", "3"), ("b", "y")], {"a": "1,2,3", "b": "y"}),
        ([("a[]", "1"), ("a", "2"), ("a[]", "3"), ("a", "4")], {"a": ["1", "3", "2", "4"]}),
        ([("a[1]", "1"), ("a", "2")], {"a": ["1", "2"]}),
        ([("a[x]", "1"), ("a", "2")], {"a": [{"x": "1"}, "2"]}),
        ([("a", "")], {"a": ""}),
    ],
)
def test_values_of_a_plain_name_are_collected_for_a_list(
    pairs: list[tuple[str, str]], expected: object
) -> None:
    assert nest(pairs, lists={"a"}) == expected


@given(st.lists(st.tuples(names, st.text(max_size=3)), max_size=12))
def test_nest_takes_every_name_and_loses_no_last_value(pairs: list[tuple[str, str]]) -> None:
    document = nest(pairs)

    if pairs:
        assert pairs[-1][1] in list(texts(document))
    assert depth(document) <= MAX_DEPTH


@given(st.lists(st.text(max_size=3), min_size=1, max_size=20))
def test_nest_keeps_the_order_of_lists(items: list[str]) -> None:
    assert nest([("a[]", item) for item in items]) == {"a": items}
    assert nest([(f"a[{place}]", item) for place, item in enumerate(items)]) == {"a": items}


def test_nest_reads_a_long_name_of_brackets() -> None:
    name = "a" + "[]" * 50_000

    assert nest([(name, "1"), ("[" * 50_000, "2")]) == {name: "1", "[" * 50_000: "2"}


def texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for item in items for text in texts(item)]


def depth(value: object) -> int:
    items = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if items is None else 1 + max((depth(item) for item in items), default=0)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", None),
        ("name=a", "a"),
        ("x=1&name=a&name=b", "b"),
        ("%6eame=a", "a"),
        ("na%6De=a%20b+c", "a b c"),
        ("name=", None),
        ("name", None),
        ("names=a&other=name", None),
        ("NAME=a", None),
        ("other=%41", None),
    ],
)
def test_last_value_of_a_name(query: str, expected: str | None) -> None:
    assert last(query, "name") == expected


@pytest.mark.parametrize(
    "query",
    [
        "name=a,b", "name=a&name=b", "name[]=a&name[]=b", "name[1]=b&name[0]=a", "name%5B%5D=a&name%5B%5D=b",
        "n%61me=a%2Cb&name2=c", "name[x]=a&name[y]=b", "other=c&name=a,b&[name]=d",
    ],
)  # fmt: skip
def test_joined_list_of_every_form(query: str) -> None:
    assert joined(query, "name") == "a,b"


@pytest.mark.parametrize(
    "query", ["", "name", "name=", "names=a", "other[name]=a", "%6eames=a", "name[x][y]=a"]
)
def test_nothing_to_join(query: str) -> None:
    assert joined(query, "name") == ""
