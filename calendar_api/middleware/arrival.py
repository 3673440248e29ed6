"""When the request that a thread answers had arrived, for servers that tell it."""

import math
import threading


class Arrival(threading.local):
    """`time` is of `time.monotonic`, and infinite if the server does not set it."""

    time = math.inf


arrival = Arrival()
