"""The script for Apache's mod_wsgi, used by deploy/apache-mod_wsgi.conf. Adapt the path of the settings."""

import os

os.environ.setdefault("CALENDAR_CONFIG", "/etc/calendar-api.conf")

from calendar_api.wsgi import application  # noqa: F401 - after the environment is set
