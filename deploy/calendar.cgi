#!/home/me/calendar/venv/bin/python
"""For hosting that runs nothing but CGI: a process for each request, about a second slower than the others.

The first line and SETTINGS are yours. It goes into cgi-bin with mode 0755; everything else stays outside of the
web root. deploy/apache-cgi.conf, or the same lines in an .htaccess, make Apache hand over Authorization, without
which nobody can sign in.
"""

import os
import sys
from io import BytesIO
from wsgiref.handlers import CGIHandler

SETTINGS = "/home/me/calendar/calendar.conf"
LIMIT = 1_048_576  # as CALENDAR_MAX_BODY

os.environ.setdefault("CALENDAR_CONFIG", SETTINGS)
os.umask(0o077)

from calendar_api.app import create_app  # noqa: E402 - after the environment is set
from calendar_api.config import Config  # noqa: E402


def body() -> BytesIO:
    """The body, taken whole before anything is answered: a server gives up on a script that leaves some of it.

    One in chunks comes without a length, and ends where the input ends.
    """
    length = os.environ.get("CONTENT_LENGTH", "")
    chunked = not length and "chunked" in os.environ.get("HTTP_TRANSFER_ENCODING", "").lower()
    if not length.isdigit() and not chunked:
        return BytesIO()
    taken = sys.stdin.buffer.read(LIMIT + 1 if chunked else min(int(length), LIMIT + 1))
    if len(taken) > LIMIT:
        while sys.stdin.buffer.read(65_536):
            pass
    if chunked:
        os.environ["CONTENT_LENGTH"] = str(len(taken))
    return BytesIO(taken)


given = body()
handler = CGIHandler()
handler.stdin = given
handler.run(create_app(Config.load()))
