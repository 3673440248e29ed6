#!/home/me/calendar/venv/bin/python
"""CGI script for hosting without other options: one process per request, which takes about a second.

Adapt the first line and SETTINGS. Put this file into cgi-bin with mode 0755 and everything else outside of the
web root. Logins need deploy/apache-cgi.conf, or the same lines in an .htaccess, so that Apache passes Authorization.
"""

import gc
import os
import sys
from io import BytesIO
from wsgiref.handlers import CGIHandler

SETTINGS = "/home/me/calendar/calendar.conf"
LIMIT = 1_048_576  # bytes, as CALENDAR_MAX_BODY

os.environ.setdefault("CALENDAR_CONFIG", SETTINGS)
os.umask(0o077)
gc.disable()  # one request per process: looking for garbage takes a tenth of its time, and finds little

from calendar_api.wsgi import application  # noqa: E402 - after the environment is set


def body() -> BytesIO:
    """Read the whole body before responding, because servers fail if a script leaves a part unread.

    A chunked body has no length and ends with the input.
    """
    length = os.environ.get("CONTENT_LENGTH", "")
    chunked = not length and "chunked" in os.environ.get("HTTP_TRANSFER_ENCODING", "").lower()
    if not length.isdigit() and not chunked:
        return BytesIO()
    data = sys.stdin.buffer.read(LIMIT + 1 if chunked else min(int(length), LIMIT + 1))
    if len(data) > LIMIT:
        while sys.stdin.buffer.read(65_536):
            pass
    if chunked:
        os.environ["CONTENT_LENGTH"] = str(len(data))
    return BytesIO(data)


stdin = body()
handler = CGIHandler()
handler.stdin = stdin
handler.run(application)
