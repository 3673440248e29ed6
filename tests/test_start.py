"""What a process loads before it answers: on some hosting every request starts one."""

import subprocess
import sys
from pathlib import Path

import pytest

from calendar_api.config import Config

ROOT = Path(__file__).parents[1]

#: What only writing, refusing, other languages, other databases or commands need.
NOT_FOR_READING = {
    "jsonschema", "referencing", "attr", "calendar_api.contract.formats",
    "calendar_api.contract.openapi.builder", "nh3", "dateutil", "playhouse",
    "gettext", "argparse", "gunicorn", "jinja2", "calendar_api.representations.page",
    "calendar_api.resources.page_routes", "calendar_api.resources.pages",
    "calendar_api.database.mysql.engine",
    "calendar_api.commands.import_events", "calendar_api.commands.main",
}  # fmt: skip

ONE_LIST = """
import sys
from io import BytesIO
from calendar_api.app import create_app
from calendar_api.config import Config

asked = {
    "REQUEST_METHOD": "GET", "PATH_INFO": "/calendar/events/v1/events", "QUERY_STRING": "per_page=10&page=1",
    "SERVER_NAME": "localhost", "SERVER_PORT": "80", "HTTP_HOST": "localhost", "SERVER_PROTOCOL": "HTTP/1.1",
    "wsgi.url_scheme": "http", "wsgi.input": BytesIO(), "wsgi.errors": sys.stderr, "REMOTE_ADDR": "127.0.0.1",
}
started = []
application = create_app(Config(database_url=sys.argv[1], log="off"))
loaded = set(sys.modules)
b"".join(application(asked, lambda status, headers: started.append(status)))
print(started[0], *sorted(loaded | set(sys.modules)))
"""


@pytest.mark.sqlite
def test_list_is_answered_without_the_heavy_modules(config: Config) -> None:
    command = [sys.executable, "-c", ONE_LIST, config.database_url]
    answered = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)

    code, _, *modules = answered.stdout.split()
    assert code == "200"
    assert "calendar_api.resources.events" in modules
    assert NOT_FOR_READING & set(modules) == set()


WARMED = """
import sys
from calendar_api.app import create_app, warm
from calendar_api.config import Config

warm(create_app(Config(database_url=sys.argv[1], log="off")))
print(*sys.modules)
"""


@pytest.mark.sqlite
def test_workers_share_what_filters_and_pages_load(config: Config) -> None:
    command = [sys.executable, "-c", WARMED, config.database_url]
    warmed = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)

    shared = {"jsonschema", "calendar_api.contract.formats", "calendar_api.resources.page_routes"}
    assert shared <= set(warmed.stdout.split())


def test_commands_load_neither_server_nor_framework() -> None:
    loaded = "import sys; import calendar_api.commands.main; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, cwd=ROOT, check=True)

    assert {"falcon", "gunicorn", "jinja2", "calendar_api.app"} & set(ran.stdout.split()) == set()
