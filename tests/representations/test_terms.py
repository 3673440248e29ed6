"""Categories and tags in other scripts and with markup (docs/interface.md#term-keys)."""

from typing import Any

from calendar_api.database.models import Term
from calendar_api.representations import documents, terms
from calendar_api.representations.links import Links, RenderContext

SITE = "https://cal.example.test/sub"
CONTEXT = RenderContext(Links.of(SITE, "", "calendar/events/v1"), "2026-06-15 12:00:00")


def record(taxonomy: str, parents: terms.Parents, **columns: object) -> Any:
    given = {"id": 7, "name": "Rock", "slug": "rock", "description": "", "parent": None, **columns}
    shown = documents.encode(terms.record(Term(taxonomy=taxonomy, **given), 0, parents))
    return documents.decode(documents.with_links(shown, CONTEXT))


def test_record_in_another_script_has_an_encoded_page_and_a_readable_slug() -> None:
    parents = {7: ("джаз", 5), 5: ("音楽", None), 9: ("other", None)}

    category = record("tribe_events_cat", parents, slug="джаз", parent=5)
    tag = record("post_tag", {}, slug="джаз")

    assert (category["slug"], tag["slug"]) == ("джаз", "джаз")
    assert category["url"] == f"{SITE}/events/category/%E9%9F%B3%E6%A5%BD/%D0%B4%D0%B6%D0%B0%D0%B7/"
    assert tag["url"] == f"{SITE}/tag/%D0%B4%D0%B6%D0%B0%D0%B7/"
