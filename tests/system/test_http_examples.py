"""The transcripts in `docs/http.md` are responses of a real server; `--update-golden` rewrites the file."""

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

Features of the interface beyond plain requests. Every transcript shows a real response, checked by a test.
`$SECRET` is an application password of the administrator.
"""

#: The real ETag depends on the time of the write; the document shows this one.
SHOWN_ETAG = '"7205dbd213ed9445544eec739bc00152"'
AS_ADMIN = '-u "admin:$SECRET"'
STATUS = "curl -s -o /dev/null -w '%{http_code}\\n'"
FAIR = "-d title=Fair -d start_date=2031-07-05 -d end_date=2031-07-06 -d all_day=true -d date=2026-01-01"
WRONG = "-d start_date=2031-02-30 -d end_date=2031-03-01 -d website=example -d venue=99"
TAGS = f"'{API}/tags?_fields=id,slug'"

#: Heading, sentence, commands; `ETAG` stands for the ETag of the first response.
EXAMPLES = (
    (
        "Create an event",
        "`ETag` is the version of the record, `Location` its URL.",
        (f"curl -s -D - -o /dev/null {AS_ADMIN} {API}/events {FAIR}",),
    ),
    (
        "Aliases",
        "URLs in the response keep the prefix of the request (`CALENDAR_ALIASES`).",
        (
            f"curl -s '{BASE}/wp-json/tribe/events/v1/events/1?_fields=rest_url,title'",
            f"curl -s '{BASE}/?rest_route=/tribe/events/v1/events/1&_fields=rest_url,title'",
        ),
    ),
    (
        "Sub-paths",
        "A proxy in `CALENDAR_TRUSTED_PROXIES` sends the folder below which it serves the interface.",
        (f"curl -s -H 'X-Forwarded-Prefix: /whats-on' '{API}/events/1?_fields=rest_url,url'",),
    ),
    (
        "Languages",
        "A language before the namespace changes descriptions and messages only.",
        (f"curl -s {BASE}/de/calendar/events/v1/events/999",),
    ),
    (
        "Conditional requests",
        (
            "Send the `ETag` of an earlier response; if nothing changed, the response is 304 without a body. "
            "Anonymous responses\nare compressed for clients that accept gzip, with an ETag that ends in "
            "`-gzip`; both ETags are accepted."
        ),
        (f"{STATUS} -H 'If-None-Match: ETAG' {API}/events/1",),
    ),
    (
        "Lost updates",
        "With `If-Match`, a write changes only the version that you have read.",
        (
            f"{STATUS} -X PATCH {AS_ADMIN} -H 'If-Match: ETAG' {API}/events/1 -d title='Summer fair'",
            f"curl -s -X PATCH {AS_ADMIN} -H 'If-Match: ETAG' {API}/events/1 -d title='Autumn fair'",
        ),
    ),
    (
        "Repeated requests",
        "A POST with an `Idempotency-Key` can be repeated for 24 hours; it is executed once.",
        (
            f"curl -s {AS_ADMIN} -H 'Idempotency-Key: 5c1d' {TAGS} -d name=Jazz",
            f"curl -s {AS_ADMIN} -H 'Idempotency-Key: 5c1d' {TAGS} -d name=Jazz",
            f"curl -s {AS_ADMIN} -H 'Idempotency-Key: 5c1d' {TAGS} -d name=Rock",
        ),
    ),
    (
        "Validation errors",
        "Missing and invalid parameters are reported together, each with what is accepted.",
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
    """The document with the responses of this server."""
    parts, etag = [HEAD], ""
    for heading, sentence, commands in EXAMPLES:
        outputs = []
        for command in commands:
            shown = command.replace("ETAG", etag)
            output = run(shown, server)
            etag = etag or re.findall(r'etag: ("\w+")', output)[0]
            outputs.append(f"$ {shown}\n{output}")
        block = "\n".join(outputs)
        parts.append(f"## {heading}\n\n{sentence}\n\n```console\n{block}\n```\n")
    return "\n".join(parts).replace(etag, SHOWN_ETAG)


def run(command: str, server: servers.Server) -> str:
    """The output of a command, sent to the port of this server with the host name of the document."""
    sent = command.replace("curl -s", "curl -s -H 'Host: localhost:8000'", 1)
    sent = sent.replace("http://localhost:8000", f"http://127.0.0.1:{server.port}")
    ran = subprocess.run(
        ["bash", "-c", sent], env={"SECRET": server.secret, "PATH": "/usr/local/bin:/usr/bin:/bin"},
        capture_output=True, text=True, check=True, timeout=30,
    )  # fmt: skip
    lines = ran.stdout.replace("\r", "").rstrip("\n").splitlines()
    changing = ("date:", "server:", "connection:", "x-request-id:")
    return "\n".join(line for line in lines if line and not line.lower().startswith(changing))


def test_document_has_the_responses_of_a_real_server(
    server: servers.Server, request: pytest.FixtureRequest
) -> None:
    written = transcript(server)
    if request.config.getoption("--update-golden"):
        DOCUMENT.write_text(written, "utf-8")

    assert DOCUMENT.read_text("utf-8") == written
