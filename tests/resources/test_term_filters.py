"""The filters of category and tag lists (docs/interface.md#term-filters)."""

from typing import Any

import pytest

from tests import factories
from tests.client import Client

pytestmark = pytest.mark.both_databases

MAKE = {"categories": factories.category, "tags": factories.tag}
ABSENT = 999_999

both = pytest.mark.parametrize("plural", ["categories", "tags"])


def having(plural: str, terms: list[int]) -> dict[str, Any]:
    """The fields of an event with these categories or tags."""
    return {plural: terms}


def ids(client: Client, plural: str, as_: str | None = None, **filters: Any) -> list[int]:
    """The ids of the list, empty terms included unless told otherwise."""
    body = client.get(f"/{plural}", {"hide_empty": "false", **filters}, as_=as_, status=200).json
    assert body["total"] == len(body[plural])
    return [term["id"] for term in body[plural]]


def refused(client: Client, plural: str, as_: str | None = None, **filters: Any) -> list[str]:
    """The names of the parameters that a refused list complains about."""
    body = client.get(f"/{plural}", filters, as_=as_, status=400).json
    assert body["code"] == "rest_invalid_param"
    return list(body["data"]["params"])


def named(client: Client, plural: str, *names: str) -> list[int]:
    return [MAKE[plural](client, name=name)["id"] for name in names]


@both
def test_search_looks_into_name_and_slug(client: Client, plural: str) -> None:
    make = MAKE[plural]
    by_name = make(client, name="A foo thing", slug="first")["id"]
    by_slug = make(client, name="B other", slug="has-foo-inside")["id"]
    bars = named(client, plural, "C bar", "D BAR")

    assert ids(client, plural, search="foo") == [by_name, by_slug]
    assert ids(client, plural, search="bar") == bars
    assert ids(client, plural, search="nothing") == []


@both
def test_search_does_not_look_into_the_description(client: Client, plural: str) -> None:
    MAKE[plural](client, name="Plain", description="a needle")

    assert ids(client, plural, search="needle") == []


@both
@pytest.mark.parametrize("wanted", ["cafe", "CAFÉ", "Cafe\u0301", "afé c", "  café   concert "])
def test_search_folds_case_accents_and_spaces(client: Client, plural: str, wanted: str) -> None:
    """Text and query are folded alike (docs/interface.md#search)."""
    expected = named(client, plural, "Café Concert")
    named(client, plural, "Kafka")

    assert ids(client, plural, search=wanted) == expected


@both
@pytest.mark.parametrize("wanted", ["%", "_", "*", "\\"])
def test_search_takes_wildcards_as_plain_characters(client: Client, plural: str, wanted: str) -> None:
    named(client, plural, "Plain")
    expected = named(client, plural, f"With {wanted} inside")

    assert ids(client, plural, search=wanted) == expected


@both
def test_exclude_leaves_terms_out(client: Client, plural: str) -> None:
    one, two, three = named(client, plural, "a", "b", "c")

    assert ids(client, plural, exclude=one) == [two, three]
    assert ids(client, plural, exclude=f"{one},{three}") == [two]
    assert ids(client, plural, exclude=f"{one},{two},{three}") == []


@both
def test_include_keeps_only_these(client: Client, plural: str) -> None:
    one, two, three, four = named(client, plural, "a", "b", "c", "d")

    assert ids(client, plural, include=two) == [two]
    assert ids(client, plural, include=f"{four},{one},{three}") == [one, three, four]
    for brackets in ({"include[]": [four, one]}, {"include[0]": four, "include[1]": one}):
        filters: dict[str, Any] = dict(brackets)
        assert ids(client, plural, **filters) == [one, four]


@both
@pytest.mark.parametrize("name", ["include", "exclude"])
def test_unknown_terms_are_refused(client: Client, plural: str, name: str) -> None:
    known = named(client, plural, "known")[0]
    other = {"categories": "tags", "tags": "categories"}[plural]
    elsewhere = named(client, other, "elsewhere")[0]

    for value in (str(ABSENT), f"{known},{ABSENT}", "unknown", str(elsewhere), "9" * 30, "-1", "", ","):
        assert refused(client, plural, **{name: value}) == [name], value


@both
def test_include_by_slug_is_accepted_and_matches_nothing(client: Client, plural: str) -> None:
    one = named(client, plural, "jazz")[0]

    assert ids(client, plural, include="jazz") == []
    assert ids(client, plural, exclude="jazz") == [one]


@both
def test_include_and_exclude_meet(client: Client, plural: str) -> None:
    one, two = named(client, plural, "a", "b")

    assert ids(client, plural, include=f"{one},{two}", exclude=one) == [two]


def test_parent_lists_direct_children_only(client: Client) -> None:
    top = factories.category(client, name="top")["id"]
    children = [factories.category(client, name=name, parent=top)["id"] for name in ("x", "y")]
    factories.category(client, name="grandchild", parent=children[0])

    assert ids(client, "categories", parent=top) == children


def test_parent_zero_lists_the_top_level(client: Client) -> None:
    top, other = named(client, "categories", "top", "upper")
    factories.category(client, name="child", parent=top)

    assert ids(client, "categories", parent=0) == [top, other]


@pytest.mark.parametrize("value", [str(ABSENT), "", "music", "-1", "1.5", "9" * 30])
def test_parent_that_is_no_category_is_refused(client: Client, value: str) -> None:
    factories.category(client, name="music")

    assert refused(client, "categories", parent=value) == ["parent"]


def test_parent_that_is_a_tag_is_refused(client: Client) -> None:
    assert refused(client, "categories", parent=factories.tag(client)["id"]) == ["parent"]


def test_parent_means_nothing_to_tags(client: Client) -> None:
    tag = factories.tag(client)["id"]

    assert ids(client, "tags", parent="nonsense") == [tag]


@both
@pytest.mark.parametrize("name", ["post", "event"])
def test_terms_of_an_event(client: Client, plural: str, name: str) -> None:
    one, two, other = named(client, plural, "one", "two", "zzz")
    event = factories.event(client, **having(plural, [two, one]))
    factories.event(client, **having(plural, [other]))

    assert ids(client, plural, **{name: event["id"]}) == [one, two]


@both
def test_event_goes_before_post(client: Client, plural: str) -> None:
    one, two = named(client, plural, "one", "two")
    first, second = (factories.event(client, **having(plural, [term])) for term in (one, two))

    assert ids(client, plural, post=first["id"], event=second["id"]) == [two]


@both
@pytest.mark.parametrize("name", ["post", "event"])
@pytest.mark.parametrize("value", ["", str(ABSENT), "text", "0", "-1", "9" * 30])
def test_event_that_does_not_exist_is_refused(client: Client, plural: str, name: str, value: str) -> None:
    assert refused(client, plural, **{name: value}) == [name]


@both
@pytest.mark.parametrize("name", ["post", "event"])
def test_event_filter_does_not_tell_hidden_events_from_absent_ones(
    client: Client, plural: str, name: str
) -> None:
    """See docs/interface.md#visibility."""
    term = named(client, plural, "secret")[0]
    draft = factories.event(client, as_="author", status="draft", **having(plural, [term]))["id"]

    hidden = client.get(f"/{plural}", {name: draft}, as_="author2", status=400)
    absent = client.get(f"/{plural}", {name: ABSENT}, as_="author2", status=400)

    assert hidden.body == absent.body
    assert ids(client, plural, as_="author", **{name: draft}) == [term]
    assert refused(client, plural, as_=None, **{name: draft}) == [name]


@both
def test_event_filter_takes_no_venue(client: Client, plural: str) -> None:
    assert refused(client, plural, event=factories.venue(client)["id"]) == ["event"]


@both
def test_event_filter_ignores_hide_empty(client: Client, plural: str) -> None:
    term = named(client, plural, "of a draft")[0]
    draft = factories.event(client, status="draft", **having(plural, [term]))["id"]

    assert ids(client, plural, as_="admin", event=draft, hide_empty="true") == [term]


@both
def test_slug_matches_exactly(client: Client, plural: str) -> None:
    jazz, _ = named(client, plural, "Jazz", "Jazz Club")

    assert ids(client, plural, slug="jazz") == [jazz]
    assert ids(client, plural, slug="JAZZ") == [jazz]
    assert ids(client, plural, slug=" jazz ") == [jazz]
    assert ids(client, plural, slug="jaz") == []
    assert ids(client, plural, slug="jazz,jazz-club") == []


@both
@pytest.mark.parametrize("spelling", ["Ελληνικά", "ελληνικά", "ελληνικα\u0301"])
def test_slug_of_another_script_matches_in_any_spelling(client: Client, plural: str, spelling: str) -> None:
    expected = named(client, plural, "Ελληνικά")

    assert ids(client, plural, slug=spelling) == expected


@both
def test_unknown_records_are_reported_together(client: Client, plural: str) -> None:
    problems = refused(client, plural, include=ABSENT, exclude=ABSENT, event=ABSENT)

    assert problems == ["exclude", "include", "event"]
