"""Send the requests in `tests/golden/conformance` and compare whole responses with those recorded there.

Each file is a scenario. Its first line says what it is about and which settings differ from the defaults;
`{"stage": "town"}` creates the records of `town.jsonl`; every other line is a request with its response.
To add one, write a line with the request alone and run `pytest --update-golden`.

`"save": "talk"` stores the response: from then on `{talk}` is its id, `{talk.slug}` any other value of it
and `{talk.etag}` its ETag, in paths, bodies and headers. `{editor}` and so on are the ids of the users.
The characters of `raw` are the bytes of the body, sent `times` times.
"""

import json
import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
import time_machine
from webtest import TestResponse

from calendar_api.app import create_app
from calendar_api.config import Config
from tests import uids
from tests.client import Client
from tests.templates import Template

Json = dict[str, Any]

GOLDEN = Path(__file__).parents[1] / "golden" / "conformance"
TOWN = Path(__file__).with_name("town.jsonl")
NOW = "2026-11-20T12:00:00+00:00"
HEADERS = (
    "Allow", "Location", "Link", "ETag", "X-TEC-Total", "X-TEC-TotalPages", "Content-Type", "Cache-Control",
    "WWW-Authenticate", "Retry-After",
)  # fmt: skip
RESPONSE = ("status", "answer_headers", "answer")
_SYMBOL = re.compile(r"\{(\w+)((?:\.\w+)*)\}")


def read(file: Path) -> list[Json]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


class Scenario:
    """Sends requests and remembers what they save."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.saved: dict[str, Any] = {login: {"id": id} for login, id in client.ids.items()}

    def play(self, line: Json) -> Json:
        """The line with the response of now."""
        if "stage" in line:
            for request in read(TOWN):
                self.send(request)
        if "request" not in line:
            return line
        request = {name: value for name, value in line.items() if name not in RESPONSE}
        return request | _shown(self.send(request))

    def send(self, line: Json) -> TestResponse:
        method, path = line["request"].split(" ", 1)
        headers = self._filled(line.get("headers", {}))
        if "bearer" in line:
            headers["Authorization"] = f"Bearer {self.client.secrets[line['bearer']]}"
        response = self.client.send(
            method, str(self._filled(path)), self._filled(line.get("body")), as_=line.get("as"),
            headers=headers, form=self._filled(line.get("form")), content_type=line.get("content_type", ""),
            raw=line["raw"].encode("latin-1") * line.get("times", 1) if "raw" in line else None,
        )  # fmt: skip
        if "save" in line:
            self.saved[line["save"]] = {**response.json, "etag": response.headers.get("ETag", "")}
        return response

    def _filled(self, value: Any) -> Any:
        """A value with its symbols replaced; a text that is one symbol takes its type."""
        if isinstance(value, dict):
            return {key: self._filled(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._filled(item) for item in value]
        if not isinstance(value, str):
            return value
        whole = _SYMBOL.fullmatch(value)
        return self._value(whole) if whole else _SYMBOL.sub(lambda found: str(self._value(found)), value)

    def _value(self, symbol: re.Match[str]) -> Any:
        if symbol[1] not in self.saved:
            return symbol[0]
        value = self.saved[symbol[1]]
        for key in symbol[2].split(".")[1:] or ["id"]:
            value = value[key]
        return value


def _shown(response: TestResponse) -> Json:
    body: Any = None
    if response.body:
        body = response.json if "json" in response.headers["Content-Type"] else f"{len(response.body)} bytes"
    headers = {name: response.headers[name] for name in HEADERS if name in response.headers}
    return dict(zip(RESPONSE, (response.status_int, headers, body), strict=True))


@pytest.mark.usefixtures("cheap_digests")
@pytest.mark.parametrize("name", sorted(file.stem for file in GOLDEN.glob("*.jsonl")))
def test_scenario_answers_as_recorded(
    name: str, database_url: str, template: Template, pytestconfig: pytest.Config
) -> None:
    file = GOLDEN / f"{name}.jsonl"
    recorded = read(file)
    with time_machine.travel(NOW, tick=False), uids.numbered():
        app = create_app(Config(database_url=database_url, **recorded[0].get("settings", {})))
        scenario = Scenario(Client(app, template.secrets, template.ids))
        played = [scenario.play(line) for line in recorded]

    if pytestconfig.getoption("update_golden"):
        file.write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in played), "utf-8")
        return
    for number, (now, before) in enumerate(zip(played, recorded, strict=True), 1):
        found = list(differences(before, now, ""))
        if found:
            where = f"{name}, line {number}: {now['request']} (recorded / now)"
            pytest.fail("\n  ".join([where, *found]), pytrace=False)


def differences(was: object, is_: object, path: str) -> Iterator[str]:
    """The differences between two documents, order of keys included."""
    if isinstance(was, dict) and isinstance(is_, dict):
        if list(was) != list(is_):
            yield f"{path or 'keys'}: {list(was)} / {list(is_)}"
        for key in was.keys() & is_.keys():
            yield from differences(was[key], is_[key], f"{path}.{key}" if path else key)
    elif isinstance(was, list) and isinstance(is_, list):
        for number, (old, new) in enumerate(zip_longest(was, is_)):
            yield from differences(old, new, f"{path}[{number}]")
    elif was != is_ or type(was) is not type(is_):
        yield f"{path}: {was!r} / {is_!r}"
