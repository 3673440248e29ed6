"""`calendar-api import`: options, output and exit status."""

import errno
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from calendar_api import database
from calendar_api.commands import import_report
from calendar_api.commands.sources import opening
from calendar_api.database.models import Event, User
from calendar_api.store import users
from tests.command_line import Run
from tests.system import servers
from tests.templates import path_of

pytestmark = pytest.mark.sqlite


def events() -> list[tuple[str, int]]:
    with database.read():
        return [(event.title, event.author_id) for event in Event.select().order_by(Event.id)]


def line(title: str, **fields: object) -> str:
    return json.dumps({"title": title, "start_date": "2031-05-01", "end_date": "2031-05-02", **fields})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two valid lines and, between them, an invalid one."""
    path = tmp_path / "events.jsonl"
    path.write_text(f"{line('First')}\n{line('Bad', end_date='never')}\n{line('Second')}\n", "utf-8")
    return path


BAD_LINE = re.compile(r'line 2 \(Bad, end_date "never"\): end_date must be .+\.\n')


def table(created: int = 0, unchanged: int = 0, refused: int = 0) -> str:
    """The table of an import of events."""
    head = "".join(
        f"{name:>11}" for name in ("created", "updated", "unchanged", "conflicts", "refused", "gone")
    )
    numbers = "".join(f"{number:>11}" for number in (created, 0, unchanged, 0, refused, 0))
    return f"{'':<10}{head}\n{'event':<10}{numbers}\n"


NOTHING = "Nothing was stored.\n"


@pytest.mark.parametrize(
    ("options", "out", "titles"),
    [
        ((), table(created=2, refused=1), ["First", "Second"]),
        (("--dry-run",), f"+ First\n+ Second\n{table(created=2, refused=1)}{NOTHING}", []),
        (("--all-or-nothing",), table(created=2, refused=1) + NOTHING, []),
        (("--quiet",), "", ["First", "Second"]),
    ],
)
def test_import_reports_invalid_lines(
    options: tuple[str, ...], out: str, titles: list[str], run: Run, file: Path
) -> None:
    status, printed, err = run("import", str(file), *options)

    assert (status, printed) == (1, out)
    assert BAD_LINE.fullmatch(err)
    assert events() == [(title, 1) for title in titles]


def test_import_of_valid_lines_exits_with_0(run: Run, file: Path) -> None:
    file.write_text(f"\ufeff{line('First')}\n\n{line('Second')}", "utf-8")

    assert run("import", str(file), "--all-or-nothing") == (0, table(created=2), "")
    assert run("import", str(file)) == (0, table(unchanged=2), "")


def test_import_for_another_author(run: Run, file: Path) -> None:
    run("import", str(file), "--user", "author")

    with database.read():
        author = users.by_login("author").id
    assert events() == [("First", author), ("Second", author)]


def test_import_without_an_administrator(run: Run, file: Path) -> None:
    with database.write():
        User.update(role="editor").execute()

    status, out, err = run("import", str(file))

    assert (status, out) == (1, "")
    assert err == (
        "calendar-api: There is no administrator: run `calendar-api user invite NAME --role administrator`.\n"
    )


def test_import_of_invalid_utf8_rejects_the_line(run: Run, file: Path) -> None:
    file.write_bytes(line("First").encode() + b"\n" + line("Caf?").encode().replace(b"?", b"\xe9") + b"\n")

    status, out, err = run("import", str(file))

    assert (status, out) == (1, table(created=1, refused=1))
    assert err == "line 2 (Caf\ufffd): title must be valid Unicode text, without half a surrogate pair.\n"


@pytest.mark.parametrize(("name", "why"), [("absent", "No such file or directory"), ("", "Is a directory")])
def test_import_of_a_file_that_cannot_be_read(name: str, why: str, run: Run, tmp_path: Path) -> None:
    path = tmp_path / name

    assert run("import", str(path)) == (2, "", f"calendar-api: {path} cannot be read: {why}.\n")


def test_import_from_standard_input(run: Run, file: Path, database_url: str) -> None:
    database.close_connection()
    env = servers.environment(Path(), CALENDAR_DATABASE_URL=database_url)
    result = servers.run("import", "-", "--format", "jsonl", env=env, input=file.read_text("utf-8"))

    assert (result.returncode, result.stdout) == (1, table(created=2, refused=1))
    assert BAD_LINE.fullmatch(result.stderr)
    assert events() == [("First", 1), ("Second", 1)]


def test_equal_errors_are_grouped_with_the_field_that_was_meant(run: Run, file: Path) -> None:
    bad = json.dumps({"title": "Late", "start": "2031-05-01", "end_date": "2031-05-02"})
    file.write_text(f"{bad}\n" * 7 + line("Good") + "\n", "utf-8")

    _, out, err = run("import", str(file))

    assert err.splitlines() == [
        "note: Keys that are not known are left out: start.",
        "7 lines: start_date is missing. Found `start`, did you mean start_date?",
        *(f'    line {number} (Late, start "2031-05-01")' for number in range(1, 6)),
        "    … 2 more; --report FILE.jsonl writes them all",
    ]
    assert out == table(created=1, refused=7)


def test_broken_lines_are_grouped_and_show_where_they_are_broken(run: Run, file: Path) -> None:
    file.write_text("".join(f"{line(str(number))[: 20 + number]}\n" for number in range(6)), "utf-8")

    printed = run("import", str(file))[2].splitlines()

    assert printed[0] == "6 lines: line must be valid JSON: Unterminated string."
    assert printed[1] == '    line 1 (column 16: {"title": "0", "star)'


def test_unknown_keys_are_listed_once(run: Run, file: Path) -> None:
    place = {"venue": "Mill", "citty": "Faro", "slug": "mill"}
    more = [{"utc_start_date": 1}, {"lat": 1}, {"lat": 2, "venue": [place]}, {"venue": place, "uid": "4711"}]
    file.write_text("\n".join(line(f"Event {n}", **fields) for n, fields in enumerate(more)), "utf-8")

    status, out, err = run("import", str(file))

    assert (status, out) == (0, table(created=4))
    assert err == ("note: Keys that are not known are left out: lat, utc_start_date.\n")


def test_value_of_a_password_is_not_printed(run: Run, file: Path) -> None:
    file.write_text(line("Secret", password="x" * 300) + "\n", "utf-8")

    assert re.fullmatch(r"line 1 \(Secret\): password must .+\n", run("import", str(file))[2])


def test_report_has_every_decision(run: Run, file: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.jsonl"
    run("import", str(file), "--report", str(report))

    keys = ("result", "noun", "place", "title", "field")
    decisions = map(json.loads, report.read_text("utf-8").splitlines())
    assert [tuple(one.get(key) for key in keys) for one in decisions] == [
        ("created", "event", "line 1", "First", None),
        ("refused", "event", "line 2", "Bad", "end_date"),
        ("created", "event", "line 3", "Second", None),
    ]


def test_report_replaces_neither_the_source_nor_the_database(run: Run, file: Path, database_url: str) -> None:
    database_file = path_of(database_url)
    before = file.read_bytes(), database_file.read_bytes()
    link = file.with_name("link.jsonl")
    link.symlink_to(database_file)

    for report in (file, database_file, link, Path(f"{database_file}-wal")):
        status, out, err = run("import", str(file), "--report", str(report))
        assert (status, out, str(report) in err) == (1, "", True)

    assert (file.read_bytes(), database_file.read_bytes()) == before


@pytest.mark.parametrize("events", [1, 100])
def test_full_disk_of_the_report_is_no_fault_of_the_source(run: Run, file: Path, events: int) -> None:
    """One line is written when the file is closed, many are before."""
    file.write_text("".join(line(f"Event {number}") + "\n" for number in range(events)))

    status, _, err = run("import", str(file), "--quiet", "--report", "/dev/full")

    assert (status, err) == (1, "calendar-api: /dev/full cannot be written: No space left on device.\n")


LONG = "A long first paragraph, which both of the texts have.\n"


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ({"start_date": "2031-05-01 19:00", "end_date": "2031-05-01 22:00"},
         {"start_date": "2031-05-01 20:00", "end_date": "2031-05-01 22:00"}, "start_date 19:00 → 20:00"),
        ({"description": f"{LONG}Bach"}, {"description": f"{LONG}Brahms"},
         "description …he texts have. Bach → …he texts have. Brahms"),
        ({"categories": ["Music"]}, {"categories": ["Music", "Choirs"]}, "categories music → music, choirs"),
    ],
    ids=["time", "text", "related records"],
)  # fmt: skip
def test_dry_run_prints_what_would_change(
    before: dict[str, Any], after: dict[str, Any], said: str, run: Run, file: Path
) -> None:
    for fields in (before, after):
        file.write_text(line("Choir", uid="choir", **fields) + "\n", "utf-8")
        out = run("import", str(file), *["--dry-run"] * (fields is after))[1]

    assert out.startswith(f"~ Choir  {said}\n")
    assert out.endswith(NOTHING)


def test_events_that_the_source_lacks_are_named_with_their_start(run: Run, file: Path) -> None:
    days = [{"start_date": f"2031-05-0{day} 19:00", "end_date": f"2031-05-0{day} 20:00"} for day in (1, 2, 3)]
    lines = [line("Choir", uid=str(number), **dates) + "\n" for number, dates in enumerate(days)]
    file.write_text("".join(lines), "utf-8")
    run("import", str(file))
    file.write_text(lines[0], "utf-8")

    out = run("import", str(file))[1].splitlines()

    assert out[:2] == [f"- Choir  2031-05-0{day} 19:00  It was kept." for day in (2, 3)]


def test_import_goes_on_after_it_was_killed(tmp_path: Path, run: Run, database_url: str) -> None:
    file = tmp_path / "many.jsonl"
    lines = [line(str(number), venue={"venue": f"V{number % 50}"}) for number in range(1, 1001)]
    file.write_text("\n".join(lines) + "\n", "utf-8")
    database.close_connection()
    env = servers.environment(Path()) | {"CALENDAR_DATABASE_URL": database_url}
    killed = subprocess.Popen(
        [*servers.CALENDAR, "import", str(file)], env=env, cwd=servers.CHECKOUT, stdout=subprocess.PIPE
    )
    while killed.poll() is None and len(events()) < 100:
        pass
    killed.kill()
    killed.communicate()
    stored = len(events())

    status, out, _ = run("import", str(file))

    assert 100 <= stored < 1000
    assert stored % 50 == 0
    assert (status, out) == (0, table(created=1000 - stored, unchanged=stored))
    assert sorted(title for title, _ in events()) == sorted(map(str, range(1, 1001)))


@pytest.mark.parametrize(
    ("head", "name", "format"),
    [
        (b"\xef\xbb\xbfbegin:VCALENDAR\r\n", "x", "ics"),
        (b"BEGIN:VCALENDAR", "x.txt", "ics"),
        (b"<?xml version='1.0'?><rss>", "x", "wxr"),
        (b"\n<!DOCTYPE html>", "https://x.example/", "tribe"),
        (b'  {"title"', "x", "jsonl"),
        (b"", "x.jsonl", "jsonl"),
        (b"EVENT NAME,EVENT START", "x", "csv"),
        (b"a;b\n", "https://x.example/?format=csv", "csv"),
    ],
)
def test_format_is_told_from_content_and_name(head: bytes, name: str, format: str) -> None:
    assert opening.detect(head, name) == format


JSON = "is one JSON document: write each record on a line, as `jq -c '.[]'` does."
UNKNOWN = "The format of {} is not known: say --format jsonl|ics|csv|wxr|tribe."
COLUMNS = "Event Name and Event Start Date, Venue Name, or Organizer Name."
NO_HEAD = f"The first line must name the columns, among them {COLUMNS}"
AS_LINES = ("--format", "jsonl")
LEAVE_OUT = "leave out --format jsonl."
BINARY = "is not text in UTF-8: unpack an archive, save a spreadsheet as CSV."


@pytest.mark.parametrize(
    ("name", "content", "sentence", "options"),
    [
        ("x.csv", b"PK\3\4\0", BINARY, ()),
        ("x.ics", b"\x1f\x8b\x08", BINARY, ()),
        ("x.csv", "Event Name".encode("utf-16"), BINARY, ()),
        ("x", b"", "is empty.", ()),
        ("x", b"words\n", UNKNOWN, ()),
        ("x.html", b"<html>", "is a web page: give its address, or download the calendar it offers.", ()),
        ("x.json", b'{\n  "events": [', JSON, ()),
        ("x.json", b'[{"title": "A"}]', JSON, ()),
        ("x.csv", b"colour,size\nred,2\n", NO_HEAD, ()),
        ("x.ics", b"Warning: x\n", "The file is no calendar: that begins with BEGIN:VCALENDAR.", ()),
        ("x.csv", b"PK\3\4\0", BINARY, AS_LINES),
        ("x.csv", b"<html>", f"has the format tribe: {LEAVE_OUT}", AS_LINES),
        ("x.csv", b"BEGIN:VCALENDAR\nEND:VCALENDAR\n", f"has the format ics: {LEAVE_OUT}", AS_LINES),
        ("x.csv", b'[{"title": "A"}]', JSON, AS_LINES),
    ],
)  # fmt: skip
def test_content_that_cannot_be_imported_is_named(
    name: str, content: bytes, sentence: str, options: tuple[str, ...], run: Run, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)

    sentence = sentence.format(path) if sentence[0] == "T" else f"{path} {sentence}"
    assert run("import", str(path), *options) == (2, "", f"calendar-api: {sentence}\n")


def test_content_decides_and_not_the_name(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.touch()
    assert run("import", str(path), "--format", "csv")[0] == 2  # no lines, and so no head
    assert run("import", str(path), "--format", "jsonl") == (0, table(), "")
    for content, events in (("Event Name,Event Start Date\nA,2031-01-01\n", 1),
                            ("BEGIN:VCALENDAR\nEND:VCALENDAR\n", 0)):  # fmt: skip
        path.write_text(content)
        assert run("import", str(path))[:2] == (0, table(created=events))


def test_output_that_nobody_reads_is_no_fault_of_the_source(
    run: Run, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in `calendar-api import FILE --dry-run | head`."""

    def closed(*_: object) -> None:
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    monkeypatch.setattr(import_report.Report, "__call__", closed)

    assert run("import", str(file)) == (1, "", "")


def test_two_versions_of_an_event_in_one_file_are_updated_once(run: Run, tmp_path: Path) -> None:
    old = "BEGIN:VEVENT\nUID:u\nDTSTART:20310501T100000Z\nSUMMARY:Old\nSEQUENCE:1\nEND:VEVENT\n"
    new = old.replace("Old", "New").replace("SEQUENCE:1", "SEQUENCE:2")
    path = tmp_path / "versions.ics"
    path.write_text(f"BEGIN:VCALENDAR\n{old}{new}{old}END:VCALENDAR\n", "utf-8")

    runs = [run("import", str(path)) for _ in range(2)]

    assert [out for _, out, _ in runs] == [table(created=1), table(unchanged=1)]
    assert [title for title, _ in events()] == ["New"]
    assert "note: Older versions of events with the same UID are left out: 2." in runs[1][2]


def test_ids_cannot_be_kept_of_a_file(run: Run, file: Path) -> None:
    status, _, err = run("import", str(file), "--ids", "keep")

    assert (status, events()) == (2, [])
    assert "leave out --ids keep" in err
