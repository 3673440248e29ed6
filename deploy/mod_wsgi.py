"""What Apache's mod_wsgi runs; deploy/apache-mod_wsgi.conf says how. The path is yours to change."""

import os

from calendar_api.app import create_app
from calendar_api.config import Config

os.environ.setdefault("CALENDAR_CONFIG", "/etc/calendar-api.conf")

application = create_app(Config.load())
