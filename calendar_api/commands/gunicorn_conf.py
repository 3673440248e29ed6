"""Settings of `serve` and of `gunicorn --config python:calendar_api.commands.gunicorn_conf`.

The application trusts the proxies in CALENDAR_TRUSTED_PROXIES. Gunicorn's own trust in local connections is
disabled, because a proxy forwards headers of its clients. `serve` has the same settings, but
preloads: a reload of it would read neither a new release nor new settings anyway.
"""

import os
from importlib import import_module
from pathlib import Path
from typing import Any

wsgi_app = "calendar_api.wsgi:application"
bind = "127.0.0.1:8000"  # ignored if systemd passes a socket
workers = 2  # one serves while the other is replaced
worker_class = "calendar_api.commands.worker.Worker"  # `gthread`; slow heads of requests occupy no thread
threads = 4
backlog = 2048

timeout = 30  # as long as nginx waits
graceful_timeout = 30  # less than TimeoutStopSec of the service
max_requests = 50_000  # replaces workers regularly, which limits memory leaks
max_requests_jitter = 5000
preload_app = False  # so that HUP loads new settings; with --preload workers share memory, see `when_ready`

umask = 0o077  # database files are the service's own
forwarder_headers = ""  # no header of a client sets SCRIPT_NAME
secure_scheme_headers: dict[str, str] = {}
control_socket_disable = True  # it would be a file in a home folder
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
