"""Clients that write for a while, all at once, and keep a log of what they were answered."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPException

from tests.system.load import event
from tests.system.servers import Answer, Server

HOT_FIELDS = ("title", "description", "excerpt", "website")


@dataclass(frozen=True)
class Write:
    """One write as its client saw it; `key` is found in nothing else that was ever written."""

    key: str
    sent: float
    answered: float
    status: int  # of HTTP; 0 when there was no answer
    id: int = 0
    column: str = ""  # of the hot event, when it is that which was written
    said: str = ""  # what came instead of a success

    @property
    def succeeded(self) -> bool:
        return 200 <= self.status < 300

    @property
    def seconds(self) -> float:
        return self.answered - self.sent


@dataclass
class Log:
    """Every write of a run, and when the run began and ended."""

    began: float
    ended: float = 0.0
    writes: list[Write] = field(default_factory=list)


#: Makes the write of this number, and says what came of it: status, id, what came instead of a success.
Writer = Callable[[str], tuple[int, int, str]]


@dataclass(frozen=True)
class Client:
    """One client: what its keys begin with, how it writes, and which column of the hot event is its own."""

    name: str
    write: Writer
    column: str = ""


def run(clients: list[Client], seconds: float, halfway: Callable[[], None] | None = None) -> Log:
    """Let every client write as fast as it is answered, and do something in the middle of it."""
    log, over = Log(time.monotonic()), threading.Event()
    threads = [threading.Thread(target=_keep_writing, args=(client, log, over)) for client in clients]
    for thread in threads:
        thread.start()
    try:
        over.wait(seconds / 2)
        if halfway is not None:
            halfway()
        over.wait(log.began + seconds - time.monotonic())
    finally:
        over.set()
        for thread in threads:
            thread.join()
    log.ended = time.monotonic()
    return log


def _keep_writing(client: Client, log: Log, over: threading.Event) -> None:
    number = 0
    while not over.is_set():
        number += 1
        key = f"{client.name}n{number:05}"
        sent = time.monotonic()
        try:
            status, id, said = client.write(key)
        except Exception as error:  # whatever it was, this client was not served
            status, id, said = 0, 0, repr(error)
        log.writes.append(Write(key, sent, time.monotonic(), status, id, client.column, said))


def posting(server: Server) -> Writer:
    """New events, each with a key that lets the service repeat its answer."""

    def write(key: str) -> tuple[int, int, str]:
        return _outcome(server.ask("POST", "/events", event(key), Idempotency_Key=key))

    return write


def changing(server: Server, id: int, column: str) -> Writer:
    """One column of an event that everybody changes."""

    def write(key: str) -> tuple[int, int, str]:
        return _outcome(server.ask("PATCH", f"/events/{id}", {column: hot_value(column, key)}))

    return write


def hot_value(column: str, key: str) -> str:
    return f"https://example.org/{key}" if column == "website" else f"Hot {key}"


def _outcome(answer: Answer) -> tuple[int, int, str]:
    if answer.status not in (200, 201):
        return answer.status, 0, answer.body.decode("utf-8", "replace")[:300]
    try:
        return answer.status, int(answer.json["id"]), ""
    except (ValueError, KeyError) as error:
        raise HTTPException(f"not a record: {answer.body[:300]!r}") from error
