"""The OpenAPI document, and the page that shows it to people."""

from collections.abc import Callable
from importlib import import_module
from typing import Unpack
from urllib.parse import urlsplit

import falcon

from calendar_api.config import Config
from calendar_api.contract.argument_tables import TableContext
from calendar_api.domain.translation import Translate
from calendar_api.resources import static_files
from calendar_api.resources.resource import Endpoints, Json, ReadOnly, Resource, RouteKey


class Documentation(ReadOnly, Resource):
    """The OpenAPI document."""

    path = "/doc"

    def __init__(self, config: Config, document: Callable[[str, Translate], Json]) -> None:
        """`document` makes the OpenAPI document for a root URL and a language."""
        super().__init__(config)
        self.document = document

    def on_get(self, req: falcon.Request, resp: falcon.Response, **key: Unpack[RouteKey]) -> None:
        req.context.cacheable = True
        resp.media = self.document(req.context.site.links.root, req.context.translate)

    def endpoints(self, context: TableContext) -> Endpoints:
        return [(("GET",), {})]


_FILES = frozenset({"docs.css", "docs.js"})
_CACHING = "public, max-age=0, must-revalidate"  # page, files and description are of one release
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class DocsPage(ReadOnly):
    """`/docs`, in the caller's language.

    Its addresses have no scheme and host, so that it works behind a proxy with another host name.
    """

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        req.context.cacheable = True
        links = req.context.site.links
        values = {
            "language": links.home.removeprefix(links.site).strip("/") or self.config.language,
            "root": urlsplit(links.root).path,
            "_": req.context.translate,
        }
        renderer = import_module("calendar_api.resources.pages").renderer("")
        page = str(renderer.environment.get_template("docs.html").render(values))
        resp.set_header("Content-Security-Policy", _POLICY)
        static_files.send(resp, page.encode(), "text/html; charset=utf-8", _CACHING)


class DocsFile(ReadOnly):
    """`/docs/{name}`"""

    def on_get(self, req: falcon.Request, resp: falcon.Response, name: str) -> None:
        """Raises HTTPRouteNotFound for another file."""
        if name not in _FILES:
            raise falcon.HTTPRouteNotFound
        static_files.send_file(req, resp, static_files.FOLDER / name, _CACHING)
