"""Every URL in every answer echoes how the caller addressed us, and can be followed."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from webtest import TestResponse

from calendar_api.config import Config
from tests.client import ROOT, Client
from tests.conftest import application
from tests.resources.test_etags import CREATE, UPDATE
from tests.resources.test_url_prefix import ALIAS, RECORDS, create_records, send

FOREIGN = (
    "http://schema.org", "https://schema.org/", "https://api.w.org/{rel}", "https://hall.example/",
    "https://pictures.example/",
)  # fmt: skip
UP = {ROOT: "/", ALIAS: "/wp-json/"}
PAGE = re.compile(r"/(?:event|venue|organizer|tag|events/category)/\S+/|/\?post_type=tribe_\w+&p=\d+")


def urls(part: Any, at: str = "") -> Iterator[tuple[str, str]]:
    """Every address in a document with the keys that lead to it."""
    if isinstance(part, dict):
        for key, value in part.items():
            yield from urls(value, f"{at}.{key}")
    elif isinstance(part, list):
        for item in part:
            yield from urls(item, at)
    elif isinstance(part, str):
        for address in re.findall(r"https?://[^\s\"'<>]+", part):
            yield at, address


def outgoing(response: TestResponse) -> list[tuple[str, str]]:
    """The addresses of the body and of the headers, without those of other sites."""
    found = list(urls(response.json))
    found += [("Link", address) for address in re.findall(r"<([^>]*)>", response.headers.get("Link", ""))]
    found += [("Location", response.headers["Location"])] if "Location" in response.headers else []
    return [(at, address) for at, address in found if not address.startswith(FOREIGN)]


def verify(response: TestResponse, site: str, root: str) -> set[str]:
    """Fail for an address that is not of this site and root; returns those of the interface."""
    found = outgoing(response)
    assert found
    interface, up = site + root, site + UP[root]
    own = set()
    for at, address in found:
        if address == up:
            assert at in ("Link", "._links.up.href")
        elif address.startswith(interface):
            assert re.fullmatch(r"(?:/[a-z-]+|/\d+)*/?(?:\?\S*)?", address.removeprefix(interface)), at
            own.add(address)
        else:
            assert address.startswith(site), (at, address)
            assert PAGE.fullmatch(address.removeprefix(site)), (at, address)
    return own


@pytest.mark.parametrize(
    ("language", "prefix", "environ", "site"),
    [
        ("", ROOT, {}, "http://localhost"),
        ("", ALIAS, {"HTTP_HOST": "127.0.0.1:8080"}, "http://127.0.0.1:8080"),
        ("/de", ROOT, {"SCRIPT_NAME": "/sub/folder"}, "http://localhost/sub/folder"),
        ("/fr", ALIAS, {"wsgi.url_scheme": "https", "HTTP_HOST": "[::1]:8443"}, "https://[::1]:8443"),
    ],
)
def test_every_address_echoes_site_language_and_prefix_and_can_be_followed(
    client: Client, language: str, prefix: str, environ: dict[str, str], site: str
) -> None:
    known, home, own = create_records(client), site + language, set()
    for route in ("", *RECORDS):
        answer = send(client, language + prefix + route.format_map(known), **environ)
        assert answer.status_int == 200
        own |= verify(answer, home, prefix)

    assert len(own) == 20
    for address in own:
        target = address.removeprefix(home)
        assert send(client, language + target, **environ).status_int == 200, address


@pytest.mark.parametrize("archive", ["events", "venues", "tags"])
def test_writes_echo_too(client: Client, archive: str) -> None:
    home, root = "http://localhost:80/fr", f"/fr{ALIAS}"
    made = client.post(f"http://localhost{root}/{archive}", CREATE[archive], as_="admin", status=201)
    changed = client.put(made.headers["Location"], UPDATE[archive], as_="admin", status=200)
    removed = client.delete(made.headers["Location"], as_="admin", status=200)
    assert made.headers["Location"] == f"{home}{ALIAS}/{archive}/{made.json['id']}"
    for answer in (made, changed, removed):
        verify(answer, home, ALIAS)


def test_sub_path_in_bytes_beyond_ascii_is_percent_encoded(client: Client) -> None:
    answer = send(client, f"{ROOT}/tags", SCRIPT_NAME="/käse & brot".encode().decode("latin-1"))
    assert answer.json["rest_url"] == f"http://localhost/k%C3%A4se%20%26%20brot{ROOT}/tags/"


@pytest.mark.settings(
    base_url="https://calendar.example.org:8443/town/hall", trusted_proxies=("127.0.0.1/32",)
)
def test_every_address_begins_with_the_base_url(client: Client) -> None:
    known = create_records(client)
    environ = {
        "HTTP_HOST": "evil.example", "REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_PREFIX": "/other"
    }  # fmt: skip

    for route in ("", *RECORDS):
        answer = send(client, f"/fr{ALIAS}" + route.format_map(known), **environ)
        verify(answer, "https://calendar.example.org:8443/town/hall/fr", ALIAS)
    event = send(client, f"/de{ALIAS}/events/{known['event']}").json
    assert event["global_id"] == f"calendar.example.org/town/hall?id={known['event']}"


#: A peer on a Unix socket has no address; all else is as with a trusted proxy on the network.
PROXIES = pytest.mark.parametrize("proxies", ["10.0.0.0/8", "10.0.0.0/8,unix"])


@pytest.fixture
def site(database_url: str, client: Client, proxies: str) -> Callable[..., str]:
    """The site in addresses of a response, by the forwarded prefix and the peer that sends it."""
    settings = {"CALENDAR_DATABASE_URL": database_url, "CALENDAR_TRUSTED_PROXIES": proxies}
    behind = Client(application(Config.load(settings)), client.secrets, client.ids)

    def found(prefix: str = "/town", peer: str = "10.1.2.3", **environ: str) -> str:
        answer = send(behind, f"{ROOT}/tags", REMOTE_ADDR=peer, HTTP_X_FORWARDED_PREFIX=prefix, **environ)
        assert answer.status_int == 200
        return str(answer.json["rest_url"]).removesuffix(f"{ROOT}/tags/")

    return found


@PROXIES
def test_prefix_of_a_trusted_proxy_stands_in_addresses(site: Callable[..., str], proxies: str) -> None:
    for prefix in ("/town", "/town/", "/a/b-c/d_e.f~g"):
        assert site(prefix) == f"http://localhost{prefix.rstrip('/')}"
    assert site(SCRIPT_NAME="/app") == "http://localhost/town/app"
    # A server that listens for both protocols calls a peer of IPv4 so.
    assert site(peer="::ffff:10.1.2.3") == "http://localhost/town"
    for peer in ("127.0.0.1", "192.0.2.1", "unix:", "::ffff:192.0.2.1"):
        assert site(peer=peer) == "http://localhost"
    assert site(peer="") == f"http://localhost{'/town' if 'unix' in proxies else ''}"


@PROXIES
def test_odd_prefix_is_passed_over(site: Callable[..., str], proxies: str) -> None:
    for prefix in (
        "", "/", "town", "//evil.example", "/a//b", "@evil.example", ".evil.example", "/a?b", "/a#b",
        "/a b", "/a\r\nX: y", "/a, /b", "/<script>", "/%2e", "https://evil.example/", "/a" * 9,
    ):  # fmt: skip
        assert site(prefix) == "http://localhost"
