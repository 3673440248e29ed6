"""The `*_details` objects: dates in their parts, and an image."""

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
