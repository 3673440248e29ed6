"""The script for Apache's mod_wsgi, used by deploy/apache-mod_wsgi.conf. Adapt the path of the settings."""

import os

from calendar_api.app import create_app
from calendar_api.config import Config

os.environ.setdefault("CALENDAR_CONFIG", "/etc/calendar-api.conf")

application = create_app(Config.load())
