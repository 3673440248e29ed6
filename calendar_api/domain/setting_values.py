"""Parse the values of settings; every function raises ValueError with what to give."""

import ipaddress
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, urlsplit

from calendar_api.domain.translation import LANGUAGES
from calendar_api.domain.trusted_proxies import UNIX_SOCKET

_BASE_URL = "give the address as people type it, such as https://calendar.example.org"
_SOURCE = re.compile(r"\*|'self'|https?://[A-Za-z0-9.*-]+(?::[0-9]{1,5})?")
_HOST = re.compile(r"[a-z0-9._-]+|\[[0-9a-f:.]+\]")


def base_url(value: str) -> str:
    """Normalise for headers: an ASCII host (IDNA), a percent-encoded path."""
    if not value:
        return ""
    try:
        parts = urlsplit(value)
        host, port = _host(parts.hostname or ""), parts.port
    except ValueError:
        raise ValueError(_BASE_URL) from None
    odd = "@" in parts.netloc or parts.query or parts.fragment or " " in value or port == 0
    if parts.scheme not in ("http", "https") or odd:
        raise ValueError(_BASE_URL)
    path = quote(parts.path.rstrip("/"), safe="/%:@!$&'()*+,;=~")
    return f"{parts.scheme}://{host}{f':{port}' if port else ''}{path}"


def _host(name: str) -> str:
    """Return a host name in ASCII and lower case; raises ValueError for anything else."""
    ascii_name = f"[{name}]" if ":" in name else name.encode("idna").decode().lower()
    if not _HOST.fullmatch(ascii_name):
        raise ValueError(_BASE_URL)
    return ascii_name


def _names(value: str) -> tuple[str, ...]:
    return tuple(name.strip().lower() for name in value.split(",") if name.strip())


def hosts(value: str) -> tuple[str, ...]:
    try:
        return tuple(_host(name.strip("[]") if name.startswith("[") else name) for name in _names(value))
    except ValueError:
        raise ValueError("give names such as calendar.example.org, without a port") from None


def proxies(value: str) -> tuple[str, ...]:
    try:
        return tuple(
            name if name == UNIX_SOCKET else str(ipaddress.ip_network(name, strict=False))
            for name in _names(value)
        )
    except ValueError:
        raise ValueError(
            "give addresses or networks such as 10.0.0.0/8, or unix, with commas between"
        ) from None


def one_of(*choices: str) -> Callable[[str], str]:
    def choice(value: str) -> str:
        if value not in choices:
            raise ValueError(f"it is one of {', '.join(choices)}")
        return value

    return choice


def accepted_by(check: Callable[[str], object]) -> Callable[[str], str]:
    def accepted(value: str) -> str:
        check(value)
        return value

    return accepted


def cache(value: str) -> int:
    if value == "off":
        return 0
    if not re.fullmatch(r"[0-9]{1,5}", value) or int(value) > 65_536:
        raise ValueError("give a whole number of MiB up to 65536, or off")
    return int(value)


def aliases(value: str) -> tuple[str, ...]:
    names = tuple(name.strip("/") for name in _names(value))
    if any(not re.fullmatch(r"[a-z0-9._~-]+(?:/[a-z0-9._~-]+)+", name) for name in names):
        raise ValueError("give paths such as wp-json/tribe/events/v1, with commas between")
    if any(name.split("/")[0] in LANGUAGES for name in names):
        raise ValueError(f"a path cannot begin with a language ({', '.join(LANGUAGES)})")
    return names


def number(lowest: int, highest: int) -> Callable[[str], int]:
    def number(value: str) -> int:
        if not re.fullmatch(r"[0-9]{1,12}", value) or not lowest <= int(value) <= highest:
            raise ValueError(f"give a whole number from {lowest} to {highest}")
        return int(value)

    return number


def sources(value: str) -> str:
    if not all(_SOURCE.fullmatch(source) for source in value.split()):
        raise ValueError("give * or addresses such as https://www.example.org, with spaces between")
    return " ".join(value.split())


def folder(value: str) -> str:
    if value and not Path(value).is_dir():
        raise ValueError("give the path of a folder")
    return value
