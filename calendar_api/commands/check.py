"""`calendar-api check`: everything that is not as it should be, with what to do about it."""

import ipaddress
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import metadata
from urllib.parse import urlsplit

from calendar_api import database
from calendar_api.config import Config
from calendar_api.database import migrate
from calendar_api.database.diagnostics import Deviation
from calendar_api.domain.errors import ApiError
from calendar_api.domain.trusted_proxies import UNIX_SOCKET
from calendar_api.store import users

_LOOPBACK = {"localhost", "127.0.0.1", "[::1]", "::1"}
_WIDEST = {4: 8, 6: 16}  # a shorter prefix covers more than any network of one's own
_ADMINISTRATOR = "calendar-api user add NAME --role administrator"


def run(config: Config) -> list[Deviation]:
    """All deviations, the dangerous ones first. Changes nothing."""
    found = [*_addresses(config), *_proxies(config), *_zone_data(), *_database()]
    return sorted(found, key=lambda one: not one.dangerous)


def _addresses(config: Config) -> Iterator[Deviation]:
    host = urlsplit(config.base_url).hostname or ""
    if not config.base_url:
        only_here = set(config.allowed_hosts) <= _LOOPBACK
        yield Deviation(
            "No address of the site is set: "
            + (
                "only this machine is answered."
                if only_here
                else "links show the name that each caller used."
            ),
            "Set CALENDAR_BASE_URL=https://… when others are to reach it.",
        )
    elif config.base_url.startswith("http://") and host not in _LOOPBACK:
        yield Deviation(
            "Passwords cross the network unencrypted: the site's address begins with http://.",
            "Put a proxy with a certificate in front and set CALENDAR_BASE_URL=https://…",
            dangerous=True,
        )


def _proxies(config: Config) -> Iterator[Deviation]:
    for name in config.trusted_proxies:
        if name == UNIX_SOCKET:
            continue
        network = ipaddress.ip_network(name)
        if network.prefixlen < _WIDEST[network.version]:
            yield Deviation(
                f"CALENDAR_TRUSTED_PROXIES believes {name}: nearly anybody can claim any address.",
                "Name the proxies only, such as 127.0.0.1.",
                dangerous=True,
            )


def _zone_data() -> Iterator[Deviation]:
    version = metadata.version("tzdata")
    if int(version.split(".")[0]) < datetime.now(UTC).year - 1:
        yield Deviation(
            f"The time zone data are of {version}; governments have changed clocks since.",
            "pip install --upgrade tzdata",
        )


def _database() -> Iterator[Deviation]:
    try:
        found = migrate.unavailable_reason()
        if found is not None:
            why = f" ({found.__cause__})" if found.__cause__ else ""
            yield Deviation(
                f"{found.message}{why}", "Do what it says; the service answers 503.", dangerous=True
            )
            return
        yield from database.run_read(database.deviations)
        missing = database.run_read(migrate.missing_indexes)
        if missing:
            yield Deviation(
                f"The schema lacks {', '.join(missing)}.", "Restore a backup: calendar-api restore FILE", True
            )
        if database.run_read(users.first_administrator) is None:
            yield Deviation("There is no administrator.", _ADMINISTRATOR)
    except ApiError as error:
        yield Deviation(
            f"The database does not answer: {database.describe(error)}",
            "See that it runs and can be reached; if it is damaged: calendar-api restore FILE",
            dangerous=True,
        )
