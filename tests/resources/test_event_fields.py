"""Parent, texts, website and slug of an event (docs/interface.md#own-fields, #texts, #slugs)."""

from urllib.parse import quote

import pytest

from calendar_api.database.models import Event
from tests import factories
from tests.client import Client
from tests.resources.records import change, path_of, read, refused, trash

#: One of each kind; tests/domain/test_text.py has the others.
HTML = [
    ("two\n\nparagraphs", "<p>two</p>\n<p>paragraphs</p>"),
    ("<script>alert(1)</script>after", "<p>after</p>"),
    ('<a href="javascript:alert(1)" onclick="x()">a</a>', '<p><a rel="noopener nofollow">a</a></p>'),
    ('<iframe src="https://x.example"></iframe>', ""),
]


# -- parents


def test_parent_is_set_changed_and_removed(client: Client) -> None:
    a, b = factories.event(client), factories.event(client)
    event = factories.event(client, post_parent=a["id"])
    updates = ({"post_parent": str(b["id"])}, {"title": "New"}, {"post_parent": "0"})
    changed = [change(client, event, **fields)["post_parent"] for fields in updates]
    assert [event["post_parent"], *changed] == [a["id"], b["id"], b["id"], 0]
    assert Event.get_by_id(event["id"]).parent_id is None


def test_parent_that_cannot_be_is_refused(client: Client) -> None:
    """A record of another kind, the event itself, and one below it."""
    top = factories.event(client)
    child = factories.event(client, post_parent=top["id"])
    grandchild = factories.event(client, post_parent=child["id"])
    for record in (factories.venue(client), top, child, grandchild):
        answer = client.put(path_of(top), {"post_parent": record["id"]}, as_="admin", status=400)
        assert refused(answer) == ["post_parent"]
    assert read(client, top)["post_parent"] == 0


def test_trashed_parent_is_kept_for_its_return(client: Client) -> None:
    parent = factories.event(client)
    event = factories.event(client, post_parent=parent["id"])
    trash(client, parent)
    meanwhile = read(client, event)["post_parent"]
    change(client, parent, status="publish")
    assert (meanwhile, read(client, event)["post_parent"]) == (0, parent["id"])


# -- texts


@pytest.mark.parametrize("login", ["admin", "contributor"])
def test_html_is_cleaned_for_every_role(client: Client, login: str) -> None:
    for sent, shown in HTML:
        made = factories.event(client, login, description=sent, excerpt=sent)
        again = change(client, made, login, description=made["description"], excerpt=made["excerpt"])
        assert {one[name] for one in (made, again) for name in ("description", "excerpt")} == {shown}


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("name", "longest"), [("title", 255), ("description", 65_529), ("excerpt", 8_185), ("slug", 200)]
)
def test_longest_text_is_taken_and_a_longer_one_is_not(client: Client, name: str, longest: int) -> None:
    event = factories.event(client)
    change(client, event, **{name: "x" * longest})
    answer = client.put(path_of(event), {name: "x" * (longest + 1)}, as_="admin", status=400)
    assert refused(answer) == [name]


def test_page_of_the_event_stands_in_for_a_website_until_there_was_one(client: Client) -> None:
    for fields in ({}, {"website": ""}, {"website": None}):
        event = factories.event(client, "admin", **fields)
        assert event["website"] == event["url"]
        assert event["url"].endswith(f"/event/{event['slug']}/")

    for empty in ("", None):
        event = factories.event(client, website="https://example.org/?a=1&b=2")
        updates = ({"website": empty}, {"title": "New"})
        changed = [change(client, event, **fields)["website"] for fields in updates]
        assert [event["website"], *changed] == ["https://example.org/?a=1&amp;b=2", "", ""]


# -- slugs


def test_slug_comes_from_the_title(client: Client) -> None:
    for title, slug in (
        ("Größe & Maß", "grosse-mass"), ("東京 祭り", "東京-祭り"), ("Ярмарка 2031", "ярмарка-2031"),
        ("x" * 250, "x" * 191),
    ):  # fmt: skip
        event = factories.event(client, title=title)
        assert event["slug"] == slug
        assert event["url"].endswith(f"/event/{quote(slug)}/")
        assert client.get(f"/events/by-slug/{quote(slug)}", status=200).json["id"] == event["id"]


def test_slug_is_chosen(client: Client) -> None:
    for sent, slug in (("a/b/c!", "a-b-c"), ("%E4%B8%AD%E6%96%87", "中文"), ("ÄÖ", "ao")):
        made, other = factories.event(client, slug=sent), factories.event(client)
        changed = [change(client, other, slug=sent)["slug"] for _ in range(2)]
        assert (made["slug"], changed) == (slug, [f"{slug}-2"] * 2)
    by_id = factories.event(client, title="!!!")  # without a letter
    assert factories.event(client, title="Concert", slug="!!!")["slug"] == "concert"
    assert by_id["slug"] == str(by_id["id"])


@pytest.mark.both_databases
def test_taken_slug_gets_the_first_free_number(client: Client) -> None:
    """Taken by whatever has it, hidden events among them; those in the trash leave it to others."""
    first, second, third = (factories.event(client, title="Concert") for _ in range(3))
    hidden = factories.event(client, "author", slug="concert", status="private")
    chosen = factories.event(client, "author2", slug="concert")
    assert [event["slug"] for event in (first, second, third, hidden, chosen)] == [
        "concert", *(f"concert-{number}" for number in range(2, 6)),
    ]  # fmt: skip
    for event in (first, second):
        trash(client, event)
    change(client, third, slug="other")

    assert factories.event(client, title="Concert")["slug"] == "concert"
    assert change(client, second, status="publish")["slug"] == "concert-2"
    assert change(client, first, status="publish")["slug"] == "concert-3"


def test_draft_has_no_slug_until_it_is_published(client: Client) -> None:
    factories.event(client, title="Concert")
    event = factories.event(client, title="Concert", status="draft")
    other = factories.event(client, title="Working title", status="draft")
    published = change(client, event, status="publish")

    assert event["slug"] == ""
    assert event["url"].endswith(f"/?post_type=tribe_events&p={event['id']}")
    assert Event.get_by_id(event["id"]).slug == published["slug"] == "concert-2"
    assert change(client, event, status="draft")["slug"] == "concert-2"  # which it keeps
    assert change(client, other, title="Final title", status="publish")["slug"] == "final-title"


def test_other_events_have_a_slug_at_once(client: Client) -> None:
    for number, fields in enumerate(({"status": "private"}, {"date_utc": "2099-01-01"})):
        assert factories.event(client, title=f"Concert {number}", **fields)["slug"] == f"concert-{number}"


def test_slug_goes_to_the_trash_and_comes_back(client: Client) -> None:
    """One that was chosen in the trash counts on return, a draft has none there either."""
    event = factories.event(client, slug="concert")
    draft = factories.event(client, title="Fair", status="draft")
    trash(client, event)
    assert change(client, event, slug="renamed")["slug"] == "concert__trashed"
    assert change(client, event, status="publish")["slug"] == "renamed"
    assert (trash(client, draft)["slug"], change(client, draft, status="draft")["slug"]) == ("", "")
    trash(client, draft)
    assert change(client, draft, status="publish")["slug"] == "fair"


@pytest.mark.both_databases
def test_lookup_takes_what_becomes_the_slug(client: Client) -> None:
    for title, slug, spellings in (
        ("Café à Paris", "cafe-a-paris",
         ("Café à Paris", "CAFE-à-paris", "caf%C3%A9-a-paris", "cafe--a-paris", "cafe-a-paris/")),
        ("Ωδείο Αθηνών", "ωδείο-αθηνών", ("ΩΔΕΊΟ-ΑΘΗΝΏΝ", "ωδει\u0301ο-αθηνών", "ωδείο-αθηνών/")),
    ):  # fmt: skip
        made = factories.event(client, title=title)
        assert made["slug"] == slug
        for spelling in spellings:
            address = f"/events/by-slug/{quote(spelling)}"
            assert client.get(address, status=200).json["id"] == made["id"], spelling
            changed = client.put(address, {"website": "https://b.example/"}, as_="admin", status=200)
            assert changed.json["id"] == made["id"]
        assert client.delete(address, as_="admin", status=200).json["id"] == made["id"]
    factories.event(client, status="draft")
    for path in ("%3Cscript%3E", "%21%21", "%20"):  # become no slug, as a draft has none
        client.get(f"/events/by-slug/{path}", as_="admin", status=404)
