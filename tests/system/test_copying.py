"""Copy a collection from SQLite to MariaDB and back; all responses stay the same."""

import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import mariadb
from tests.mariadb import MariaDb
from tests.system import conferences, servers
from tests.system.servers import Server

pytestmark = pytest.mark.system

EVER: dict[str, Any] = {"start_date": "1001-01-01", "end_date": "9999-01-01", "per_page": 50}
NOUNS = ("events", "venues", "organizers", "categories", "tags")
ONE_OF = 25  # records are also read one by one


@pytest.fixture(scope="module")
def server() -> Iterator[MariaDb]:
    mariadb.require()
    with mariadb.started() as started:
        yield started


def test_copy_to_mariadb_and_back(server: MariaDb, tmp_path: Path) -> None:
    lines = conferences.read(conferences.source(os.environ))
    file = tmp_path / "payloads.jsonl"
    file.write_text("".join(json.dumps(line.payload()) + "\n" for line in lines), "utf-8")
    here = servers.environment(tmp_path / "here.sqlite3")
    there = {**here, "CALENDAR_DATABASE_URL": server.url()}
    back = servers.environment(tmp_path / "back.sqlite3")
    secret = servers.administrator(here)
    servers.done("import", str(file), "--user", "admin", env=here)

    away = servers.done("copy", "--to", there["CALENDAR_DATABASE_URL"], env=here)
    home = servers.done("copy", "--to", back["CALENDAR_DATABASE_URL"], env=there)

    assert away == home
    assert away.splitlines()[-1].endswith("every table was read back and is equal")
    kept = answers(here, secret, tmp_path / "here.log")
    pages = [address for address in kept if address.startswith("events ")]
    assert len(pages) == math.ceil(len(conferences.stored(lines)) / 50)
    assert answers(there, secret, tmp_path / "there.log") == kept
    assert answers(back, secret, tmp_path / "back.log") == kept


def answers(env: dict[str, str], secret: str, log: Path) -> dict[str, str]:
    """Every page of every list for the administrator, and some single records."""
    port = servers.free_port()
    with servers.started(servers.gunicorn(port), port, env, log, secret=secret) as running:
        return {
            address: text.replace(f":{port}/", ":0/")
            for noun in NOUNS
            for address, text in everything(running, noun)
        }


def everything(running: Server, noun: str) -> Iterator[tuple[str, str]]:
    page, pages = 0, 1
    while page < pages:
        page += 1
        answer = running.get(f"/{noun}", page=page, hide_empty="false", **EVER)
        assert answer.status == 200, answer.body
        yield f"{noun} {page}", f"{entity(answer.headers)} {answer.body.decode()}"
        pages = answer.json["total_pages"]
        for record in answer.json[noun][::ONE_OF]:
            single = running.get(f"/{noun}/{record['id']}")
            yield f"{noun}/{record['id']}", single.body.decode()


def entity(headers: dict[str, str]) -> str:
    given = {name.lower(): value for name, value in headers.items()}
    return " ".join(given[name] for name in ("x-tec-total", "x-tec-totalpages"))
