"""Pages in six languages: no word of the interface stays English."""

import json
import re
from functools import cache
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote

import pytest

from tests import catalogues, factories
from tests.client import Client

#: Names are the same in every language.
NAMES = frozenset(
    {"RSS", "Atom", "Google", "Outlook.com", "Microsoft 365", "OpenStreetMap", "Calendar", "/doc"}
    | {"English", "Deutsch", "Español", "Français", "Italiano", "Nederlands"}
)
#: In every text of a record here, so that what pages say themselves has none.
MARK = "Ω"
OURS = re.compile(rf"{MARK}|\.example$")
ATTRIBUTES = {"alt", "aria-label", "placeholder", "title"}
DESCRIPTIONS = {"description", "og:title", "og:description"}


class Texts(HTMLParser):
    """Every text that a page shows or says, each without blanks around it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.hidden = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.hidden = tag in ("script", "style")
        values = dict(attrs)
        self.found |= {values[name] or "" for name in ATTRIBUTES & values.keys()}
        if tag == "meta" and {values.get("name"), values.get("property")} & DESCRIPTIONS:
            self.found.add(values["content"] or "")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.found |= {part.strip(" ·\n") for part in re.split(" – |·", unescape(data))}


@pytest.fixture
def paths(client: Client) -> list[str]:
    """The addresses of every kind of page, with everything on them."""
    place = {"venue": f"{MARK} hall", "address": MARK, "city": MARK, "country": MARK, "phone": "12"}
    site = {"website": f"https://{MARK}.example/", "description": MARK}
    everything = {
        "title": MARK, "description": MARK, "cost": "12", "categories": [f"{MARK} kind"], "featured": True,
        "tags": [f"{MARK} tag"], "event_status": "canceled", "event_status_reason": MARK,
        "show_map_link": True, "venue": {**place, **site, "show_map_link": True}, "website": f"https://{MARK}.example/",
        "organizer": {"organizer": f"{MARK} club", "email": "a@b.example", "phone": "12", **site},
    }  # fmt: skip
    event = factories.event(client, **everything)
    whole = {"start_date": factories.day(1), "end_date": factories.day(2), "all_day": True}
    factories.event(client, title=MARK, event_status="postponed", **whole)
    locked = factories.event(client, title=MARK, password="secret")
    for _ in range(20):
        factories.event(client, title=MARK)
    (kind,), (tag,), day = event["categories"], event["tags"], factories.day(1)[:10]
    records = [re.sub(r"^https?://[^/]*", "", one["url"]) for one in (event["venue"], *event["organizer"])]
    return [
        "/events/", "/events/list/page/2/", "/events/?eventDisplay=past", f"/events/?search={MARK}",
        "/events/?search=nothing", "/events/month/", f"/events/month/{day[:7]}/", f"/events/{day}/",
        "/events/today/", f"/event/{event['slug']}/", f"/event/{locked['slug']}/", "/event/none/",
        f"/events/category/{kind['slug']}/", f"/tag/{tag['slug']}/", *records, "/events/?embed=1",
        "/events/?start_date=never",
    ]  # fmt: skip


def shown(client: Client, path: str) -> set[str]:
    page = client.app.get(quote(path, safe="/?=&%"), expect_errors=True)
    assert page.content_type == "text/html", path
    return {text for text in Texts(page.text).found if re.search(r"[^\W\d_]", text) and not OURS.search(text)}


@cache
def date_words(language: str) -> set[str]:
    words = json.loads((catalogues.LOCALE / "dates.json").read_text("utf-8"))[language]
    return set(re.findall(r"[^\W\d_]+", json.dumps(words, ensure_ascii=False)))


catalogue = cache(catalogues.catalogue)


def is_translated(text: str, language: str) -> bool:
    """Whether the text is right in both languages: a name, a date, or a word that they share."""
    known = catalogue(language).get(text)
    if text in NAMES or (known is not None and known.string == text):
        return True
    words = {word.casefold() for word in re.findall(r"[^\W\d_]+", text)}
    return words <= {word.casefold() for word in date_words(language)}


def test_pages_have_no_english_words(client: Client, paths: list[str]) -> None:
    english = {path: shown(client, path) for path in paths}
    assert all(len(texts) > 5 for texts in english.values())
    left = {
        (language, text)
        for path, texts in english.items()
        for language in catalogues.TRANSLATED
        for text in texts & shown(client, f"/{language}{path}")
        if not is_translated(text, language)
    }

    assert left == set()


@pytest.mark.parametrize("template", sorted(catalogues.TEMPLATES.rglob("*.html")), ids=lambda path: path.stem)
def test_templates_have_no_text_that_cannot_be_translated(template: Path) -> None:
    text = template.read_text("utf-8")
    own = re.sub(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", "", text, flags=re.DOTALL)
    values = re.findall(r'(?:aria-label|placeholder|alt|title)="([^"]*)"', own)
    own = re.sub(r'[\w-]+="[^"]*"', "", own)  # attributes also stand alone, in macros
    texts = {part.strip(" \n·–,←→") for part in [*re.split(r"<[^>]*>", own), *values]}
    assert {one for one in texts if re.search(r"[^\W\d_]", one)} <= NAMES
