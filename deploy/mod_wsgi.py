"""What Apache's mod_wsgi runs; deploy/apache-mod_wsgi.conf says how. The settings' path is yours to change."""

import os

os.environ.setdefault("CALENDAR_CONFIG", "/etc/calendar-api.conf")

from calendar_api.app import create_app  # noqa: E402
from calendar_api.config import Config  # noqa: E402

application = create_app(Config.load())
