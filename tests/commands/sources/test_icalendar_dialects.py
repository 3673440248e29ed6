"""iCalendar files as nine producers write them: `dialects/NAME.ics` is read as `dialects/NAME.jsonl`."""

import pytest

from calendar_api.commands.sources.items import Notice
from tests.commands.sources.reading import DIALECTS, check, read_calendar

#: Name -> the time zone that the command line gives. At gancio summer time ends: it is half past two twice.
ZONES = {
    "apple": "Europe/Vienna", "gancio": "", "google": "", "hand_made": "Europe/Zurich", "meetup": "",
    "nextcloud": "Europe/Paris", "office_365": "", "outlook": "", "wordpress": "",
}  # fmt: skip


def test_every_file_has_a_zone() -> None:
    assert sorted(path.stem for path in DIALECTS.glob("*.ics")) == list(ZONES)


@pytest.mark.parametrize("name", ZONES)
def test_dialect(name: str, pytestconfig: pytest.Config) -> None:
    content = (DIALECTS / f"{name}.ics").read_text("utf-8")
    found = read_calendar(content, ZONES[name])

    check(found, f"{name}.jsonl", update=pytestconfig.getoption("update_golden"))


def test_hand_made_file_in_latin_1_or_with_a_byte_order_mark() -> None:
    content = (DIALECTS / "hand_made.ics").read_text("utf-8")
    found = read_calendar(content.encode(), "Europe/Zurich")
    notice = Notice("Line 3 is not UTF-8; such lines are read as Windows-1252.")

    assert read_calendar(content.encode("cp1252"), "Europe/Zurich") == [notice, *found]
    assert read_calendar(b"\xef\xbb\xbf" + content.encode(), "Europe/Zurich") == found
