"""B1: a Falcon application with one route that answers with the bytes of the file BENCH_BODY."""

import os
from pathlib import Path
from typing import Any

import falcon

_BODY = Path(os.environ["BENCH_BODY"]).read_bytes()


class Constant:
    def on_get(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        resp.data = _BODY


application: falcon.App[Any, Any] = falcon.App(media_type="application/json")
application.add_route(os.environ["BENCH_ROUTE"], Constant())
