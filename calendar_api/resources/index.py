"""The namespace root: which routes there are, and what each of them takes.

See docs/interface.md#argument-tables.
"""

from collections.abc import Mapping
from typing import Any

import falcon

from calendar_api.domain.auth import Caller
from calendar_api.domain.errors import ApiError
from calendar_api.domain.translation import message
from calendar_api.resources.base import Json, Resource


class Index:
    """`/`"""

    methods = ("GET",)

    def __init__(self, described: Mapping[str, Resource]) -> None:
        """`described` maps each path below the namespace, as clients write it, to its resource."""
        self.described = described

    def may_write(self, caller: Caller) -> bool:
        return False

    def allow(self, resp: falcon.Response, *, write: bool) -> None:
        resp.set_header("Allow", "GET")

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        namespace = req.context.namespace
        if req.get_param("namespace", default=namespace) != namespace:
            raise ApiError(
                message("The namespace of this interface is {namespace}.", namespace=namespace),
                code="rest_invalid_namespace",
                status=404,
            )
        resp.media = {
            "namespace": namespace,
            "routes": self.routes(req),
            "_links": {"up": [{"href": _above(req)}]},
        }

    on_head = on_get

    def on_options(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        resp.media = self.description(req)

    def routes(self, req: falcon.Request) -> Json:
        namespace = req.context.namespace
        routes = {"": self.description(req)}
        routes |= {path: resource.description(req) for path, resource in self.described.items()}
        return {f"/{namespace}{path}": route for path, route in routes.items()}

    def description(self, req: falcon.Request) -> Json:
        say = req.context.translate
        table = {
            "namespace": {
                "default": req.context.namespace,
                "description": say("The namespace to describe."),
                "required": False,
            },
            **_context(req),
        }
        return {
            "namespace": req.context.namespace,
            "methods": ["GET"],
            "endpoints": [{"methods": ["GET"], "args": table}],
            "_links": {"self": [{"href": req.context.site.links.root}]},
        }


class RootIndex:
    """The index above the namespace of an alias, such as `/wp-json`."""

    methods = ("GET",)

    def __init__(self, index: Index) -> None:
        self.index = index

    def may_write(self, caller: Caller) -> bool:
        return False

    def allow(self, resp: falcon.Response, *, write: bool) -> None:
        resp.set_header("Allow", "GET")

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        say = req.context.translate
        resp.media = {
            "name": say("Calendar"),
            "description": say("Events, venues, organizers, categories and tags of a calendar."),
            "url": req.context.site.links.home,
            "namespaces": [req.context.namespace],
            "routes": {"/": self.description(req), **self.index.routes(req)},
        }

    on_head = on_get

    def on_options(self, req: falcon.Request, resp: falcon.Response) -> None:
        resp.media = self.description(req)

    def description(self, req: falcon.Request) -> Json:
        return {
            "namespace": "",
            "methods": ["GET"],
            "endpoints": [{"methods": ["GET"], "args": _context(req)}],
            "_links": {"self": [{"href": _above(req)}]},
        }


def _context(req: falcon.Request) -> Json:
    text = req.context.translate("What the description is for.")
    return {"context": {"default": "view", "description": text, "required": False}}


def _above(req: falcon.Request) -> str:
    """The address above the namespace."""
    root: str = req.context.site.links.root
    return root.removesuffix(req.context.namespace)
