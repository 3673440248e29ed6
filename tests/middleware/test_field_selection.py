"""`_fields` as a tree, and the document that it selects."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calendar_api.middleware.response_headers import parse_fields, select
from tests.client import Client

EVENT = {
    "id": 1, "title": "Talk", "organizer": [{"id": 3, "email": "a"}, {"id": 4}], "tags": [], "image": False,
    "venue": {"id": 2, "city": "Rome", "image": {"url": "u", "sizes": {"full": {"width": 3}}}},
}  # fmt: skip
names = st.sampled_from(["a", "b", "c"])
documents: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=12,
)
paths = st.lists(st.lists(names | st.just(""), max_size=3).map(".".join), max_size=4)


def test_document_keeps_what_is_wanted() -> None:
    for names, left in (
        ("", EVENT), ("id", {"id": 1}), ("title,id", {"id": 1, "title": "Talk"}), ("nothing", {}), ("ID", {}),
        ("nothing.at.all,id", {"id": 1}), ("venue.city", {"venue": {"city": "Rome"}}),
        ("venue,venue.city", {"venue": EVENT["venue"]}), ("venue.nothing", {"venue": {}}),
        ("venue.image.sizes.full", {"venue": {"image": {"sizes": {"full": {"width": 3}}}}}),
        ("organizer.email", {"organizer": [{"email": "a"}, {}]}), ("tags.id", {"tags": []}),
        ("organizer.0.email", {"organizer": [{}, {}]}),
        ("image.url", {"image": False}), ("title.rendered", {"title": "Talk"}),
        (".".join(["venue"] * 1500), {"venue": {}}),
    ):  # fmt: skip
        assert select(EVENT, parse_fields(names)) == left


@given(documents, paths)
def test_selecting_again_changes_nothing(document: Any, names: list[str]) -> None:
    tree = parse_fields(",".join(names))
    once = select(document, tree)
    assert select(once, tree) == once


@given(documents, paths)
def test_more_names_never_give_less(document: Any, names: list[str]) -> None:
    few, more = parse_fields(",".join(names)), parse_fields(",".join([*names, "c"]))
    assert few == {} or within(select(document, few), select(document, more))


def within(part: Any, whole: Any) -> bool:
    if isinstance(part, dict):
        return all(key in whole and within(value, whole[key]) for key, value in part.items())
    if isinstance(part, list):
        return len(part) == len(whole) and all(map(within, part, whole))
    return bool(part == whole)


@pytest.mark.parametrize(
    "query", ["_fields=total,tags", "_fields[]=total&_fields[]=tags", "_fields[1]=tags&_fields[0]=total",
              "_fields=total&_fields=tags", "%5ffields%5B%5D=total&_fields=tags"],
)  # fmt: skip
def test_every_form_of_a_list_selects(client: Client, query: str) -> None:
    """See docs/interface.md#lists-in-parameters."""
    assert client.get(f"/tags?{query}", status=200).json == {"total": 0, "tags": []}
