"""Whether anything was committed to a SQLite database, without asking it.

In WAL mode all processes share an index of the log, a file beside the database that each of them maps. Its
first bytes change with every commit; SQLite itself begins each read by comparing them with those that it saw
last, and takes what it has in its memory as current if they are the same
(https://sqlite.org/walformat.html, "The WAL-Index Header"). A look at them costs no lock and no system call.
"""

import os
import threading
from importlib import import_module
from mmap import MAP_SHARED, PROT_READ, mmap
from pathlib import Path

#: Two copies of the header, which are equal but while somebody commits.
_SIZE = 96
_COPY = _SIZE // 2
_VERSIONS = (3_007_000).to_bytes(4, "little"), (3_007_000).to_bytes(4, "big")
_READY = 12  # where a header says that it is one

#: Each takes two handles for good; whoever opens and closes database after database goes on without.
MOST = 16

_mapped: dict[tuple[int, int], mmap] = {}
_lock = threading.Lock()


def of(database: Path) -> mmap | None:
    """The index of the log of a database; None if there is none, or not one that we know.

    Only for somebody who has a connection to this database open, and only as long as that stays open:
    otherwise another process may make a new index in the place of this one.
    """
    try:
        file = database.resolve()
        file = file.with_name(file.name + "-shm")
        found = file.stat()
        if found.st_size < _SIZE:
            return None
        with _lock:
            known = (found.st_dev, found.st_ino)
            if known not in _mapped and len(_mapped) < MOST:
                _mapped[known] = _forever(file)
            return _mapped.get(known)
    except (OSError, ValueError, ImportError):
        return None


def header(index: mmap) -> bytes:
    """What is another one after every commit, by whomever."""
    return index[:_SIZE]


def settled(found: bytes) -> bool:
    """Whether a header is whole: of a version that we know, and nobody at work on it."""
    return found[:_COPY] == found[_COPY:] and found[:4] in _VERSIONS and found[_READY] == 1


def _forever(file: Path) -> mmap:
    """Map a file and never give it up, not even when the interpreter ends.

    To close it would drop the locks that SQLite holds on the same file in this process, because such locks
    belong to the process; and a thread may just be writing.
    """
    ctypes = import_module("ctypes")
    made = mmap(os.open(file, os.O_RDONLY | os.O_CLOEXEC), _SIZE, flags=MAP_SHARED, prot=PROT_READ)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(made))
    return made
