"""Fetch what is imported over HTTP: from public hosts only, within limits of time and size."""

import gzip
import http.client
import io
import re
import socket
import ssl
import threading
import time
import zlib
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from email.message import Message
from email.utils import parsedate_to_datetime
from ipaddress import ip_address, ip_network
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from calendar_api import __version__
from calendar_api.commands import SourceError

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_BUSY = frozenset({429, 500, 502, 503, 504})

#: Networks of the IANA registries of special-purpose addresses, multicast, and deprecated relays.
_SPECIAL = tuple(
    ip_network(network)
    for network in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
        "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
        "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    )
)  # fmt: skip
_GLOBAL_UNICAST = ip_network("2000::/3")


def is_public(address: str) -> bool:
    """Whether an IP address is that of a host on the internet.

    IPv6 addresses that hold an IPv4 address (mapped, NAT64, 6to4, Teredo) are not: they may lead anywhere.
    """
    ip = ip_address(address.partition("%")[0])
    return (ip.version == 4 or ip in _GLOBAL_UNICAST) and not any(ip in network for network in _SPECIAL)


class FetchLimits(NamedTuple):
    """Seconds (`connect` to one address, `idle` between bytes, `total`, `wait` to repeat), bytes, numbers."""

    connect: float = 10
    idle: float = 30
    total: float = 600
    wait: float = 120
    size: int = 64 * 2**20
    redirects: int = 5
    attempts: int = 4
    addresses: int = 4


_LIMITS = FetchLimits()


class Fetched(NamedTuple):
    """An answer. `address` is where it came from after redirects; `body` is decompressed."""

    address: str
    status: int
    headers: Message
    body: BinaryIO


class ConnectionFailed(SourceError):
    """No complete answer came; to try again may help."""


@dataclass
class Fetcher:
    """Fetches addresses, one at a time; resolves each host name once.

    `user` and `password` are sent to the host of `home` only. `delay` is the pause between two requests in
    seconds. `allow_private` admits hosts that are not on the internet.
    """

    home: str
    user: str = ""
    password: str = ""
    allow_private: bool = False
    delay: float = 0
    limits: FetchLimits = _LIMITS
    resolve: Callable[..., Any] = socket.getaddrinfo
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        self._resolved: dict[str, list[str]] = {}
        self._answers = 0

    def get(
        self, address: str, etag: str = "", last_modified: str = "", *, anonymous: bool = False
    ) -> Fetched:
        """Fetch an address, maybe without user and password: follow redirects, repeat while it is busy.

        Return an answer of any status but 429 and 5xx; 304 if a validator still holds. Raises SourceError.
        """
        conditions = {"If-None-Match": etag, "If-Modified-Since": last_modified}
        sent = {name: value for name, value in conditions.items() if value}
        pause, reason = self.delay if self._answers else 0.0, ""
        for attempt in range(1, self.limits.attempts + 1):
            if pause:
                self.sleep(pause)
            pause = max(2.0**attempt, self.delay)
            try:
                found = self._follow(address, sent, anonymous=anonymous)
            except ConnectionFailed as error:
                if not self._answers:  # rather a wrong address than an interruption
                    raise
                reason = str(error)
                continue
            self._answers += 1
            if found.status not in _BUSY:
                return found
            asked = _seconds(found.headers["Retry-After"] or "")
            reason = f"{address} answers with status {found.status}: try again later, with a longer --delay."
            if asked > self.limits.wait:
                raise SourceError(f"{address} asks to try again in {asked:.0f} seconds.")
            pause = max(pause, asked)
        raise SourceError(reason)

    def sends_password_to(self, address: str) -> bool:
        """Whether user and password are sent to an address; raises SourceError if it is not encrypted."""
        home, target = _split(self.home), _split(address)
        ports = _port(home), _port(target)
        if not self.user or home.hostname != target.hostname or (ports[0] != ports[1] and ports != (80, 443)):
            return False
        if target.scheme != "https" and not self.allow_private:
            raise SourceError("A password is sent with encryption only: give an address with https://.")
        return True

    def _authorization(self) -> dict[str, str]:
        return {"Authorization": f"Basic {b64encode(f'{self.user}:{self.password}'.encode()).decode()}"}

    def _follow(self, address: str, sent: dict[str, str], *, anonymous: bool) -> Fetched:
        deadline = time.monotonic() + self.limits.total
        for _ in range(self.limits.redirects + 1):
            secret = {} if anonymous or not self.sends_password_to(address) else self._authorization()
            found = self._request(address, sent | secret, deadline)
            location = found.headers["Location"]
            if found.status not in _REDIRECTS or not location:
                return found
            address = location
            with suppress(ValueError):  # an invalid address is rejected when it is split
                address = urljoin(found.address, location)
            if found.address.startswith("https:") and _split(address).scheme != "https":
                raise SourceError(f"{found.address} redirects to {address}, which is not encrypted.")
        raise SourceError(
            f"{address} is the end of {self.limits.redirects + 1} redirects: check the address."
        )

    def _request(self, address: str, sent: dict[str, str], deadline: float) -> Fetched:
        target, limits = _split(address), self.limits
        headers = sent | {"User-Agent": f"calendar-api/{__version__}", "Accept-Encoding": "gzip"}
        connection = _Connection(target, self._addresses(target), limits)
        watch = threading.Timer(max(deadline - time.monotonic(), 0), connection.abort)
        watch.daemon = True
        watch.start()
        try:
            connection.request("GET", target._replace(scheme="", netloc="").geturl(), headers=headers)
            response = connection.getresponse()
            body = b"" if response.status in _REDIRECTS else _read(response, address, limits.size)
            if connection.aborted:  # to `http.client` an end within the headers is that of the answer
                raise TimeoutError
            return Fetched(target.geturl(), response.status, response.headers, io.BytesIO(body))
        except ssl.SSLCertVerificationError as error:
            text = f"The certificate of {target.hostname} is not valid: {error.verify_message}."
            raise SourceError(f"{text} Download the file and import it, or correct the address.") from error
        except (OSError, http.client.HTTPException, EOFError, zlib.error) as error:
            if connection.aborted:
                raise SourceError(f"{address} takes longer than {limits.total:g} seconds.") from error
            why = str(error) or "the answer is not complete"
            raise ConnectionFailed(
                f"{address} cannot be read: {why}. Check it, or try again later."
            ) from error
        finally:
            watch.cancel()
            connection.close()

    def _addresses(self, target: SplitResult) -> list[str]:
        """The addresses of a host, which are all public or all allowed."""
        host = target.hostname or ""
        if host not in self._resolved:
            try:
                found = self.resolve(host, _port(target), type=socket.SOCK_STREAM)
            except OSError as error:
                raise SourceError(f"There is no host {host}: check the address.") from error
            self._resolved[host] = list(dict.fromkeys(str(entry[4][0]) for entry in found))
        addresses = self._resolved[host]
        private = [address for address in addresses if not is_public(address)]
        if private and not self.allow_private:
            text = f"{host} has the address {private[0]}, which is not on the internet."
            raise SourceError(f"{text} If it is in your own network, give --allow-private-addresses.")
        return addresses[: self.limits.addresses]


class _Connection(http.client.HTTPConnection):
    """Connects to addresses that were checked, never to a name."""

    def __init__(self, target: SplitResult, addresses: list[str], limits: FetchLimits) -> None:
        super().__init__(target.hostname or "", _port(target))
        self.default_port = _port(target._replace(netloc=""))
        self.addresses, self.limits, self.aborted = addresses, limits, False

    def connect(self) -> None:
        for address in self.addresses:
            try:
                self.sock = socket.create_connection((address, self.port), self.limits.connect)
                break
            except OSError:
                if address == self.addresses[-1]:
                    raise
        if self.default_port == 443:
            self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=self.host)
        self.sock.settimeout(self.limits.idle)

    def abort(self) -> None:
        """End the request, from another thread."""
        self.aborted = True
        with suppress(OSError, TypeError):  # not connected
            socket.socket.shutdown(self.sock, socket.SHUT_RDWR)  # that of SSLSocket is for its own thread


def _read(response: http.client.HTTPResponse, address: str, most: int) -> bytes:
    source: Any = response
    if (encoding := response.headers["Content-Encoding"] or "identity") == "gzip":
        source = gzip.GzipFile(fileobj=response)
    elif encoding != "identity":
        raise SourceError(f"{address} has the encoding {encoding}, which was not asked for.")
    body = bytearray()
    while piece := source.read(65_536):
        body += piece
        if len(body) > most:
            raise SourceError(f"{address} has more than {most // 2**20} MiB: download and split it.")
    if response.length:
        raise EOFError
    return bytes(body)


def _split(address: str) -> SplitResult:
    """The parts of an address in ASCII; raises SourceError for one that cannot be fetched."""
    try:
        parts = urlsplit(re.sub("^webcals?:", "https:", address.strip(), flags=re.IGNORECASE))
        host = (parts.hostname or "").encode("idna").decode()
        netloc = (f"[{host}]" if ":" in host else host) + (f":{parts.port}" if parts.port else "")
    except ValueError as error:
        raise SourceError(f"The address is not valid: {error}.") from error
    if "@" in parts.netloc:
        raise SourceError(
            "Write no password into the address: give --remote-user and --remote-password-file."
        )
    if parts.scheme not in ("http", "https") or not host:
        raise SourceError(f"{address} cannot be fetched: give an address with https:// or http://.")
    path, query = (quote(part, safe="/%:@!$&'()*+,;=~?[]") for part in (parts.path or "/", parts.query))
    return SplitResult(parts.scheme, netloc, path, query, "")


def _port(target: SplitResult) -> int:
    return target.port or (443 if target.scheme == "https" else 80)


def _seconds(retry_after: str) -> float:
    """The header Retry-After in seconds (RFC 9110, section 10.2.3); 0 if it is missing or invalid."""
    if re.fullmatch("[0-9]{1,9}", retry_after):
        return float(retry_after)
    with suppress(ValueError, TypeError):
        return max(parsedate_to_datetime(retry_after).timestamp() - time.time(), 0.0)
    return 0.0
