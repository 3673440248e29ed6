"""For hosting with Phusion Passenger (the "Python app" of many control panels), which looks for this name.

It stands in the application's folder, outside of the web root, with the virtual environment `venv` and the
settings `calendar.conf` beside it. Passenger imports it and calls `application`.
"""

import os
import sys
from pathlib import Path

from calendar_api.app import create_app
from calendar_api.config import Config

FOLDER = Path(__file__).resolve().parent
VENV = FOLDER / "venv"

# Passenger may come with the Python of the system. Go on with ours, which has the packages.
if VENV.is_dir() and Path(sys.prefix).resolve() != VENV.resolve():
    python = str(VENV / "bin" / "python")
    os.execl(python, python, *sys.argv)  # noqa: S606 - takes this process's place

os.environ.setdefault("CALENDAR_CONFIG", str(FOLDER / "calendar.conf"))
os.umask(0o077)

application = create_app(Config.load())
