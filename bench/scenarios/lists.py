"""R1 to R3: lists of events: one URL, many URLs, by size, and during writes."""

import contextlib
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from random import Random

from bench import places, processes
from bench.data import dataset
from bench.data.filling import Calendar
from bench.load import Subject, interleaved, require_same_bytes
from bench.places import LIST
from bench.plan import Plan, cache_setting, described
from bench.plan import missed as response_missed
from bench.report import Line, of_ratio, plain
from bench.servers import Server, ours, running
from bench.writer import Writer

_ADDRESSES, _DRAWN = 2_000, 20_000


def one_address(plan: Plan) -> Iterator[Line]:
    """R1: the default list with and without caches, compared with bare servers that send the same bytes."""
    calendar = plan.calendar()
    off, missed = cache_setting("off"), response_missed()
    with contextlib.ExitStack() as stack:
        ready = stack.enter_context
        subject = ready(running("cached", settings=ours(calendar.url)))
        subjects = [Subject("cached", subject, LIST)]
        for name, settings in (("off", off), ("missed", missed)):
            if settings:
                other = ready(running(name, settings=ours(calendar.url, **settings)))
                subjects.append(Subject(name, other, LIST))
        logged = ready(running("logged", settings=ours(calendar.url, CALENDAR_LOG="requests")))
        subjects.append(Subject("logged", logged, LIST))
        deployed = ready(running("deployed", settings=ours(calendar.url), replaced=True))
        subjects.append(Subject("deployed", deployed, LIST))
        bare = [Subject(kind, ready(constant(kind, subject, LIST)), LIST) for kind in ("B0", "B1")]
        require_same_bytes([*subjects, *bare])
        naive = ready(running("B6", "bench.baselines.naive:application", ours(calendar.url)))
        subjects += [*bare, Subject("B6", naive, LIST)]
        found = interleaved(subjects, "B1", plan.rounds, plan.seconds)
        size = len(subject.get(LIST).body)
    yield of_ratio("R1", "list of 10, as it comes / B1", found, "cached", bar="0.85", moonshot="0.95",
                   remarks=f"{size / 1000:.0f} kB")  # fmt: skip
    yield of_ratio("R1", "the same, requests logged / B1", found, "logged")
    yield of_ratio("R1", "the same, workers replaced now and then / B1", found, "deployed")
    if missed:
        yield of_ratio("R1", "response missed, total cached / B1", found, "missed", bar="0.50",
                       moonshot="0.75", remarks=described(missed))  # fmt: skip
    if off:
        yield of_ratio("R1", "caches off / B1", found, "off", bar="" if missed else "0.50",
                       moonshot="" if missed else "0.75", remarks=described(off))  # fmt: skip
    yield of_ratio("R1", "bare Falcon, constant bytes (B1)", found, "B1")
    yield of_ratio("R1", "bare WSGI, constant bytes (B0) / B1", found, "B0")
    yield of_ratio("R1", "naive Peewee list (B6) / B1", found, "B6")
    yield from _fifty(plan, calendar)


def _fifty(plan: Plan, calendar: Calendar) -> Iterator[Line]:
    target = f"{LIST}?per_page=50"
    with running("fifty", settings=ours(calendar.url)) as subject, constant("B1", subject, target) as bare:
        subjects = [Subject("fifty", subject, target), Subject("B1", bare, target)]
        require_same_bytes(subjects)
        found = interleaved(subjects, "B1", plan.rounds, plan.seconds)
    yield of_ratio("R1", "list of 50, as it comes / B1 with its bytes", found, "fifty")


@contextlib.contextmanager
def constant(kind: str, subject: Server, target: str, route: str = LIST) -> Iterator[Server]:
    """B0 or B1 with the bytes of the service's response to `target`."""
    body = places.folder("bodies") / f"{kind}-{subject.name}"
    body.write_bytes(subject.get(target).body)
    application = {"B0": "bare_wsgi", "B1": "bare_falcon"}[kind]
    settings = {"BENCH_BODY": str(body), "BENCH_ROUTE": route}
    with running(kind, f"bench.baselines.{application}:application", settings) as server:
        yield server


def by_size(plan: Plan) -> Iterator[Line]:
    """R1 by size: the cost of a list does not depend on the number of events."""
    first, *larger = (*plan.sizes, 1_000_000) if plan.full else plan.sizes
    kinds = {"as it comes": {}, "response missed": response_missed()}
    if not kinds["response missed"]:
        del kinds["response missed"]
    with contextlib.ExitStack() as stack:
        subjects = []
        for events in (first, *larger):
            for kind, settings in kinds.items():
                name = f"{kind} {events}"
                server = running(name.replace(" ", "-"), settings=ours(plan.calendar(events).url, **settings))
                subjects.append(Subject(name, stack.enter_context(server), LIST))
        found = interleaved(subjects, subjects[0].name, plan.rounds, plan.seconds)
    for kind, settings in kinds.items():
        for events in larger:
            yield of_ratio(
                "R1", f"list of 10, {kind}, {events:,} events / {first:,}", found, f"{kind} {events}",
                against=f"{kind} {first}", bar="0.85", moonshot="0.95",
                remarks=described(settings) if settings else "",
            )  # fmt: skip


def many_addresses(plan: Plan) -> Iterator[Line]:
    """R2: 2,000 different URLs with a skewed distribution."""
    calendar = plan.calendar()
    targets = zipf_targets(calendar)
    with running("many", settings=ours(calendar.url)) as subject, constant("B1", subject, LIST) as bare:
        subjects = [Subject("many", subject, LIST, targets=targets), Subject("B1", bare, LIST)]
        found = interleaved(subjects, "B1", plan.rounds, plan.seconds)
    yield of_ratio("R2", "2,000 addresses, Zipf / B1 with one page's bytes", found, "many")


def while_writing(plan: Plan) -> Iterator[Line]:
    """R3: R2 during writes by another server on the same database; counts stale reads."""
    rates = (10, 100)
    calendar = plan.calendar().copied("r3")
    targets = zipf_targets(calendar)
    settings = ours(calendar.url)
    with (
        running("read", settings=settings) as subject,
        running("written", settings=settings, core=processes.cores()[1]) as written,
    ):
        writers = {rate: Writer(calendar, written, subject, rate) for rate in rates}
        subjects = [Subject("0", subject, LIST, targets=targets)]
        for rate, writer in writers.items():
            subjects.append(Subject(str(rate), subject, LIST, targets=targets, around=writer.busy))
        found = interleaved(subjects, "0", plan.rounds, plan.seconds)
    for rate, writer in writers.items():
        counts = writer.counts
        last = rate == rates[-1]
        yield of_ratio(
            "R3", f"R2 with {rate} writes/s / without", found, str(rate), bar="0.80, 0 stale" if last else "",
            moonshot="0.95" if last else "", remarks=f"{counts.rate:.0f} writes/s reached",
        )  # fmt: skip
        yield plain("R3", f"stale reads at {rate} writes/s", counts.stale, f"of {counts.looked:,}", "0", "0",
                    f"{counts.failed} writes failed" if counts.failed else "")  # fmt: skip


def zipf_targets(calendar: Calendar, seed: int = dataset.SEED) -> Path:
    """A file of 20,000 targets from 2,000 different ones, distributed by Zipf's law."""
    random, ids = Random(f"{seed} targets"), calendar.ids
    addresses: list[str] = []
    for number in range(_ADDRESSES // 5):
        day = f"20{20 + number % 8}-0{1 + number % 9}-{10 + number % 19}"
        asked = (
            f"page={1 + number % 5}&per_page={5 + number // 5 % 20}&end_date=2040-01-{1 + number // 100}",
            f"starts_after={day}&per_page={10 + number // 100}",
            f"starts_after={day}&categories={ids.categories + number % dataset.CATEGORIES}",
            f"starts_after={day}&venue={ids.venues + number % 5}&per_page={10 + number // 100}",
            f"starts_before={day}&featured=true&per_page={10 + number // 100}",
        )
        addresses += [f"{LIST}?{one}" for one in asked]
    weights = list(accumulate(1 / (place + 1) for place in range(len(addresses))))
    random.shuffle(addresses)
    path = places.folder("targets") / f"{calendar.events}.txt"
    path.write_text("\n".join(random.choices(addresses, cum_weights=weights, k=_DRAWN)) + "\n", "utf-8")
    return path
