"""Every setting: name, default and meaning. No other module reads the environment.

A setting comes from the environment (`CALENDAR_TIMEZONE=…`), from the file that `CALENDAR_CONFIG` names
(the same `KEY=VALUE` lines; the environment wins), or from a file of its own (`CALENDAR_DATABASE_URL_FILE=…`
holds the value, for secrets).
"""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, Self

from calendar_api.database import urls
from calendar_api.domain import setting_values as parse
from calendar_api.domain import time_zones
from calendar_api.domain.site_settings import SiteSettings
from calendar_api.domain.translation import LANGUAGES

NAMESPACE = "calendar/events/v1"
LOG_LEVELS = ("requests", "audit", "off")
PREFIX = "CALENDAR_"
_NAME = re.compile(PREFIX + "[A-Z0-9_]+")
_ON_OFF = parse.one_of("on", "off")


class ConfigError(Exception):
    """An unusable setting; the text says what to set."""


def _setting(default: Any, read: Callable[[str], Any], meaning: str) -> Any:
    return field(default=default, metadata={"parse": read, "meaning": meaning})


@dataclass(frozen=True)
class Config:
    """The effective settings."""

    base_url: str = _setting(
        "", parse.base_url, "Public address of the site; empty: taken from the request (allowed hosts only)"
    )
    allowed_hosts: tuple[str, ...] = _setting(
        ("localhost", "127.0.0.1", "[::1]"),
        parse.hosts,
        "Host names accepted in requests if there is no base URL",
    )
    aliases: tuple[str, ...] = _setting(
        ("wp-json/tribe/events/v1",), parse.aliases, "More paths of the interface, beside calendar/events/v1"
    )
    trusted_proxies: tuple[str, ...] = _setting(
        (),
        parse.proxies,
        "Addresses or networks whose forwarded headers are trusted; `unix`: any peer on a Unix socket",
    )
    timezone: str = _setting(
        "UTC",
        parse.accepted_by(time_zones.named),
        "Time zone of the site: dates without a zone are read in it",
    )
    language: str = _setting("en", parse.one_of(*LANGUAGES), "Language of descriptions and messages")
    database_url: str = _setting(
        "sqlite:///calendar-data/calendar.sqlite3", parse.accepted_by(urls.parse), "Address of the database"
    )
    per_page: int = _setting(10, parse.number(1, 1000), "Records on a page of a list without `per_page`")
    per_page_max: int = _setting(
        50, parse.number(1, 1000), "Most records on a page; a higher `per_page` is cut to it"
    )
    currency_symbol: str = _setting("$", str, "Symbol before a cost without a currency")
    cache_max_age: int = _setting(
        0,
        parse.number(0, 31_536_000),
        "Seconds for which clients and proxies may reuse an anonymous response",
    )
    cache: int = _setting(
        8, parse.cache, "MiB per process for the cache of anonymous responses; `off`: no cache"
    )
    log: str = _setting(
        "requests",
        parse.one_of(*LOG_LEVELS),
        "What is logged: `requests`, only `audit` (failed logins, denied rights), `off`",
    )
    max_body: int = _setting(1_048_576, parse.number(1024, 104_857_600), "Largest request body, in bytes")
    max_json_depth: int = _setting(16, parse.number(4, 100), "Deepest nesting of a JSON body")
    max_parameters: int = _setting(64, parse.number(32, 1000), "Most distinct names in one query string")
    site_name: str = _setting("Calendar", str, "Name of the calendar on pages and in feeds")
    pages: str = _setting("on", _ON_OFF, "Pages for people: `on` or `off`")
    editing: str = _setting("on", _ON_OFF, "Editing in the browser, if there are pages: `on` or `off`")
    submissions: str = _setting("off", _ON_OFF, "Submission by visitors, if editing is on: `on` or `off`")
    theme: str = _setting(
        "", parse.folder, "Folder of templates and static files that replace or extend those of the pages"
    )
    default_view: str = _setting(
        "list", parse.one_of("list", "month", "today"), "Page at `/events/`: `list`, `month` or `today`"
    )
    week_start: str = _setting(
        "monday", parse.one_of("monday", "saturday", "sunday"), "First day of a week on pages"
    )
    clock: str = _setting("24", parse.one_of("24", "12"), "Hours of the clock on pages: `24` or `12`")
    embed: str = _setting("*", parse.sources, "Sites that may embed pages (CSP sources); empty: none")
    feed_past: int = _setting(
        30, parse.number(0, 3650), "Days in the past for which feeds without dates list events"
    )
    feed_max: int = _setting(5000, parse.number(1, 50_000), "Most events in an iCalendar feed")
    feed_ttl: int = _setting(
        60, parse.number(5, 10_080), "Minutes after which calendars should fetch a feed again"
    )

    @cached_property
    def site(self) -> SiteSettings:
        return SiteSettings(self.timezone, self.currency_symbol)

    @property
    def has_editing(self) -> bool:
        return self.pages == self.editing == "on"

    @property
    def has_submissions(self) -> bool:
        return self.has_editing and self.submissions == "on"

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
