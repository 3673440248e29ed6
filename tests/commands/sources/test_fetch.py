"""Fetching over HTTP: which hosts are reached, what is sent to them, and how much they may send."""

import gzip
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from calendar_api.commands import SourceError
from calendar_api.commands.sources.fetch import Fetched, Fetcher, FetchLimits, is_public
from tests.loopback import Answer, Site, serving

DATE = "Mon, 01 Jan 2029 00:00:00 GMT"
OK: Answer = (200, {"Content-Type": "text/plain"}, b"hello")


def fetcher(site: Site, **more: Any) -> Fetcher:
    return Fetcher(site.address, **{"allow_private": True, **more})


def resolved_to(*addresses: str) -> Callable[..., Any]:
    return lambda host, port, **_: [(0, 0, 0, "", (address, port)) for address in addresses]


def redirect(target: str) -> Answer:
    return 302, {"Location": target}, b""


PUBLIC = ("93.184.216.34", "9.255.255.255", "172.32.0.1", "2606:2800:220:1::1", "2001:200::1")
SPECIAL = (
    "127.0.0.1", "10.1.2.3", "172.31.255.255", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.1",
    "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "192.88.99.1", "::", "::1",
    "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:93.184.216.34", "::93.184.216.34", "64:ff9b::5db8:d822",
    "64:ff9b:1::1", "2002:5db8:d822::1", "2001::1", "2001:db8::1", "fec0::1", "100::1",
)  # fmt: skip


def test_which_addresses_are_public() -> None:
    assert [address for address in PUBLIC if not is_public(address)] == []
    assert [address for address in SPECIAL if is_public(address)] == []


def test_request_and_answer() -> None:
    with serving(lambda _: OK) as site:
        found = fetcher(site).get(f"{site.address}/a b?q=ü#part", "tag", DATE)

    assert (found.status, found.body.read()) == (200, b"hello")
    assert found.headers["content-type"] == "text/plain"
    (path, headers) = site.requests[0]
    assert path == "/a%20b?q=%C3%BC"
    assert headers["user-agent"].startswith("calendar-api/")
    assert headers["host"] == f"127.0.0.1:{site.port}"
    assert (headers["if-none-match"], headers["if-modified-since"]) == ("tag", DATE)
    assert "authorization" not in headers


@pytest.mark.parametrize("addresses", [["127.0.0.1"], ["93.184.216.34", "127.0.0.1"], ["::ffff:127.0.0.1"]])
def test_a_host_with_any_private_address_is_not_reached(addresses: list[str]) -> None:
    with serving(lambda _: OK) as site:
        found = fetcher(site, allow_private=False, resolve=resolved_to(*addresses))
        with pytest.raises(SourceError, match="--allow-private-addresses"):
            found.get(f"http://calendar.example:{site.port}/")

    assert site.requests == []


def test_a_name_is_resolved_once() -> None:
    answers = iter([["127.0.0.1"], ["127.0.0.2"]])
    with serving(lambda _: OK) as first, serving(lambda _: OK, "127.0.0.2", first.port) as second:
        address = f"http://calendar.example:{first.port}/"
        one = fetcher(first, resolve=lambda *given, **more: resolved_to(*next(answers))(*given, **more))
        one.get(address)
        one.get(address)

    assert (first.paths, second.paths) == (["/", "/"], [])
    assert first.requests[1][1]["host"] == f"calendar.example:{first.port}"


def test_the_next_address_of_a_name_is_tried() -> None:
    with serving(lambda _: OK) as site:
        one = fetcher(site, resolve=resolved_to("127.0.0.3", "127.0.0.1"))
        assert one.get(f"http://a.example:{site.port}").status == 200


def test_redirects_are_checked_anew() -> None:
    def answer(path: str) -> Answer:
        one.allow_private = False
        return redirect(f"http://inside.example:{site.port}/secret")

    with serving(answer) as site:
        one = fetcher(site, resolve=resolved_to("127.0.0.1"))
        with pytest.raises(SourceError, match=r"inside\.example has the address 127\.0\.0\.1"):
            one.get(site.address)

    assert site.paths == ["/"]


def test_number_of_redirects() -> None:
    with serving(lambda path: OK if path == "/6" else redirect(f"/{int(path[1:]) + 1}")) as site:
        one = fetcher(site)
        assert one.get(f"{site.address}/1").address == f"{site.address}/6"
        with pytest.raises(SourceError, match="redirects"):
            one.get(f"{site.address}/0")

    assert len(site.requests) == 12


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("file:///etc/passwd", "https://"),
        ("ftp://calendar.example/a.ics", "https://"),
        ("calendar.example/a.ics", "https://"),
        ("https:///a.ics", "https://"),
        ("https://ann:secret@calendar.example/", "--remote-user"),
        ("https://calendar.example:99999/", "not valid"),
        ("https://[::1/", "not valid"),
    ],
)
def test_addresses_that_cannot_be_fetched(address: str, reason: str) -> None:
    with serving(lambda _: redirect(address)) as site:
        for one in (address, *([site.address] if "://" in address else [])):  # also as a redirect
            with pytest.raises(SourceError, match=reason) as caught:
                fetcher(site).get(one)
            assert "secret" not in str(caught.value)


def test_webcal_is_https_and_unknown_hosts_are_named() -> None:
    asked = []

    def resolve(host: str, port: int, **_: Any) -> Any:
        asked.append((host, port))
        raise socket.gaierror

    with pytest.raises(SourceError, match=r"There is no host calendar\.example"):
        Fetcher("webcal://calendar.example/a.ics", resolve=resolve).get("webcal://calendar.example/a.ics")
    assert asked == [("calendar.example", 443)]


def test_password_is_sent_to_its_own_host_and_port_only() -> None:
    with serving(lambda _: OK) as other:
        targets = {"/a": f"http://127.0.0.1:{other.port}/", "/b": "http://other.example:{port}/c"}

        def answer(path: str) -> Answer:
            return redirect(targets[path].format(port=site.port)) if path in targets else OK

        with serving(answer) as site:
            one = fetcher(site, user="ann", password="secret", resolve=resolved_to("127.0.0.1"))
            for path in ("/c", "/a", "/b"):
                one.get(f"{site.address}{path}")
            one.get(f"{site.address}/c", anonymous=True)

    sent = [(path, headers.get("authorization")) for path, headers in (*site.requests, *other.requests)]
    basic = "Basic YW5uOnNlY3JldA=="
    assert sent == [("/c", basic), ("/a", basic), ("/b", basic), ("/c", None), ("/c", None), ("/", None)]


def test_password_is_not_sent_without_encryption() -> None:
    one = Fetcher("http://calendar.example", "ann", "secret", resolve=resolved_to("93.184.216.34"))

    with pytest.raises(SourceError, match="with encryption only"):
        one.get("http://calendar.example/")


LITTLE = FetchLimits(connect=5, idle=5, total=20, size=1000)


def test_compressed_answer() -> None:
    with serving(lambda _: (200, {"Content-Encoding": "gzip"}, gzip.compress(b"hello" * 200))) as site:
        assert fetcher(site, limits=LITTLE).get(site.address).body.read() == b"hello" * 200


@pytest.mark.parametrize(
    "answer",
    [
        (200, {}, b"x" * 1001),
        (200, {"Content-Encoding": "gzip"}, gzip.compress(b"x" * 50_000_000)),
        (404, {"Content-Encoding": "gzip"}, gzip.compress(b"x" * 800) * 2),
    ],
)
def test_size_after_decompression_is_limited(answer: Answer) -> None:
    with serving(lambda _: answer) as site, pytest.raises(SourceError, match="has more than"):
        fetcher(site, limits=LITTLE).get(site.address)


@pytest.mark.parametrize(
    "answer",
    [
        (200, {"Content-Length": "100"}, b"short"),
        (200, {"Content-Encoding": "gzip"}, gzip.compress(b"hello")[:-6]),
        (200, {"Content-Encoding": "gzip"}, b"hello"),
        (200, {"Content-Encoding": "br"}, b"hello"),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe",
        b"SSH-2.0-OpenSSH_9.9\r\n",
        b"",
    ],
)
def test_answers_that_are_incomplete_or_no_http(answer: Answer | bytes) -> None:
    with serving(lambda _: answer) as site, pytest.raises(SourceError, match=site.address):
        fetcher(site).get(site.address)
    assert len(site.requests) == 1


@pytest.mark.parametrize(
    ("limits", "reason"),
    [(FetchLimits(idle=0.1), "timed out"), (FetchLimits(total=0.2), r"longer than 0\.2 seconds")],
)
def test_slow_answers_are_ended(limits: FetchLimits, reason: str) -> None:
    done = threading.Event()

    def silent(_: str) -> Answer:
        done.wait(20)
        return OK

    with serving(silent) as site:
        try:
            with pytest.raises(SourceError, match=reason):
                fetcher(site, limits=limits).get(site.address)
        finally:
            done.set()


def test_a_server_that_sends_byte_after_byte_is_ended() -> None:
    listener = socket.create_server(("127.0.0.1", 0))

    def drip() -> None:
        client, _ = listener.accept()
        with client:
            try:
                for number in count():
                    client.sendall(b"HTTP/1.1 200 OK\r\nX: "[number : number + 1] or b"x")
                    done.wait(0.01)
            except OSError:
                return

    done = threading.Event()
    thread = threading.Thread(target=drip, daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    with listener, pytest.raises(SourceError, match=r"longer than 0\.3 seconds"):
        Fetcher(address, allow_private=True, limits=FetchLimits(total=0.3)).get(address)
    thread.join(10)
    assert not thread.is_alive()


def asked_to_wait(*answers: Answer | bytes, delay: float = 0) -> tuple[list[float], Any]:
    """How long a fetcher sleeps before the second and later requests, and the answer or the error."""
    sleeps: list[float] = []
    left = iter([OK, *answers])
    with serving(lambda _: next(left)) as site:
        one = fetcher(site, delay=delay, sleep=sleeps.append)
        one.get(site.address)
        try:
            found: Fetched | str = one.get(site.address)
        except SourceError as error:
            found = str(error)
    return sleeps, found


def busy(retry_after: str = "", status: int = 503) -> Answer:
    return status, {"Retry-After": retry_after} if retry_after else {}, b""


@pytest.mark.parametrize(
    ("answers", "delay", "expected"),
    [([busy("7"), busy(status=429), OK], 1.5, [1.5, 7, 4]), ([b"", OK], 0, [2])],
    ids=["busy", "interrupted"],
)
def test_request_is_repeated(answers: list[Answer | bytes], delay: float, expected: list[float]) -> None:
    sleeps, found = asked_to_wait(*answers, delay=delay)

    assert (sleeps, found.status) == (expected, 200)


def test_date_of_retry_after() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)

    sleeps, _ = asked_to_wait(busy(later), OK)

    assert 30 < sleeps[0] <= 60


@pytest.mark.parametrize(
    ("answers", "expected", "reason"),
    [([busy(status=500)] * 4, [2, 4, 8], "status 500"), ([busy("3600")], [], "3600 seconds")],
)
def test_requests_are_repeated_for_a_limited_time(
    answers: list[Answer], expected: list[float], reason: str
) -> None:
    sleeps, found = asked_to_wait(*answers)

    assert (sleeps, reason in found) == (expected, True)


def test_not_modified() -> None:
    with serving(lambda _: (304, {"ETag": '"1"', "Content-Length": "5"}, b"")) as site:
        assert fetcher(site).get(site.address, '"1"').status == 304


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A certificate of localhost with its key, signed by itself."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    file: Path = tmp_path_factory.mktemp("tls") / "localhost.pem"
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext"
    names = ["subjectAltName=DNS:localhost", "-keyout", str(file), "-out", f"{file}.crt"]
    subprocess.run([*command.split(), *names], check=True, stderr=subprocess.DEVNULL)
    file.write_text(file.read_text() + Path(f"{file}.crt").read_text())
    return str(file)


def test_encryption(certificate: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", f"{certificate}.crt")
    with serving(lambda _: redirect("http://localhost/"), tls=certificate) as site:
        one = fetcher(site, resolve=resolved_to("127.0.0.1"))
        with pytest.raises(SourceError, match="not encrypted"):
            one.get(f"https://localhost:{site.port}/")
        assert site.requests[0][1]["host"] == f"localhost:{site.port}"
        with pytest.raises(SourceError, match=r"certificate of other\.example is not valid"):
            one.get(f"https://other.example:{site.port}/")


def test_an_unknown_certificate_is_rejected(certificate: str) -> None:
    reason = "certificate of localhost is not valid"
    with serving(lambda _: OK, tls=certificate) as site, pytest.raises(SourceError, match=reason):
        fetcher(site, resolve=resolved_to("127.0.0.1")).get(f"https://localhost:{site.port}/")
    assert site.requests == []
