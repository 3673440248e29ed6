"""The namespace root: every route and its arguments (docs/interface.md#argument-tables)."""

from collections.abc import Mapping
from typing import Unpack

import falcon

from calendar_api.domain.errors import ApiError
from calendar_api.domain.translation import message
from calendar_api.resources.resource import Json, ReadOnly, Resource, RouteKey


class Index(ReadOnly):
    """`/` of the namespace."""

    def __init__(self, described: Mapping[str, Resource]) -> None:
        """`described` maps each path below the namespace, as clients write it, to its resource."""
        self.described = described

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        """Raises ApiError (404) for another namespace."""
        req.context.cacheable = True
        namespace = req.context.namespace
        if req.get_param("namespace", default=namespace) != namespace:
            text = message("The namespace of this interface is {namespace}.", namespace=namespace)
            raise ApiError(text, code="rest_invalid_namespace", status=404)
        links = {"up": [{"href": _parent_address(req)}]}
        resp.media = {"namespace": namespace, "routes": self.routes(req), "_links": links}

    def on_options(self, req: falcon.Request, resp: falcon.Response, **key: Unpack[RouteKey]) -> None:
        resp.media = self.description(req)

    def routes(self, req: falcon.Request) -> Json:
        routes = {"": self.description(req)}
        routes |= {path: resource.description(req) for path, resource in self.described.items()}
        return {f"/{req.context.namespace}{path}": route for path, route in routes.items()}

    def description(self, req: falcon.Request) -> Json:
        namespace, say = req.context.namespace, req.context.translate
        argument = {"default": namespace, "description": say("The namespace to describe."), "required": False}
        table = {"namespace": argument, **_context_argument(req)}
        return _description(namespace, table, req.context.site.links.root)


class RootIndex(ReadOnly):
    """The index above the namespace of an alias, such as `/wp-json`."""

    def __init__(self, index: Index) -> None:
        self.index = index

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        req.context.cacheable = True
        say = req.context.translate
        resp.media = {
            "name": say("Calendar"),
            "description": say("Events, venues, organizers, categories and tags of a calendar."),
            "url": req.context.site.links.home,
            "namespaces": [req.context.namespace],
            "routes": {"/": self.description(req), **self.index.routes(req)},
        }

    def on_options(self, req: falcon.Request, resp: falcon.Response) -> None:
        resp.media = self.description(req)

    def description(self, req: falcon.Request) -> Json:
        return _description("", _context_argument(req), _parent_address(req))


def _description(namespace: str, table: Json, address: str) -> Json:
    return {
        "namespace": namespace,
        "methods": ["GET"],
        "endpoints": [{"methods": ["GET"], "args": table}],
        "_links": {"self": [{"href": address}]},
    }


def _context_argument(req: falcon.Request) -> Json:
    text = req.context.translate("What the description is for.")
    return {"context": {"default": "view", "description": text, "required": False}}


def _parent_address(req: falcon.Request) -> str:
    root: str = req.context.site.links.root
    return root.removesuffix(req.context.namespace)
