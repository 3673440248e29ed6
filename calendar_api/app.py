"""Puts the service together: middleware, routes, and the one place that renders errors."""

import json
import logging
from typing import Any

import falcon

from calendar_api import database, routes, schema_state
from calendar_api.config import Config
from calendar_api.errors import ApiError, MethodNotAllowed, NoRoute
from calendar_api.middleware import Addressing, Authentication, RequestId

JSON = "application/json; charset=UTF-8"

log = logging.getLogger("calendar_api")


def create_app(config: Config) -> falcon.App[Any, Any]:
    """A WSGI application. Opens no connection, so that a server may load it before it forks."""
    database.bind(config.database_url)
    app: falcon.App[Any, Any] = falcon.App(media_type=JSON)
    gate, addressing = schema_state.Gate(config.database_url), Addressing(config, routes.NAMESPACE)
    for middleware in (RequestId(), gate, addressing, Authentication()):
        app.add_middleware(middleware)
    app.resp_options.media_handlers[JSON] = falcon.media.JSONHandler(dumps=_dumps)
    routes.add(app, config)
    app.add_error_handler(Exception, _on_crash)
    app.add_error_handler(falcon.HTTPError, _on_http_error)
    app.add_error_handler(ApiError, _on_error)
    return app


def _dumps(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _on_error(req: falcon.Request, resp: falcon.Response, error: ApiError, params: Any) -> None:
    body: dict[str, Any] = error.body()
    if error.status >= 500:
        body["data"]["request_id"] = req.context.id
    resp.status = error.status
    resp.set_headers(error.headers)
    resp.content_type = JSON
    resp.text = _dumps(body)


def _on_http_error(req: falcon.Request, resp: falcon.Response, error: falcon.HTTPError, params: Any) -> None:
    """What Falcon itself found wrong, in our shape."""
    if isinstance(error, falcon.HTTPRouteNotFound):
        found: ApiError = NoRoute(
            f"There is nothing at this address; the interface begins at /{routes.NAMESPACE}."
        )
    elif isinstance(error, falcon.HTTPMethodNotAllowed) or req.method not in falcon.COMBINED_METHODS:
        methods = (*req.context.resource.methods, "HEAD", "OPTIONS")
        found = MethodNotAllowed(
            f"This address takes {', '.join(methods)}.", headers={"Allow": ", ".join(methods)}
        )
    else:
        found = ApiError(
            str(error.description or error.title), code="rest_bad_request", status=int(error.status_code)
        )
    _on_error(req, resp, found, params)


def _on_crash(req: falcon.Request, resp: falcon.Response, error: Exception, params: Any) -> None:
    """A database error has a meaning; anything else is a mistake of ours and goes to the log."""
    meaning = database.meaning(error)
    if isinstance(meaning, ApiError):
        _on_error(req, resp, meaning, params)
        return
    log.error("request %s failed", getattr(req.context, "id", "-"), exc_info=error)
    _on_error(
        req,
        resp,
        ApiError("Something went wrong in the server; its log says what, under this request id."),
        params,
    )
