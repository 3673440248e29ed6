"""The application on one database, in a process of its own.

`python -m tests.differential.worlds URL FIRST_ID` starts one.

A process binds one database, so two databases need two processes. Batches of requests go in and normalised
answers come out as lines of JSON. Nothing of a world is shared with another: they agree because the clock
stands still at the same moments in both, and because what each database made up by itself (ids, and entity
tags, which are digests of documents with ids) is replaced by names that say which one it is.
"""

import json
import re
import sys
from collections.abc import Sequence
from datetime import timedelta
from html import unescape
from http.client import responses
from pathlib import Path
from subprocess import PIPE, Popen
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote, quote_plus

import time_machine

from calendar_api import database
from calendar_api.app import create_app
from calendar_api.config import Config
from calendar_api.database import migrate
from calendar_api.database.models import Event, Record, Term, User
from calendar_api.database.tables import TABLES
from calendar_api.store import users
from tests import wsgi
from tests.client import ROOT
from tests.conftest import BORN, LOGINS
from tests.differential.texts import VARIATIONS
from tests.differential.values import BEGINNING, NAMES, UNKNOWN_ID
from tests.system.servers import basic

Json = dict[str, Any]

UTC_OFFSET = "+00:00"
#: Different in every answer, and nobody's business.
PASSED_OVER = ("date", "x-request-id")
_KEPT = ("user", "application_password", "revision")


class World:
    """Starts the process and talks to it; `send` and `receive` are apart, so that two worlds work at once."""

    def __init__(self, url: str, first_id: int, statements: Sequence[str] = ()) -> None:
        """`statements` of SQL give the database a habit of its own, for tests of the comparison."""
        command = [sys.executable, "-m", "tests.differential.worlds", url, str(first_id), *statements]
        root = Path(__file__).parents[2]
        self.process = Popen(command, stdin=PIPE, stdout=PIPE, text=True, encoding="utf-8", cwd=root)

    def send(self, requests: list[Json], *, afresh: bool) -> None:
        """Hand over a batch; `afresh` empties the world first and turns its clock back."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"afresh": afresh, "requests": requests}) + "\n")
        self.process.stdin.flush()

    def receive(self) -> list[Json]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, f"the world ended with status {self.process.wait()}: see its errors above"
        answers: list[Json] = json.loads(line)
        return answers

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.terminate()
        self.process.communicate()


class Service:
    """Inside the process: fills in the requests, carries them out, and writes down the answers.

    All ids are large numbers of one length, so that an id is known wherever it stands: in addresses, in slugs
    of titles without letters, in sentences.
    """

    def __init__(self, url: str, first_id: int, statements: Sequence[str]) -> None:
        self.first_id = first_id
        self.secrets, self.users = _created_database(url, first_id, statements)
        self.app = create_app(Config(database_url=url, log="off"))
        self.clock = time_machine.travel(BEGINNING.isoformat() + UTC_OFFSET, tick=False)
        self.now = self.clock.start()

    def begin(self) -> None:
        """Delete everything but the users, and turn the clock back."""
        with database.write():
            for table in (Event, Term):  # who has children cannot go before them
                table.update(parent=None).execute()
            for table in reversed([table for table in TABLES if table._meta.table_name not in _KEPT]):
                where = Record.id != self.first_id if table is Record else None
                (table.delete() if where is None else table.delete().where(where)).execute()
        self.now.move_to(BEGINNING.isoformat() + UTC_OFFSET)
        self.made: dict[str, list[int]] = {}
        self.newest = self.first_id
        self.uids: dict[str, str] = {}
        self.names = {str(id): f"[user {login}]" for login, id in self.users.items()}
        self.slugs: dict[int, str] = {}
        self.titles: dict[int, str] = {}
        self.tags: dict[tuple[str | None, int], list[str]] = {}
        self.known_tags: dict[str, str] = {}

    def answered(self, request: Json) -> Json:
        self.now.shift(timedelta(seconds=request["pause"]))
        status, headers, body = self._respond(request)
        made = self._created() if request["method"] not in ("GET", "HEAD", "OPTIONS") else []
        self._remember(request, headers, body)
        shown = {
            name: self._tag_name(value) if name == "etag" else self._without_ids(value)
            for name, value in headers
            if name not in PASSED_OVER
        }
        return {"status": status, "headers": shown, "body": self._comparable(body), "made": made}

    def _respond(self, request: Json) -> tuple[int, list[tuple[str, str]], str]:
        status, headers, content = wsgi.call(self.app, self._environ(request))
        assert status in responses, status
        return status, sorted((name.lower(), value) for name, value in headers), content.decode()

    def _environ(self, request: Json) -> Json:
        segments = [self._written(segment) for segment in request["path"]]
        query = _encoded([(name, self._asked(name, value)) for name, value in request["query"]])
        path = "/".join([request.get("root", ROOT), *segments])
        return wsgi.environ(request["method"], path, query, self._headers(request), self._content(request))

    def _asked(self, name: Any, value: Any) -> Any:
        """A search for digits becomes one for letters: it would find ids, where they are slugs of terms."""
        value = self._filled(value)
        return "jazz" if name == "search" and re.fullmatch(r"\s*\d+\s*", str(value)) else value

    def _written(self, segment: Any) -> str:
        if isinstance(segment, dict) and segment["$"] == "plain":
            return str(segment["text"])
        return quote(str(self._filled(segment)), safe="", errors="surrogatepass")

    def _headers(self, request: Json) -> dict[str, str]:
        headers = {name: self._filled(value) for name, value in request["headers"].items()}
        for name in ("If-Match", "If-None-Match"):
            if isinstance(request["headers"].get(name), dict):
                headers[name] = self._seen_tag(request["headers"][name], request["caller"])
        if request["caller"] is not None:
            login, colon, secret = request["caller"].partition(":")
            headers["Authorization"] = basic(login, secret if colon else self.secrets[login])
        if "form" in request:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        elif "body" in request or "raw" in request:
            headers["Content-Type"] = "application/json"
        return headers

    def _content(self, request: Json) -> bytes:
        if "form" in request:
            return _encoded([(name, self._filled(value)) for name, value in request["form"]]).encode()
        if "body" in request:
            return json.dumps(self._filled(request["body"])).encode()
        return str(request.get("raw", "")).encode()

    def _filled(self, value: Any) -> Any:
        """A value in which every symbol is replaced by what it stands for in this world."""
        if isinstance(value, list):
            return [self._filled(item) for item in value]
        if not isinstance(value, dict):
            return value
        match value.get("$"):
            case None:
                return {name: self._filled(item) for name, item in value.items()}
            case "id":
                return self._id(value)
            case "slug":
                slug = self.slugs.get(self._id(value), "nowhere")
                return VARIATIONS[value.get("how", "same")](slug) or slug
            case "name":
                name = self.titles.get(self._id(value), "nobody")
                return VARIATIONS[value["how"]](name) or name
            case "user":
                return self.users[value["login"]]
            case "joined":
                return value["separator"].join(str(self._filled(part)) for part in value["parts"])
            case "repeated":
                return value["text"] * value["times"]
            case _:
                return value

    def _id(self, symbol: Json) -> int:
        made = self.made.get(symbol["kind"], [])
        return made[-1 - symbol["back"] % len(made)] if made else UNKNOWN_ID

    def _seen_tag(self, symbol: Json, caller: str | None) -> str:
        seen = self.tags.get((caller, self._id(symbol)), [])
        return seen[-1 - symbol["age"]] if len(seen) > symbol["age"] else '"never"'

    def _created(self) -> list[str]:
        """Names for the records that a request made, in the order of their ids, gaps or none."""
        with database.read():
            rows = Record.select(Record.id, Record.kind).where(Record.id > self.newest).order_by(Record.id)
            found = list(rows.tuples())
        for id, kind in found:
            of_kind = self.made.setdefault(kind, [])
            of_kind.append(int(id))
            self.names[str(id)] = f"[{kind} {len(of_kind)}]"
            self.newest = int(id)
        return [kind for _, kind in found]

    def _remember(self, request: Json, headers: list[tuple[str, str]], body: str) -> None:
        """Slugs, names and entity tags, for the requests that come later."""
        document = json.loads(body) if body else None
        for record in _records(document):
            if isinstance(record.get("slug"), str) and record["slug"]:
                self.slugs[record["id"]] = record["slug"]
            title = next((record[key] for key in NAMES.values() if isinstance(record.get(key), str)), "")
            if title:
                self.titles[record["id"]] = unescape(title)
        tag = dict(headers).get("etag")
        if tag and isinstance(document, dict) and isinstance(document.get("id"), int):
            seen = self.tags.setdefault((request["caller"], document["id"]), [])
            if seen[-1:] != [tag]:
                seen.append(tag)

    def _tag_name(self, tag: str) -> str:
        """Equal tags have equal names; that is all that two databases can have in common."""
        return self.known_tags.setdefault(tag, f"[tag {len(self.known_tags) + 1}]")

    def _comparable(self, body: str) -> str:
        named = re.sub(r'"uid":"([^"]+)"', lambda found: f'"uid":"{self._uid_name(found[1])}"', body)
        return re.sub(r'"request_id":"[0-9a-f]+"', '"request_id":""', self._without_ids(named))

    def _uid_name(self, uid: str) -> str:
        return self.uids.setdefault(uid, f"[uid {len(self.uids)}]")

    def _without_ids(self, value: str) -> str:
        return re.sub(r"(?<!\d)\d{9}(?!\d)", lambda found: self.names.get(found[0], found[0]), value)


def _created_database(
    url: str, first_id: int, statements: Sequence[str]
) -> tuple[dict[str, str], dict[str, int]]:
    """A migrated database with the users of the other tests; their secrets and their ids."""
    database.bind(url)
    migrate.migrate()
    secrets, ids = {}, {}
    with database.write():
        # Ids count on from the largest that there was.
        Record.insert(id=first_id, kind="image").execute()
        User.insert(id=first_id - 1000, login="nobody", role="subscriber", created_utc=BORN).execute()
        for login, role in LOGINS.items():
            user = users.add(login, role, BORN)
            secrets[login] = users.add_password(user, "tests", BORN)
            ids[login] = int(user.id)
        for statement in statements:
            database.db.execute_sql(statement)
    return secrets, ids


def _encoded(pairs: Sequence[tuple[str, Any]]) -> str:
    """A query string; half of a surrogate pair goes as the octets that some clients send for it."""
    return "&".join(
        "=".join(quote_plus(str(part), errors="surrogatepass") for part in pair) for pair in pairs
    )


def _records(document: Any) -> list[Json]:
    """The records of an answer, those inside of others too."""
    if isinstance(document, list):
        return [record for item in document for record in _records(item)]
    if not isinstance(document, dict):
        return []
    own = [document] if isinstance(document.get("id"), int) else []
    return own + [record for value in document.values() for record in _records(value)]


def main(url: str, first_id: str, *statements: str) -> None:
    service = Service(url, int(first_id), statements)
    for line in sys.stdin:
        batch = json.loads(line)
        if batch["afresh"]:
            service.begin()
        print(json.dumps([service.answered(request) for request in batch["requests"]]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
