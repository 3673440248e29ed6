"""Categories and tags on the way out (docs/interface.md#term-keys)."""

from playhouse.test_utils import assert_query_count

from calendar_api.database.models import Term
from calendar_api.representations import terms
from calendar_api.representations.links import Links

SITE = "https://cal.example.test/sub"
ROOT = f"{SITE}/calendar/events/v1"
LINKS = Links(SITE, SITE, ROOT)


def category(**columns: object) -> Term:
    given: dict[str, object] = {
        "id": 7, "taxonomy": "tribe_events_cat", "name": "Rock & Roll", "slug": "rock",
        "description": "<b>x</b>", "parent": None,
    }  # fmt: skip
    return Term(**{**given, **columns})


def tag(**columns: object) -> Term:
    return category(taxonomy="post_tag", **columns)


def test_record_of_a_category() -> None:
    with assert_query_count(0):
        record = terms.record(category(), 3, {7: ("rock", None)}, LINKS)

    assert list(record.items()) == [
        ("id", 7),
        ("count", 3),
        ("description", "<b>x</b>"),
        ("name", "Rock &amp; Roll"),
        ("slug", "rock"),
        ("taxonomy", "tribe_events_cat"),
        ("parent", 0),
        ("meta", []),
        ("url", f"{SITE}/events/category/rock/"),
        ("urls", {"self": f"{ROOT}/categories/7", "collection": f"{ROOT}/categories"}),
    ]


def test_record_of_a_category_below_others() -> None:
    parents = {7: ("rock", 5), 5: ("loud", 2), 2: ("music", None), 9: ("other", None)}

    record = terms.record(category(parent=5), 0, parents, LINKS)

    assert record["parent"] == 5
    assert record["url"] == f"{SITE}/events/category/music/loud/rock/"
    assert list(record["urls"].items()) == [
        ("self", f"{ROOT}/categories/7"),
        ("collection", f"{ROOT}/categories"),
        ("up", f"{ROOT}/categories/5"),
    ]


def test_record_of_a_tag_has_no_parent() -> None:
    with assert_query_count(0):
        record = terms.record(tag(), 0, {}, LINKS)

    assert list(record) == ["id", "count", "description", "name", "slug", "taxonomy", "meta", "url", "urls"]
    assert record["taxonomy"] == "post_tag"
    assert record["url"] == f"{SITE}/tag/rock/"
    assert record["urls"] == {"self": f"{ROOT}/tags/7", "collection": f"{ROOT}/tags"}


def test_record_in_another_script_has_an_encoded_page_and_a_readable_slug() -> None:
    parents = {7: ("джаз", 5), 5: ("音楽", None)}

    record = terms.record(category(slug="джаз", parent=5), 0, parents, LINKS)

    assert record["slug"] == "джаз"
    assert record["url"] == f"{SITE}/events/category/%E9%9F%B3%E6%A5%BD/%D0%B4%D0%B6%D0%B0%D0%B7/"
    assert terms.record(tag(slug="джаз"), 0, {}, LINKS)["url"] == f"{SITE}/tag/%D0%B4%D0%B6%D0%B0%D0%B7/"


def test_name_is_escaped() -> None:
    record = terms.record(tag(name="<i> \"a\" 'b' &amp;"), 0, {}, LINKS)

    assert record["name"] == "&lt;i&gt; &quot;a&quot; &#039;b&#039; &amp;amp;"


def test_nested_category() -> None:
    with assert_query_count(0):
        nested = terms.nested(category(parent=5), 3, LINKS)

    assert list(nested.items()) == [
        ("name", "Rock &amp; Roll"),
        ("slug", "rock"),
        ("term_group", 0),
        ("term_taxonomy_id", 7),
        ("taxonomy", "tribe_events_cat"),
        ("description", "<b>x</b>"),
        ("parent", 5),
        ("count", 3),
        ("filter", "raw"),
        ("id", 7),
        ("urls", {
            "self": f"{ROOT}/categories/7",
            "collection": f"{ROOT}/categories",
            "up": f"{ROOT}/categories/5",
        }),
    ]  # fmt: skip


def test_nested_tag_has_a_parent_of_zero_and_no_page() -> None:
    nested = terms.nested(tag(), 0, LINKS)

    assert nested["parent"] == 0
    assert "url" not in nested
    assert nested["urls"] == {"self": f"{ROOT}/tags/7", "collection": f"{ROOT}/tags"}
