"""What the readers of CSV files and of WordPress exports share."""

import re
import shutil
import tempfile
from collections.abc import Iterable
from typing import BinaryIO, cast

_HOST = re.compile(r"[^\s:/@]+\.[^\s:/@.]{2,}(?:[:/?#]\S*)?")


def seekable(stream: BinaryIO) -> BinaryIO:
    """Return a stream that can be read twice: `stream`, or a temporary file with what a pipe sends."""
    if stream.seekable():
        return stream
    spooled = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115  closed with the last reference
    shutil.copyfileobj(stream, spooled)
    spooled.seek(0)
    return spooled


def website(address: str) -> str:
    """Add `http://` to an address such as `www.example.org`, as browsers do."""
    return f"http://{address}" if _HOST.fullmatch(address) else address


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
