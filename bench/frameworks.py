"""P1: the same list from the same file, by other frameworks and by the service without its cache."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from bench import addresses, servers
from bench.addresses import LIST
from bench.calendars import BUILD
from bench.load import LoadError, Subject, interleaved, median_cpu_us, quiet_rounds, ratio
from bench.servers import Server
from bench.targets import Figure, Plan

_PYTHON = BUILD / "peers" / "bin" / "python"
_FRAMEWORKS = {
    "P1 Flask": "bench.peers.flask_sqlalchemy:application",
    "P1 Django": "bench.peers.drf.application:application",
}


def frameworks(plan: Plan) -> Iterator[Figure]:
    if not _PYTHON.exists():
        raise LoadError("The frameworks are not installed: make build/bench/peers/installed.")
    calendar = plan.usual()
    env = {**os.environ, "BENCH_DATABASE": str(calendar.path)}
    with ExitStack() as stack:
        ours = stack.enter_context(servers.service(calendar, CALENDAR_CACHE="off"))
        pages = addresses.reads("frameworks", addresses.default_pages(ours.get(LIST).json["total"]))
        subjects = [Subject(ours, pages)]
        for row, application in _FRAMEWORKS.items():
            # The classes of the service need its libraries; gunicorn's own cost a little less.
            settings = ("--worker-class", "gthread", "--logger-class", "gunicorn.glogging.Logger")
            peer = stack.enter_context(
                servers.gunicorn(row, application, env, *settings, python=str(_PYTHON))
            )
            _require_same_keys(ours, peer)
            subjects.append(Subject(peer, pages))
        own, *others = interleaved(subjects, plan.rounds, plan.seconds)
    own_cpu = [one.cpu_us for one in own]
    for row, slices in zip(_FRAMEWORKS, others, strict=True):
        found = ratio([one.cpu_us for one in slices], own_cpu, quiet_rounds(own_cpu))
        remark = f"{median_cpu_us(slices):,.0f} µs, ours {median_cpu_us(own):,.0f} µs"
        yield Figure.of(row, calendar.name, found, remark=remark)


def _require_same_keys(one: Server, other: Server) -> None:
    """The same total, the same events, and in each the same keys at every depth."""
    expected, found = (server.get(LIST) for server in (one, other))
    if found.status != 200:
        raise LoadError(f"{other.name} answers {found.status}: {found.body[:300]!r}")
    one_list, other_list = expected.json, found.json
    shown = [(page["total"], [event["id"] for event in page["events"]]) for page in (one_list, other_list)]
    if shown[0] != shown[1]:
        raise LoadError(f"{other.name} lists other events.")
    if _keys(one_list) != _keys(other_list):
        raise LoadError(f"{other.name} has other keys: {sorted(_keys(one_list) ^ _keys(other_list))}")


def _keys(document: Any, path: str = "") -> set[str]:
    """The path of every key."""
    if isinstance(document, list):
        return {key for item in document for key in _keys(item, path)}
    if not isinstance(document, dict):
        return set()
    return {f"{path}.{name}" for name in document} | {
        key for name, value in document.items() for key in _keys(value, f"{path}.{name}")
    }
