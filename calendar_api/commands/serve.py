"""`calendar-api serve`: a database on the first start, demo records on request, then gunicorn."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from gunicorn.app.base import BaseApplication

from calendar_api import database
from calendar_api.app import create_app
from calendar_api.commands import demo, import_events
from calendar_api.config import NAMESPACE, Config
from calendar_api.contract import validation
from calendar_api.database import migrate
from calendar_api.domain import dates, time_zones
from calendar_api.domain.auth import Caller
from calendar_api.store import terms, users
from calendar_api.store.organizers import organizers
from calendar_api.store.venues import venues

_IN_MEMORY = Path("/dev", "shm")  # a worker's sign of life must not wait for a disk


class Server(BaseApplication):
    """Gunicorn with the values that suit one machine; every worker opens its own connections."""

    def __init__(self, config: Config, bind: str, workers: int, threads: int) -> None:
        self.calendar_config = config
        self.options: dict[str, Any] = {
            "bind": bind,
            "workers": workers,
            "worker_class": "calendar_api.commands.worker.Worker",
            "threads": threads,
            "backlog": 2048,
            "timeout": 30,
            "graceful_timeout": 30,
            "max_requests": 50_000,
            "max_requests_jitter": 5000,
            "preload_app": False,
            "umask": 0o077,
            "forwarder_headers": "",  # who is believed is a setting of ours: trusted proxies
            "secure_scheme_headers": {},
            "control_socket_disable": True,
            "accesslog": None,
            "worker_tmp_dir": str(_IN_MEMORY) if _IN_MEMORY.is_dir() else None,
        }
        super().__init__()

    def load_config(self) -> None:
        for name, value in self.options.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        return create_app(self.calendar_config)


def prepare(config: Config, *, with_demo: bool) -> list[str]:
    """Make the database on the very first start; returns what the operator should read."""
    first_start = not database.exists()
    if first_start:
        migrate.migrate()
    found = migrate.unavailable_reason()
    if found is not None:
        database.close_connection()
        raise found
    told = _first_words(config) if with_demo else []
    with database.read():
        if users.first_administrator() is None:
            told.append("There is no user yet: run `calendar-api user add NAME --role administrator`.")
        told.extend(f"{one.text} {one.fix}" for one in database.diagnose("setup"))
    database.close_connection()  # before the fork
    return told


def _first_words(config: Config) -> list[str]:
    """Demo records and an administrator for an empty database; nothing for one that is in use."""
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
        "Demo records are in. The administrator is `admin`; this application password is shown only once:",
        f"    {secret}",
    ]


def load_demo(today: date, caller: Caller, config: Config) -> None:
    """Store the demo records, by the same checks as any others."""
    records = demo.records(today)
    zone = time_zones.named(config.timezone)
    for store, payloads in ((terms.categories, records.categories), (terms.tags, records.tags)):
        ids: dict[str, int] = {}
        for payload in payloads:
            known = {**payload, "parent": ids[payload["parent"]]} if "parent" in payload else payload
            ids[payload["name"]] = int(store.create(_checked(store.noun, known)).id)
    for linked, payloads in ((venues, records.venues), (organizers, records.organizers)):
        for payload in payloads:
            linked.create(_checked(linked.noun, payload), caller, zone)
    slugs: dict[str, int] = {}
    for payload in records.events:
        parent = payload.get("post_parent")
        known = {**payload, "post_parent": slugs[parent]} if parent else payload
        event = import_events.store(_checked("event", known), caller, config)
        slugs[event.slug] = int(event.id)


def _checked(noun: str, payload: dict[str, Any]) -> dict[str, Any]:
    checked = validation.check(noun, "create", payload)
    if not checked.valid:
        raise checked.error()
    return checked.fields


def addresses(config: Config, bind: str) -> list[str]:
    site = config.base_url or f"http://{bind}"
    root = f"{site}/{NAMESPACE}"
    return [f"Events:    {root}/events", f"Interface: {root}", f"Docs:      {root}/docs"]
