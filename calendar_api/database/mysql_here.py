"""What a thread knows about its connection and about the transaction on it."""

import threading

from calendar_api.database.mysql_hosts import Host


class Here(threading.local):
    """Every thread sees its own values."""

    host: Host | None = None
    used = 0.0  # by the monotonic clock
    patient = False  # for statements that take long
    writing = False
    mark: str | None = None  # what this transaction leaves behind
    committing = False  # sent, and not answered yet
    lost: str | None = None  # the mark of a try that may have been committed
    writer = ""  # who reserves a turn, through all tries
    reserving = False
