"""Ask for pages and check what all of them have."""

import re
from html import unescape
from html.parser import HTMLParser

from webtest import TestResponse

from tests.client import Client

SITE = "http://localhost"
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' https:; script-src 'none'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'self'"
)
HOSTILE = "\"><script>alert(1)</script>{{ 7 * 7 }} </title><img src=x onerror=alert(1)> &amp; 'x'"
VOID = {"meta", "link", "br", "hr", "img", "input", "base"}


class Structure(HTMLParser):
    """Open elements, the levels of headings, ids, and every attribute of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def of(self, *tags: str) -> list[dict[str, str | None]]:
        return [attrs for tag, attrs in self.found if tag in tags]


def get(client: Client, path: str, status: int = 200, **headers: str) -> TestResponse:
    """A page; fails if it is not well-formed or has what the policy of pages forbids."""
    page = client.app.get(path, headers=headers, expect_errors=True)
    assert page.status_int == status, page.text[:600]
    if page.content_type == "text/html":
        check(page)
    return page


def check(page: TestResponse) -> None:
    found = Structure(page.text)
    assert page.headers["Content-Security-Policy"] == POLICY
    assert page.headers["Referrer-Policy"] == "strict-origin-when-cross-origin"
    assert page.headers["X-Content-Type-Options"] == "nosniff"
    assert page.headers["X-TEC-API-VERSION"] == "v1"
    assert ("X-Robots-Tag" in page.headers) == ('content="noindex"' in page.text)
    levels = [int(tag[1]) for tag, _ in found.found if re.fullmatch("h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in zip([0, *levels], levels, strict=False))
    assert [script.get("type") for script in found.of("script")] in ([], ["application/ld+json"])
    names = {name for _, attrs in found.found for name in attrs}
    assert not [name for name in names if name == "style" or name.startswith("on")]
    assert all("alt" in image for image in found.of("img"))
    assert len(found.of("main")) == len(found.of("h1")) == 1


def own(address: str) -> str:
    """An address as pages have it: the client sends a port when it writes."""
    return address.replace("http://localhost:80/", f"{SITE}/")


def text_of(page: TestResponse) -> str:
    """The text inside of `main`, on one line."""
    main = re.search("<main.*</main>", page.text, re.DOTALL)
    assert main
    return " ".join(unescape(re.sub("<[^>]*>", " ", main[0])).split())


def titles(page: TestResponse) -> list[str]:
    return [unescape(title) for title in re.findall(r'<h3><a href="[^"]*">([^<]*)</a>', page.text)]
