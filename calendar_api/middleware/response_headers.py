"""The body, ETag and headers of every response (docs/interface.md#response-headers)."""

import json
import re

import falcon

from calendar_api.config import Config
from calendar_api.domain import etags, form_params, json_text
from calendar_api.domain.etags import OMITTED_FROM_304, matches
from calendar_api.middleware.access_log import CACHE_LINE

JSON = "application/json; charset=UTF-8"

_ORIGIN = re.compile(r"null|[a-z][a-z0-9+.-]{0,30}://[A-Za-z0-9.\-\[\]:_]{1,260}")
_ACCEPTED_HEADERS = (
    "Authorization", "X-WP-Nonce", "Content-Disposition", "Content-MD5", "Content-Type", "Idempotency-Key",
    "If-Match", "If-None-Match", "X-HTTP-Method-Override",
)  # fmt: skip
_POLICY = "default-src 'none'; frame-ancestors 'none'"
_CONSTANT_HEADERS = (
    ("referrer-policy", "no-referrer"),
    ("vary", "Authorization, Accept-Encoding, Origin"),
    ("x-content-type-options", "nosniff"),
    ("x-robots-tag", "noindex"),
    ("access-control-allow-headers", ", ".join(_ACCEPTED_HEADERS)),
    ("access-control-expose-headers", "X-TEC-Total, X-TEC-TotalPages, Link, ETag, Location"),
    ("content-security-policy", _POLICY),
)
#: Pages say themselves what search engines may list.
_PAGE_HEADERS = (
    ("referrer-policy", "strict-origin-when-cross-origin"),
    ("vary", "Authorization, Accept-Encoding"),
    ("x-content-type-options", "nosniff"),
    ("content-security-policy", _POLICY),
)
_SET_BY_RESOURCES = frozenset(
    {"cache-control", "content-security-policy", "cross-origin-resource-policy", "referrer-policy"}
)

Fields = dict[str, "Fields"]


class ResponseHeaders:
    """Serialise the document of a response, and set the headers that every response has."""

    def __init__(self, config: Config) -> None:
        self.public = f"public, max-age={config.cache_max_age}, must-revalidate"

    def process_response(
        self, req: falcon.Request, resp: falcon.Response, resource: object, succeeded: bool
    ) -> None:
        whole = resp.data if resp.media is None else self._serialise(req, resp, succeeded)
        tag, is_read = resp.get_header("ETag"), req.method in ("GET", "HEAD")
        if not succeeded:  # the transaction may fail after these were set
            tag = None
            for name in ("ETag", "Location"):
                resp.delete_header(name)
        elif tag is None and is_read and whole is not None and resource is not None:  # health has no tag
            tag = etags.etag(whole)
            resp.set_header("ETag", tag)
        # The response cache needs the body, and evaluates If-None-Match itself.
        is_cached = req.context.get("cacheable") and CACHE_LINE in req.env
        if tag and is_read and not is_cached and matches(req.get_header("If-None-Match"), tag):
            resp.status, resp.data = falcon.HTTP_304, None
        self._set_headers(req, resp, succeeded)

    def _serialise(self, req: falcon.Request, resp: falcon.Response, succeeded: bool) -> bytes:
        """Set the body to the selected fields, and return all of them: the ETag is made of these.

        A resource sets `resp.media` to an object, or to bytes that are JSON already.
        """
        document, resp.media = resp.media, None
        whole: bytes = document if isinstance(document, bytes) else json_text.encode(document).encode()
        is_asked = succeeded and any(name.startswith("_fields") for name in req.params)
        names = form_params.joined(req.query_string, "_fields") if is_asked else ""
        resp.data = whole
        if names:
            resp.data = json_text.encode(select(json.loads(whole), parse_fields(names))).encode()
        return whole

    def _set_headers(self, req: falcon.Request, resp: falcon.Response, succeeded: bool) -> None:
        public = (
            req.method in ("GET", "HEAD", "OPTIONS")
            and not req.get_header("Authorization")
            and not req.get_param("password")
        )
        # Errors are not cached: the next request may succeed.
        caching = self.public if public and succeeded else "private, no-store"
        headers = (
            ("cache-control", caching),
            ("cross-origin-resource-policy", "cross-origin" if public else "same-origin"),
            *(_PAGE_HEADERS if req.context.get("page") else _CONSTANT_HEADERS),
        )
        kept = _SET_BY_RESOURCES & resp.headers.keys()
        resp.set_headers([pair for pair in headers if pair[0] not in kept])
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


def cors_headers(origin: str) -> list[tuple[str, str]]:
    """Return the headers that allow pages of `origin` to read a response (docs/interface.md#cors)."""
    if not _ORIGIN.fullmatch(origin):
        return []
    return [
        ("Access-Control-Allow-Origin", origin),
        ("Access-Control-Allow-Methods", "OPTIONS, GET, POST, PUT, PATCH, DELETE"),
    ]


def parse_fields(names: str) -> Fields:
    """Parse the value of `_fields`, a comma list of dotted paths; a prefix of a path includes the path.

    >>> parse_fields("id,venue.city")
    {'id': {}, 'venue': {'city': {}}}
    """
    tree: Fields = {}
    paths = ([step for step in name.strip().split(".") if step] for name in names.split(","))
    for *parents, last in sorted(filter(None, paths), key=len, reverse=True):
        node = tree
        for step in parents:
            node = node.setdefault(step, {})
        node[last] = {}
    return tree


def select(document: object, tree: Fields) -> object:
    """Return the document with these keys only; paths apply to objects and to lists of objects."""
    if not tree:
        return document
    if isinstance(document, list):
        return [select(item, tree) for item in document]
    if not isinstance(document, dict):
        return document
    return {key: select(value, tree[key]) for key, value in document.items() if key in tree}
