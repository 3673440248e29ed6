"""What several readers share."""

import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC
from typing import BinaryIO

from calendar_api.domain import dates, time_zones

_HOST = re.compile(r"[^\s:/@]+\.[^\s:/@.]{2,}(?:[:/?#]\S*)?")


@contextmanager
def seekable(stream: BinaryIO) -> Iterator[BinaryIO]:
    """A stream that can be read twice: `stream`, or a temporary file with what a pipe sends."""
    if stream.seekable():
        yield stream
        return
    with tempfile.TemporaryFile() as spooled:
        shutil.copyfileobj(stream, spooled)
        spooled.seek(0)
        yield spooled


def website(address: str) -> str:
    """Add `http://` to an address such as `www.example.org`, as browsers do."""
    return f"http://{address}" if _HOST.fullmatch(address) else address


def wall_time(local: str, utc: str, zone: str) -> str:
    """Wall time, with its offset if it is the second of two equal ones; "" if it is not this one in UTC."""
    try:
        for fold in (0, 1):
            moment = dates.from_text(local).replace(tzinfo=time_zones.named(zone), fold=fold)
            if dates.text(moment.astimezone(UTC)) == utc:
                return moment.isoformat(" ") if fold else local
    except (ValueError, OverflowError):  # refused where fields are validated
        pass
    return ""


def costs(amounts: Iterable[str], currency: str, position: str) -> list[str]:
    """Add the currency, a symbol or code, to the amounts that have none; `position` as the source says it."""
    after = position.strip().lower() in ("postfix", "suffix")
    gap = " " if currency.isalpha() and currency.isascii() else ""
    found = []
    for amount in filter(None, map(str.strip, amounts)):
        if currency and amount[-1 if after else 0].isdecimal():
            amount = f"{amount}{gap}{currency}" if after else f"{currency}{gap}{amount}"
        found.append(amount)
    return found
