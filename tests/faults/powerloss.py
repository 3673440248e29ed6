"""What a power cut at a random moment could have left on the disk, made from a record of writes and syncs.

On the disk is for sure what was written before a sync that has ended. Of everything else each write may be
there or not, in any order, and a longer one in pieces of 512 bytes.
"""

import random
import re
import shutil
import struct
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

SECTOR = 512
ENTRY = struct.Struct("=cIQII")
ANSWER = re.compile(rb'"title":\s*"Event ([0-9a-f]{32})"')


@dataclass(frozen=True)
class Step:
    kind: str
    thread: int
    path: str
    offset: int
    content: bytes


def steps(record: Path) -> list[Step]:
    content, found, place = record.read_bytes(), [], 0
    while place < len(content):
        kind, thread, offset, path_length, length = ENTRY.unpack_from(content, place)
        place += ENTRY.size
        path = content[place : place + path_length].decode()
        place += path_length
        size = length if kind in b"wa" else 0
        found.append(Step(kind.decode(), thread, path, offset, content[place : place + size]))
        place += size
    return found


@dataclass
class Disk:
    """What is synced, what is not yet, and whose answers were sent."""

    synced: dict[str, bytearray] = field(default_factory=dict)
    pending: dict[str, list[Step]] = field(default_factory=dict)
    acknowledged: set[str] = field(default_factory=set)
    _begun: dict[tuple[int, str], int] = field(default_factory=dict)
    _dropped: "Counter[str]" = field(default_factory=Counter)

    def do(self, step: Step) -> None:
        if step.kind in "wt":
            self.pending.setdefault(step.path, []).append(step)
        elif step.kind == "b":
            self._begun[step.thread, step.path] = self._dropped[step.path] + len(
                self.pending.get(step.path, [])
            )
        elif step.kind == "s":
            image, waiting = self.synced.setdefault(step.path, bytearray()), self.pending.get(step.path, [])
            number = max(self._begun.get((step.thread, step.path), 0) - self._dropped[step.path], 0)
            for done in waiting[:number]:
                apply(image, done)
            self._dropped[step.path] += number
            self.pending[step.path] = waiting[number:]
        elif step.kind == "u":
            self.synced.pop(step.path, None)
            self._dropped[step.path] += len(self.pending.pop(step.path, []))
        elif step.kind == "a":
            self.acknowledged |= {key.decode() for key in ANSWER.findall(step.content)}

    def left(self, chance: random.Random) -> dict[str, bytearray]:
        """The files as a cut at this moment may leave them."""
        kept, torn = chance.choice((0.0, 0.1, 0.5, 0.9, 1.0)), chance.random() < 0.5
        files = {}
        for path in {*self.synced, *self.pending}:
            image = bytearray(self.synced.get(path, b""))
            for step in self.pending.get(path, []):
                if chance.random() >= kept:
                    continue
                for piece in pieces(step, chance) if torn and chance.random() < 0.3 else [step]:
                    apply(image, piece)
            if image or path in self.synced:
                files[path] = image
        return files


def pieces(step: Step, chance: random.Random) -> Iterator[Step]:
    """Those sectors of a write that arrived."""
    if step.kind == "t":
        yield step
    for start in range(0, len(step.content), SECTOR):
        if chance.random() < 0.5:
            content = step.content[start : start + SECTOR]
            yield Step("w", step.thread, step.path, step.offset + start, content)


def apply(image: bytearray, step: Step) -> None:
    if len(image) < step.offset:
        image.extend(bytes(step.offset - len(image)))
    if step.kind == "t":
        del image[step.offset :]
    else:
        image[step.offset : step.offset + len(step.content)] = step.content


def cuts(
    record: Path, number: int, chance: random.Random, look: Callable[[Path, set[str]], None]
) -> tuple[int, int]:
    """Call `look` with the folder that is left, and what was acknowledged, for so many moments.

    Gives the number of steps in the record and of the acknowledgements in all.
    """
    taken, disk = steps(record), Disk()
    first = next((place for place, step in enumerate(taken) if step.kind == "a"), 0)
    memory = next((str(path) for path in (Path("/", "dev", "shm"),) if path.is_dir()), None)
    moments = Counter(chance.choices(range(first, len(taken) + 1), k=number))
    for place in range(len(taken) + 1):
        for _ in range(moments[place]):
            folder = Path(tempfile.mkdtemp(prefix="cut-", dir=memory))
            try:
                for path, image in disk.left(chance).items():
                    (folder / Path(path).name).write_bytes(image)
                look(folder, set(disk.acknowledged))
            finally:
                shutil.rmtree(folder)
        if place < len(taken):
            disk.do(taken[place])
    return len(taken), len(disk.acknowledged)
