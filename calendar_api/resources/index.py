"""The namespace root: which routes there are, and what each of them takes (contract §9.1)."""

from collections.abc import Mapping
from typing import Any

import falcon

from calendar_api.auth import Caller
from calendar_api.errors import ApiError
from calendar_api.messages import message
from calendar_api.resources.resource import Json, Resource


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
        root = req.context.site.links.root
        routes = {"": self.description(req)}
        routes |= {path: resource.description(req) for path, resource in self.described.items()}
        resp.media = {
            "namespace": namespace,
            "routes": {f"/{namespace}{path}": route for path, route in routes.items()},
            "_links": {"up": [{"href": root.removesuffix(namespace)}]},
        }

    on_head = on_get

    def on_options(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        resp.media = self.description(req)

    def description(self, req: falcon.Request) -> Json:
        say = req.context.translate
        table = {
            "namespace": {
                "default": req.context.namespace,
                "description": say("The namespace to describe."),
                "required": False,
            },
            "context": {
                "default": "view",
                "description": say("What the description is for."),
                "required": False,
            },
        }
        return {
            "namespace": req.context.namespace,
            "methods": ["GET"],
            "endpoints": [{"methods": ["GET"], "args": table}],
            "_links": {"self": [{"href": req.context.site.links.root}]},
        }
