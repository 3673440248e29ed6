"""`calendar-api check`: list all problems of the installation, and how to fix them."""

import argparse
import ipaddress
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import import_module, metadata
from pathlib import Path
from urllib.parse import urlsplit

from calendar_api import database
from calendar_api.commands.terminal import Progress, coloured, print_json
from calendar_api.config import Config
from calendar_api.database import migrate
from calendar_api.database.diagnostics import Finding
from calendar_api.database.errors import DriverMissing
from calendar_api.domain.errors import ApiError
from calendar_api.domain.trusted_proxies import UNIX_SOCKET
from calendar_api.store import document_upkeep, related_records, users

_LOOPBACK = {"localhost", "127.0.0.1", "[::1]", "::1"}
_SAMPLE = 500  # records of each kind whose documents are compared
_SHORTEST_PREFIX = {4: 8, 6: 16}  # no private network is larger
_COLOURS = {"critical": "red", "advisory": "yellow"}


def check_setup(arguments: argparse.Namespace, config: Config) -> int:
    with Progress("checking", quiet=arguments.quiet):
        findings = run(config)
    critical = [finding for finding in findings if finding.critical]
    if arguments.quiet and not critical:
        return 0
    shown, software = critical if arguments.quiet else findings, database.software()
    if arguments.json:
        rows = [{"severity": one.severity, "text": one.text, "fix": one.fix} for one in shown]
        print_json({"database": software, "findings": rows})
    else:
        for one in shown:
            print(f"{coloured(one.severity, _COLOURS[one.severity])}: {one.text}\n    {one.fix}")
        if not arguments.quiet:
            named = f"database: {software}\n" if software else ""
            print(f"{named}{len(critical)} critical, {len(findings) - len(critical)} advisory")
    return 1 if critical else 0


def run(config: Config) -> list[Finding]:
    """Return all findings, the critical ones first. Changes nothing."""
    found = [*_addresses(config), *_proxies(config), *_zone_data(), *_theme(config), *_database(config)]
    return sorted(found, key=lambda one: not one.critical)


def _addresses(config: Config) -> Iterator[Finding]:
    host = urlsplit(config.base_url).hostname or ""
    if not config.base_url:
        local = set(config.allowed_hosts) <= _LOOPBACK
        effect = "only this machine has access" if local else "links show the host name that each client used"
        yield Finding(
            f"No public address is set: {effect}.", "Set CALENDAR_BASE_URL=https://… to give others access."
        )
    elif config.base_url.startswith("http://") and host not in _LOOPBACK:
        yield Finding(
            "Passwords are sent unencrypted, and some calendars refuse webcal: addresses: CALENDAR_BASE_URL "
            "begins with http://.",
            "Put a proxy with a certificate in front and set CALENDAR_BASE_URL=https://…",
            severity="critical",
        )
    if config.pages == "on" and urlsplit(config.base_url).path:
        yield Finding(
            "Search engines do not find robots.txt: they read the one at the root of the host.",
            f"Add the lines of {config.base_url}/robots.txt to that one.",
        )


def _proxies(config: Config) -> Iterator[Finding]:
    for name in config.trusted_proxies:
        if name == UNIX_SOCKET:
            continue
        network = ipaddress.ip_network(name)
        if network.prefixlen < _SHORTEST_PREFIX[network.version]:
            yield Finding(
                f"CALENDAR_TRUSTED_PROXIES contains {name}: nearly any client can forge its address.",
                "List the proxies only, such as 127.0.0.1.",
                severity="critical",
            )


def _zone_data() -> Iterator[Finding]:
    version = metadata.version("tzdata")
    if int(version.split(".")[0]) < datetime.now(UTC).year - 1:
        yield Finding(f"The time zone data are outdated ({version}).", "pip install --upgrade tzdata")


def _theme(config: Config) -> Iterator[Finding]:
    if config.theme and config.pages == "on":
        page = import_module("calendar_api.representations.page")
        for name, problem in page.Renderer(config.theme).problems(Path(config.theme)):
            yield Finding(
                f"The template {name} of the theme cannot be read: {problem}.",
                "Correct it and restart the service; until then pages are shown without the theme.",
                "critical",
            )


def _derived(config: Config) -> list[Finding]:
    """Problems of what is stored twice: documents and the counts of terms."""
    unusable, differing = document_upkeep.problems(config.site, _SAMPLE)
    found = []
    if unusable:
        text = f"{unusable} records have no document for these settings: reading them is slower."
        found.append(Finding(text, "calendar-api migrate"))
    if differing:
        text = f"The stored documents of {len(differing)} records differ from their rows: {differing[:5]}."
        found.append(Finding(text, "Report this, with the output of this command.", "critical"))
    terms = related_records.wrong_counts()
    if terms:
        text = f"The stored number of events is wrong for the terms {terms[:5]}."
        found.append(Finding(text, "Report this, with the output of this command."))
    return found


def _database(config: Config) -> Iterator[Finding]:
    try:
        reason = migrate.unavailable_reason()
        if reason is not None:
            why = f" ({reason.__cause__})" if reason.__cause__ else ""
            fix = "Follow this message; until then the service answers 503."
            yield Finding(f"{reason.message}{why}", fix, "critical")
            return
        yield from database.run_read(database.diagnose)
        missing = database.run_read(migrate.missing_indexes)
        if missing:
            text = f"The schema lacks {', '.join(missing)}."
            yield Finding(text, "Restore a backup: calendar-api restore FILE", "critical")
        if database.run_read(users.first_administrator) is None:
            command = "invite" if config.has_editing else "add"
            fix = f"calendar-api user {command} NAME --role administrator"
            yield Finding("There is no administrator.", fix)
        yield from database.run_read(lambda: _derived(config))
    except DriverMissing as error:
        fix = "Install the package for the service, too, and start it again."
        yield Finding(error.message, fix, "critical")
    except ApiError as error:
        yield Finding(
            f"The database does not answer: {database.describe(error)}",
            "Check that it runs and can be reached; if it is damaged: calendar-api restore FILE",
            "critical",
        )
