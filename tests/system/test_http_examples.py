"""`docs/http.md` shows what a real server answers to curl; `--update-golden` writes it anew."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.system import servers

pytestmark = pytest.mark.system

DOCUMENT = servers.CHECKOUT / "docs" / "http.md"
BASE = "http://localhost:8000"
API = f"{BASE}/calendar/events/v1"

HEAD = """# HTTP by example

What the interface does beyond plain requests and answers. Every transcript here is the answer of a real
server, and a test compares them. `$SECRET` is an application password of the administrator.
"""

#: An ETag changes with the time of the write, so the document always shows this one.
SHOWN_ETAG = '"7205dbd213ed9445544eec739bc00152"'
AS_ADMIN = '-u "admin:$SECRET"'
STATUS = "curl -s -o /dev/null -w '%{http_code}\\n'"
FAIR = "-d title=Fair -d start_date=2031-07-05 -d end_date=2031-07-06 -d all_day=true -d date=2026-01-01"
WRONG = "-d start_date=2031-02-30 -d end_date=2031-03-01 -d website=example -d venue=99"
TAGS = f"'{API}/tags?_fields=id,slug'"

#: Heading, sentence, and the commands in their order; `ETAG` stands for the one that the first answer gave.
CHAPTERS = (
    (
        "An event to begin with",
        "A record says its version in `ETag`, and its address in `Location`.",
        (f"curl -s -D - -o /dev/null {AS_ADMIN} {API}/events {FAIR}",),
    ),
    (
        "The same under an alias",
        "Every address in the answer keeps the prefix that you used (`CALENDAR_ALIASES`).",
        (
            f"curl -s '{BASE}/wp-json/tribe/events/v1/events/1?_fields=rest_url,title'",
            f"curl -s '{BASE}/?rest_route=/tribe/events/v1/events/1&_fields=rest_url,title'",
        ),
    ),
    (
        "Below a folder of another site",
        "A proxy named in `CALENDAR_TRUSTED_PROXIES` says where it has put us.",
        (f"curl -s -H 'X-Forwarded-Prefix: /whats-on' '{API}/events/1?_fields=rest_url,url'",),
    ),
    (
        "In another language",
        "A language before the namespace changes descriptions and messages, and nothing else.",
        (f"curl -s {BASE}/de/calendar/events/v1/events/999",),
    ),
    (
        "Only what is new",
        (
            "Send the `ETag` that you know, and an answer that has not changed comes without a body. A "
            "client that\ntakes gzip gets anonymous answers compressed, with a tag that ends in `-gzip`; "
            "here and below either does."
        ),
        (f"{STATUS} -H 'If-None-Match: ETAG' {API}/events/1",),
    ),
    (
        "No lost update",
        "With `If-Match` a change happens only to the version that you have seen.",
        (
            f"{STATUS} -X PATCH {AS_ADMIN} -H 'If-Match: ETAG' {API}/events/1 -d title='Summer fair'",
            f"curl -s -X PATCH {AS_ADMIN} -H 'If-Match: ETAG' {API}/events/1 -d title='Autumn fair'",
        ),
    ),
    (
        "Once, however often it is sent",
        "A POST with an `Idempotency-Key` can be repeated for 24 hours: it is done once.",
        (
            f"curl -s {AS_ADMIN} -H 'Idempotency-Key: 5c1d' {TAGS} -d name=Jazz",
            f"curl -s {AS_ADMIN} -H 'Idempotency-Key: 5c1d' {TAGS} -d name=Jazz",
            f"curl -s {AS_ADMIN} -H 'Idempotency-Key: 5c1d' {TAGS} -d name=Rock",
        ),
    ),
    (
        "All that is wrong, at once",
        "Missing parameters and invalid ones are reported together, each with what would be accepted.",
        (f"curl -s {AS_ADMIN} {API}/events {WRONG}",),
    ),
)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[servers.Server]:
    env = servers.environment(tmp_path / "calendar.sqlite3", CALENDAR_TRUSTED_PROXIES="127.0.0.1")
    secret = servers.administrator(env)
    port = servers.free_port()
    command = servers.serve(port, "--workers", "1")
    with servers.started(command, port, env, tmp_path / "log", secret=secret) as running:
        yield running


def transcript(server: servers.Server) -> str:
    """The document as this server answers now."""
    parts, etag = [HEAD], ""
    for heading, sentence, commands in CHAPTERS:
        said = []
        for command in commands:
            shown = command.replace("ETAG", etag)
            output = answer(shown, server)
            etag = etag or re.findall(r'etag: ("\w+")', output)[0]
            said.append(f"$ {shown}\n{output}")
        block = "\n".join(said)
        parts.append(f"## {heading}\n\n{sentence}\n\n```console\n{block}\n```\n")
    return "\n".join(parts).replace(etag, SHOWN_ETAG)


def answer(command: str, server: servers.Server) -> str:
    """What the command prints; the server listens elsewhere, but hears the name and port that are shown."""
    here = command.replace("curl -s", "curl -s -H 'Host: localhost:8000'", 1)
    here = here.replace("http://localhost:8000", f"http://127.0.0.1:{server.port}")
    ran = subprocess.run(
        ["bash", "-c", here], env={"SECRET": server.secret, "PATH": "/usr/local/bin:/usr/bin:/bin"},
        capture_output=True, text=True, check=True, timeout=30,
    )  # fmt: skip
    lines = ran.stdout.replace("\r", "").rstrip("\n").splitlines()
    changing = ("date:", "server:", "connection:", "x-request-id:")
    kept = [line for line in lines if not line.lower().startswith(changing)]
    return "\n".join(line for line in kept if line)


def test_http_document_shows_what_a_real_server_answers(
    server: servers.Server, request: pytest.FixtureRequest
) -> None:
    written = transcript(server)
    if request.config.getoption("--update-golden"):
        DOCUMENT.write_text(written, "utf-8")

    assert DOCUMENT.read_text("utf-8") == written
