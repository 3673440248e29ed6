"""Speaks to the application as a server does, byte for byte, without the checks of the other test client.

Some thousand requests a second are asked here; `tests.client` compares each answer with `/doc`.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote, urlencode

from tests import wsgi
from tests.system.servers import basic

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
        id = self.header("x-request-id").encode()  # error pages of editing show it
        return self.status, kept, self.body.replace(id, b"") if id else self.body

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
        return basic(name, secret)

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Any = None,
        as_: str | None = None,
        headers: dict[str, str] | None = None,
        form: dict[str, str] | None = None,
    ) -> Answer:
        """`path` below the namespace, percent-encoded, or a whole one that begins with "//".

        `body` is sent as JSON, `form` as a browser sends it.
        """
        whole, _, given = (path[1:] if path.startswith("//") else ROOT + path).partition("?")
        content = b"" if body is None else json.dumps(body).encode()
        asked = "&".join(text for text in (given, urlencode(query or {}, doseq=True)) if text)
        sent = dict(headers or {})
        if body is not None:
            sent["Content-Type"] = "application/json"
        if form is not None:
            content = urlencode(form).encode()
            sent |= {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
        credentials = self.authorization(as_)
        if credentials:
            sent["Authorization"] = credentials
        status, found, text = wsgi.call(self.app, wsgi.environ(method, whole, asked, sent, content))
        return Answer(status, tuple(found), text)

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
