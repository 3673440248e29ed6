"""The description of the interface for programs."""

from collections.abc import Callable
from typing import Any

import falcon

from calendar_api.arguments import Surroundings
from calendar_api.auth import Caller
from calendar_api.config import Config
from calendar_api.messages import Translate
from calendar_api.resources.resource import Json, Resource


class Documentation(Resource):
    """`/doc`"""

    methods = ("GET",)

    def __init__(self, config: Config, document: Callable[[str, Translate], Json]) -> None:
        """`document` makes the description for a root and a language."""
        super().__init__(config)
        self.document = document

    def may_write(self, caller: Caller) -> bool:
        return False

    def on_get(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        resp.media = self.document(req.context.site.links.root, req.context.translate)

    on_head = on_get

    def description(self, req: falcon.Request) -> Json:
        """With its address, as every route without a variable."""
        address = {"href": f"{req.context.site.links.root}/doc"}
        return {**super().description(req), "_links": {"self": [address]}}

    def endpoints(self, around: Surroundings) -> list[tuple[tuple[str, ...], Json]]:
        return [(("GET",), {})]
