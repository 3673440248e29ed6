"""Gunicorn behind a proxy on the same machine: `gunicorn --config deploy/gunicorn.conf.py wsgi:application`.

The application believes the proxies in CALENDAR_TRUSTED_PROXIES. Gunicorn's own trust in whoever connects
from the same machine is switched off, because a proxy passes on what its clients send. These are the values
of `calendar-api serve`, which a test compares; docs/deploy.md says what was measured.
"""

import os
from pathlib import Path
from typing import Any

bind = "127.0.0.1:8000"  # not used where systemd hands over a socket
workers = 2
worker_class = "calendar_api.commands.worker.Worker"
threads = 8
backlog = 2048

timeout = 30
graceful_timeout = 30
max_requests = 50_000  # a worker is replaced now and then, so that no leak of anybody's grows
max_requests_jitter = 5000
preload_app = False  # so that a HUP takes up another release and other settings; see `when_ready`

umask = 0o077
forwarder_headers = ""
secure_scheme_headers: dict[str, str] = {}
control_socket_disable = True
accesslog = None  # the proxy has one, without query strings
_IN_MEMORY = Path("/", "dev", "shm")  # where a heartbeat never waits for a disk
worker_tmp_dir = str(_IN_MEMORY) if _IN_MEMORY.is_dir() else None


def when_ready(server: Any) -> None:
    """With `--preload` the workers share what a first list loads and works out: they need half the memory.

    Not where the workers have another account than the master, whose files they could not use.
    """
    if server.cfg.preload_app and server.cfg.uid == os.geteuid():
        from calendar_api.app import warm

        warm(server.app.wsgi())
