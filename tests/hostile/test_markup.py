"""Markup that wants to run, in every text field, tried by a browser on a page that shows the answer."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from selenium.webdriver import Chrome

from calendar_api.domain import html, text
from calendar_api.domain.errors import InvalidParameters
from tests import chrome
from tests.client import Client
from tests.hostile.corpus import ALL
from tests.hostile.markup import PAYLOADS

Json = dict[str, Any]

pytestmark = pytest.mark.sqlite

_PAGE = "<!DOCTYPE html><script>var ran = 0; function canary() { ran += 1 }</script><body>"
#: What the documentation promises, written down once more: elements, and attributes of each.
_ELEMENTS = (
    "a abbr b br cite code del em i img ins mark q s small span strong sub sup time u blockquote caption "
    "dd div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre table tbody td tfoot th thead tr ul"
)
_ATTRIBUTES = "href title cite src alt width height colspan rowspan datetime rel"
#: Shows every text in an element of its own, then waits for what is loaded and painted.
_INSPECT = """
const [texts, elements, attributes, done] = arguments;
const allowed = new Set(elements.split(' ')), known = new Set(attributes.split(' ')), found = [];
ran = 0;
performance.clearResourceTimings();
texts.forEach((text, number) => {
  const box = document.createElement('div');
  document.body.append(box);
  box.innerHTML = text;
  for (const element of box.querySelectorAll('*')) {
    if (!allowed.has(element.localName)) found.push([number, 'element ' + element.localName]);
    if (element.namespaceURI !== 'http://www.w3.org/1999/xhtml') found.push([number, 'foreign element']);
    for (const {name, value} of element.attributes) {
      if (!known.has(name)) found.push([number, 'attribute ' + name]);
      if (!['href', 'src', 'cite'].includes(name)) continue;
      let scheme = 'none';
      try { scheme = new URL(value, 'https://site.invalid/').protocol } catch { continue }
      if (!['http:', 'https:', 'mailto:', 'tel:'].includes(scheme)) found.push([number, name + ' ' + scheme]);
    }
    for (const kind of ['mouseover', 'focus', 'click']) element.dispatchEvent(new Event(kind));
  }
});
const pictures = [...document.images].map(image => image.decode().catch(() => 0));
Promise.all(pictures).then(() => requestAnimationFrame(() => requestAnimationFrame(() => {
  const asked = performance.getEntriesByType('resource').filter(entry => entry.initiatorType !== 'img');
  for (const entry of asked) found.push([-1, 'request ' + entry.name]);
  if (ran) found.push([-1, 'ran ' + ran]);
  document.body.replaceChildren();
  done(found);
})));
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    folder = tmp_path_factory.mktemp("browser")
    (folder / "page.html").write_text(_PAGE, "utf-8")
    with chrome.started(folder / "profile", "--host-resolver-rules=MAP * ~NOTFOUND") as running:
        running.get((folder / "page.html").as_uri())
        yield running


def _inspected(browser: Chrome, texts: list[str]) -> list[str]:
    """What is wrong with these texts on a page."""
    found: list[tuple[int, str]] = browser.execute_async_script(_INSPECT, texts, _ELEMENTS, _ATTRIBUTES)
    return [f"{what} in {texts[number]!r}" if number >= 0 else what for number, what in found]


def _texts(document: Any, name: str = "") -> Iterator[str]:
    """Every text of an answer that a page shows; `json_ld` is for a script element and looked at apart."""
    if isinstance(document, str) and name != "json_ld":
        yield document
    for key, value in document.items() if isinstance(document, dict) else ():
        if key != "json_ld":
            yield from _texts(value, key)
    for item in document if isinstance(document, list) else ():
        yield from _texts(item, name)


def _stored(client: Client, payload: str) -> Json:
    """An event with the payload wherever it may be, read by a stranger."""
    line = payload[:255]
    address = dict.fromkeys(("address", "city", "country", "phone", "zip", "state"), line)
    venue = {"venue": line, "description": payload, **address}
    body: Json = {
        "title": line, "description": payload, "excerpt": payload, "cost": line, "slug": payload[:200],
        "website": payload, "image": payload, "timezone": payload[:64], "tags": [payload[:200]],
        "categories": [payload[:200]], "venue": venue,
        "organizer": {"organizer": line, "phone": line, "description": payload},
        "event_status_reason": payload[:1000],
    }  # fmt: skip
    valid = {"title": "x", "start_date": "2031-06-07", "end_date": "2031-06-08"}
    answer = client.post("/events", {**valid, **body}, as_="admin")
    while answer.status_int == 400:
        for name in answer.json["data"]["params"]:
            body.pop(name)
        answer = client.post("/events", {**valid, **body}, as_="admin")
    assert answer.status_int == 201
    found: Json = client.get(f"/events/{answer.json['id']}", status=200).json
    return found


def test_nothing_runs_on_a_page_that_shows_what_was_sent(client: Client, browser: Chrome) -> None:
    shown: dict[str, None] = {}
    for payload in PAYLOADS:
        record = _stored(client, payload)
        shown |= dict.fromkeys(_texts(record))
        assert "</script" not in json.dumps(record["json_ld"]).lower(), payload
    texts = [text for text in shown if "<" in text or "&" in text or ":" in text]
    print(f"{len(PAYLOADS)} payloads, {len(texts)} different texts in answers")

    found = [
        fault
        for first in range(0, len(texts), 200)
        for fault in _inspected(browser, texts[first : first + 200])
    ]

    assert found == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("markup", "said"),
    [
        ("<img src=x onerror=canary()>", "ran 1"),
        ("<p onclick=canary()>x</p>", "ran 1"),
        ("<link rel=stylesheet href=http://canary.invalid/x>", "request http://canary.invalid/x"),
        ("<script>canary()</script>", "element script in '<script>canary()</script>'"),
        ("<a href='jav\tascript:canary()'>x</a>", "href javascript: in "),
        ("<svg></svg>", "foreign element in '<svg></svg>'"),
    ],
)
def test_markup_that_runs_or_loads_is_found(browser: Chrome, markup: str, said: str) -> None:
    # A browser that is short of time asks for a style sheet only after the page was inspected.
    assert any(said in " ".join(_inspected(browser, [markup])) for _ in range(5))


def test_cleaning_what_is_clean_changes_nothing() -> None:
    for value in (*PAYLOADS, *ALL):
        if len(value) > 9000:
            continue
        try:
            cleaned, plain = html.sanitize(value), text.plain(value)
        except (InvalidParameters, ValueError):  # refused for its length or its combining marks
            continue

        assert html.sanitize(cleaned) == cleaned, value
        assert text.plain(plain) == plain, value
