"""Dates in their parts, and images (docs/interface.md#parts-of-records)."""

import pytest

from calendar_api.database.models import Image
from calendar_api.representations.events import date_details
from calendar_api.representations.venue_organizer import image_record

PICTURE = {"url": "https://pics.example.org/a.png", "id": 9, "extension": "png"}


def test_date_has_six_texts_with_leading_zeros() -> None:
    assert list(date_details("2031-01-09 07:05:03").items()) == [
        ("year", "2031"),
        ("month", "01"),
        ("day", "09"),
        ("hour", "07"),
        ("minutes", "05"),
        ("seconds", "03"),
    ]


@pytest.mark.parametrize("moment", ["1000-01-02 00:00:00", "9999-12-30 23:59:59"])
def test_date_at_the_ends_of_the_calendar(moment: str) -> None:
    parts = list(date_details(moment).values())

    assert f"{'-'.join(parts[:3])} {':'.join(parts[3:])}" == moment


def test_image_without_sizes() -> None:
    assert image_record(Image(**PICTURE)) == PICTURE


def test_image_with_sizes() -> None:
    record = image_record(Image(**PICTURE, width=640, height=480, filesize=0))

    assert list(record.items()) == [*PICTURE.items(), ("width", 640), ("height", 480), ("filesize", 0)]


def test_image_has_only_the_sizes_that_are_known() -> None:
    assert image_record(Image(**PICTURE, height=480)) == {**PICTURE, "height": 480}
