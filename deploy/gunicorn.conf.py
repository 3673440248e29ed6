"""Gunicorn behind a proxy on the same machine: `gunicorn --config deploy/gunicorn.conf.py wsgi:application`.

The application believes the proxies in CALENDAR_TRUSTED_PROXIES. Gunicorn's own trust in whoever connects
from the same machine is switched off, because a proxy passes on what its clients send.
"""

from pathlib import Path

bind = "127.0.0.1:8000"
workers = 2
worker_class = "gthread"
threads = 4
timeout = 30
graceful_timeout = 30
umask = 0o077
forwarder_headers = ""
secure_scheme_headers: dict[str, str] = {}
_IN_MEMORY = Path("/", "dev", "shm")  # where a heartbeat never waits for a disk
worker_tmp_dir = str(_IN_MEMORY) if _IN_MEMORY.is_dir() else None
