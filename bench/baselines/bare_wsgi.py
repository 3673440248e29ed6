"""B0: a WSGI function that answers everything with the bytes of the file BENCH_BODY."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

_BODY = Path(os.environ["BENCH_BODY"]).read_bytes()
_HEADERS = [("Content-Type", "application/json"), ("Content-Length", str(len(_BODY)))]


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    start_response("200 OK", _HEADERS)
    return [_BODY]
