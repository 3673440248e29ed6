"""Speaks to the application as a server does, byte for byte, without the checks of the other test client.

Some thousand requests a second are asked here; `tests.client` compares each answer with `/doc`.
"""

import base64
import io
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote, unquote_to_bytes, urlencode

ROOT = "/calendar/events/v1"

#: Headers that differ from answer to answer, whatever the world looks like.
OF_THE_MOMENT = ("x-request-id", "date")


@dataclass(frozen=True)
class Answer:
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @cached_property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        found = self.json.get("code", "") if self.body else ""
        return str(found)

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")

    @property
    def lasting(self) -> tuple[int, tuple[tuple[str, str], ...], bytes]:
        """What two equal worlds must answer alike."""
        kept = tuple((key, value) for key, value in self.headers if key.lower() not in OF_THE_MOMENT)
        return self.status, kept, self.body

    @property
    def text(self) -> str:
        """All that the caller receives, as one text."""
        head = "\n".join(f"{key}: {value}" for key, value in self.headers)
        return f"{self.status}\n{head}\n\n{self.body.decode('utf-8', 'replace')}"


class Speaker:
    """One application; `secrets` are the application passwords by login."""

    def __init__(self, app: Any, secrets: dict[str, str]) -> None:
        self.app = app
        self.secrets = secrets

    def authorization(self, login: str | None) -> str | None:
        """None for nobody; "wrong" is a user that there is with a secret that is none."""
        if login is None:
            return None
        name, secret = ("admin", "AAAA bbbb") if login == "wrong" else (login, self.secrets[login])
        return "Basic " + base64.b64encode(f"{name}:{secret}".encode()).decode()

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Any = None,
        as_: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """`path` below the namespace, percent-encoded, or a whole one that begins with "//"."""
        whole, _, given = (path[1:] if path.startswith("//") else ROOT + path).partition("?")
        content = b"" if body is None else json.dumps(body).encode()
        asked = "&".join(text for text in (given, urlencode(query or {}, doseq=True)) if text)
        environ: dict[str, Any] = {
            "REQUEST_METHOD": method, "SCRIPT_NAME": "", "QUERY_STRING": asked,
            "PATH_INFO": unquote_to_bytes(whole).decode("latin-1"),
            "SERVER_NAME": "localhost", "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "localhost", "CONTENT_LENGTH": str(len(content)),
            "wsgi.version": (1, 0), "wsgi.url_scheme": "http", "wsgi.input": io.BytesIO(content),
            "wsgi.errors": io.StringIO(), "wsgi.multithread": False, "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        }  # fmt: skip
        if body is not None:
            environ["CONTENT_TYPE"] = "application/json"
        credentials = self.authorization(as_)
        if credentials:
            environ["HTTP_AUTHORIZATION"] = credentials
        for name, value in (headers or {}).items():
            environ["HTTP_" + name.upper().replace("-", "_")] = value
        return self._answer(environ)

    def _answer(self, environ: dict[str, Any]) -> Answer:
        begun: list[Any] = []

        def start(status: str, headers: list[tuple[str, str]], _: Any = None) -> None:
            begun[:] = [int(status.split()[0]), tuple(headers)]

        parts = self.app(environ, start)
        content = b"".join(parts)
        if hasattr(parts, "close"):
            parts.close()
        return Answer(begun[0], begun[1], content)

    def made(self, path: str, body: Any, as_: str = "admin") -> Any:
        """What a POST that has to succeed has made."""
        answer = self.send("POST", path, body, as_=as_)
        assert answer.status == 201, answer.text
        return answer.json

    def changed(self, path: str, body: Any, as_: str = "admin") -> Any:
        answer = self.send("PATCH", path, body, as_=as_)
        assert answer.status == 200, answer.text
        return answer.json


def segment(text: str) -> str:
    """One segment of a path."""
    return quote(text, safe="")
