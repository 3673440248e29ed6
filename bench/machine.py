"""M1 and S1: memory under load, and the time of one CGI request."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, cycle
from pathlib import Path

from bench import addresses, servers
from bench.addresses import LIST
from bench.calendars import ROOT, Calendar, environment, new_folder
from bench.load import Subject, measure, ratio
from bench.targets import Figure, Plan

_STARTS = 9


def memory(plan: Plan) -> Iterator[Figure]:
    """M1: the most memory of `calendar-api serve` in lists, events and one repeated list, a third of each."""
    calendar = plan.usual()
    known = addresses.contents(calendar)
    mixed = zip(addresses.distinct_lists(known, 60_000), addresses.single_events(known), cycle([LIST]))
    requests = addresses.reads("memory", chain.from_iterable(mixed))
    for workers in (1, 2, 4):
        with servers.serving(calendar, workers) as service:
            fresh = service.pss_mib()
            most = fresh
            with ThreadPoolExecutor(1) as pool:
                load = pool.submit(measure, Subject(service, requests, replaced=True), plan.memory_seconds)
                while not load.done():  # the most: workers are replaced, and new ones have less
                    most = max(most, service.pss_mib())
                    time.sleep(1)
            remark = f"{fresh:.0f} MiB at the start; {load.result().requests:,} requests"
            yield Figure(f"M1 {workers}", calendar.name, most, remark=f"{remark} in {plan.memory_seconds} s")


def cold_start(plan: Plan) -> Iterator[Figure]:
    """S1: a list of ten by deploy/bundle/calendar.cgi, from start to end, and `import falcon` (B5)."""
    calendar = plan.usual()
    folder = new_folder("cgi")
    (folder / "bundle.py").touch()  # instead of the one that finds the packages of a bundle
    script = (ROOT / "deploy" / "bundle" / "calendar.cgi").read_text("utf-8")
    (folder / "calendar.cgi").write_text(script.replace("/home/me/calendar", str(folder)), "utf-8")
    commands = {"cgi": [str(folder / "calendar.cgi")], "falcon": ["-c", "import falcon"]}
    took: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(_STARTS + 1):
        for name, command in commands.items():
            begin = time.perf_counter()
            ran = subprocess.run(
                [sys.executable, *command], env=_cgi_environment(calendar, folder), cwd=ROOT,
                capture_output=True, check=True, timeout=60,
            )  # fmt: skip
            if name == "cgi" and b'"events":' not in ran.stdout:
                raise RuntimeError(f"CGI answers {ran.stdout[:300]!r}")
            if number:  # the first one compiles
                took[name].append((time.perf_counter() - begin) * 1000)
    found = ratio(took["cgi"], took["falcon"], range(_STARTS))
    remark = f"{min(took['cgi']):.0f} ms and {min(took['falcon']):.0f} ms at best"
    yield Figure.of("S1", calendar.name, found, remark=remark)


def _cgi_environment(calendar: Calendar, folder: Path) -> dict[str, str]:
    """Settings come from a file, as in a bundle."""
    own = environment(calendar.url)
    settings = folder / "calendar.conf"
    lines = (f"{name}={value}\n" for name, value in own.items() if name.startswith("CALENDAR_"))
    settings.write_text("".join(lines), "utf-8")
    return {
        "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "CALENDAR_CONFIG": str(settings),
        "GATEWAY_INTERFACE": "CGI/1.1", "REQUEST_METHOD": "GET", "SCRIPT_NAME": "", "REQUEST_URI": LIST,
        "QUERY_STRING": "", "SERVER_NAME": "calendar.example.org", "SERVER_PORT": "443",
        "SERVER_PROTOCOL": "HTTP/1.1", "REMOTE_ADDR": "127.0.0.1", "HTTP_HOST": "calendar.example.org",
    }  # fmt: skip
