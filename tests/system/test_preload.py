"""gunicorn with `--preload`: workers share loaded data but no connection."""

from pathlib import Path

import pytest

from tests.system import servers

pytestmark = pytest.mark.system


def files_of(pid: int) -> list[str]:
    return [str(handle.readlink()) for handle in Path(f"/proc/{pid}/fd").iterdir()]


def test_workers_serve_and_the_master_has_no_connection(tmp_path: Path) -> None:
    env = servers.environment(tmp_path / "calendar.sqlite3")
    secret, port = servers.administrator(env), servers.free_port()
    command = [*servers.gunicorn(port), "--preload", "--workers", "3"]

    with servers.started(command, port, env, tmp_path / "log", secret=secret) as server:
        servers.until(lambda: len(server.workers()) == 3, server.process)
        dates = {"start_date": "tomorrow", "end_date": "tomorrow"}
        made = [server.post("/events", {"title": f"Number {number}", **dates}) for number in range(12)]
        shown = [server.get("/events", per_page=50).json["total"] for _ in range(12)]
        held = files_of(server.process.pid)

    assert {answer.status for answer in made} == {201}
    assert shown == [12] * 12
    assert not [name for name in held if "calendar.sqlite3" in name]
    assert "/events" not in server.output.partition("Booting worker")[0]  # the warm-up request is not logged


def test_preload_without_a_database(tmp_path: Path) -> None:
    env, port = servers.environment(tmp_path / "calendar.sqlite3"), servers.free_port()

    with servers.started([*servers.gunicorn(port), "--preload"], port, env, tmp_path / "log") as server:
        assert server.get("/events").status == 503

    assert not (tmp_path / "calendar.sqlite3").exists()
