"""The README's recipe "How to add a field", followed in a copy of the repository with a database in use."""

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.system import servers
from tests.system.servers import Server

pytestmark = pytest.mark.system

SOURCES = ("pyproject.toml", "calendar_api", "schemas", "deploy", "README.md", "wsgi.py")
OLD_EVENT = {
    "title": "Concert", "start_date": "2031-01-10 20:00", "end_date": "2031-01-10 22:00", "status": "publish",
    "venue": {"venue": "Old Hall", "status": "publish"},
}  # fmt: skip


class Copy:
    """A copy of the repository with a migrated database and the user `admin`."""

    def __init__(self, folder: Path) -> None:
        self.root = servers.checkout(folder / "source", *SOURCES)
        self.env = servers.environment(folder / "calendar.sqlite3")

    def run(self, *arguments: str) -> str:
        return servers.done(*arguments, env=self.env, cwd=self.root)

    def insert(self, path: str, text: str, *, after: str) -> None:
        """Insert text after the first match of a pattern."""
        file = self.root / path
        before = file.read_text("utf-8")
        found = re.search(after, before, re.DOTALL)
        assert found, f"{path} has no {after}"
        file.write_text(before[: found.end()] + text + before[found.end() :], "utf-8")

    def add_to_schema(self, properties: str) -> None:
        """Add properties at the end of `fields` of venues."""
        file = self.root / "schemas" / "venue.json"
        schema = json.loads(file.read_text("utf-8"))
        schema["$defs"]["fields"]["properties"] |= json.loads("{" + properties + "}")
        file.write_text(json.dumps(schema), "utf-8")


def recipe(language: str) -> str:
    """The code in this language from the recipe."""
    readme = (servers.CHECKOUT / "README.md").read_text("utf-8")
    section = readme.split("## How to add a field")[1].split("\n## ")[0]
    (code,) = re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)
    return str(code)


def test_field_that_is_added_as_the_readme_says_works_everywhere(tmp_path: Path) -> None:
    copy = Copy(tmp_path)
    copy.run("migrate")
    secret = copy.run("user", "add", "admin", "--role", "administrator").splitlines()[1].strip()
    (tmp_path / "old.jsonl").write_text(json.dumps(OLD_EVENT) + "\n", "utf-8")
    copy.run("import", str(tmp_path / "old.jsonl"), "--user", "admin")

    copy.add_to_schema(recipe("jsonc"))
    column = recipe("python").strip()
    copy.insert(
        "calendar_api/database/models.py", f"    {column}\n", after=r"class Venue\(.*?phone = [^\n]*\n"
    )
    for command in recipe("sh").strip().splitlines():
        copy.run(*command.split()[1:])

    port = servers.free_port()
    log = tmp_path / "log"
    with servers.started(servers.serve(port), port, copy.env, log, cwd=copy.root, secret=secret) as server:
        assert_described(server)
        id = assert_stored(server)
        copy.run("copy", "--to", f"sqlite:///{tmp_path / 'other.sqlite3'}")
        assert rows(tmp_path / "other.sqlite3") == [("Old Hall", ""), ("New Hall", "Ramp at the door")]
        assert_cleared(server, id)


def assert_described(server: Server) -> None:
    schemas = server.get("/doc").json["components"]["schemas"]
    description = "How accessible the venue is."
    routes = server.get("/").json["routes"]
    arguments = routes["/calendar/events/v1/venues"]["endpoints"][1]["args"]

    assert schemas["venue.record"]["properties"]["accessibility"] == {
        "type": "string",
        "description": description,
    }
    for role in ("create", "update", "create.form", "update.form"):
        field = schemas[f"venue.{role}"]["properties"]["accessibility"]
        assert field == {"$ref": "#/components/schemas/common.line", "description": description}
    assert arguments["accessibility"] == {
        "type": "string", "default": None, "description": description, "required": False,
    }  # fmt: skip


def assert_stored(server: Server) -> int:
    """Create, read, list, search and refuse; returns the id of the new venue."""
    fields = {"venue": "New Hall", "accessibility": "<b>Ramp</b> at\nthe door", "status": "publish"}
    created = server.post("/venues", fields)
    assert created.status == 201, created.body
    id: int = created.json["id"]
    assert created.json["accessibility"] == "Ramp at the door"
    assert server.get(f"/venues/{id}").json["accessibility"] == "Ramp at the door"
    shown = {venue["venue"]: venue.get("accessibility") for venue in server.get("/venues").json["venues"]}
    assert shown == {"New Hall": "Ramp at the door", "Old Hall": None}
    assert [venue["id"] for venue in server.get("/venues", search="ramp").json["venues"]] == [id]

    refused = server.post("/venues", {**fields, "accessibility": "x" * 256})
    assert (refused.status, list(refused.json["data"]["params"])) == (400, ["accessibility"])
    return id


def assert_cleared(server: Server, id: int) -> None:
    kept = server.post(f"/venues/{id}", {"city": "Rome"})
    assert kept.json["accessibility"] == "Ramp at the door"
    cleared = server.post(f"/venues/{id}", {"accessibility": ""})
    assert "accessibility" not in cleared.json
    assert "accessibility" not in server.get(f"/venues/{id}").json
    assert server.get("/venues", search="ramp").json["venues"] == []


def rows(file: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute("SELECT venue, accessibility FROM venue ORDER BY id").fetchall()
