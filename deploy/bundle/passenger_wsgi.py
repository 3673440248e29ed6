"""The script for Phusion Passenger (the "Python app" of many control panels), which expects this file name.

The folder of this file is the application root. Passenger imports it and calls `application`.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import bundle  # noqa: E402, F401 - makes the next import possible

from calendar_api.wsgi import application  # noqa: E402, F401
