"""The WSGI entry point: `gunicorn wsgi:application`."""

from calendar_api.app import create_app
from calendar_api.config import Config

application = create_app(Config.load())
