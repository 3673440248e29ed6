"""`calendar-api serve`: create a missing database, load demo records on request, listen, run gunicorn."""

import argparse
import ctypes
import errno
import fcntl
import shlex
import shutil
import socket
import struct
import sys
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from gunicorn.app.base import BaseApplication

from calendar_api import __version__, database
from calendar_api.app import create_app
from calendar_api.commands import CommandError, demo, gunicorn_conf
from calendar_api.config import NAMESPACE, Config, without_password
from calendar_api.contract import validation
from calendar_api.database import migrate
from calendar_api.database.urls import SqliteAddress, parse
from calendar_api.domain import dates, time_zones
from calendar_api.domain.auth import Caller
from calendar_api.middleware import access_log
from calendar_api.store import events, sessions, terms, users
from calendar_api.store.venue_organizer import organizers, venues

_SIOCGIFADDR = 0x8915  # Linux: the IPv4 address of an interface
_WILDCARDS = ("0.0.0.0", "[::]", "::")  # noqa: S104 - compared, not bound
_M_ARENA_MAX = -8  # a parameter of glibc: by default each thread keeps the memory that it has freed


def serve(arguments: argparse.Namespace, config: Config) -> None:
    with listen(arguments.bind, from_make=arguments.from_make) as listener:
        config, sites, refused = reachable(config, arguments.bind)
        login, secret, token = prepare(config, with_demo=arguments.demo)
        print(f"calendar-api {__version__} is running{' with demo events' if secret else ''}.")
        for label, text in start_lines(config, sites, refused, login, secret, token):
            print(f"{f'{label}:' if label else '':<11}{text}", flush=True)
        with suppress(AttributeError, OSError):  # the C library is not glibc
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)
        Server(config, f"fd://{listener.detach()}", arguments.workers, arguments.threads).run()


def start_lines(
    config: Config, sites: list[str], refused: list[str], login: str, secret: str, token: str
) -> list[tuple[str, str]]:
    """Return what the operator reads after a start, as labels and texts; a line without a label continues.

    `login`: an administrator, or "". `secret`: their new application password, or "". `token`: that of the
    link with which they choose a password for the browser, or "".
    """
    command = typed_command()
    label, path = ("Page", "/events/") if config.pages == "on" else ("Interface", f"/{NAMESPACE}")
    lines = [(label, f"{sites[0]}{path}"), *(("", f"{site}{path}") for site in sites[1:])]
    if refused:
        lines.append(("", f"To use {', '.join(refused)}, add it to CALENDAR_ALLOWED_HOSTS."))
    elif len(sites) > 1:
        lines.append(
            ("", f"To use a host name, set CALENDAR_BASE_URL=http://NAME:{urlsplit(sites[0]).port}.")
        )
    if not login:
        lines.append(("Sign in", f"no administrator yet: `{command} user add NAME --role administrator`"))
    else:
        lines += _sign_in_lines(config, sites[0], shlex.quote(login), secret, token)
    database_address = parse(config.database_url)
    if isinstance(database_address, SqliteAddress):
        lines.append(("Data", str(database_address.path.absolute())))
    else:
        lines.append(("Data", without_password(config.database_url)))
    return [*lines, ("Stop", "Ctrl-C")]


def _sign_in_lines(config: Config, site: str, login: str, secret: str, token: str) -> list[tuple[str, str]]:
    command = typed_command()
    another = f"`{command} password add {login}` makes {'another' if secret else 'one'}"
    shown = f"application password {secret} of user {login} (shown only once); " if secret else ""
    lines = [("Password", f"{shown}{another} for programs")]
    if token:
        link = sessions.link(site, token)
        return [("Sign in", f"{link} (once, within {sessions.LINK_MINUTES} minutes)"), *lines]
    if config.has_editing:
        more = f"`{command} user invite {login} --reset` makes a link for a new password"
        return [("Sign in", f"{site}/edit/ as user {login}; {more}"), *lines]
    return lines


def typed_command() -> str:
    """Return how this command was typed, for use in a shell."""
    program = Path(sys.argv[0])
    if program.name == "__main__.py":
        return "python -m calendar_api"
    return program.name if shutil.which(program.name) == str(program) else shlex.quote(sys.argv[0])


class Server(BaseApplication):
    """Gunicorn with the settings of `gunicorn_conf`, after the command line."""

    def __init__(self, config: Config, bind: str, workers: int, threads: int) -> None:
        self.calendar_config = config
        # This process has imported all that its workers need.
        self.options = {"bind": bind, "workers": workers, "threads": threads, "preload_app": True}
        if access_log.on_terminal():
            self.options["loglevel"] = "warning"
        super().__init__()

    def load_config(self) -> None:
        for name, value in {**vars(gunicorn_conf), **self.options}.items():
            if name in self.cfg.settings:
                self.cfg.set(name, value)

    def load(self) -> Any:
        return create_app(self.calendar_config)


def prepare(config: Config, *, with_demo: bool) -> tuple[str, str, str]:
    """Create a missing database; return what `start_lines` takes: login, secret and token.

    Closes the connection, because gunicorn forks afterwards. Raises DatabaseUnavailable if the database
    cannot be served, for example because its schema is of another release.
    """
    try:
        if not database.exists():
            migrate.migrate()
        reason = migrate.unavailable_reason()
        if reason is not None:
            raise reason
        if with_demo and (added := _add_demo(config)):
            return "admin", *added  # nothing may fail between storing and printing the password
        if config.has_editing and database.run_read(sessions.nobody_has_a_password):
            now = dates.text(datetime.now(UTC))
            if first := database.run_write(lambda: sessions.first_sign_in(now)):
                return first[0], "", first[1]
        administrator = database.run_read(users.first_administrator)
        return (administrator.login if administrator else ""), "", ""
    finally:
        database.close_connection()


def _add_demo(config: Config) -> tuple[str, str] | None:
    """Add demo records and the administrator `admin` unless there are users; return secret and token."""
    now = datetime.now(UTC)

    def work() -> tuple[str, str] | None:
        if users.every():
            return None
        user = users.add("admin", "administrator", dates.text(now))
        secret = users.add_password(user, "demo", dates.text(now))
        caller = Caller(dates.text(now), int(user.id), user.login, user.role)
        load_demo(now.astimezone(time_zones.named(config.timezone)).date(), caller, config)
        return secret, sessions.invite(user, dates.text(now)) if config.has_editing else ""

    return database.run_write(work)


def load_demo(today: date, caller: Caller, config: Config) -> None:
    """Validate and store the demo records; raise ApiError for an invalid one."""
    records = demo.records(today)
    for store, payloads in ((terms.categories, records.categories), (terms.tags, records.tags)):
        ids: dict[str, int] = {}
        for payload in payloads:
            if "parent" in payload:
                payload["parent"] = ids[payload["parent"]]
            fields = cast(terms.TermFields, validation.check(store.noun, "create", payload).require_valid())
            ids[payload["name"]] = int(store.create(fields, config.site).id)
    for linked, payloads in ((venues, records.venues), (organizers, records.organizers)):
        for payload in payloads:
            linked.find_or_create(
                validation.check(linked.noun, "create", payload).require_valid(), caller, config.site
            )
    slugs: dict[str, int] = {}
    for payload in records.events:
        if "post_parent" in payload:
            payload["post_parent"] = slugs[payload["post_parent"]]
        event = events.create(
            events.prepare(validation.check("event", "create", payload).require_valid()), caller, config.site
        )
        slugs[event.slug] = int(event.id)


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
