"""The script for Phusion Passenger (the "Python app" of many control panels), which expects this file name.

Put it into the application root, outside of the web root, beside the virtual environment `venv` and the
settings `calendar.conf`. Passenger imports it and calls `application`.
"""

import os
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
VENV = FOLDER / "venv"

# Passenger may run the system's Python. Restart with that of the virtual environment.
if VENV.is_dir() and Path(sys.prefix).resolve() != VENV.resolve():
    python = str(VENV / "bin" / "python")
    os.execl(python, python, *sys.argv)  # noqa: S606 - replaces this process

os.environ.setdefault("CALENDAR_CONFIG", str(FOLDER / "calendar.conf"))
os.umask(0o077)

# Passenger imports from the application root first: a checkout there would hide the installed package.
sys.path[:] = [folder for folder in sys.path if Path(folder).resolve() != FOLDER]

from calendar_api.wsgi import application  # noqa: E402, F401 - after the settings and the path
