"""The socket of `calendar-api serve`, and the addresses at which it can be reached."""

import errno
import fcntl
import socket
import struct
from contextlib import suppress
from dataclasses import replace

from calendar_api.commands import CommandError
from calendar_api.config import Config

_SIOCGIFADDR = 0x8915  # Linux: the IPv4 address of an interface
_WILDCARDS = ("0.0.0.0", "[::]", "::")  # noqa: S104 - compared, not bound


def listen(bind: str, *, from_make: bool) -> socket.socket:
    """Listen at `HOST:PORT`; raise CommandError if that is impossible."""
    host, _, port = bind.rpartition(":")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    both = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
    try:
        return socket.create_server(
            (host.strip("[]"), int(port)), family=family, backlog=2048, dualstack_ipv6=both
        )
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            reason = str(error.strerror).split(" (while")[0]
            raise CommandError(f"The server cannot listen at {bind}: {reason}.") from error
        other = f"{host}:{int(port) % 65_535 + 1}"
        example = f"make run BIND={other}" if from_make else f"--bind {other}"
        raise CommandError(f"Another program uses {bind}: try `{example}`.") from error


def reachable(config: Config, bind: str) -> tuple[Config, list[str], list[str]]:
    """Return settings, URLs of the site, and host names or addresses that the settings refuse.

    Without CALENDAR_BASE_URL and CALENDAR_ALLOWED_HOSTS, the settings that are returned also allow the
    addresses at which the server listens: no other site has them as its name.
    """
    if config.base_url:
        return config, [config.base_url], []
    host, _, port = bind.lower().rpartition(":")
    hosts = ["127.0.0.1", *interface_addresses()] if host in _WILDCARDS else [host]
    if config.allowed_hosts == Config().allowed_hosts:
        config = replace(config, allowed_hosts=tuple(dict.fromkeys([*config.allowed_hosts, *hosts])))
    allowed = [one for one in hosts if one in config.allowed_hosts] or [*config.allowed_hosts[:1]]
    refused = [one for one in hosts if one not in config.allowed_hosts]
    return config, [f"http://{one}:{port}" for one in allowed], refused


def interface_addresses() -> list[str]:
    """Return the IPv4 addresses of the network interfaces, without loopback."""
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        for _, name in socket.if_nameindex():
            with suppress(OSError):  # the interface has none, or the system is not Linux
                answer = fcntl.ioctl(asked, _SIOCGIFADDR, struct.pack("256s", name.encode()))
                found.append(socket.inet_ntoa(answer[20:24]))
        if asked.connect_ex(("192.0.2.1", 9)) == 0:  # sends nothing, but finds the default route
            found.append(asked.getsockname()[0])
    return [one for one in dict.fromkeys(found) if not one.startswith("127.")]
