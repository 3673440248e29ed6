"""A memory for results that cannot grow beyond a number of bytes."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any, Generic, Protocol, TypeVar

Kept = TypeVar("Kept")

_ENTRY = 300  # bytes that an entry takes beside its content, about


class Memory(Protocol[Kept]):
    """What results are kept in and found again; `size` is that of the content in bytes."""

    def get(self, key: Any) -> Kept | None: ...

    def several(self, keys: Iterable[Any]) -> list[Kept | None]: ...

    def put(self, key: Any, value: Kept, size: int) -> None: ...


class Bounded(Generic[Kept]):
    """Keeps what was used last, up to `limit` bytes; of size 0 it keeps nothing."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.size = 0
        self._entries: OrderedDict[Any, tuple[Kept, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Any) -> Kept | None:
        with self._lock:
            found = self._entries.get(key)
            if found is None:
                return None
            self._entries.move_to_end(key)
            return found[0]

    def several(self, keys: Iterable[Any]) -> list[Kept | None]:
        """What is kept under each of these keys."""
        found: list[Kept | None] = []
        with self._lock:
            for key in keys:
                entry = self._entries.get(key)
                if entry is None:
                    found.append(None)
                else:
                    self._entries.move_to_end(key)
                    found.append(entry[0])
        return found

    def put(self, key: Any, value: Kept, size: int) -> None:
        """`size` is that of the content in bytes; one that is larger than all room is not kept."""
        size += _ENTRY
        if size > self.limit:
            return
        with self._lock:
            self._drop(key)
            self._entries[key] = (value, size)
            self.size += size
            while self.size > self.limit:
                self._drop(next(iter(self._entries)))

    def grow(self, key: Any, by: int) -> None:
        """What is kept under the key has become larger by so many bytes."""
        with self._lock:
            found = self._entries.get(key)
            if found is None:
                return
            self._entries[key] = (found[0], found[1] + by)
            self.size += by
            while self.size > self.limit:
                self._drop(next(iter(self._entries)))

    def only(self, keeps: Callable[[Any, Kept], bool]) -> "Bounded[Kept]":
        """Another memory of the same room, with what is to be kept of this one."""
        made: Bounded[Kept] = Bounded(self.limit)
        with self._lock:
            entries = list(self._entries.items())
        for key, entry in entries:
            if keeps(key, entry[0]):
                made._entries[key] = entry
                made.size += entry[1]
        return made

    def _drop(self, key: Any) -> None:
        found = self._entries.pop(key, None)
        if found is not None:
            self.size -= found[1]


class Aside(Generic[Kept]):
    """Results that are not put into a memory before it is known that they are right."""

    def __init__(self, memory: Bounded[Kept]) -> None:
        self._memory = memory
        self._made: dict[Any, tuple[Kept, int]] = {}

    def get(self, key: Any) -> Kept | None:
        made = self._made.get(key)
        return self._memory.get(key) if made is None else made[0]

    def several(self, keys: Iterable[Any]) -> list[Kept | None]:
        return self._memory.several(keys) if not self._made else [self.get(key) for key in keys]

    def put(self, key: Any, value: Kept, size: int) -> None:
        self._made[key] = value, size

    def keep(self) -> None:
        """They are right."""
        for key, (value, size) in self._made.items():
            self._memory.put(key, value, size)
