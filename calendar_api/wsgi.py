"""The WSGI entry point of the installed package: `calendar_api.wsgi:application`."""

from calendar_api.app import create_app
from calendar_api.config import Config

application = create_app(Config.load())
