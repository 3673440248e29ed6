"""Every block of the documents is run as written, in order, and what it prints is compared.

Each test makes what its document takes for granted. `pytest -rP` prints which blocks are not run, and why.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.documentation import blocks, prepared, shell
from tests.documentation.running import Run
from tests.documentation.shell import Shell
from tests.system import servers
from tests.system.servers import CHECKOUT

pytestmark = pytest.mark.system

HEALTH = "http://127.0.0.1:8000/health"
CLONE = f"git clone --quiet {prepared.REPOSITORY} calendar-api && cd calendar-api"
#: A file of this folder runs it.
ELSEWHERE = {"deploy.md": "test_deploy.py"}


def run(name: str, started: Shell) -> Run:
    document = Run(CHECKOUT / name, started)
    document.all()
    print("\n".join(document.left_out))
    return document


def test_every_document_with_blocks_is_run() -> None:
    texts = (*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/**/*.md"))
    with_blocks = {path.name for path in texts if blocks.of(path)}
    here = Path(__file__).read_text("utf-8")

    assert with_blocks - set(ELSEWHERE) == set(re.findall(r'\("(?:docs/)?([\w-]+\.md)"', here))


def test_readme(tmp_path: Path) -> None:
    environment = prepared.packages() | prepared.repository(tmp_path)
    with shell.started(tmp_path, **environment) as started:
        run("README.md", started)


@pytest.mark.long
def test_contributing(tmp_path: Path) -> None:
    """The environment for tests is the one that this test is run in."""
    with shell.started(tmp_path, **prepared.repository(tmp_path)) as started:
        started.run(f"{CLONE} && mkdir build && ln -s {CHECKOUT}/build/test build/test")
        started.run("touch --reference=build/test/installed pyproject.toml setup.cfg")
        run("CONTRIBUTING.md", started)


@pytest.mark.long
def test_databases(tmp_path: Path) -> None:
    environment = prepared.packages() | prepared.repository(tmp_path)
    with shell.started(tmp_path, private=("etc", "run", "var"), **environment) as started:
        started.run(f"{CLONE} && python3 -m venv .venv && . .venv/bin/activate && pip install --quiet .")
        run("docs/databases.md", started)
        moved = started.run("CALENDAR_DATABASE_URL=sqlite:///moved.sqlite3 calendar-api user list")

    assert "ann" in moved


def test_operations(tmp_path: Path) -> None:
    address = "sqlite:////srv/calendar/calendar.sqlite3"
    environment = {"CALENDAR_DATABASE_URL": address, **prepared.installed(tmp_path)}
    with shell.started(tmp_path, private=("srv", "var"), **environment) as started:
        started.run("calendar-api migrate && calendar-api user add ann --role administrator")
        started.run("chmod 0755 /srv/calendar && chmod 0644 /srv/calendar/calendar.sqlite3")
        run("docs/operations.md", started)
        started.run("chmod 0600 /srv/calendar/calendar.sqlite3")
        started.run('sh -c "$(cut -d " " -f 6- crontab)"')
        kept = started.run("stat --format %a /var/backups/calendar.sqlite3")

    assert kept == "600"


def test_moving_in(tmp_path: Path) -> None:
    """The old site and the shared calendar are a demo calendar with a certificate that this shell trusts."""
    address = "11.22.33.44"  # of the internet, or the import would refuse it
    names = {"old.example": address, "shared.example": address}
    trusted = {"SSL_CERT_FILE": str(tmp_path / "home" / "certificate"), **prepared.installed(tmp_path)}
    started_shell = shell.started(tmp_path, private=("etc",), hosts=names, **trusted, **prepared.packages())
    with started_shell as started:
        started.run("python3 -m venv venv && . venv/bin/activate")
        started.run(
            "openssl req -x509 -newkey ed25519 -nodes -keyout key -out certificate -subj /CN=old.example "
            "-addext subjectAltName=DNS:old.example,DNS:shared.example"
        )
        old = "CALENDAR_DATABASE_URL=sqlite:///old/calendar.sqlite3"
        hosts = f"CALENDAR_ALLOWED_HOSTS={','.join(names)}"
        started.serve(f"{old} calendar-api serve --demo", HEALTH)
        (secret,) = servers.SECRET.findall(started.served())
        started.run(f"umask 077; echo '{secret}' > old-site.password")
        started.run(  # an import from another site cannot take the event with a password
            f"curl --silent --fail -X DELETE -u 'admin:{secret}' --output /dev/null "
            "http://127.0.0.1:8000/calendar/events/v1/events/by-slug/secret-supper"
        )
        gunicorn = f"gunicorn --config python:calendar_api.commands.gunicorn_conf --bind {address}:443"
        started.serve(
            f"{old} {hosts} {gunicorn} --keyfile key --certfile certificate", "https://old.example/health"
        )
        run("docs/moving-in.md", started)
        started.stop()
        titles = started.run('grep -c \'"noun": *"event"\' all.jsonl')

    assert int(titles) > 50


@pytest.mark.parametrize(
    ("name", "prepare"),
    [
        ("docs/http.md", lambda started: started.run("true")),
        ("docs/feeds.md", lambda started: started.serve("calendar-api serve --demo", HEALTH)),
        ("docs/editing.md", lambda started: started.run("calendar-api migrate")),
    ],
)
def test_document(name: str, prepare: Callable[[Shell], object], tmp_path: Path) -> None:
    with shell.started(tmp_path, **prepared.installed(tmp_path)) as started:
        prepare(started)
        run(name, started)


def test_theming(tmp_path: Path) -> None:
    environment = prepared.installed(tmp_path) | prepared.repository(tmp_path)
    with shell.started(tmp_path, **environment) as started:
        started.run(CLONE)
        run("docs/theming.md", started)


def test_documents_with_nothing_to_run(tmp_path: Path) -> None:
    with shell.started(tmp_path) as started:
        documents = [run("docs/interface.md", started), run("docs/performance.md", started)]
        documents.append(run("docs/embedding.md", started))

    assert sum(document.executed for document in documents) == 0
