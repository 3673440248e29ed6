"""A route: who may use it, and its description."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, TypedDict, Unpack

import falcon

from calendar_api.config import Config
from calendar_api.contract.argument_tables import Table, TableContext
from calendar_api.domain.auth import Caller

Json = dict[str, object]
#: Checked parameters of a query string; `query` and `read` in the schema of the noun say their types.
Query = dict[str, Any]
#: Groups of methods, each with its argument table.
Endpoints = list[tuple[tuple[str, ...], Table]]


class RouteKey(TypedDict, total=False):
    """The variables in the path of a route: `id` or `slug` of a record, the secret `token` of a link."""

    id: int
    slug: str
    token: str
    path: str


class BaseResource:
    """What answers the requests of a route; HEAD is a GET whose body the server leaves out."""

    on_get: Callable[..., None]

    def __init__(self, config: Config) -> None:
        self.config = config
        self.site = config.site

    def on_head(self, req: falcon.Request, resp: falcon.Response, **key: int | str) -> None:
        self.on_get(req, resp, **key)


class Resource(BaseResource, ABC):
    """A route: `noun` names its schema file, `plural` its list; `path` is empty if it has a variable.

    `formats` are the formats of its answers by their suffixes, () for JSON alone.
    """

    noun = ""
    plural = ""
    path = ""
    methods: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()

    def on_options(self, req: falcon.Request, resp: falcon.Response, **key: Unpack[RouteKey]) -> None:
        resp.media = self.description(req)

    def description(self, req: falcon.Request) -> Json:
        """The route as `GET /` and OPTIONS describe it (docs/interface.md#index)."""
        caller: Caller = req.context.caller
        context = TableContext(req.context.translate, self.config.per_page, self.site.zone, caller.at)
        endpoints = [
            {"methods": list(methods), "args": table or []} for methods, table in self.endpoints(context)
        ]
        description = {
            "namespace": req.context.namespace, "methods": list(self.methods), "endpoints": endpoints,
        }  # fmt: skip
        if self.path:
            description["_links"] = {"self": [{"href": req.context.site.links.root + self.path}]}
        return description

    @abstractmethod
    def endpoints(self, context: TableContext) -> Endpoints: ...


class ReadOnly(BaseResource):
    """A read-only resource, for all callers."""

    methods: tuple[str, ...] = ("GET",)

    def may_write(self, caller: Caller) -> bool:
        return False
