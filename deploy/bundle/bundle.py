"""Makes the packages in `lib` importable, and names the settings. The scripts beside it import this first."""

import os
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
MADE_FOR = (FOLDER / "python-version").read_text("utf-8").strip()
RUNNING = "{}.{}".format(*sys.version_info)

if MADE_FOR != RUNNING:
    sys.exit(f"This bundle is for Python {MADE_FOR}, and this is Python {RUNNING}. Use Python {MADE_FOR}, "
             f"or make another bundle: make bundle BUNDLE_PYTHON={RUNNING}")  # fmt: skip
sys.path.insert(0, str(FOLDER / "lib"))
os.environ.setdefault("CALENDAR_CONFIG", str(FOLDER / "calendar.conf"))
os.umask(0o077)
