"""Our service as it is served, but that BENCH_ANSWERS=missed lets it remember no whole answer."""

import os

from calendar_api.app import create_app
from calendar_api.config import Config

application = create_app(Config.load())
if os.environ.get("BENCH_ANSWERS") == "missed":
    application.budget = 0
