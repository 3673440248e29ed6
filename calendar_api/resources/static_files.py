"""The files of pages: stylesheet, scripts, and what a theme adds."""

import re
from functools import cache
from hashlib import sha256
from pathlib import Path

import falcon

from calendar_api.config import Config
from calendar_api.domain import json_text
from calendar_api.resources.resource import ReadOnly

#: Served under a name that changes with the content, see `hashed_name`.
STYLESHEET, ICON, HEIGHT_SCRIPT = "calendar.css", "calendar.svg", "embed-height.js"
_HASHED = (STYLESHEET, ICON, HEIGHT_SCRIPT)
_FOLDER = Path(__file__).parent / "static"
_YEAR, _DAY, _HOUR = "public, max-age=31536000, immutable", "public, max-age=86400", "public, max-age=3600"
_NAME = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9]+)+")
_TYPES = {
    "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
    "png": "image/png", "jpg": "image/jpeg", "webp": "image/webp", "ico": "image/x-icon",
}  # fmt: skip


class StaticFiles(ReadOnly):
    """`/static/{name}`: our files under their hashes, and those of the theme (docs/theming.md)"""

    def __init__(self, config: Config) -> None:
        self.theme = Path(config.theme) if config.theme else None

    def on_get(self, req: falcon.Request, resp: falcon.Response, name: str) -> None:
        own = {hashed_name(file): file for file in _HASHED}
        if name in own:
            _send(req, resp, _FOLDER / own[name], _YEAR)
        else:
            _send(req, resp, self.of_theme(name), _HOUR)

    on_head = on_get

    def of_theme(self, name: str) -> Path:
        folder = self.theme and (self.theme if name == "theme.css" else self.theme / "static")
        if folder is None or not _NAME.fullmatch(name) or not (folder / name).is_file():
            raise falcon.HTTPRouteNotFound
        return folder / name


class EmbedScript(ReadOnly):
    """`/embed.js`, for other sites (docs/embedding.md)"""

    def __init__(self, config: Config) -> None:
        pass

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        _send(req, resp, _FOLDER / "embed.js", _DAY)

    on_head = on_get


@cache
def hashed_name(file: str) -> str:
    """The name under which a file is served."""
    return f"{sha256((_FOLDER / file).read_bytes()).hexdigest()[:12]}{Path(file).suffix}"


def _send(req: falcon.Request, resp: falcon.Response, file: Path, caching: str) -> None:
    req.context.page = None  # no page: the headers are those of a file
    resp.data = file.read_bytes()
    resp.content_type = _TYPES.get(file.suffix[1:], "application/octet-stream")
    resp.set_headers({"Cache-Control": caching, "ETag": json_text.etag(resp.data)})
