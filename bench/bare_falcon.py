"""B1: a Falcon application that answers with the bytes of the files in BENCH_BODIES, in turn."""

import os
from itertools import cycle
from pathlib import Path
from typing import Any

import falcon

_BODIES = cycle([path.read_bytes() for path in sorted(Path(os.environ["BENCH_BODIES"]).iterdir())])


class Constant:
    def on_get(self, req: falcon.Request, resp: falcon.Response, **key: Any) -> None:
        resp.data = next(_BODIES)


application: falcon.App[Any, Any] = falcon.App(media_type="application/json")
for route in ("", "/doc", "/{noun}", "/{noun}/{id}", "/{noun}/by-slug/{slug}"):
    application.add_route(f"/calendar/events/v1{route}", Constant())
application.req_options.strip_url_path_trailing_slash = True
for route in ("/events", "/event/{slug}"):  # pages
    application.add_route(route, Constant())
