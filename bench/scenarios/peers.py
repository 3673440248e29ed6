"""P1: the same list with the same keys from the same file, by other frameworks."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from importlib import metadata
from pathlib import Path
from typing import Any

from bench import places
from bench.load import LoadError, Subject, interleaved
from bench.places import LIST
from bench.plan import Plan, described
from bench.plan import missed as response_missed
from bench.report import Line, of_ratio
from bench.scenarios.lists import constant
from bench.servers import Server, ours, running

_FRAMEWORKS = {
    "Flask + SQLAlchemy, selectinload": ("flask", "bench.peers.flask_sqlalchemy:application", "12", "25"),
    "Django REST Framework, prefetch": ("drf", "bench.peers.drf.application:application", "30", "90"),
}


def frameworks(plan: Plan) -> Iterator[Line]:
    python, calendar = installed(), plan.calendar()
    missed = response_missed()
    with ExitStack() as stack:
        ready = stack.enter_context
        cached = ready(running("cached", settings=ours(calendar.url)))
        subjects = [
            Subject("cached", cached, LIST),
            Subject("B1", ready(constant("B1", cached, LIST)), LIST),
        ]
        if missed:
            other = ready(running("missed", settings=ours(calendar.url, **missed)))
            subjects.append(Subject("missed", other, LIST))
        for name, application, *_ in _FRAMEWORKS.values():
            settings = {"BENCH_DATABASE": str(calendar.path)}
            peer = ready(running(name, application, settings, python=str(python)))
            _require_same_keys(cached, peer)
            subjects.append(Subject(name, peer, LIST))
        found = interleaved(subjects, "B1", plan.rounds, plan.seconds)
    for title, (name, _, bar, moonshot) in _FRAMEWORKS.items():
        yield of_ratio("P1", f"list of 10, as it comes / {title}", found, "cached", against=name, bar=bar,
                       moonshot=moonshot)  # fmt: skip
        if missed:
            what = f"response missed / {title}"
            yield of_ratio("P1", what, found, "missed", against=name, remarks=described(missed))
        yield of_ratio("P1", f"{title} / B1", found, name)


def installed() -> Path:
    """The Python of a virtual environment with the peers, created when missing or outdated."""
    wanted = Path(__file__).parents[1] / "peers" / "requirements.txt"
    environment = places.BUILD / "peers"
    python, stamp = environment / "bin" / "python", environment / "installed"
    lines = f"{wanted.read_text('utf-8')}gunicorn=={metadata.version('gunicorn')}\n"
    if stamp.is_file() and stamp.read_text("utf-8") == lines:
        return python
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*command, *(line for line in lines.splitlines() if not line.startswith("#"))], check=True)
    stamp.write_text(lines, "utf-8")
    return python


def _require_same_keys(one: Server, other: Server) -> None:
    """The same total, the same events, and in each the same keys at every depth."""
    expected, found = (server.get(LIST) for server in (one, other))
    if found.status != 200:
        raise LoadError(f"{other.name} answers {found.status}: {found.body[:300]!r}")
    for name, page in (("total", "total"), ("events", "id")):
        if _values(expected.json[name], page) != _values(found.json[name], page):
            raise LoadError(f"{other.name} lists other events.")
    if _keys(expected.json) != _keys(found.json):
        raise LoadError(f"{other.name} has other keys: {sorted(_keys(expected.json) ^ _keys(found.json))}")


def _values(given: Any, name: str) -> Any:
    return [one[name] for one in given] if isinstance(given, list) else given


def _keys(document: Any, path: str = "") -> set[str]:
    """The path of every key."""
    if isinstance(document, list):
        return {key for item in document for key in _keys(item, path)}
    if not isinstance(document, dict):
        return set()
    return {f"{path}.{name}" for name in document} | {
        key for name, value in document.items() for key in _keys(value, f"{path}.{name}")
    }
