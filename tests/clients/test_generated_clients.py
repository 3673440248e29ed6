"""Clients that are generated from `/doc` write to a real server; `make clients` installs the generators.

With each one, every noun is listed, created, changed in one field and deleted; no operation may be left out.
"""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.system import servers
from tests.system.servers import Server

TOOLS = Path(__file__).parents[2] / "build" / "generators"
NODE = TOOLS / "node" / "node_modules"
HERE = Path(__file__).parent
RECORDS = HERE / "records.json"

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(
        os.environ.get("CALENDAR_TEST_FAULTS") != "long" or not (TOOLS / "installed").exists(),
        reason="clients are generated in the long form, after `make build/generators/installed`",
    ),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    env = servers.environment(folder / "calendar.sqlite3")
    secret = servers.administrator(env)
    port = servers.free_port()
    with servers.started(servers.gunicorn(port), port, env, folder / "log", secret=secret) as running:
        yield running


@pytest.fixture
def document(server: Server, tmp_path: Path) -> Path:
    """`/doc` as the running server serves it."""
    path = tmp_path / "openapi.json"
    path.write_bytes(server.get("/doc").body)
    return path


def operations(document: Path) -> int:
    """How many a client must have."""
    return sum(map(len, json.loads(document.read_text("utf-8"))["paths"].values()))


def root(document: Path) -> str:
    address: str = json.loads(document.read_text("utf-8"))["servers"][0]["url"]
    return address


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """What a command says; it has to succeed."""
    tools = f"{TOOLS / 'bin'}:{NODE / '.bin'}:{os.environ['PATH']}"
    result = subprocess.run(
        [str(part) for part in command],
        cwd=cwd, env={**os.environ, "PATH": tools, **environment}, text=True, timeout=300, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout[-5000:]
    return result.stdout


def check(printed: str) -> None:
    """That one field was changed and nothing else, and that records came and went."""
    records = json.loads(RECORDS.read_text("utf-8"))
    results: dict[str, Any] = json.loads(printed.splitlines()[-1])
    assert results.keys() == records.keys()
    for noun, result in results.items():
        created, updated = result["created"], result["updated"]
        wanted = {**created, **records[noun]["update"]}
        times = ("modified", "modified_utc")
        assert {**updated, **dict.fromkeys(times)} == {**wanted, **dict.fromkeys(times)}, noun
        assert updated != created, noun
        before = result["totals"][0]
        assert result["totals"] == [before, before + 1, before], noun
        assert result["deleted"]["id"] == created["id"], noun
    event = results["event"]["updated"]
    assert (event["all_day"], event["featured"], event["show_map"]) == (True, True, True)
    assert (event["timezone"], event["cost"], event["image"]) == ("Europe/London", "$10", False)
    assert event["website"] == "https://festival.example.org"
    assert [term["name"] for term in event["categories"] + event["tags"]] == ["Music", "Summer", "Free"]
    assert event["venue"]["city"] == "London"
    assert [organizer["organizer"] for organizer in event["organizer"]] == ["Bob Example"]


def test_openapi_generator(server: Server, document: Path, tmp_path: Path) -> None:
    made = tmp_path / "made"
    said = run("openapi-generator-cli", "generate", "-g", "python", "-i", document, "-o", made, cwd=tmp_path)

    assert [line for line in said.splitlines() if " ERROR " in line] == []
    source = "".join(path.read_text("utf-8") for path in made.glob("openapi_client/api/*_api.py"))
    assert len(set(re.findall(r"def (\w+)_with_http_info\(", source))) == operations(document)
    program = HERE / "with_openapi_generator.py"
    check(run("python", program, server.secret, RECORDS, cwd=tmp_path, PYTHONPATH=str(made)))


def test_openapi_python_client(server: Server, document: Path, tmp_path: Path) -> None:
    made = tmp_path / "made"
    said = run("openapi-python-client", "generate", "--path", document, "--output-path", made, cwd=tmp_path)

    assert said.splitlines()[1:] == []  # here stand the parts that it leaves out
    assert len(list(made.glob("calendar_client/api/*/[!_]*.py"))) == operations(document)
    program = HERE / "with_openapi_python_client.py"
    check(run("python", program, server.secret, RECORDS, root(document), cwd=tmp_path, PYTHONPATH=str(made)))


def test_openapi_typescript(server: Server, document: Path, tmp_path: Path) -> None:
    (tmp_path / "node_modules").symlink_to(NODE)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    for source in (RECORDS, HERE / "with_openapi_typescript.ts"):
        (tmp_path / source.name).symlink_to(source)
    run("openapi-typescript", document, "-o", "schema.ts", cwd=tmp_path)

    run(
        "tsc", "--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom,dom.iterable",
        "--preserveSymlinks", "--outDir", "made", "with_openapi_typescript.ts", cwd=tmp_path,
    )  # fmt: skip

    made = re.findall(
        r"^    \w+: \{\n        parameters: \{", (tmp_path / "schema.ts").read_text(), re.MULTILINE
    )
    assert len(made) == operations(document)
    check(
        run("node", "made/with_openapi_typescript.js", server.secret, RECORDS, root(document), cwd=tmp_path)
    )
