"""S1 and M1: time to start, and memory."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator

from bench import places
from bench.data.filling import Calendar
from bench.load import Subject, slice_of
from bench.places import LIST
from bench.plan import Plan
from bench.ratios import ratio
from bench.report import Line, plain, several
from bench.servers import ours, running

_STARTS = 9


def cold(plan: Plan) -> Iterator[Line]:
    """S1: fresh interpreters import Falcon (B5), import the service, answer one CGI request, in turn."""
    calendar = plan.calendar()
    commands = {
        "B5": [sys.executable, "-c", "import falcon"],
        "import": [sys.executable, "-c", "import wsgi"],
        "CGI": [sys.executable, str(places.ROOT / "deploy" / "calendar.cgi")],
    }
    env = _environment(calendar)
    took: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(_STARTS + 1):
        for name, command in commands.items():
            begin = time.perf_counter()
            ran = subprocess.run(
                command, env=env, cwd=places.ROOT, capture_output=True, check=True, timeout=60
            )
            if number:  # the first one compiles
                took[name].append((time.perf_counter() - begin) * 1000)
    if b'"events":' not in ran.stdout:
        raise RuntimeError(f"CGI answers {ran.stdout[:300]!r}")
    median = {name: statistics.median(times) for name, times in took.items()}
    told = f"fastest {min(took['CGI']):.0f} ms"
    yield plain("S1", "CGI, list of 10, from start to end", median["CGI"], "ms", "200", "120", told)
    told = f"bare interpreter with Falcon (B5) {median['B5']:.0f} ms"
    yield plain("S1", "import of the service", median["import"], "ms", remarks=told)
    yield plain("S1", "CGI / B5", ratio(took["CGI"], took["B5"]), "×")


def _environment(calendar: Calendar) -> dict[str, str]:
    """The environment of a CGI script, with settings from a file, as in deploy/calendar.cgi."""
    settings = places.folder("cgi") / "calendar.conf"
    lines = (f"{name}={value}\n" for name, value in ours(calendar.url).items())
    settings.write_text("".join(lines), "utf-8")
    return {
        "PATH": os.environ["PATH"], "PYTHONPATH": str(places.ROOT), "CALENDAR_CONFIG": str(settings),
        "GATEWAY_INTERFACE": "CGI/1.1", "REQUEST_METHOD": "GET", "SCRIPT_NAME": "", "PATH_INFO": LIST,
        "QUERY_STRING": "", "SERVER_NAME": "calendar.example.org", "SERVER_PORT": "443",
        "SERVER_PROTOCOL": "HTTP/1.1", "REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "calendar.example.org",
    }  # fmt: skip


def memory(plan: Plan) -> Iterator[Line]:
    """M1: memory of master and workers with preload; shared pages count once."""
    wanted, limit = 20_000, 60 if plan.full else 4
    calendar = plan.calendar()
    for workers in (1, 2, 4):
        settings = ours(calendar.url)
        with running(
            "memory", settings=settings, workers=workers, core=None, options=("--preload",)
        ) as server:
            subject = Subject("memory", server, LIST)
            server.get(LIST)
            fresh, asked = server.pss_mib(), 0
            begin = time.monotonic()
            while asked < wanted and time.monotonic() - begin < limit:
                asked += slice_of(subject, 2, 0).requests
            bar, moonshot = ("80", "60") if workers == 4 else ("", "")
            what = f"memory, {several(workers)}, preload, after {asked:,} requests"
            told = f"{fresh:.1f} MiB after the first"
            yield plain("M1", what, server.pss_mib(), "MiB", bar, moonshot, told)
