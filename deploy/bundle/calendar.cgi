#!/usr/bin/python3
"""CGI script for hosting without other options: one process per request.

Adapt the first line and BUNDLE. The script is below the web root with mode 0755, everything else outside of it.
Logins need the .htaccess of docs/deploy.md, so that Apache passes Authorization.
"""

import gc
import os
import sys
from io import BytesIO
from urllib.parse import unquote_to_bytes
from wsgiref.handlers import CGIHandler

BUNDLE = "/home/me/calendar"
LIMIT = 1_048_576  # bytes, as CALENDAR_MAX_BODY

gc.disable()  # one request per process: looking for garbage takes a tenth of its time, and finds little
sys.path.insert(0, BUNDLE)

import bundle  # noqa: E402, F401 - makes the next import possible

from calendar_api.wsgi import application  # noqa: E402


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


def set_path() -> None:
    """Set PATH_INFO and SCRIPT_NAME from the URL: after a rewrite the calendar is in the folder of the script.

    Some servers set no PATH_INFO, and after a rewrite it is not that of the URL.
    """
    requested = os.environ.get("REQUEST_URI", "").partition("?")[0]
    script = os.environ.get("SCRIPT_NAME", "")
    for prefix in (script, script.rpartition("/")[0]):
        if requested == prefix or requested.startswith(f"{prefix}/"):
            os.environ["SCRIPT_NAME"] = prefix
            os.environ["PATH_INFO"] = os.fsdecode(unquote_to_bytes(requested[len(prefix) :]))
            return
    os.environ.setdefault("PATH_INFO", "")


set_path()
if "REDIRECT_HTTP_AUTHORIZATION" in os.environ:  # what a rewrite makes of it
    os.environ.setdefault("HTTP_AUTHORIZATION", os.environ["REDIRECT_HTTP_AUTHORIZATION"])
stdin = body()
handler = CGIHandler()
handler.stdin = stdin
handler.run(application)
gc.freeze()  # otherwise Python looks for garbage when it ends
