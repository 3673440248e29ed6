"""The script for Phusion Passenger (the "Python app" of many control panels), which expects this file name.

The folder of this file is the application root. Passenger imports it and calls `application`.
"""

import os
import shutil
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
VERSION = (FOLDER / "python-version").read_text("utf-8").strip()

# Passenger may run another Python. Restart with that of the bundle, if the host has it.
if "{}.{}".format(*sys.version_info) != VERSION:
    python = shutil.which(f"python{VERSION}")
    if python:
        os.execl(python, python, *sys.argv)  # noqa: S606 - replaces this process

sys.path.insert(0, str(FOLDER))

import bundle  # noqa: E402, F401 - makes the next import possible

from calendar_api.wsgi import application  # noqa: E402, F401
