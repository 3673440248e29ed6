"""HTTP manners of every answer: `_fields`, ETags, caching, CORS, security headers.

See docs/interface.md#response-headers.
"""

import re
from typing import Any

import falcon

from calendar_api.config import Config
from calendar_api.domain import form_params
from calendar_api.domain.etags import OMITTED_FROM_304, matches
from calendar_api.domain.json_text import as_rendered, dumps, tagged, unrendered
from calendar_api.middleware import field_selection
from calendar_api.middleware.response_cache.hint import CACHE_HINT, CacheHint

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]{0,30}://[A-Za-z0-9.\-\[\]:_]{1,260}")


def cors_headers(origin: str) -> list[tuple[str, str]]:
    """The headers with which a browser shows our answer to a page of another site.

    See docs/interface.md#cors.
    """
    if not _ORIGIN.fullmatch(origin):
        return []
    return [
        ("Access-Control-Allow-Origin", origin),
        ("Access-Control-Allow-Methods", "OPTIONS, GET, POST, PUT, PATCH, DELETE"),
    ]


JSON = "application/json; charset=UTF-8"

_ACCEPTED_HEADERS = (
    "Authorization", "X-WP-Nonce", "Content-Disposition", "Content-MD5", "Content-Type", "Idempotency-Key",
    "If-Match", "If-None-Match", "X-HTTP-Method-Override",
)  # fmt: skip


class ResponseHeaders:
    """Turns the document of an answer into bytes, and sets the headers that every answer has."""

    def __init__(self, config: Config) -> None:
        self.public = f"public, max-age={config.cache_max_age}, must-revalidate"

    def process_response(
        self, req: falcon.Request, resp: falcon.Response, resource: Any, succeeded: bool
    ) -> None:
        if resp.media is not None:
            self._write(req, resp, succeeded)
        if not succeeded:  # a failure may come after these, when the transaction ends
            for name in ("ETag", "Location"):
                resp.delete_header(name)
        self._headers(req, resp, succeeded)

    def _write(self, req: falcon.Request, resp: falcon.Response, succeeded: bool) -> None:
        document = resp.media
        if succeeded:
            chosen = form_params.last(req.query_string, "_fields")
            if chosen:
                document = field_selection.select(unrendered(document), field_selection.wanted(chosen))
        document = as_rendered(document)
        resp.media = None
        if not succeeded or req.method not in ("GET", "HEAD"):
            resp.data = dumps(document)
            return
        resp.data, tag = tagged(document)
        resp.set_header("ETag", tag)
        visit: CacheHint | None = req.env.get(CACHE_HINT)
        if visit is not None and visit.lasting:
            return  # what is remembered is the whole answer; whoever sends it looks at the condition
        if matches(req.get_header("If-None-Match"), tag):
            resp.status, resp.data = falcon.HTTP_304, None

    def _headers(self, req: falcon.Request, resp: falcon.Response, succeeded: bool) -> None:
        anonymous = (
            not req.get_header("Authorization") and form_params.last(req.query_string, "password") is None
        )
        reads = req.method in ("GET", "HEAD", "OPTIONS")
        # An error is not kept: what is missing, closed or broken now may not be so a moment later.
        caching = self.public if anonymous and reads and succeeded else "private, no-store"
        resp.set_headers(
            {
                "Cache-Control": resp.get_header("Cache-Control") or caching,
                "Cross-Origin-Resource-Policy": "cross-origin" if anonymous and reads else "same-origin",
                "Referrer-Policy": "no-referrer",
                "Vary": "Authorization, Accept-Encoding, Origin",
                "X-Content-Type-Options": "nosniff",
                "X-Robots-Tag": "noindex",
                "Access-Control-Allow-Headers": ", ".join(_ACCEPTED_HEADERS),
                "Access-Control-Expose-Headers": "X-TEC-Total, X-TEC-TotalPages, Link, ETag, Location",
            }
        )
        if not resp.get_header("Content-Security-Policy"):
            resp.set_header("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
        site = getattr(req.context, "site", None)
        if site is not None:
            root = site.links.root.removesuffix(req.context.namespace)
            resp.append_header("Link", f'<{root}>; rel="https://api.w.org/"')
        origin = req.get_header("Origin")
        if origin:
            resp.set_headers(cors_headers(origin))
        if resp.status == falcon.HTTP_304:
            for name in OMITTED_FROM_304:
                resp.delete_header(name)
