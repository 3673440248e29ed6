"""A real nginx with the files of `deploy/nginx`, and gunicorn with its settings in the package."""

import json
import re
import socket
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.system import proxies, servers
from tests.system.proxies import AT_ROOT, FOLDER, IN_FOLDER, SPOOFED, Front

pytestmark = pytest.mark.system

BASES = {AT_ROOT: f"http://{AT_ROOT}", IN_FOLDER: f"http://{IN_FOLDER}{FOLDER}"}
ADDRESS = re.compile(r"https?://[^\s\"'<>\\,;]+")
ELSEWHERE = ("http://schema.org", "https://schema.org", "https://api.w.org/", "https://www.openstreetmap.org/",
             "https://maps.google.com/", "http://maps.google.com/", "https://json-schema.org/")  # fmt: skip
FAIR = {
    "title": "Fair", "start_date": "2031-05-01 10:00:00", "end_date": "2031-05-01 12:00:00",
    "venue": {"venue": "Hall", "city": "Faro"}, "organizer": {"organizer": "Ann"}, "categories": ["Fairs"],
}  # fmt: skip
ROUTES = (
    "", "/events/", "/events/{id}", "/events/by-slug/fair", "/venues", "/organizers",
    "/categories", "/tags", "/nothing",
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("nginx")


@pytest.fixture(scope="module")
def front(folder: Path) -> Iterator[Front]:
    with proxies.site(folder) as running:
        made = running.post("/events", FAIR)
        assert made.status == 201, made.body
        yield running


@pytest.fixture(scope="module")
def id(front: Front) -> int:
    return int(front.get("/events", start_date="2031-01-01", end_date="2032-01-01").json["events"][0]["id"])


def path(host: str, below: str = "") -> str:
    return (FOLDER if host == IN_FOLDER else "") + servers.ROOT + below


def as_admin(front: Front, **more: str) -> dict[str, str]:
    return {"Authorization": front.signed, "Content-Type": "application/json", **more}


def told(answer: servers.Answer) -> str:
    """Everything in a response that can contain a URL: the body and the constant headers."""
    kept = {name: value for name, value in answer.headers.items() if name not in ("Date", "x-request-id")}
    return f"{answer.status} {sorted(kept.items())} {answer.body.decode()}"


@pytest.mark.parametrize("host", [AT_ROOT, IN_FOLDER])
def test_urls_are_those_of_the_site(front: Front, id: int, host: str) -> None:
    site = front.site(host)
    for route in ROUTES:
        answer = site.send("GET", path(host, route.format(id=id)))
        ours = [found for found in ADDRESS.findall(told(answer)) if not found.startswith(ELSEWHERE)]

        assert answer.status == (404 if route == "/nothing" else 200), answer.body
        assert ours
        assert [found for found in ours if not f"{found}/".startswith(BASES[host] + "/")] == []

    described = site.send("GET", path(host, "/doc")).json["servers"]
    page = site.send("GET", path(host, "/docs"))
    name = json.dumps({"name": f"made at {host}"}).encode()
    made = site.send("POST", path(host, "/tags"), name, as_admin(front))

    assert [server["url"] for server in described] == [BASES[host] + servers.ROOT]
    assert (page.status, page.header("Content-Type").lower()) == (200, "text/html; charset=utf-8")
    assert made.status == 201, made.body
    assert made.header("Location") == f"{BASES[host]}{servers.ROOT}/tags/{made.json['id']}"
    assert made.json["urls"]["self"] == made.header("Location")


@pytest.mark.parametrize("host", [AT_ROOT, IN_FOLDER])
def test_forged_headers_change_no_response(front: Front, id: int, host: str) -> None:
    """Each by itself, and all together."""
    site, target = front.site(host), path(host, f"/events/{id}")
    plain = told(site.send("GET", target))

    for number, (name, value) in enumerate(SPOOFED.items(), 1):
        one = front.site(host, f"127.0.8.{number}")  # so that the limit of requests is not reached
        assert told(one.send("GET", target, headers={name: value})) == plain, name
    assert told(site.send("GET", target, headers=SPOOFED)) == plain


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", f"{AT_ROOT}.evil.example", f"evil.{AT_ROOT}"])
def test_unknown_host_is_not_echoed(front: Front, host: str) -> None:
    """nginx gives it to the first site, as any site that is the only one."""
    for below in ("/events", "/none"):
        answer = front.site(host).send("GET", path(AT_ROOT, below))
        assert AT_ROOT in told(answer) or answer.status == 404
        assert "evil" not in told(answer)


def test_host_of_an_absolute_target_is_not_echoed(front: Front) -> None:
    with socket.create_connection(("127.0.0.1", front.port), timeout=servers.PATIENCE) as caller:
        head = f"Host: {AT_ROOT}\r\nConnection: close"
        caller.sendall(f"GET http://evil.example{servers.ROOT}/events HTTP/1.1\r\n{head}\r\n\r\n".encode())
        answer = b"".join(iter(lambda: caller.recv(65_536), b""))

    assert AT_ROOT.encode() in answer
    assert b"evil.example" not in answer


@pytest.mark.parametrize("host", [AT_ROOT, IN_FOLDER])
def test_dot_files_are_not_found(front: Front, host: str) -> None:
    names = ("/.git/config", "/.env", "/calendar/.htaccess", "/calendar/events/.svn/x")

    assert [front.site(host).send("GET", name).status for name in names] == [404] * 4


@pytest.mark.parametrize("size", [1_048_577, 20_000_000])
@pytest.mark.parametrize("chunked", [False, True])
def test_large_body_is_rejected_with_json(front: Front, size: int, *, chunked: bool) -> None:
    sent = (b"x" * size for _ in range(1)) if chunked else b"x" * size

    try:
        answer = front.send("POST", path(AT_ROOT, "/events"), sent, as_admin(front))  # type: ignore[arg-type]
    except (BrokenPipeError, ConnectionResetError):
        # nginx responded before a tenth was sent, and this client does not read the response
        assert size > 2_000_000
        return

    assert (answer.status, answer.json["code"]) == (413, "rest_body_too_large")


def test_requests_pass(front: Front) -> None:
    proxies.check_requests(front.site(IN_FOLDER))


@pytest.mark.parametrize("gzip", ["on", "off"])
def test_conditional_requests_work(front: Front, folder: Path, id: int, gzip: str) -> None:
    """nginx makes ETags weak when it compresses; the service compresses anonymous responses itself."""
    changes = {"gzip on;": f"gzip {gzip};"}
    with proxies.nginx(folder / gzip, [f"unix:{folder}/service.sock"], changes) as other:
        target = path(AT_ROOT, f"/events/{id}")
        taken = other.send("GET", target, headers={"Accept-Encoding": "gzip"})
        tag = taken.header("ETag")
        again = other.send("GET", target, headers={"Accept-Encoding": "gzip", "If-None-Match": tag})
        signed = other.send("GET", target, headers=as_admin(front, **{"Accept-Encoding": "gzip"}))
        known = signed.header("ETag")
        body = json.dumps({"description": f"with gzip {gzip}"}).encode()
        changed = other.send("PATCH", target, body, as_admin(front, **{"If-Match": known}))
        late = other.send("PATCH", target, body, as_admin(front, **{"If-Match": known}))

    assert tag.endswith('-gzip"')
    assert known.startswith("W/") == (gzip == "on")
    encodings = [one.header("Content-Encoding") for one in (taken, signed)]
    assert encodings == ["gzip", "gzip" if gzip == "on" else ""]
    assert (again.status, again.body) == (304, b"")
    assert (changed.status, late.status) == (200, 412)


def test_security_and_cors_headers_pass(front: Front, id: int) -> None:
    answer = front.send("GET", path(AT_ROOT, f"/events/{id}"), headers={"Origin": "https://other.example"})
    wanted = {
        "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        "cross-origin-resource-policy": "cross-origin", "access-control-allow-origin": "https://other.example",
        "vary": "Authorization, Accept-Encoding, Origin", "server": "nginx",
    }  # fmt: skip

    assert {name: answer.header(name) for name in wanted} == wanted
    assert answer.header("Access-Control-Allow-Credentials") == ""


def test_request_rate_is_limited(front: Front) -> None:
    hurried = front.site(AT_ROOT, "127.0.7.7")
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: hurried.send("GET", path(AT_ROOT, "/nothing")), range(400)))
    refused = [answer for answer in answers if answer.status == 429]

    assert set(Counter(answer.status for answer in answers)) == {404, 429}
    assert {answer.json["code"] for answer in refused} == {"rest_too_many_requests"}
    assert {answer.headers["Retry-After"] for answer in refused} == {"1"}
    assert front.get("/tags").status == 200  # other clients are not affected


def test_the_log_has_paths_without_queries_and_credentials(front: Front, folder: Path) -> None:
    secret = servers.basic("nobody", "hush hush")
    headers = {"Authorization": secret, "Cookie": "hush=1", "Referer": "https://hush.example/"}
    log = folder / "nginx" / "access.log"
    before = len(log.read_text("utf-8").splitlines())
    front.send("GET", path(AT_ROOT, "/events?search=hush&password=hush"), headers=headers)

    def lines() -> list[str]:
        return [line for line in log.read_text("utf-8").splitlines()[before:] if "/events" in line]

    servers.until(lambda: bool(lines()), front.process)  # nginx logs after sending the response
    line = lines()[-1]

    assert json.loads(line)["path"] == path(AT_ROOT, "/events")
    assert json.loads(line)["status"] == 401
    assert "hush" not in line
    assert secret.split()[1] not in (folder / "nginx" / "error.log").read_text("utf-8") + line


def test_the_log_has_no_links_of_submissions(front: Front, folder: Path) -> None:
    secret, log = "5ec2e7" * 10 + "5ec2", folder / "nginx" / "access.log"
    for below in (f"/submit/{secret}/", f"//de/Submit/{secret}", "/submit/after"):
        front.send("GET", below)
    servers.until(lambda: "/submit/after" in log.read_text("utf-8"), front.process)

    shown = [json.loads(line)["path"] for line in log.read_text("utf-8").splitlines()]

    assert [path for path in shown if "submit" in path.lower()] == [
        "/submit/…", "/de/Submit/…", "/submit/after",
    ]  # fmt: skip
    assert "5ec2e7" not in log.read_text("utf-8")


def test_nginx_answers_json_without_gunicorn(tmp_path: Path) -> None:
    with proxies.nginx(tmp_path / "alone", [f"unix:{tmp_path}/missing.sock"]) as alone:
        answer = alone.get("/events")

    assert (answer.status, answer.json["data"]) == (503, {"status": 503})
    assert answer.headers["Retry-After"] == "5"
