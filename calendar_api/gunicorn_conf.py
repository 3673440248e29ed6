"""Settings of gunicorn and `calendar-api serve`: `gunicorn --config python:calendar_api.gunicorn_conf`.

The application trusts the proxies in CALENDAR_TRUSTED_PROXIES. Gunicorn's own trust in local connections is
disabled, because a proxy forwards headers of its clients. docs/deploy.md explains the values.
"""

import os
from importlib import import_module
from pathlib import Path
from typing import Any

wsgi_app = "calendar_api.wsgi:application"
bind = "127.0.0.1:8000"  # ignored if systemd passes a socket
workers = 2
worker_class = "calendar_api.commands.worker.Worker"
threads = 8
backlog = 2048

timeout = 30
graceful_timeout = 30
max_requests = 50_000  # replaces workers regularly, which limits memory leaks
max_requests_jitter = 5000
preload_app = False  # so that HUP loads new settings; see `when_ready`

umask = 0o077
forwarder_headers = ""
secure_scheme_headers: dict[str, str] = {}
control_socket_disable = True
accesslog = None  # the proxy has one, without query strings
logger_class = "calendar_api.commands.worker.ServerLog"
_IN_MEMORY = Path("/dev", "shm")  # in memory: updating the heartbeat file never waits for a disk
worker_tmp_dir = str(_IN_MEMORY) if _IN_MEMORY.is_dir() else None


def when_ready(server: Any) -> None:
    """With `preload_app`, answer one list before the fork: workers share its memory and need half as much.

    Not if the workers run as another account, which could not use files created by the master.
    """
    if server.cfg.preload_app and server.cfg.uid == os.geteuid():
        import_module("calendar_api.app").warm(server.app.wsgi())
