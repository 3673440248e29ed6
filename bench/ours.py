"""The service; BENCH_ANSWERS=missed disables the cache of whole responses."""

import os

from calendar_api.app import create_app
from calendar_api.config import Config

application = create_app(Config.load())
if os.environ.get("BENCH_ANSWERS") == "missed":
    application.budget = 0
