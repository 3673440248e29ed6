"""Files: those of pages and of the description, and what a theme adds."""

import re
from functools import cache
from hashlib import sha256
from pathlib import Path

import falcon

from calendar_api.config import Config
from calendar_api.domain import etags
from calendar_api.resources.resource import ReadOnly

#: Served under a name that changes with the content, see `hashed_name`; by the names that templates use.
HASHED = {
    "stylesheet": "calendar.css", "editing_stylesheet": "editing.css", "icon": "calendar.svg",
    "height_script": "embed-height.js",
}  # fmt: skip
FOLDER = Path(__file__).parent / "static"
_YEAR, _DAY, _HOUR = "public, max-age=31536000, immutable", "public, max-age=86400", "public, max-age=3600"
_NAME = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9]+)+")
_TYPES = {
    "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
    "png": "image/png", "jpg": "image/jpeg", "webp": "image/webp", "ico": "image/x-icon",
    "txt": "text/plain; charset=utf-8",
}  # fmt: skip


class StaticFiles(ReadOnly):
    """`/static/{name}`: our files under their hashes, and those of the theme (docs/theming.md)"""

    def __init__(self, config: Config) -> None:
        self.theme = Path(config.theme) if config.theme else None

    def on_get(self, req: falcon.Request, resp: falcon.Response, name: str) -> None:
        own = {hashed_name(file): file for file in HASHED.values()}
        if name in own:
            send_file(req, resp, FOLDER / own[name], _YEAR)
        else:
            send_file(req, resp, self.of_theme(name), _HOUR)

    def of_theme(self, name: str) -> Path:
        """The file of a theme with this name; raises HTTPRouteNotFound."""
        folder = self.theme and (self.theme if name == "theme.css" else self.theme / "static")
        if folder is None or not _NAME.fullmatch(name) or not (folder / name).is_file():
            raise falcon.HTTPRouteNotFound
        return folder / name


class EmbedScript(StaticFiles):
    """`/embed.js`, for other sites (docs/embedding.md)"""

    def on_get(self, req: falcon.Request, resp: falcon.Response, name: str = "embed.js") -> None:
        send_file(req, resp, FOLDER / name, _DAY)


@cache
def hashed_name(file: str) -> str:
    """The name under which a file is served."""
    return f"{sha256((FOLDER / file).read_bytes()).hexdigest()[:12]}{Path(file).suffix}"


def send_file(req: falcon.Request, resp: falcon.Response, file: Path, caching: str) -> None:
    req.context.page = None  # no page: the headers are those of a file
    send(resp, file.read_bytes(), _TYPES.get(file.suffix[1:], "application/octet-stream"), caching)


def send(resp: falcon.Response, body: bytes, content_type: str, caching: str = "") -> None:
    """Answer with a body; `caching` is the Cache-Control, "" for the usual one."""
    resp.data, resp.content_type = body, content_type
    resp.set_headers({"ETag": etags.etag(body)} | ({"Cache-Control": caching} if caching else {}))
