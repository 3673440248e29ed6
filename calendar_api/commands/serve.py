"""`calendar-api serve`: create a missing database, load demo records on request, run gunicorn."""

import argparse
import ctypes
from contextlib import suppress
from datetime import UTC, date, datetime
from typing import Any

from gunicorn.app.base import BaseApplication

from calendar_api import database, gunicorn_conf
from calendar_api.app import create_app
from calendar_api.commands import demo
from calendar_api.commands.import_work import validated
from calendar_api.config import NAMESPACE, Config
from calendar_api.database import migrate
from calendar_api.domain import dates, time_zones
from calendar_api.domain.auth import Caller
from calendar_api.store import events, terms, users
from calendar_api.store.organizers import organizers
from calendar_api.store.venues import venues

_M_ARENA_MAX = -8  # a parameter of glibc: by default each thread keeps the memory that it has freed


def serve(arguments: argparse.Namespace, config: Config) -> None:
    lines = [*prepare(config, with_demo=arguments.demo), *addresses(config, arguments.bind)]
    print("\n".join(lines), flush=True)
    with suppress(AttributeError, OSError):  # the C library is not glibc
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)
    Server(config, arguments.bind, arguments.workers, arguments.threads).run()


class Server(BaseApplication):
    """Gunicorn with the settings of `gunicorn_conf`, after the command line."""

    def __init__(self, config: Config, bind: str, workers: int, threads: int) -> None:
        self.calendar_config = config
        # This process has imported all that its workers need.
        self.options = {"bind": bind, "workers": workers, "threads": threads, "preload_app": True}
        super().__init__()

    def load_config(self) -> None:
        for name, value in {**vars(gunicorn_conf), **self.options}.items():
            if name in self.cfg.settings:
                self.cfg.set(name, value)

    def load(self) -> Any:
        return create_app(self.calendar_config)


def prepare(config: Config, *, with_demo: bool) -> list[str]:
    """Create a missing database; return lines for the operator.

    Closes the connection, because gunicorn forks afterwards. Raises DatabaseUnavailable if the database
    cannot be served, for example because its schema is of another release.
    """
    try:
        if not database.exists():
            migrate.migrate()
        reason = migrate.unavailable_reason()
        if reason is not None:
            raise reason
        lines = _add_demo(config) if with_demo else []
        with database.read():
            if users.first_administrator() is None:
                lines.append("There is no user yet: run `calendar-api user add NAME --role administrator`.")
            lines.extend(f"{one.text} {one.fix}" for one in database.diagnose("setup"))
    finally:
        database.close_connection()
    return lines


def _add_demo(config: Config) -> list[str]:
    """Add demo records and an administrator unless the database has users; return lines for the operator."""
    now = datetime.now(UTC)

    def work() -> str | None:
        if users.every():
            return None
        user = users.add("admin", "administrator", dates.text(now))
        secret = users.add_password(user, "demo", dates.text(now))
        caller = Caller(dates.text(now), int(user.id), user.login, user.role)
        load_demo(now.astimezone(time_zones.named(config.timezone)).date(), caller, config)
        return secret

    secret = database.run_write(work)
    if secret is None:
        return []
    return [
        "Demo records added. The administrator is `admin`; this application password is shown only once:",
        f"    {secret}",
    ]


def load_demo(today: date, caller: Caller, config: Config) -> None:
    """Validate and store the demo records; raise ApiError for an invalid one."""
    records = demo.records(today)
    for store, payloads in ((terms.categories, records.categories), (terms.tags, records.tags)):
        ids: dict[str, int] = {}
        for payload in payloads:
            if "parent" in payload:
                payload["parent"] = ids[payload["parent"]]
            ids[payload["name"]] = int(store.create(validated(store.noun, payload), config.site).id)
    for linked, payloads in ((venues, records.venues), (organizers, records.organizers)):
        for payload in payloads:
            linked.find_or_create(validated(linked.noun, payload), caller, config.site)
    slugs: dict[str, int] = {}
    for payload in records.events:
        if "post_parent" in payload:
            payload["post_parent"] = slugs[payload["post_parent"]]
        event = events.create(validated("event", payload), caller, config.site)
        slugs[event.slug] = int(event.id)


def addresses(config: Config, bind: str) -> list[str]:
    """Lines with the URLs to open first."""
    site = config.base_url or f"http://{bind}"
    root = f"{site}/{NAMESPACE}"
    pages = [f"Calendar:  {site}/events/"] if config.pages == "on" else []
    return [*pages, f"Events:    {root}/events", f"Interface: {root}", f"Docs:      {root}/docs"]
