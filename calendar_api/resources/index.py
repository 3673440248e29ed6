"""The namespace root: which routes there are."""

from collections.abc import Mapping
from typing import Any

import falcon

from calendar_api.errors import ApiError


class Index:
    """`/`"""

    methods = ("GET",)

    def __init__(self, routes: Mapping[str, tuple[str, ...]]) -> None:
        """`routes` maps each path below the namespace, as clients write it, to its methods."""
        self.routes = routes

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        namespace = req.context.namespace
        if req.get_param("namespace", default=namespace) != namespace:
            raise ApiError(
                f"The namespace of this interface is {namespace}.", code="rest_invalid_namespace", status=404
            )
        root = req.context.site.links.root
        resp.set_header("Allow", "GET")
        resp.media = {
            "namespace": namespace,
            "routes": {
                f"/{namespace}{path}": {
                    "namespace": namespace,
                    "methods": list(methods),
                    **({} if "(" in path else {"_links": {"self": [{"href": root + path}]}}),
                }
                for path, methods in self.routes.items()
            },
            "_links": {"up": [{"href": root.removesuffix(namespace)}]},
        }

    on_head = on_get

    def on_options(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        resp.set_header("Allow", "GET")
        resp.media = {"namespace": req.context.namespace, "methods": ["GET"]}
