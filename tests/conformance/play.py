"""Sends the requests of a scenario and writes down, for each, what was asked and the whole answer."""

import json
import re
from typing import Any

from webtest import TestResponse

from tests.client import Client

Json = dict[str, Any]

HEADERS = (
    "Allow",
    "Location",
    "Link",
    "ETag",
    "X-TEC-Total",
    "X-TEC-TotalPages",
    "Content-Type",
    "Cache-Control",
    "WWW-Authenticate",
    "Retry-After",
)
LONGEST_SENT = 300
_SYMBOL = re.compile(r"\{(\w+)(?:\.(\w+))?\}")


class Play:
    """Call it with a request line such as `GET /events/{talk}`.

    `save="talk"` remembers the answer: later `{talk}` is its id, `{talk.slug}` any other key of it and
    `{talk.etag}` its entity tag, in paths, bodies and headers. `{editor}` and so on are the ids of the users.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.exchanges: list[Json] = []
        self.recording = True
        self.saved: dict[str, Json] = {login: {"id": id} for login, id in client.ids.items()}

    def __call__(
        self,
        request: str,
        body: Any = None,
        *,
        as_: str | None = None,
        bearer: str | None = None,
        save: str = "",
        headers: dict[str, str] | None = None,
        form: Json | None = None,
        raw: bytes | None = None,
        content_type: str = "",
    ) -> TestResponse:
        method, path = request.split(" ", 1)
        sent_headers = self._filled(headers or {})
        if bearer is not None:
            sent_headers["Authorization"] = f"Bearer {self.client.secrets[bearer]}"
        response = self.client.send(
            method,
            str(self._named(path)),
            self._filled(body),
            as_=as_,
            headers=sent_headers,
            form=self._filled(form),
            raw=raw,
            content_type=content_type,
        )
        if save:
            self.saved[save] = {**response.json, "etag": response.headers.get("ETag", "")}
        if self.recording:
            asked = {
                "request": request,
                "as": as_,
                "bearer": bearer,
                "body": body,
                "form": form,
                "raw": _short(raw),
                "content_type": content_type,
                "headers": headers,
            }
            self.exchanges.append({k: v for k, v in asked.items() if v not in (None, "")} | _answer(response))
        return response

    def _filled(self, value: Any) -> Any:
        """A value in which symbols stand for what they name; a text that is one symbol takes its type."""
        if isinstance(value, dict):
            return {key: self._filled(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._filled(item) for item in value]
        return self._named(value) if isinstance(value, str) else value

    def _named(self, text: str) -> Any:
        whole = _SYMBOL.fullmatch(text)
        if whole and whole[1] in self.saved:
            return self._value(whole)
        return _SYMBOL.sub(lambda found: str(self._value(found)), text)

    def _value(self, found: re.Match[str]) -> Any:
        return self.saved[found[1]][found[2] or "id"] if found[1] in self.saved else found[0]


def _answer(response: TestResponse) -> Json:
    headers = {name: response.headers[name] for name in HEADERS if name in response.headers}
    body: Any = None
    if response.body:
        body = response.json if "json" in response.headers["Content-Type"] else f"{len(response.body)} bytes"
    return {"status": response.status_int, "answer_headers": headers, "answer": body}


def _short(raw: bytes | None) -> str | None:
    if raw is None:
        return None
    return raw.decode("utf-8", "backslashreplace") if len(raw) <= LONGEST_SENT else f"{len(raw)} bytes"


def line(exchange: Json) -> str:
    """One line of a golden file."""
    return json.dumps(exchange, ensure_ascii=False)
