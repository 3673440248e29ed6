"""The OpenAPI document, and the page that shows it to people."""

from collections.abc import Callable
from functools import cache
from html import escape
from string import Template
from typing import Any
from urllib.parse import urlsplit

import falcon

from calendar_api.config import Config
from calendar_api.contract.argument_tables import TableContext
from calendar_api.domain.translation import Translate
from calendar_api.resources import static_files
from calendar_api.resources.resource import Endpoints, Json, ReadOnly, Resource, mark_cacheable


class Documentation(ReadOnly, Resource):
    """The OpenAPI document."""

    path = "/doc"

    def __init__(self, config: Config, document: Callable[[str, Translate], Json]) -> None:
        """`document` makes the OpenAPI document for a root URL and a language."""
        super().__init__(config)
        self.document = document

    def on_get(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        mark_cacheable(req)
        resp.media = self.document(req.context.site.links.root, req.context.translate)

    on_head = on_get

    def endpoints(self, context: TableContext) -> Endpoints:
        return [(("GET",), {})]


_FILES = frozenset({"docs.css", "docs.js", "rapidoc-min.js", "rapidoc-min.js.license.txt"})
# RapiDoc makes <style> elements and `style` attributes that depend on the document, so that no hash can
# allow them. Scripts stay strict.
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


class DocsPage(ReadOnly):
    """`/docs`"""

    def __init__(self, config: Config) -> None:
        self.config = config

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        mark_cacheable(req)
        resp.set_header("Content-Security-Policy", _POLICY)
        caching = "public, max-age=0, must-revalidate"
        static_files.send(resp, _page(req, self.config), "text/html; charset=utf-8", caching)

    on_head = on_get


class DocsFile(ReadOnly):
    """`/docs/{name}`"""

    def on_get(self, req: falcon.Request, resp: falcon.Response, name: str) -> None:
        if name not in _FILES:
            raise falcon.HTTPRouteNotFound
        static_files.send_file(req, resp, static_files.FOLDER / name, static_files.DAY)

    on_head = on_get


def _page(req: falcon.Request, config: Config) -> bytes:
    """The page in the caller's language.

    Its addresses have no scheme and host, so that it works behind a proxy with another host name.
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
    return _template().substitute({name: escape(value) for name, value in values.items()}).encode()


@cache
def _template() -> Template:
    return Template((static_files.FOLDER / "docs.html").read_text("utf-8"))
