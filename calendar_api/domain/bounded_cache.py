"""An LRU cache with a limit in bytes."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")

_ENTRY = 300  # bytes of an entry beside key and value, about


class BoundedCache(Generic[Value]):
    """Entries of at most `limit` bytes; the least recently used ones are dropped. Thread-safe."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.size = 0
        self._entries: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Value | None:
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry[0]

    def put(self, key: Hashable, value: Value, size: int) -> None:
        """Add or replace an entry of `size` bytes; one that exceeds the limit is not stored."""
        size += _ENTRY
        with self._lock:
            self._drop(key)
            if size > self.limit:
                return
            self._entries[key] = (value, size)
            self.size += size
            while self.size > self.limit:
                self._drop(next(iter(self._entries)))

    def _drop(self, key: Hashable) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self.size -= entry[1]
