"""Every setting: name, default and meaning. No other module reads the environment.

A setting comes from the environment (`CALENDAR_TIMEZONE=…`), from the file that `CALENDAR_CONFIG` names
(the same `KEY=VALUE` lines; the environment wins), or from a file of its own (`CALENDAR_DATABASE_URL_FILE=…`
holds the value, for secrets).
"""

import ipaddress
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from importlib import import_module
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote, urlsplit

from calendar_api.database import urls
from calendar_api.domain import time_zones
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.domain.translation import LANGUAGES
from calendar_api.domain.trusted_proxies import UNIX_SOCKET

NAMESPACE = "calendar/events/v1"
LOG_LEVELS = ("requests", "audit", "off")
PREFIX = "CALENDAR_"
_NAME = re.compile(PREFIX + "[A-Z0-9_]+")


class ConfigError(Exception):
    """An unusable setting; the text says what to set."""


_BASE_URL = "give the address as people type it, such as https://calendar.example.org"
_SOURCE = re.compile(r"\*|'self'|https?://[A-Za-z0-9.*-]+(?::[0-9]{1,5})?")
_HOST = re.compile(r"[a-z0-9._-]+|\[[0-9a-f:.]+\]")


def _base_url(value: str) -> str:
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


def _hosts(value: str) -> tuple[str, ...]:
    try:
        return tuple(_host(name.strip("[]") if name.startswith("[") else name) for name in _names(value))
    except ValueError:
        raise ValueError("give names such as calendar.example.org, without a port") from None


def _proxies(value: str) -> tuple[str, ...]:
    try:
        return tuple(
            name if name == UNIX_SOCKET else str(ipaddress.ip_network(name, strict=False))
            for name in _names(value)
        )
    except ValueError:
        raise ValueError(
            "give addresses or networks such as 10.0.0.0/8, or unix, with commas between"
        ) from None


def _one_of(choices: tuple[str, ...], reason: str) -> Callable[[str], str]:
    def choice(value: str) -> str:
        if value not in choices:
            raise ValueError(f"{reason} {', '.join(choices)}")
        return value

    return choice


def _accepted_by(check: Callable[[str], object]) -> Callable[[str], str]:
    def accepted(value: str) -> str:
        check(value)
        return value

    return accepted


def _cache(value: str) -> int:
    if value == "off":
        return 0
    if not re.fullmatch(r"[0-9]{1,5}", value) or int(value) > 65_536:
        raise ValueError("give a whole number of MiB up to 65536, or off")
    return int(value)


def _aliases(value: str) -> tuple[str, ...]:
    names = tuple(name.strip("/") for name in _names(value))
    if any(not re.fullmatch(r"[a-z0-9._~-]+(?:/[a-z0-9._~-]+)+", name) for name in names):
        raise ValueError("give paths such as wp-json/tribe/events/v1, with commas between")
    if any(name.split("/")[0] in LANGUAGES for name in names):
        raise ValueError(f"a path cannot begin with a language ({', '.join(LANGUAGES)})")
    return names


def _number(lowest: int, highest: int) -> Callable[[str], int]:
    def number(value: str) -> int:
        if not re.fullmatch(r"[0-9]{1,12}", value) or not lowest <= int(value) <= highest:
            raise ValueError(f"give a whole number from {lowest} to {highest}")
        return int(value)

    return number


def _sources(value: str) -> str:
    if not all(_SOURCE.fullmatch(source) for source in value.split()):
        raise ValueError("give * or addresses such as https://www.example.org, with spaces between")
    return " ".join(value.split())


def _folder(value: str) -> str:
    if value and not Path(value).is_dir():
        raise ValueError("give the path of a folder")
    return value


def _setting(default: Any, parse: Callable[[str], Any], meaning: str) -> Any:
    return field(default=default, metadata={"parse": parse, "meaning": meaning})


@dataclass(frozen=True)
class Config:
    """The effective settings."""

    base_url: str = _setting(
        "", _base_url, "Public address of the site; empty: taken from the request (allowed hosts only)"
    )
    allowed_hosts: tuple[str, ...] = _setting(
        ("localhost", "127.0.0.1", "[::1]"), _hosts, "Host names accepted in requests if there is no base URL"
    )
    aliases: tuple[str, ...] = _setting(
        ("wp-json/tribe/events/v1",), _aliases, "More paths of the interface, beside calendar/events/v1"
    )
    trusted_proxies: tuple[str, ...] = _setting(
        (),
        _proxies,
        "Addresses or networks whose forwarded headers are trusted; `unix`: any peer on a Unix socket",
    )
    timezone: str = _setting(
        "UTC", _accepted_by(time_zones.named), "Time zone of the site: dates without a zone are read in it"
    )
    language: str = _setting(
        "en", _one_of(LANGUAGES, "the languages are"), "Language of descriptions and messages"
    )
    database_url: str = _setting(
        "sqlite:///calendar-data/calendar.sqlite3", _accepted_by(urls.parse), "Address of the database"
    )
    per_page: int = _setting(10, _number(1, 1000), "Records on a page of a list without `per_page`")
    per_page_max: int = _setting(
        50, _number(1, 1000), "Most records on a page; a higher `per_page` is cut to it"
    )
    currency_symbol: str = _setting("$", str, "Symbol before a cost without a currency")
    cache_max_age: int = _setting(
        0, _number(0, 31_536_000), "Seconds for which clients and proxies may reuse an anonymous response"
    )
    cache: int = _setting(16, _cache, "MiB per process for the cache of anonymous responses; `off`: no cache")
    log: str = _setting(
        "requests",
        _one_of(LOG_LEVELS, "it is one of"),
        "What is logged: `requests`, only `audit` (failed logins, denied rights), `off`",
    )
    max_body: int = _setting(1_048_576, _number(1024, 104_857_600), "Largest request body, in bytes")
    max_json_depth: int = _setting(16, _number(4, 100), "Deepest nesting of a JSON body")
    max_parameters: int = _setting(64, _number(32, 1000), "Most distinct names in one query string")
    site_name: str = _setting("Calendar", str, "Name of the calendar on pages and in feeds")
    pages: str = _setting("on", _one_of(("on", "off"), "it is"), "Pages for people: `on` or `off`")
    theme: str = _setting(
        "", _folder, "Folder of templates and static files that replace or extend those of the pages"
    )
    default_view: str = _setting(
        "list",
        _one_of(("list", "month", "today"), "it is one of"),
        "Page at `/events/`: `list`, `month` or `today`",
    )
    week_start: str = _setting(
        "monday", _one_of(("monday", "saturday", "sunday"), "it is one of"), "First day of a week on pages"
    )
    clock: str = _setting(
        "24", _one_of(("24", "12"), "it is one of"), "Hours of the clock on pages: `24` or `12`"
    )
    embed: str = _setting("*", _sources, "Sites that may embed pages (CSP sources); empty: none")
    feed_past: int = _setting(
        30, _number(0, 3650), "Days in the past for which feeds without dates list events"
    )
    feed_max: int = _setting(5000, _number(1, 50_000), "Most events in an iCalendar feed")
    feed_ttl: int = _setting(
        60, _number(5, 10_080), "Minutes after which calendars should fetch a feed again"
    )

    @property
    def site(self) -> SiteSettings:
        return SiteSettings(self.timezone, self.currency_symbol)

    @classmethod
    def load(cls, environ: Mapping[str, str] | None = None) -> Self:
        """Read the environment and the file that CALENDAR_CONFIG names; raises ConfigError."""
        given = dict(os.environ if environ is None else environ)
        settings = {name: value for name, value in given.items() if name.startswith(PREFIX)}
        path = settings.pop(PREFIX + "CONFIG", "")
        if path:
            settings = {**_read_file(path), **settings}
        known = {PREFIX + item.name.upper(): item for item in fields(cls)}
        values: dict[str, Any] = {}
        for name, value in _with_secrets(settings, known).items():
            if name.startswith(PREFIX + "TEST_"):
                continue
            if name not in known:
                raise ConfigError(_unknown(name, list(known)))
            item = known[name]
            try:
                values[item.name] = item.metadata["parse"](_printable(value))
            except ValueError as error:  # the value itself may be a secret
                raise ConfigError(f"{name} has a value that cannot be used: {error}.") from None
        config = cls(**values)
        if config.per_page > config.per_page_max:
            raise ConfigError("CALENDAR_PER_PAGE cannot be more than CALENDAR_PER_PAGE_MAX.")
        return config

    def values(self) -> dict[str, str]:
        """Return the settings as `load` can read them, secrets hidden."""
        texts = {
            name: ",".join(value) if isinstance(value, tuple) else str(value)
            for name, value in vars(self).items()
        }
        return {PREFIX + name.upper(): without_password(text) for name, text in texts.items()}

    def lines(self) -> list[str]:
        """Return the same as `KEY=VALUE` lines."""
        return [f"{name}={_quoted(value)}" for name, value in self.values().items()]


def wants_colours() -> bool:
    """Whether commands may use colours on a terminal (https://no-color.org)."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _unknown(name: str, known: list[str]) -> str:
    named = name if _NAME.fullmatch(name) else f"What begins with {PREFIX}"  # a name may contain a secret
    own = [one.removeprefix(PREFIX) for one in known]
    close = import_module("difflib").get_close_matches(name.removeprefix(PREFIX), own, 1)
    meant = f" Did you mean {PREFIX}{close[0]}?" if close else ""
    return f"{named} is not a setting; `calendar-api config` prints those that are.{meant}"


def _printable(value: str) -> str:
    if not value.isprintable():
        raise ValueError("give printable characters on one line")
    return value


def _quoted(value: str) -> str:
    """Quote a value with spaces or quotation marks at its ends."""
    return f'"{value}"' if value != _unquoted(value.strip()) else value


def _unquoted(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quoted else value


def without_password(value: str) -> str:
    return re.sub(r"(?<=://)([^:@]*):.*@", r"\1:***@", value)


def _read_file(path: str) -> dict[str, str]:
    settings = {}
    for number, line in enumerate(_content("CALENDAR_CONFIG", path).split("\n"), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        name, equals, value = stripped.partition("=")
        if not equals or not _NAME.fullmatch(name.strip()):
            raise ConfigError(f"{path}, line {number}: expected CALENDAR_NAME=value.")
        settings[name.strip()] = _unquoted(value.strip())
    return settings


def _with_secrets(settings: Mapping[str, str], known: Mapping[str, object]) -> dict[str, str]:
    """Replace NAME_FILE by NAME with the content of the file."""
    out = {}
    for name, value in settings.items():
        target = name.removesuffix("_FILE")
        if target == name or target not in known:
            out[name] = value
            continue
        if target in settings:
            raise ConfigError(f"{target} and {name} are both set; keep one.")
        out[target] = _content(name, value).strip()
    return out


def _content(name: str, path: str) -> str:
    try:
        return Path(path).read_text("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{name} names a file that cannot be read: {error.strerror}.") from None
    except ValueError:
        raise ConfigError(f"{name} names a file that is not UTF-8 text.") from None
