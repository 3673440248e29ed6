"""The `*_details` objects: dates in their parts, and an image."""

import re
from typing import Any

Json = dict[str, Any]


def instant(moment: str) -> Json:
    """ "YYYY-MM-DD HH:MM:SS" in six texts (docs/interface.md#parts-of-records)."""
    return {
        "year": moment[0:4],
        "month": moment[5:7],
        "day": moment[8:10],
        "hour": moment[11:13],
        "minutes": moment[14:16],
        "seconds": moment[17:19],
    }


def image(image: Any) -> Json:
    """Sizes only when they are known (docs/interface.md#parts-of-records)."""
    record: Json = {"url": image.url, "id": int(image.id), "extension": image.extension}
    for name in ("width", "height", "filesize"):
        if getattr(image, name) is not None:
            record[name] = getattr(image, name)
    return record


_OPENING = re.compile(r"<(?=[a-zA-Z/!?])")


def inert(value: str) -> str:
    """The same where no browser finds a tag: what looks like one to a browser only is still in it.

    Written back, it is stored as it was.
    """
    return _OPENING.sub("&lt;", value) if "<" in value else value
