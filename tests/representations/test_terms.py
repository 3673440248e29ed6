"""Categories and tags in other scripts and with markup (docs/interface.md#term-keys)."""

from calendar_api.database.models import Term
from calendar_api.representations import terms
from calendar_api.representations.links import Links

SITE = "https://cal.example.test/sub"
LINKS = Links(SITE, SITE, f"{SITE}/calendar/events/v1")


def term(taxonomy: str, **columns: object) -> Term:
    given = {"id": 7, "name": "Rock", "slug": "rock", "description": "", "parent": None, **columns}
    return Term(taxonomy=taxonomy, **given)


def test_record_in_another_script_has_an_encoded_page_and_a_readable_slug() -> None:
    parents = {7: ("джаз", 5), 5: ("音楽", None), 9: ("other", None)}

    category = terms.record(term("tribe_events_cat", slug="джаз", parent=5), 0, parents, LINKS)
    tag = terms.record(term("post_tag", slug="джаз"), 0, {}, LINKS)

    assert (category["slug"], tag["slug"]) == ("джаз", "джаз")
    assert category["url"] == f"{SITE}/events/category/%E9%9F%B3%E6%A5%BD/%D0%B4%D0%B6%D0%B0%D0%B7/"
    assert tag["url"] == f"{SITE}/tag/%D0%B4%D0%B6%D0%B0%D0%B7/"


def test_name_is_escaped() -> None:
    record = terms.record(term("post_tag", name="<i> \"a\" 'b' &amp;"), 0, {}, LINKS)

    assert record["name"] == "&lt;i&gt; &quot;a&quot; &#039;b&#039; &amp;amp;"
