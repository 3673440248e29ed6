#!/home/me/calendar/venv/bin/python
"""For hosting that runs nothing but CGI: a process for each request, some half a second slower than the others.

The first line and SETTINGS are yours. Copy it into cgi-bin with mode 0755; everything else stays outside of
the web root. deploy/apache-cgi.conf, or the same lines in an .htaccess, say how Apache hands over Authorization,
without which nobody can sign in.
"""

import os
from wsgiref.handlers import CGIHandler

SETTINGS = "/home/me/calendar/calendar.conf"

os.environ.setdefault("CALENDAR_CONFIG", SETTINGS)
os.umask(0o077)

from calendar_api.app import create_app  # noqa: E402
from calendar_api.config import Config  # noqa: E402

CGIHandler().run(create_app(Config.load()))
