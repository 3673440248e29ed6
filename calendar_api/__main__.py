"""`python -m calendar_api` is the command `calendar-api`."""

import sys

from calendar_api.commands.main import main

sys.exit(main())
