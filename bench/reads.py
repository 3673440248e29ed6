"""C1 to C5, R1, R4 and R5: reads, beside bare Falcon (B1) that sends the same bytes in the same round."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from urllib.parse import quote

from bench import addresses, servers
from bench.addresses import LIST, ROOT, Contents
from bench.calendars import Calendar
from bench.load import Subject, interleaved, median_cpu_us, quiet_rounds, ratio
from bench.servers import Server
from bench.targets import Figure, Plan

_SAMPLE = 100  # responses that bare Falcon repeats
_MOST = 60_000  # lists: more than a slice of C1 can use up


@dataclass(frozen=True)
class Read:
    """Requests of one row; `sampled` of them were sent for the bytes of the baseline."""

    row: str
    requests: Path
    headers: Mapping[str, str]
    sampled: int = 0
    once: bool = False


def reads(plan: Plan) -> Iterator[Figure]:
    for calendar in plan.calendars():
        with servers.service(calendar) as service:
            yield from read_rows(service, calendar, addresses.contents(calendar), plan)


def read_rows(service: Server, calendar: Calendar, known: Contents, plan: Plan) -> Iterator[Figure]:
    """All rows on one calendar; those with the same baseline are measured together."""
    signed = servers.signed_in(calendar)
    name = calendar.name
    pages = addresses.default_pages(service.get(LIST).json["total"])
    id, slug = known.events[len(known.events) // 2]
    etag = {"If-None-Match": service.get(LIST).headers["etag"]}

    def read(row: str, targets: list[str], headers: Mapping[str, str] | None = None) -> Read:
        return Read(row, addresses.reads(f"{name} {row}", targets), headers or {})

    lists = addresses.distinct_lists(known, max(_MOST, plan.lists))
    groups = [
        [each_once("C1", name, lists)],
        [each_once("C2", name, addresses.month_views(known))],
        [
            read("C3 id", addresses.single_events(known)),
            read("C3 slug", addresses.single_events(known, by_slug=True)),
            read("R5 id", [f"{LIST}/{id}"]), read("R5 slug", [f"{LIST}/by-slug/{quote(slug)}"]),
        ],
        [read("C4 event", addresses.single_events(known), signed)],
        [read("C4 list", pages, signed)],
        *([read(f"C5 {path}", [ROOT + path.rstrip("/")])] for path in ("/", "/doc", "/categories", "/tags")),
        [read("R1", [LIST]), read("R4", [LIST], etag)],
    ]  # fmt: skip
    for group in groups:
        yield from measured(service, group, name, plan)


def each_once(row: str, calendar: str, targets: list[str]) -> Read:
    path = addresses.reads(f"{calendar} {row}", targets)
    return Read(row, path, {}, sampled=min(_SAMPLE, len(targets) // 10), once=True)


def measured(service: Server, group: list[Read], calendar: str, plan: Plan) -> Iterator[Figure]:
    """The rows of a group, beside one baseline with the responses of the first."""
    first = group[0]
    sample = list(islice(addresses.targets_in(first.requests), _SAMPLE))
    subjects = [
        Subject(
            service, one.requests, one.headers, one.sampled,
            once=plan.lists + one.sampled if one.row.endswith("C1") else int(one.once),
        )
        for one in group
    ]  # fmt: skip
    headers = {name: value for name, value in first.headers.items() if name == "Authorization"}
    with ExitStack() as stack:
        bare = stack.enter_context(servers.bare_falcon(service, sample[: first.sampled or None], headers))
        subjects.append(Subject(bare, first.requests, headers))
        *found, baseline = interleaved(subjects, plan.rounds, plan.seconds)
    bare_cpu = [one.cpu_us for one in baseline]
    quiet = quiet_rounds(bare_cpu)
    for one, slices in zip(group, found, strict=True):
        by_cpu = ratio(bare_cpu, [piece.cpu_us for piece in slices], quiet)
        by_rate = ratio([piece.rps for piece in slices], [piece.rps for piece in baseline], quiet)
        yield Figure.of(
            one.row, calendar, by_cpu, median_cpu_us(slices),
            f"B1 {median_cpu_us(baseline):.0f} µs; by requests/s {by_rate.value:.2g}",
        )  # fmt: skip
