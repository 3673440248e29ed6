"""The description of the interface for programs."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from string import Template
from typing import Any
from urllib.parse import urlsplit

import falcon

from calendar_api.config import Config
from calendar_api.contract.argument_tables import TableContext
from calendar_api.domain import etags
from calendar_api.domain.auth import Caller
from calendar_api.domain.translation import Translate
from calendar_api.resources.resource import Json, Resource, mark_cacheable


class Documentation(Resource):
    """`/doc`"""

    methods = ("GET",)

    def __init__(self, config: Config, document: Callable[[str, Translate], Json]) -> None:
        """`document` makes the description for a root and a language."""
        super().__init__(config)
        self.document = document

    def may_write(self, caller: Caller) -> bool:
        return False

    def on_get(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        mark_cacheable(req)
        resp.media = self.document(req.context.site.links.root, req.context.translate)

    on_head = on_get

    def description(self, req: falcon.Request) -> Json:
        """With its address, as every route without a variable."""
        address = {"href": f"{req.context.site.links.root}/doc"}
        return {**super().description(req), "_links": {"self": [address]}}

    def endpoints(self, around: TableContext) -> list[tuple[tuple[str, ...], Json]]:
        return [(("GET",), {})]


_FOLDER = Path(__file__).parent / "static"
_TYPES = {
    "docs.css": "text/css; charset=utf-8",
    "docs.js": "text/javascript; charset=utf-8",
    "rapidoc-min.js": "text/javascript; charset=utf-8",
    "rapidoc-min.js.license.txt": "text/plain; charset=utf-8",
}
# RapiDoc writes its theme as a <style> element and sets `style` attributes while it renders; their texts
# depend on the document, so that no hash can name them. Scripts stay strict.
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)


@dataclass(frozen=True, slots=True)
class StaticFile:
    content: bytes
    content_type: str

    @property
    def tag(self) -> str:
        return f'"{hashlib.sha256(self.content).hexdigest()[:32]}"'


class RenderedPage:
    """What page and files have in common: everybody may read them, nobody writes them."""

    methods = ("GET",)

    def __init__(self, config: Config) -> None:
        self.config = config

    def may_write(self, caller: Caller) -> bool:
        return False

    def allow(self, resp: falcon.Response, *, write: bool) -> None:
        resp.set_header("Allow", "GET")


class DocsPage(RenderedPage):
    """`/docs`"""

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        resp.set_header("Cache-Control", "public, max-age=0, must-revalidate")
        resp.set_header("Content-Security-Policy", _POLICY)
        _send(_page(req, self.config), req, resp)

    on_head = on_get


class DocsFile(RenderedPage):
    """`/docs/{name}`"""

    def on_get(self, req: falcon.Request, resp: falcon.Response, name: str) -> None:
        if name not in _TYPES:
            raise falcon.HTTPRouteNotFound
        resp.set_header("Cache-Control", "public, max-age=86400")
        _send(_file(name), req, resp)

    on_head = on_get


def _send(file: StaticFile, req: falcon.Request, resp: falcon.Response) -> None:
    resp.set_header("ETag", file.tag)
    if etags.matches(req.get_header("If-None-Match"), file.tag):
        resp.status = falcon.HTTP_304
        return
    resp.content_type = file.content_type
    resp.data = file.content


def _page(req: falcon.Request, config: Config) -> StaticFile:
    """The page in the caller's language, with addresses below the caller's own root.

    Addresses are without scheme and host: behind a proxy that gives another host the page still works.
    """
    say, links = req.context.translate, req.context.site.links
    values = {
        "language": links.home.removeprefix(links.site).strip("/") or config.language,
        "root": urlsplit(links.root).path,
        "title": say("Calendar interface"),
        "without_script": say(
            "This page needs JavaScript. The same description is here, as JSON for programs:"
        ),
        "for_programs": say("This description as JSON, for programs (OpenAPI)"),
    }
    page = _template().substitute({name: escape(value) for name, value in values.items()})
    return StaticFile(page.encode(), "text/html; charset=utf-8")


@cache
def _template() -> Template:
    return Template((_FOLDER / "docs.html").read_text("utf-8"))


@cache
def _file(name: str) -> StaticFile:
    return StaticFile((_FOLDER / name).read_bytes(), _TYPES[name])
