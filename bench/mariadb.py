"""D1: the same on a private MariaDB server; its CPU time is not the service's, and is not counted."""

from collections.abc import Iterator
from dataclasses import replace

from bench import addresses, calendars, servers
from bench.addresses import LIST
from bench.calendars import Calendar
from bench.load import LoadError
from bench.reads import Read, each_once, measured
from bench.targets import Figure, Plan
from bench.writes import create_cpu, import_rate
from tests import mariadb

#: Sync each commit, as with SQLite; memory for the whole calendar.
_OPTIONS = ("--innodb-flush-log-at-trx-commit=1", "--innodb-buffer-pool-size=512M")


def mariadb_rows(plan: Plan) -> Iterator[Figure]:
    if mariadb.missing():
        raise LoadError(mariadb.missing())
    calendar = plan.usual()
    known = addresses.contents(calendar)
    with mariadb.started(*_OPTIONS) as database:
        other = replace(calendar, url=database.make("bench"))
        calendars.command(calendar, "copy", "--to", other.url)
        with servers.service(other) as service:
            pages = addresses.default_pages(service.get(LIST).json["total"])
            events = addresses.reads("D1 C3", addresses.single_events(known))
            for one in (
                each_once("D1 C1", calendar.name, addresses.distinct_lists(known, 60_000)),
                Read("D1 C3", events, {}),
                Read("D1 C4", addresses.reads("D1 C4", pages), servers.signed_in(other)),
                Read("D1 R1", addresses.reads("D1 R1", [LIST]), {}),
            ):
                yield from measured(service, [one], calendar.name, plan)
        yield create_cpu("D1 create", other, calendar, plan)
        new = calendars.empty(Calendar("", database.make("import"), ""))
        yield import_rate("D1 import", new, plan.calendars()[0].name)
