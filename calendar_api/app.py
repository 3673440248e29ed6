"""Puts middleware, routes and the rendering of errors together."""

import gc
import logging
import mimetypes
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any
from wsgiref.util import setup_testing_defaults

import falcon

from calendar_api import database
from calendar_api.config import NAMESPACE, Config
from calendar_api.contract import schemas
from calendar_api.domain.errors import ApiError, MethodNotAllowed, NoRoute
from calendar_api.domain.translation import Translate, message
from calendar_api.middleware import url_prefix
from calendar_api.middleware.access_log import AccessLog
from calendar_api.middleware.authentication import Authentication
from calendar_api.middleware.health import Health, RequireMigrated
from calendar_api.middleware.response_cache import ResponseCache
from calendar_api.middleware.response_headers import JSON, ResponseHeaders
from calendar_api.middleware.url_prefix import UrlPrefix
from calendar_api.resources import routes
from calendar_api.resources.docs import Documentation
from calendar_api.store import visibility

log = logging.getLogger("calendar_api")


class App(falcon.App[Any, Any]):
    """Lets middleware and routes handle the method WEBSOCKET, which Falcon itself answers with 400."""

    _META_METHODS = frozenset()


def create_app(config: Config) -> ResponseCache:
    """The WSGI application. Opens no database connection, so that a server may load it before it forks."""
    database.bind(config.database_url)
    mimetypes.knownfiles.clear()  # Falcon would read these; nothing here uses them
    router = url_prefix.Router(lambda: routes.pages(config))
    routes.add(router, config, Documentation(config, _openapi(config)))
    app = App(
        media_type=JSON,
        router=router,
        middleware=[  # in the order of the requests; responses pass it in the opposite order
            AccessLog(config),
            ResponseHeaders(config),
            Health(),
            UrlPrefix(config),
            RequireMigrated(),
            Authentication(),
        ],
    )
    # Falcon takes the handler of the most specific class.
    app.add_error_handler(Exception, _handle_crash)
    app.add_error_handler(falcon.HTTPError, _handle_http_error)
    app.add_error_handler(ApiError, _handle_api_error)
    parameters = schemas.read_parameters() | url_prefix.PAGE_PARAMETERS
    return ResponseCache(app, config, parameters, database.revision, _next_publication)


def _openapi(config: Config) -> Callable[[str, Translate], dict[str, object]]:
    """Build the OpenAPI document at its first request: most processes never need it."""

    @cache
    def description() -> Any:
        builder = import_module("calendar_api.contract.openapi.builder")
        return builder.Description(dict(routes.DESCRIBED), config.per_page, config.per_page_max)

    return lambda root, translate: description().document(root, translate)


def warm(application: ResponseCache) -> None:
    """Answer one list before a server forks, so that all its processes share the memory that this takes.

    Nothing is logged, and the connection is closed. Without a database nothing happens.
    """
    import_module("calendar_api.contract.formats")  # it loads jsonschema, which such a list does not need
    import_module("calendar_api.resources.page_routes")
    query = "start_date=2000-01-01"
    environ: dict[str, object] = {"PATH_INFO": f"/{NAMESPACE}/events", "QUERY_STRING": query}
    setup_testing_defaults(environ)
    log, application.log = application.log, None
    try:
        if database.exists():
            application(environ, lambda *_: None)
    except ApiError:  # the database is out of reach; each request will say why
        pass
    finally:
        application.log = log
        database.close_connection()
    gc.collect()
    gc.freeze()  # a collection would write to shared pages, and so copy them


def _next_publication(now: str) -> str | None:
    """`now` when the database is out of reach: then nothing is cached."""
    found = database.try_read(lambda: (visibility.next_publication(now),))
    return now if found is None else found[0]


def _handle_api_error(
    req: falcon.Request, resp: falcon.Response, error: ApiError, params: dict[str, object]
) -> None:
    body: dict[str, Any] = error.body(req.context.translate)
    req.context.error = error.code
    if error.status >= 500:
        body["data"]["request_id"] = req.context.id
        if error.__cause__ is not None:
            log.error("request %s: %s", req.context.id, error.__cause__)
    resp.status = error.status
    resp.set_headers(error.headers)
    resp.media = body
    if req.context.get("page") and "site" in req.context:
        try:
            import_module("calendar_api.resources.pages").show_error(req, resp, error)
        except Exception as failure:  # then the error is JSON
            log.error("request %s: the error has no page", req.context.id, exc_info=failure)


def _handle_http_error(
    req: falcon.Request, resp: falcon.Response, error: falcon.HTTPError, params: dict[str, object]
) -> None:
    """Render an error of Falcon in the shape of ours."""
    found: ApiError
    if isinstance(error, falcon.HTTPRouteNotFound):
        text = message(
            "There is nothing at this address; the interface begins at {root}.", root=f"/{NAMESPACE}"
        )
        found = NoRoute(text)
        if req.context.get("page") and _is_of_programs(req):
            req.context.page = None
    elif isinstance(error, falcon.HTTPMethodNotAllowed) or req.method not in falcon.COMBINED_METHODS:
        methods = ", ".join((*req.context.resource.methods, "HEAD", "OPTIONS"))
        text = message("This address takes {methods}.", methods=methods)
        found = MethodNotAllowed(text, headers={"Allow": methods})
    else:
        description = str(error.description or error.title)
        found = ApiError(description, code="rest_bad_request", status=int(error.status_code))
    _handle_api_error(req, resp, found, params)


def _is_of_programs(req: falcon.Request) -> bool:
    """Whether a path is like one of the interface, in an unknown language or another version of it."""
    path: str = req.context.page.path
    root, *rest = path.strip("/").split("/")
    prefixes = (NAMESPACE, *req.context.config.aliases)
    known = bool(rest) and root in {prefix.partition("/")[0] for prefix in prefixes}
    return known or any(f"/{prefix}/" in path for prefix in prefixes)


def _handle_crash(
    req: falcon.Request, resp: falcon.Response, error: Exception, params: dict[str, object]
) -> None:
    """Render an error of the database as what it means, and log any other with its traceback."""
    known = database.translate(error)
    if isinstance(known, ApiError):
        known.__cause__ = error
    else:
        log.error("request %s failed", getattr(req.context, "id", "-"), exc_info=error)
        known = ApiError(
            message("Something went wrong in the server; its log says what, under this request id.")
        )
    _handle_api_error(req, resp, known, params)
