"""F1 to F5: feeds and pages, without the response cache in CPU time, and repeated beside bare Falcon (B1)."""

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from urllib.parse import quote

from bench import addresses, servers
from bench.addresses import LIST, Contents
from bench.calendars import Calendar
from bench.load import Subject, interleaved, median_cpu_us
from bench.reads import Read, measured
from bench.servers import Server
from bench.targets import Figure, Plan

_FEED = 1000  # events
_MONTH = 300  # events


def pages(plan: Plan) -> Iterator[Figure]:
    for calendar in plan.calendars():
        known = addresses.contents(calendar)
        feed, month = _feed_of(known), _month_of(known)
        events = [f"/event/{quote(slug)}/" for _, slug in known.events]
        with servers.service(calendar, CALENDAR_CACHE="off") as service:
            yield from _uncached("F1", [feed], service, calendar, plan, f"{_shown(known, feed):,} events")
            yield from _uncached("F3", events, service, calendar, plan, "")
            number = _in_month(known)[month]
            yield from _uncached(
                "F4", [f"/events/month/{month}/"], service, calendar, plan, f"{number} events"
            )
        repeated = [("F2", feed), ("F5 list", "/events/"), ("F5 event", events[len(events) // 2])]
        with servers.service(calendar) as service:
            for row, target in repeated:
                path = addresses.reads(f"{calendar.name} {row}", [target])
                for _ in range(2):  # the second request fills the cache
                    service.get(target)
                yield from measured(service, [Read(row, path, {})], calendar.name, plan)


def _uncached(
    row: str, targets: list[str], service: Server, calendar: Calendar, plan: Plan, remark: str
) -> Iterator[Figure]:
    path = addresses.reads(f"{calendar.name} {row}", targets * (20_000 // len(targets) + 1))
    [slices] = interleaved([Subject(service, path, connections=1)], plan.rounds, plan.seconds)
    cpu = median_cpu_us(slices)
    yield Figure(row, calendar.name, cpu / 1000, cpu_us=cpu, remark=remark)


def _feed_of(known: Contents) -> str:
    """The feed of the first thousand events, or of all if there are fewer; whole days."""
    last = known.starts[min(_FEED, len(known.starts)) - 1][:10]
    return f"{LIST}.ics?start_date={known.starts[0][:10]}&end_date={last}"


def _shown(known: Contents, feed: str) -> int:
    after = date.fromisoformat(feed[-10:]) + timedelta(days=1)
    return known.starting(date.fromisoformat(known.starts[0][:10]), after)


def _month_of(known: Contents) -> str:
    """The month whose number of events is nearest to 300."""
    return min(_in_month(known).items(), key=lambda pair: abs(pair[1] - _MONTH))[0]


def _in_month(known: Contents) -> Counter[str]:
    return Counter(start[:7] for start in known.starts)
