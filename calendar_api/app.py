"""Puts the service together: middleware, routes, and the one place that renders errors."""

import gc
import io
import logging
import sys
from typing import Any

import falcon

from calendar_api import database
from calendar_api.config import NAMESPACE, Config
from calendar_api.contract import schemas
from calendar_api.contract.openapi import builder
from calendar_api.domain.errors import ApiError, MethodNotAllowed, NoRoute
from calendar_api.domain.translation import message
from calendar_api.middleware import access_log, require_migrated
from calendar_api.middleware.authentication import Authentication
from calendar_api.middleware.response_cache import ResponseCache
from calendar_api.middleware.response_headers import JSON, ResponseHeaders
from calendar_api.middleware.url_prefix import UrlPrefix
from calendar_api.resources import health, routes
from calendar_api.resources.docs import Documentation
from calendar_api.store import visibility

log = logging.getLogger("calendar_api")


class App(falcon.App[Any, Any]):
    """Falcon refuses the method WEBSOCKET before its middleware runs; here it is a method like any other."""

    _META_METHODS = frozenset()


def create_app(config: Config) -> ResponseCache:
    """A WSGI application. Opens no connection, so that a server may load it before it forks."""
    database.bind(config.database_url)
    app = App(media_type=JSON)
    for middleware in (
        access_log.AccessLog(config),
        ResponseHeaders(config),
        health.Health(),
        require_migrated.RequireMigrated(),
        UrlPrefix(config),
        Authentication(),
    ):
        app.add_middleware(middleware)
    description = builder.Description(dict(routes.ROUTES), config.per_page)
    routes.add(app, config, Documentation(config, description.document))
    app.add_error_handler(Exception, _on_crash)
    app.add_error_handler(falcon.HTTPError, _on_http_error)
    app.add_error_handler(ApiError, _on_error)
    return ResponseCache(app, config, schemas.read_parameters(), database.revision, _next_publication)


def warm(front: ResponseCache) -> None:
    """Answer one list for nobody before a server forks, so that all its processes share what that takes.

    No line is logged, and the connection is closed again. Without a database nothing happens.
    """
    environ: dict[str, Any] = {
        "REQUEST_METHOD": "GET", "SCRIPT_NAME": "", "PATH_INFO": f"/{NAMESPACE}/events", "QUERY_STRING": "",
        "SERVER_NAME": "localhost", "SERVER_PORT": "80", "HTTP_HOST": "localhost",
        "SERVER_PROTOCOL": "HTTP/1.1", "wsgi.version": (1, 0), "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(), "wsgi.errors": sys.stderr,
        "wsgi.multithread": True, "wsgi.multiprocess": True, "wsgi.run_once": False,
    }  # fmt: skip
    log, front.log = front.log, None
    try:
        if database.exists():
            front(environ, lambda *_: None)
    except ApiError:  # nobody can tell; each request will say why
        pass
    finally:
        front.log = log
        database.close_connection()
    gc.collect()
    gc.freeze()  # looking for garbage would touch what is shared, and so make a copy of it


def _next_publication(now: str) -> str | None:
    """At once, when the database cannot tell: then nothing is remembered, and the application says why."""
    found = database.try_read(lambda: (visibility.next_publication(now),))
    return now if found is None else found[0]


def _on_error(req: falcon.Request, resp: falcon.Response, error: ApiError, params: Any) -> None:
    body: dict[str, Any] = error.body(req.context.translate)
    req.context.error = error.code
    if error.status >= 500:
        body["data"]["request_id"] = req.context.id
        if error.__cause__ is not None:
            log.error("request %s: %s", req.context.id, error.__cause__)
    resp.status = error.status
    resp.set_headers(error.headers)
    resp.media = body


def _on_http_error(req: falcon.Request, resp: falcon.Response, error: falcon.HTTPError, params: Any) -> None:
    """What Falcon itself found wrong, in our shape."""
    if isinstance(error, falcon.HTTPRouteNotFound):
        found: ApiError = NoRoute(
            message(
                "There is nothing at this address; the interface begins at {root}.",
                root=f"/{NAMESPACE}",
            )
        )
    elif isinstance(error, falcon.HTTPMethodNotAllowed) or req.method not in falcon.COMBINED_METHODS:
        methods = (*req.context.resource.methods, "HEAD", "OPTIONS")
        found = MethodNotAllowed(
            message("This address takes {methods}.", methods=", ".join(methods)),
            headers={"Allow": ", ".join(methods)},
        )
    else:
        found = ApiError(
            str(error.description or error.title), code="rest_bad_request", status=int(error.status_code)
        )
    _on_error(req, resp, found, params)


def _on_crash(req: falcon.Request, resp: falcon.Response, error: Exception, params: Any) -> None:
    """A database error has a meaning; anything else is a mistake of ours and goes to the log."""
    meaning = database.translate(error)
    if isinstance(meaning, ApiError):
        meaning.__cause__ = error
        _on_error(req, resp, meaning, params)
        return
    log.error("request %s failed", getattr(req.context, "id", "-"), exc_info=error)
    _on_error(
        req,
        resp,
        ApiError(message("Something went wrong in the server; its log says what, under this request id.")),
        params,
    )
